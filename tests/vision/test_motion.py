"""Motion against closed forms and against a matching by loops over every pair."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.vision import Clip, clip_from_arrays, motion
from sentrack.vision.clip import Floats


def sampled(fps: float, size: tuple[int, int] = (640, 480), seconds: float = 3.0) -> Clip:
    """A box of 0.3 x 0.4 frame heights on a known path."""
    times = np.arange(round(seconds * fps)) / fps
    centre = np.stack([0.6 + 0.3 * np.sin(times), 0.5 + 0.1 * times], axis=1) * size[1]
    half = np.array([0.15, 0.2]) * size[1]
    boxes = np.concatenate([centre - half, centre + half], axis=1)
    return clip_from_arrays("path", size, fps, np.arange(len(times)), ["cup"] * len(times), boxes)


def derivative(times: Floats) -> Floats:
    return np.stack([0.3 * np.cos(times), np.full(len(times), 0.1)], axis=1)


@pytest.mark.parametrize("fps", [10, 15, 25, 30, 60])
def test_the_frame_rate_does_not_matter(fps: float) -> None:
    clip = sampled(fps)
    np.testing.assert_allclose(clip.velocity, derivative(clip.times), atol=0.025)


def test_the_resolution_does_not_matter() -> None:
    small, large = sampled(15), sampled(15, (1280, 960))
    np.testing.assert_allclose(small.velocity, large.velocity, atol=1e-12)


def test_uniform_motion_is_exact_everywhere() -> None:
    x = 10.0 * np.arange(20)
    boxes = np.stack([x, 0 * x, x + 90, 0 * x + 60], axis=1)
    clip = clip_from_arrays("a", (640, 400), 30, np.arange(20), ["cup"] * 20, boxes)
    np.testing.assert_allclose(clip.velocity, [[10 * 30 / 400, 0.0]] * 20, atol=1e-12)


@pytest.mark.parametrize("fps", [10, 15, 30])
def test_jitter_gaps_and_clutter(fps: float) -> None:
    rng = np.random.default_rng(3)
    clean = sampled(fps, seconds=10.0)
    jittered = clean.boxes + rng.normal(0, 2, clean.boxes.shape)
    kept = np.flatnonzero(rng.random(clean.T) > 0.2)
    M = 4 * clean.T
    corner = rng.uniform(0, 500, (M, 2))
    clutter = np.concatenate([corner, corner + rng.uniform(20, 200, (M, 2))], axis=1)
    frame = np.concatenate([kept, rng.integers(0, clean.T, M)])
    clip = clip_from_arrays(
        "noisy",
        clean.size,
        fps,
        frame,
        ["cup"] * len(frame),
        np.concatenate([jittered[kept], clutter]),
        np.concatenate([np.ones(len(kept)), np.zeros(M)]),
        frames=clean.frames,
    )
    mine = clip.score == 1
    error = np.hypot(*(clip.velocity[mine] - derivative(clip.times[kept])).T)
    assert np.median(error) < 0.05
    assert np.mean(error < 0.2) > 0.9


def test_a_jittering_box_rests() -> None:
    rng = np.random.default_rng(0)
    boxes = np.array([100, 100, 180, 260]) + rng.integers(-3, 4, (300, 4))
    clip = clip_from_arrays("a", (640, 480), 30, np.arange(300), ["cup"] * 300, boxes)
    assert np.percentile(np.hypot(*clip.velocity.T), 95) < 0.1


def pair(first: list[float], second: list[float], **more: object) -> Floats:
    """Velocity of two boxes of adjacent frames 0.1 s apart, in pixels per frame."""
    names = more.pop("names", ["cup", "cup"])
    clip = clip_from_arrays("a", (640, 480), 10, [0, 1], names, [first, second], **more)  # type: ignore[arg-type]
    return clip.velocity * 480 / 10


def test_what_may_not_match() -> None:
    box, beside = [100.0, 100, 150, 150], [110.0, 100, 160, 150]
    np.testing.assert_allclose(pair(box, beside), [[10, 0]] * 2, atol=1e-9)
    assert not pair(box, beside, names=["cup", "pen"]).any()
    assert not pair(box, beside, id=[1, 2]).any()
    np.testing.assert_allclose(pair(box, beside, id=[1, -1]), [[10, 0]] * 2, atol=1e-9)
    assert not pair(box, [70.0, 100, 180, 150]).any()  # 2.2 times as wide
    assert not pair(box, [500.0, 100, 550, 150]).any()
    np.testing.assert_allclose(pair(box, [500.0, 100, 550, 150], id=[1, 1]), [[400, 0]] * 2)


def test_nearness_reaches_as_far_as_size_and_time_allow() -> None:
    reach = 0.6 * math.hypot(50, 50) + 480 * 0.1
    box = [100.0, 100, 150, 150]
    near, far = ([100 + d, 100.0, 150 + d, 150.0] for d in (reach - 0.1, reach + 0.1))
    np.testing.assert_allclose(pair(box, near), [[reach - 0.1, 0]] * 2)
    assert not pair(box, far).any()


def test_identities_tell_crossing_things_apart() -> None:
    t = np.arange(15)
    right, left = 20.0 * t, 280 - 20.0 * t
    x = np.concatenate([right, left])
    boxes = np.stack([x, 0 * x, x + 60, 0 * x + 60], axis=1)
    id = np.repeat([4, 9], 15)
    clip = clip_from_arrays("a", (640, 480), 15, np.tile(t, 2), ["cup"] * 30, boxes, id=id)
    expected = np.where(clip.id == 4, 1, -1) * 20 * 15 / 480
    np.testing.assert_allclose(clip.velocity[:, 0], expected)


def test_two_estimates_make_one() -> None:
    nan = np.nan
    past = np.array([[0.5, 0], [nan, nan], [0.3, 0], [2.0, 0], [0.4, 0], [nan, nan]])
    future = np.array([[nan, nan], [0, 0.5], [0.2, 0], [0, 0.1], [-3, 0], [nan, nan]])
    expected = [[0.5, 0.0], [0.0, 0.5], [0.25, 0.0], [0.0, 0.1], [0.4, 0.0], [0.0, 0.0]]
    np.testing.assert_allclose(motion.combine(past, future), expected)


def test_too_little_to_compare() -> None:
    one = clip_from_arrays("a", (9, 9), 1, [0], ["cup"], [[0, 0, 1, 1]])
    np.testing.assert_array_equal(one.velocity, [[0, 0]])
    assert clip_from_arrays("a", (9, 9), 1, [], [], [], frames=[0, 1]).velocity.shape == (0, 2)


# ---- the same by loops: every pair, in every frame


def likeness(a: Floats, b: Floats, same_id: bool | None, lapse: float) -> float:
    wa, ha, wb, hb = a[2] - a[0], a[3] - a[1], b[2] - b[0], b[3] - b[1]
    w = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    h = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    iou = w * h / (wa * ha + wb * hb - w * h)
    if same_id is not None:
        return 2 + iou if same_id else -math.inf
    if max(wa, wb) > 2 * min(wa, wb) or max(ha, hb) > 2 * min(ha, hb):
        return -math.inf
    if iou > 0.15:
        return float(iou)
    away = math.hypot((a[0] + a[2] - b[0] - b[2]) / 2, (a[1] + a[3] - b[1] - b[3]) / 2)
    gate = 0.6 * math.hypot((wa + wb) / 2, (ha + hb) / 2) + lapse
    return -away / gate if away <= gate else -math.inf


def by_loops(clip: Clip, span: int) -> Floats:
    frame, boxes = clip.frame_of, clip.boxes / clip.size[1]
    N = len(boxes)

    def best(i: int, offset: int) -> tuple[int, float]:
        answer = (-1, -math.inf)
        for j in range(N):
            if frame[j] == frame[i] + offset and clip.label[i] == clip.label[j]:
                known = clip.id[i] >= 0 and clip.id[j] >= 0
                same_id = bool(clip.id[i] == clip.id[j]) if known else None
                alike = likeness(boxes[i], boxes[j], same_id, abs(offset) / clip.fps)
                if alike > answer[1]:
                    answer = (j, alike)
        return answer

    def estimate(i: int, offset: int, least: float) -> list[float]:
        j, alike = best(i, offset)
        if alike <= least or (alike <= 0 and best(j, -offset)[0] != i):
            return [math.nan, math.nan]
        a, b, dt = boxes[i], boxes[j], offset / clip.fps
        return [(b[0] + b[2] - a[0] - a[2]) / 2 / dt, (b[1] + b[3] - a[1] - a[3]) / 2 / dt]

    past, future = np.full((N, 2), np.nan), np.full((N, 2), np.nan)
    for i in range(N):
        for least in (0.4, 0.15, -math.inf):
            for offset in (span, 1):
                if np.isnan(past[i, 0]) and np.isnan(future[i, 0]):
                    past[i], future[i] = estimate(i, -offset, least), estimate(i, offset, least)
    return motion.combine(past, future)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), fps=st.sampled_from([10, 20, 30]), ids=st.booleans())
def test_matching_equals_matching_by_loops(seed: int, fps: int, ids: bool) -> None:
    rng = np.random.default_rng(seed)
    N = int(rng.integers(1, 40))
    corner = rng.uniform(0, 200, (N, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(30, 120, (N, 2))], axis=1)
    clip = clip_from_arrays(
        "random",
        (640, 480),
        fps,
        rng.integers(0, 8, N),
        ["cup", "pen"],
        boxes,
        id=rng.integers(-1, 3, N) if ids else None,
        label=rng.integers(0, 2, N),
        frames=np.arange(8),
    )
    np.testing.assert_allclose(clip.velocity, by_loops(clip, fps // 10), atol=1e-9)


def test_pieces_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    corner = rng.uniform(0, 300, (200, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(30, 90, (200, 2))], axis=1)
    frame, label = rng.integers(0, 10, 200), rng.integers(0, 2, 200)

    def run() -> Floats:
        names = ["cup", "pen"]
        return clip_from_arrays("a", (640, 480), 30, frame, names, boxes, label=label).velocity

    whole = run()
    monkeypatch.setattr(motion, "PAIRS", 7)
    np.testing.assert_array_equal(run(), whole)
