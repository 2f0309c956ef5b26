"""The camera's motion by what things do in common, on made-up scenes whose camera is known."""

import numpy as np
import pytest

from sentrack.scene import common_motion as module
from sentrack.scene.common_motion import common_motion
from sentrack.scene.trajectories import trajectories
from sentrack.vision import Clip, clip_from_arrays

T, HEIGHT = 40, 480


def seen(own: np.ndarray, camera: np.ndarray) -> Clip:
    """People who move by own (P, 2) pixels a frame in a picture that moves by camera (T, 2)."""
    rng = np.random.default_rng(0)
    P = len(own)
    place = rng.uniform((50, 100), (550, 380), (P, 2))
    moved = place + np.arange(T)[:, None, None] * own + np.cumsum(camera, axis=0)[:, None]
    moved += rng.normal(0, 0.1, moved.shape)
    boxes = np.concatenate([moved, moved + np.array([30, 90])], axis=2).reshape(-1, 4)
    frame, id = np.repeat(np.arange(T), P), np.tile(np.arange(P), T)
    return clip_from_arrays(
        "camera", (640, HEIGHT), 10, frame, ["person"] * len(id), boxes, [0.9] * len(id), id=id
    )


STILL = np.zeros((7, 2))
WALK = np.array([[5.0, 0.0], [-6.0, 1.0], [4.0, -2.0]])
FIXED = np.zeros((T, 2))


def test_a_pan_is_noticed_and_taken_off() -> None:
    pan = np.stack([4 + 2 * np.sin(np.arange(T) / 12), np.full(T, 1.0)], axis=1)
    found = trajectories(seen(np.concatenate([STILL, WALK]), pan)).velocity.reshape(T, -1, 2)
    own = np.concatenate([STILL, WALK]) * 10 / HEIGHT
    # Away from both ends, where half of the window is missing.
    np.testing.assert_allclose(found[5:-5], np.tile(own, (T - 10, 1, 1)), atol=0.012)


@pytest.mark.parametrize(
    "own",
    [np.concatenate([STILL, WALK]), WALK, np.tile([5.0, 0.0], (4, 1))],
    ids=["some rest", "all walk", "four walk together"],
)
def test_a_fixed_camera_is_left_alone(own: np.ndarray) -> None:
    clip = seen(own, FIXED)
    velocity = np.tile(own * 10 / HEIGHT, (T, 1))
    assert not common_motion(clip, velocity, np.full(len(velocity), 9.0)).any()


def test_every_frame_by_definition() -> None:
    """Frame by frame and thing by thing."""
    rng = np.random.default_rng(1)
    many = rng.integers(0, 14, T)
    many[:3] = 4, 5, 0
    frame, N = np.repeat(np.arange(T), many), int(many.sum())
    low = rng.uniform(0, 300, (N, 2))
    boxes = np.concatenate([low, low + 20], axis=1)
    clip = clip_from_arrays(
        "camera", (640, HEIGHT), 10, frame, ["person"] * N, boxes, [0.9] * N, frames=np.arange(T)
    )
    velocity = rng.normal((0.4, 0.1), 0.02, (N, 2))
    metres = rng.uniform(2, 6, N)
    expected, moved, still = np.zeros((T, 2)), np.zeros(T), np.zeros(T)
    for t in range(T):
        rows = np.flatnonzero(frame == t)
        if len(rows) <= module.MORE:
            continue
        rests = {
            (a, b): 1
            / (1 + (np.hypot(*(velocity[a] - velocity[b])) * metres[a] / module.JITTER) ** 2)
            for a in rows
            for b in rows
        }
        votes = {b: sum(rests[a, b] for a in rows) for b in rows}
        best = max(votes, key=lambda b: votes[b])
        expected[t] = sum(rests[a, best] * velocity[a] for a in rows) / votes[best]
        moved[t] = votes[best]
        speed = np.hypot(*velocity[rows].T) * metres[rows] / module.JITTER
        still[t] = (1 / (1 + speed**2)).sum()
    for t in range(T):
        near = slice(max(0, t - 10), t + 11)
        frames = len(range(T)[near])
        if moved[near].sum() < module.TIMES * still[near].sum() + module.MORE * frames:
            expected[t] = 0.0
    assert expected.any()
    np.testing.assert_allclose(common_motion(clip, velocity, metres), expected, atol=1e-12)


def test_where_nothing_is_seen_the_camera_rests() -> None:
    clip = seen(WALK, FIXED).only(np.zeros(3 * T, dtype=bool))
    assert not common_motion(clip, np.zeros((0, 2)), np.zeros(0)).any()
