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
        elif last < clip.times[-1] and last - now <= SOON:
            expected = VANISHES
        elif first > clip.times[0] and now - first <= SOON:
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
