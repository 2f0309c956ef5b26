"""Greedy suppression, against brute force and OpenCV."""

import cv2
import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sentrack.vision.clip import Floats, Ints
from sentrack.vision.scan.detectors.suppression import suppress


def overlap_of(a: Floats, b: Floats) -> float:
    """Intersection over union, by counting the unit cells of boxes with whole corners."""
    cells = [
        {(x, y) for x in range(int(x1), int(x2)) for y in range(int(y1), int(y2))}
        for x1, y1, x2, y2 in (a, b)
    ]
    return len(cells[0] & cells[1]) / len(cells[0] | cells[1])


def brute(boxes: Floats, label: Ints, score: Floats, best: int, overlap: float) -> list[int]:
    stays: list[int] = []
    for kind in sorted(set(label.tolist())):
        left = [i for i in range(len(boxes)) if label[i] == kind]
        taken: list[int] = []
        while left and len(taken) < best:
            top = max(left, key=lambda i: (score[i], -i))
            taken.append(top)
            left = [
                i for i in left if i != top and overlap_of(boxes[top], boxes[i]) <= overlap + 1e-12
            ]
        stays += taken
    return stays


@st.composite
def detections(draw: st.DrawFn) -> tuple[Floats, Ints, Floats]:
    M = draw(st.integers(0, 12))
    whole, side = st.integers(0, 6), st.integers(1, 5)
    rows = draw(st.lists(st.tuples(whole, whole, side, side), min_size=M, max_size=M))
    boxes = np.array(rows, dtype=np.float64).reshape(M, 4)
    boxes[:, 2:] += boxes[:, :2]
    label = draw(st.lists(st.integers(0, 2), min_size=M, max_size=M))
    # Few values, so that there are ties.
    score = draw(st.lists(st.sampled_from([0.1, 0.2, 0.5, 0.9]), min_size=M, max_size=M))
    return boxes, np.array(label, dtype=np.int64), np.array(score, dtype=np.float64)


# Not a value that a ratio of small whole numbers takes, where rounding would decide.
OVERLAPS = [0.0, 0.123, 0.4567, 0.789, 1.0]


@settings(max_examples=120)
@given(detections(), st.integers(1, 4), st.sampled_from(OVERLAPS))
@example((np.array([[0.0, 0, 2, 2], [0, 0, 2, 2]]), np.array([1, 0]), np.ones(2)), 1, 0.0)
def test_as_brute_force_has_it(
    made: tuple[Floats, Ints, Floats], best: int, overlap: float
) -> None:
    assert suppress(*made, best, overlap).tolist() == brute(*made, best, overlap)


def many(M: int, classes: int, seed: int = 0) -> tuple[Floats, Ints, Floats]:
    """Boxes around a few objects, as a network gives them."""
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 500, (20, 2))[rng.integers(0, 20, M)] + rng.normal(0, 12, (M, 2))
    boxes = np.hstack([corner, corner + rng.uniform(40, 90, (M, 2))])
    return boxes, rng.integers(0, classes, M), rng.permutation(M) / M


def test_as_opencv_has_it() -> None:
    boxes, label, score = many(2000, 5)
    sides = np.hstack([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]])
    peer = cv2.dnn.NMSBoxesBatched(sides.tolist(), score.tolist(), label.tolist(), 0.0, 0.5)
    ours = suppress(boxes, label, score, 2000, 0.5)
    assert 50 < len(ours) < 1000
    assert sorted(ours.tolist()) == sorted(np.asarray(peer).ravel().tolist())


def test_by_class_and_then_by_falling_score() -> None:
    boxes, label, score = many(500, 4, seed=1)
    stays = suppress(boxes, label, score, 3, 0.5)
    np.testing.assert_array_equal(label[stays], np.repeat(np.arange(4), 3))
    assert (np.diff(score[stays].reshape(4, 3)) < 0).all()


def test_two_thousand_boxes_of_eighty_classes() -> None:
    boxes, _, _ = many(2000, 1)
    made = np.repeat(boxes, 80, axis=0), np.tile(np.arange(80), 2000), many(160_000, 1)[2]
    assert len(suppress(*made, 10, 0.5)) == 800
