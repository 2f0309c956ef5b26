from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.vision import Clip, clip_from_arrays, seen_classes, surely

CLASSES = ("person", "dog", "pizza")


def made(rows: list[tuple[int, int, float]], T: int, fps: float) -> Clip:
    """A clip of T frames with detections of frame, class and score."""
    frame, label, score = (np.array(column) for column in zip(*rows, strict=True))
    return clip_from_arrays(
        "made",
        (100, 100),
        fps,
        frame,
        CLASSES,
        np.tile([10.0, 10, 30, 60], (len(rows), 1)),
        score.astype(np.float64),
        label=label,
        frames=np.arange(T),
    )


def test_noise_is_not_seen_and_neither_is_a_flash() -> None:
    rows = [(t, 0, 0.9) for t in range(10)]  # a second of a person
    rows += [(t, 1, 0.3) for t in range(20)]  # two of something that may be a dog
    rows += [(t, 2, 0.8) for t in range(4)]  # less than half a second of a pizza
    assert seen_classes(made(rows, 20, 10)) == {"person": 10}
    assert seen_classes(made([*rows, (7, 2, 0.5)], 20, 10)) == {"person": 10, "pizza": 5}


def test_a_short_clip_shows_what_is_in_all_of_it() -> None:
    assert seen_classes(made([(0, 1, 0.6), (1, 1, 0.6)], 2, 10)) == {"dog": 2}
    assert seen_classes(made([(0, 1, 0.6)], 2, 10)) == {}


def test_margins_have_their_border_at_zero() -> None:
    assert surely(np.array([-1.0, -0.1, 0.0, 0.4, 2.0])).tolist() == [False] * 2 + [True] * 3
    assert surely(np.array([0.0, 0.4, 0.5])).tolist() == [False, False, True]
    assert surely(np.zeros(0)).tolist() == []


@given(
    st.lists(
        st.tuples(st.integers(0, 11), st.integers(0, 2), st.floats(0, 1)), min_size=1, max_size=60
    ),
    st.sampled_from([2.0, 5.0, 10.0, 30.0]),
)
def test_it_is_what_counting_gives(rows: list[tuple[int, int, float]], fps: float) -> None:
    clip = made(rows, 12, fps)
    frames = {(t, CLASSES[c]) for t, c, score in rows if score >= 0.5}
    counts = Counter(name for _, name in frames)
    wanted = {name: n for name, n in counts.items() if n / fps >= 0.5 - 1e-9 or n == 12}
    found = seen_classes(clip)
    assert found == wanted
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize("score", [0.49, 0.51])
def test_boxes_that_were_only_moved_along_do_not_count(score: float) -> None:
    clip = made([(t, 0, score) for t in range(20)], 20, 10)
    assert bool(seen_classes(clip)) is (score > 0.5)
    clip.projected.setflags(write=True)
    clip.projected[:] = True
    assert seen_classes(clip) == {}
