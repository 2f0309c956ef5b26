"""Bridging against boxes computed by hand and by loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.vision import Clip, bridge, bridging, clip_from_arrays
from sentrack.vision.clip import Ints


def example() -> Clip:
    """Ten frames at 5 fps; two cups in frames 2 and 3, a pen in frame 0; frames 400 high."""
    return clip_from_arrays(
        "a",
        (600, 400),
        5,
        [0, 2, 2, 3, 3],
        ["pen", "cup", "cup", "cup", "cup"],
        [[0, 0, 9, 9], [10, 20, 30, 40], [50, 60, 80, 90], [11, 21, 31, 41], [51, 61, 81, 91]],
        [0.9, 0.2, 0.4, 0.6, 0.8],
        [1, 2, 3, 2, 3],
        frames=np.arange(10),
        velocity=[[0.0, 0.0], [0.1, 0.0], [0.0, 0.2], [0.5, -0.1], [0.0, 0.0]],
        colour=[[k, 0.5, 0.5] for k in range(5)],
    )


def rows(clip: Clip, t: int) -> slice:
    return slice(int(clip.start[t]), int(clip.start[t + 1]))


def test_missed_frames_get_moved_boxes() -> None:
    clip = bridge(example(), ["Cup"])
    assert np.diff(clip.start).tolist() == [3, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    # frame 4 is 0.2 s after frame 3: 0.5 and -0.1 heights per second make 40 and -8 pixels
    np.testing.assert_allclose(clip.boxes[rows(clip, 4)], [[51, 13, 71, 33], [51, 61, 81, 91]])
    # from 0.5 s on nothing moves: 100 and -20 pixels
    for t in (6, 7, 9):
        np.testing.assert_allclose(clip.boxes[rows(clip, t)][0], [111, 1, 131, 21])
    # before the first occurrence it is traced back from frame 2: 0.2 s and 0.4 s
    np.testing.assert_allclose(clip.boxes[rows(clip, 1)], [[2, 20, 22, 40], [50, 44, 80, 74]])
    np.testing.assert_allclose(clip.boxes[rows(clip, 0)][1], [-6, 20, 14, 40])
    assert clip.projected[rows(clip, 0)].tolist() == [False, True, True]
    assert clip.id[rows(clip, 9)].tolist() == [2, 3]
    np.testing.assert_array_equal(clip.colour[rows(clip, 9)][:, 0], [3, 4])
    # they keep their velocity while they move
    np.testing.assert_array_equal(clip.velocity[rows(clip, 4)], [[0.5, -0.1], [0, 0]])
    np.testing.assert_array_equal(clip.velocity[rows(clip, 9)], np.zeros((2, 2)))


def test_scores_fall_to_the_tenth_percentile_and_never_rise() -> None:
    clip = bridge(example(), ["cup"])
    tenth = 0.2 + 0.3 * 0.2  # a tenth of the way through four sorted scores 0.2 apart
    np.testing.assert_allclose(clip.score[rows(clip, 9)], tenth)
    np.testing.assert_allclose(clip.score[rows(clip, 0)][1:], [0.2, tenth])


def test_nothing_to_bridge() -> None:
    clip = example()
    assert bridge(clip, []) is clip
    assert bridge(clip, ["horse"]) is clip
    never = clip_from_arrays("a", (9, 9), 1, [], ["pen"], [], label=[], frames=[0, 1])
    assert bridge(never, ["pen"]) is never


def test_bridging_twice_is_bridging_once() -> None:
    once = bridge(example(), ["cup", "pen"])
    assert bridge(once, ["cup", "pen"]) is once


def by_loops(frame: Ints, label: Ints, k: int, T: int) -> list[tuple[int, int]]:
    """(frame, row) of every box of class k, projected ones included."""
    present = sorted({int(f) for f, c in zip(frame, label, strict=True) if c == k})
    answer = []
    for t in range(T):
        earlier = [f for f in present if f <= t]
        if present:
            origin = earlier[-1] if earlier else present[0]
            answer += [(t, i) for i in range(len(frame)) if frame[i] == origin and label[i] == k]
    return answer


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6))
def test_sources_equal_those_found_by_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    N, T = int(rng.integers(0, 12)), int(rng.integers(1, 9))
    clip = clip_from_arrays(
        "random",
        (640, 480),
        10,
        rng.integers(0, T, N),
        ["cup", "pen", "box"],
        rng.uniform([0, 0, 100, 100], [90, 90, 200, 200], (N, 4)),
        rng.normal(size=N),
        label=rng.integers(0, 3, N),
        frames=np.arange(T),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bridging, "LOST", 0.0)  # nothing but whole frames is bridged
        wide = bridge(clip, ["pen", "cup"])
    assert (np.diff(wide.frame_of) >= 0).all()
    for k, name in enumerate(clip.classes):
        mine = np.flatnonzero(wide.label == k)
        if name == "box":
            assert len(mine) == (clip.label == k).sum()
            continue
        expected = by_loops(clip.frame_of, clip.label, k, T)
        assert wide.frame_of[mine].tolist() == [t for t, _ in expected]
        for row, (t, origin) in zip(mine, expected, strict=True):
            lapse = np.clip((t - clip.frame_of[origin]) / 10, -0.5, 0.5)
            shift = np.tile(clip.velocity[origin] * 480 * lapse, 2)
            np.testing.assert_allclose(wide.boxes[row], clip.boxes[origin] + shift)
            assert wide.projected[row] == (t != clip.frame_of[origin])
    kept = ~wide.projected
    np.testing.assert_array_equal(wide.boxes[kept], clip.boxes)
    np.testing.assert_array_equal(wide.score[kept], clip.score)


def test_long_clips_are_bridged() -> None:
    T = 10_000
    frame = np.flatnonzero(np.random.default_rng(0).random(T) < 0.3).repeat(5)
    clip = clip_from_arrays(
        "long",
        (640, 480),
        30,
        frame,
        ["cup"],
        np.tile([10, 10, 50, 50], (len(frame), 1)),
        label=np.zeros(len(frame), dtype=int),
        frames=np.arange(T),
        velocity=np.zeros((len(frame), 2)),
    )
    wide = bridge(clip, ["cup"])
    np.testing.assert_array_equal(np.diff(wide.start), 5)


def two_walkers(missing: set[int]) -> Clip:
    """Two cups that move to the right at 10 fps, the upper one unseen in some frames."""
    frame, boxes = [], []
    for t in range(12):
        for y in (50, 250):
            if y == 250 or t not in missing:
                frame.append(t)
                boxes.append([20 + 6 * t, y, 80 + 6 * t, y + 60])
    return clip_from_arrays("walk", (640, 480), 10, frame, ["cup"] * len(frame), boxes)


def test_what_is_lost_and_found_again_is_filled_in_on_the_line_between() -> None:
    clip = two_walkers({4, 5, 6})
    wide = bridge(clip, ["cup"])
    np.testing.assert_array_equal(np.diff(wide.start), 2)
    np.testing.assert_array_equal(np.unique(wide.frame_of[wide.projected]), [4, 5, 6])
    whole = two_walkers(set())
    for t in range(12):
        mine = np.sort(wide.boxes[wide.start[t] : wide.start[t + 1]], axis=0)
        true = np.sort(whole.boxes[whole.start[t] : whole.start[t + 1]], axis=0)
        np.testing.assert_allclose(mine, true, atol=1e-9)


def test_what_is_lost_for_long_or_for_good_is_not_made_up() -> None:
    for missing in ({3, 4, 5, 6, 7, 8}, {9, 10, 11}, {0, 1}):
        wide = bridge(two_walkers(missing), ["cup"])
        assert not wide.projected.any()


def test_nothing_is_filled_in_where_nothing_is_lost() -> None:
    clip = two_walkers(set())
    assert bridge(clip, ["cup"]) is clip
