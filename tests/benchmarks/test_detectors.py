"""Figures of detectors, beside slower ways to get them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.confusable import named
from benchmarks.detectors import (
    Seen,
    average_precision,
    error,
    fitted,
    matched,
    recall_at,
)
from benchmarks.hands import chances, judged_hands
from benchmarks.true_false import auc
from sentrack.vision.scan.detectors import ImageCandidates
from sentrack.vision.scan.detectors.calibration import Curve
from sentrack.vision.scan.detectors.hands import CHANCE

rows = st.lists(
    st.tuples(st.integers(1, 98), st.booleans()), min_size=1, max_size=30, unique_by=lambda r: r[0]
)


def seen(found: list[tuple[int, bool]], frames: int = 2) -> Seen:
    score = np.array([each for each, _ in found]) / 100
    right = np.array([each for _, each in found])
    return Seen(score, right, max(1, int(right.sum()) + 1), frames)


@given(rows)
def test_recall_and_average_precision_by_all_thresholds(found: list[tuple[int, bool]]) -> None:
    one = seen(found)
    points = []
    for threshold in sorted({score for score, _ in found}):
        kept = [right for score, right in found if score >= threshold]
        points.append((sum(kept) / one.people, sum(kept) / len(kept), len(kept) - sum(kept)))
    best = max((recall for recall, _, false in points if false <= one.frames), default=0.0)
    assert np.isclose(recall_at(one)[0], best)
    steps = sorted({recall for recall, _, _ in points} - {0.0})
    area = 0.0
    for before, step in zip([0.0, *steps], steps, strict=False):
        area += (step - before) * max(p for recall, p, _ in points if recall >= step)
    assert np.isclose(average_precision(one), area)


def test_a_box_is_right_once() -> None:
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 11], [50, 50, 60, 60], [20, 0, 30, 10]], float)
    truth = np.array([[0, 0, 10, 10], [20, 0, 30, 12]], float)
    assert matched(boxes, truth).tolist() == [True, False, False, True]


def test_a_curve_is_found_again() -> None:
    rng = np.random.default_rng(0)
    score = rng.uniform(0.02, 0.98, 20_000)
    right = rng.random(20_000) < Curve(0.5, 2.0)(score)
    curve = fitted([Seen(score, right, 1, 1)])
    assert abs(curve.offset - 0.5) < 0.1
    assert abs(curve.slope - 2.0) < 0.1
    assert error(curve(score), right) < 0.02 < error(score, right)


def test_the_chance_of_a_hand_is_as_fitted_to_what_was_judged() -> None:
    judged = judged_hands()
    weights, found = chances(judged, (0, 1, 2, 3))
    fitted = CHANCE.constant, CHANCE.logit, CHANCE.side, CHANCE.down
    np.testing.assert_allclose(weights, fitted, atol=0.02)
    # Boxes of videos that were left out are told apart better than by their scores.
    assert auc(found, judged.hand) > auc(judged.score, judged.hand) + 0.1
    assert error(found, judged.hand) < error(judged.score, judged.hand) / 2


def test_what_a_thing_is_called_by_two_detectors() -> None:
    box = np.array([[0.0, 0.0, 10.0, 10.0]])
    judge = ImageCandidates(np.repeat(box, 2, 0), np.array([0, 1]), np.array([0.9, 0.4]))
    boxes = np.concatenate([box, box + 1, box + 50])
    other = ImageCandidates(boxes, np.array([1, 0, 0]), np.array([0.8, 0.2, 0.9]))
    assert list(named(judge, other, ("car", "truck"))) == [("car", "truck", 0.2)]
    unsure = ImageCandidates(boxes, np.array([1, 0, 0]), np.array([0.4, 0.2, 0.9]))
    assert list(named(judge, unsure, ("car", "truck"))) == []
