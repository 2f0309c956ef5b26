"""What is measured of things, against the same by plain loops and by closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.things import doubtful
from sentrack.scene import measure
from sentrack.scene.presence import APPEARS, GONE, SEEN, SOON, VANISHES, is_away, presence
from sentrack.scene.scale import FRAME, TALL, metres
from sentrack.scene.things import things
from sentrack.scene.trajectories import CHANGE, WINDOW, trajectories
from sentrack.vision import Clip, clip_from_arrays

HEIGHT = 480


def moving(
    times: np.ndarray,
    x: np.ndarray,
    height: np.ndarray | float = 100.0,
    camera: tuple[float, float] = (0.0, 0.0),
) -> Clip:
    """One thing whose lower edge is at 400, x pixels to the right in frames at some times."""
    boxes = np.stack([x, 400 - height + 0 * x, x + 40, 400 + 0 * x], axis=1)
    return clip_from_arrays(
        "one.csv",
        (640, HEIGHT),
        10,
        np.arange(len(x)),
        ["person"] * len(x),
        boxes,
        id=np.zeros(len(x), dtype=np.int64),
        camera=np.tile(camera, (len(x), 1)),
        times=times,
    )


def test_a_steady_motion_is_measured_whatever_the_times() -> None:
    times = np.cumsum(np.random.default_rng(0).uniform(0.05, 0.2, 30))
    found = trajectories(moving(times, 96 * times))
    np.testing.assert_allclose(found.velocity, np.tile([0.2, 0.0], (30, 1)), atol=1e-9)
    np.testing.assert_allclose(found.growth, 0, atol=1e-9)
    np.testing.assert_allclose(found.gain, 0, atol=1e-6)


def test_what_the_camera_moves_rests() -> None:
    times = np.arange(30) / 10
    found = trajectories(moving(times, 96 * times, camera=(0.2, 0.0)))
    np.testing.assert_allclose(found.velocity, 0, atol=1e-9)


def test_growth_is_a_share_of_the_height() -> None:
    times = np.arange(30) / 10
    found = trajectories(moving(times, 0 * times, height=100 * np.exp(-0.3 * times)))
    np.testing.assert_allclose(found.growth, -0.3, atol=1e-9)


def test_who_stops_is_slower_and_who_starts_is_faster() -> None:
    times = np.arange(41) / 10
    stops = trajectories(moving(times, 96 * np.minimum(times, 2))).gain
    starts = trajectories(moving(times, 96 * np.maximum(times, 2))).gain
    assert stops[20] == pytest.approx(-1, abs=0.01)
    assert starts[20] == pytest.approx(1, abs=0.01)
    assert abs(stops[[3, 37]]).max() < 0.01
    # One who is seen for the first or the last time has changed nothing yet.
    assert [stops[0], stops[-1]] == [0, 0]


def test_what_rises_a_little_rises_surely_unless_its_box_jitters() -> None:
    times = np.arange(20) / 10
    steady, noise = 400 - 4.8 * times, np.where(np.arange(20) % 2, 4, -4)
    rises, jitters = (
        trajectories(
            clip_from_arrays(
                "one.csv",
                (640, HEIGHT),
                10,
                np.arange(20),
                ["cup"] * 20,
                np.stack([0 * y, y - 20, 0 * y + 20, y], axis=1),
                id=np.zeros(20, dtype=np.int64),
            )
        ).rise
        for y in (steady, steady + noise)
    )
    # One hundredth of the picture in a second; at the ends there is but half of one.
    np.testing.assert_allclose(rises[5:15], 0.01, atol=1e-6)
    assert rises[0] == pytest.approx(0.005, abs=1e-6)
    assert not jitters.any()


def fitted(t: list[float], x: list[float]) -> float:
    middle, mean = sum(t) / len(t), sum(x) / len(x)
    above = sum((a - middle) * (b - mean) for a, b in zip(t, x, strict=True))
    return above / sum((a - middle) ** 2 for a in t)


@given(seed=st.integers(0, 10**6), T=st.integers(1, 9))
def test_velocities_are_slopes_of_one_thing_at_a_time(seed: int, T: int) -> None:
    clip = measure(doubtful(seed, T, ("car", "cup"), 4, 1), frozenset(["car", "cup"]), True).clip
    found, frame = trajectories(clip), clip.frame_of
    for n in np.flatnonzero(~is_away(clip)):
        now = clip.times[frame[n]]
        mates = [m for m in range(len(frame)) if clip.id[m] == clip.id[n]]
        near = [m for m in mates if abs(clip.times[frame[m]] - now) <= WINDOW / 2 + 1e-6]
        if len(near) == 1:
            assert found.velocity[n].tolist() == clip.velocity[n].tolist()
            continue
        t = [float(clip.times[frame[m]]) for m in near]
        for axis in range(2):
            x = [(clip.boxes[m, axis] + clip.boxes[m, 2 + axis]) / 2 / clip.size[1] for m in near]
            assert found.velocity[n, axis] == pytest.approx(fitted(t, x), abs=1e-6)
        wide = [m for m in mates if abs(clip.times[frame[m]] - now) <= CHANGE / 2 + 1e-6]
        tall = [math.log(clip.boxes[m, 3] - clip.boxes[m, 1]) for m in wide]
        slope = fitted([float(clip.times[frame[m]]) for m in wide], tall)
        assert found.growth[n] == pytest.approx(slope, abs=1e-6)


@given(seed=st.integers(0, 10**6), T=st.integers(1, 9))
def test_presence_is_that_of_one_thing_at_a_time(seed: int, T: int) -> None:
    clip = measure(doubtful(seed, T, ("car",), 4, 1), frozenset(["car"]), True).clip
    found, frame = presence(clip), clip.frame_of
    for n, code in enumerate(found):
        life = clip.times[frame[clip.id == clip.id[n]]]
        now, first, last = clip.times[frame[n]], life.min(), life.max()
        if is_away(clip)[n]:
            expected = GONE
        elif clip.times[-1] - last >= SOON >= last - now:
            expected = VANISHES
        elif first - clip.times[0] >= SOON >= now - first:
            expected = APPEARS
        else:
            expected = SEEN
        assert code == expected


def street(rng: np.random.Generator, slope: float) -> Clip:
    """People who look larger the lower they stand, some who sit, and a car."""
    foot = np.concatenate([rng.uniform(200, 460, 60), [300.0]])
    tall = np.concatenate([40 + slope * (foot[:-1] - 200), [90.0]])
    tall[:4] /= 2
    boxes = np.stack([0 * foot, foot - tall, 0.4 * tall, foot], axis=1)
    names = ["person"] * 60 + ["car"]
    return clip_from_arrays("street.csv", (640, HEIGHT), 10, np.zeros(61, int), names, boxes)


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_a_metre_is_as_long_as_the_people_there_say(slope: float) -> None:
    clip = street(np.random.default_rng(1), slope)
    expected = TALL * HEIGHT / (40 + slope * (clip.boxes[:, 3] - 200))
    np.testing.assert_allclose(metres(clip), expected, rtol=0.15)


def test_a_frame_is_as_high_as_usual_where_nobody_is_seen() -> None:
    clip = street(np.random.default_rng(1), 0.3)
    nobody = clip.only(clip.label == clip.classes.index("car"))
    assert metres(nobody).tolist() == [FRAME]
    assert set(things(clip, identity=False).metres) == {FRAME}


def test_a_corner_is_turned_to_the_side_of_who_turns() -> None:
    times = np.arange(41) / 10
    round_it = np.minimum(times, 2), np.maximum(times - 2, 0)
    for across, down, expected in ((1, 1, 90), (1, -1, -90), (-1, 1, -90)):
        x, y = 300 + 60 * across * round_it[0], 200 + 60 * down * round_it[1]
        boxes = np.stack([x, y, x + 20, y + 20], axis=1)
        id = np.zeros(41, dtype=np.int64)
        clip = clip_from_arrays(
            "corner.csv", (640, HEIGHT), 10, np.arange(41), ["car"] * 41, boxes, id=id
        )
        turn = trajectories(clip).turn
        assert turn[20] == pytest.approx(expected, abs=1)
        assert abs(turn[[5, 35]]).max() < 1e-6
