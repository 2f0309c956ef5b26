"""Parts of a clip: every so many frames, and from when to when."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.vision import Clip, ClipError, clip_from_arrays
from sentrack.vision.clip import ROWS


def row(T: int, fps: float, per_frame: int = 2) -> Clip:
    """A clip whose detections know their frame: it is their identity and their score."""
    frame = np.repeat(np.arange(T), per_frame)
    corner = np.arange(len(frame))[:, None] + np.zeros(2)
    boxes = np.concatenate([corner, corner + 9], axis=1)
    names = ["cup"] * len(frame)
    return clip_from_arrays(
        "row", (640, 480), fps, frame, names, boxes, frame / 1e4, frame, frames=np.arange(T)
    )


def assert_frames(part: Clip, whole: Clip, kept: list[int]) -> None:
    """The part holds these frames of the whole with all of their rows."""
    assert part.frames.tolist() == kept
    np.testing.assert_array_equal(part.times, whole.times[kept])
    rows = np.flatnonzero(np.isin(whole.frame_of, kept))
    for name in ROWS:
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[rows], name)
    # Where detections start is told by their identity.
    np.testing.assert_array_equal(part.frames[part.frame_of], part.id)
    assert (part.size, part.fps, part.classes) == (whole.size, whole.fps, whole.classes)


@pytest.mark.parametrize(
    ("fps", "wanted", "kept"),
    [
        (30, 10, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27]),
        (25, 10, [0, 3, 5, 8, 10, 13, 15, 18, 20, 23, 25, 28]),
        (15, 10, [n for n in range(30) if n % 3 != 1]),
        (29.97, 10, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27]),
        (30, 0.5, [0]),
        (10, 2.5, [0, 4, 8, 12, 16, 20, 24, 28]),
    ],
)
def test_thinned_keeps_the_first_frame_of_every_step(
    fps: float, wanted: float, kept: list[int]
) -> None:
    assert_frames(row(30, fps).thinned(wanted), row(30, fps), kept)


@settings(max_examples=100)
@given(st.integers(1, 80), st.integers(1, 60), st.integers(1, 60), st.integers(0, 2))
def test_thinned_is_exact_for_every_rate(T: int, fps: int, wanted: int, per_frame: int) -> None:
    whole = row(T, fps, per_frame)
    step = [math.floor(Fraction(n * wanted, fps)) for n in range(T)]
    kept = [n for n in range(T) if n == 0 or step[n] != step[n - 1]]
    part = whole.thinned(wanted)
    assert_frames(part, whole, kept)
    assert math.ceil(Fraction(T * wanted, fps)) >= part.T
    if wanted >= fps:
        assert part is whole


def test_thinned_goes_by_time_not_by_number() -> None:
    """Frames come in bursts, as of a camera that waits for motion."""
    times = np.array([0.0, 0.01, 0.02, 5.0, 5.01, 9.7])
    whole = row(6, 30)
    bursts = Clip(**{**whole.__dict__, "times": times})
    assert bursts.thinned(10).times.tolist() == [0.0, 5.0, 9.7]


@pytest.mark.parametrize(
    ("start", "end", "kept"),
    [
        (None, None, range(20)),
        (0.5, None, range(5, 20)),
        (None, 0.5, range(5)),
        (0.5, 0.6, range(5, 6)),
        (0.45, 0.65, range(5, 7)),
        (-3, 99, range(20)),
        (0.3, 0.7, range(3, 7)),  # 0.3 and 0.7 are not quite 3 / 10 and 7 / 10
    ],
)
def test_within_starts_at_the_start_and_ends_before_the_end(
    start: float | None, end: float | None, kept: range
) -> None:
    assert_frames(row(20, 10).within(start, end), row(20, 10), list(kept))


@settings(max_examples=50)
@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 40), st.integers(0, 40))
def test_parts_of_a_clip_make_up_the_whole(T: int, fps: int, first: int, second: int) -> None:
    low, high = sorted((min(first, T), min(second, T)))
    whole = row(T, fps)
    cuts = [(None, low / fps), (low / fps, high / fps), (high / fps, None)]
    wanted = [range(low), range(low, high), range(high, T)]
    for (start, end), kept in zip(cuts, wanted, strict=True):
        if kept:
            assert_frames(whole.within(start, end), whole, list(kept))
        else:
            with pytest.raises(ClipError, match="no frame from"):
                whole.within(start, end)


def test_what_is_not_there_is_said_with_what_is() -> None:
    with pytest.raises(ClipError, match=r"row: no frame from 3 to 4 s; the clip has 0.00 to 1.90"):
        row(20, 10).within(3, 4)


def test_nobody_writes_into_the_arrays_of_a_clip_by_accident() -> None:
    clip = row(3, 10)
    for name in ("frames", "times", "start", *ROWS):
        with pytest.raises(ValueError, match="read-only"):
            getattr(clip, name)[:1] = 0
