"""How the camera moves, by what things do in common, where no picture was measured.

What stands still moves with the picture: all of it alike, near or far. Every thing votes for its
own motion, and the motion that most others share within what jitter amounts to is the camera's, if
far more things rest relative to it than in the picture as it is.
"""

from typing import Any

import numpy as np

from sentrack.inference.kernels import Flat, entry, internal
from sentrack.vision import Clip, Floats

JITTER = 0.2  # metres per second by which the motion of what rests may be off
POOLED = 1.0  # seconds before and after, over which votes are counted
TIMES, MORE = 2.0, 4.0  # by which those at rest must outnumber those that rest in the picture


def common_motion(clip: Clip, velocity: Floats, metres: Floats) -> Floats:
    """(T, 2): the camera's motion in the picture, frame heights per second; 0 if it is fixed.

    Args:
        clip: what was seen.
        velocity: (N, 2) of every detection, frame heights per second.
        metres: (N,) that a frame height is where it stands.
    """
    T = clip.T
    # Copies: arrays that must not be written to would be compiled for anew.
    motion, moved, still = _votes(clip.start.copy(), velocity.copy(), JITTER / metres)
    frames = max(1, round(POOLED / clip.seconds))
    window = np.ones(2 * frames + 1)
    counts = [np.convolve(each, window)[frames : frames + T] for each in (moved, still, np.ones(T))]
    return np.where((counts[0] >= TIMES * counts[1] + MORE * counts[2])[:, None], motion, 0.0)


@internal
def _rests(x: float, y: float, limit: float) -> float:
    """How much what moves so rests, by what jitter amounts to."""
    return 1.0 / (1.0 + (x * x + y * y) / (limit * limit))


@entry
def _votes(start: Flat, velocity: Flat, limit: Flat) -> Any:
    """Of every frame with more than a few things, what most of them agree on.

    Args:
        start: (T+1,) where the things of a frame start.
        velocity: (N, 2) of the things.
        limit: (N,) by how much the motion of each may be off.

    Returns:
        (T, 2) the motion, (T,) how many things rest relative to it, (T,) and in the picture.
    """
    T = len(start) - 1
    motion, moved, still = np.zeros((T, 2)), np.zeros(T), np.zeros(T)
    for t in range(T):
        here, best = range(start[t], start[t + 1]), 0
        if len(here) <= MORE:
            continue
        for b in here:  # the camera may move as this one does
            votes = 0.0
            for a in here:
                x, y = velocity[a, 0] - velocity[b, 0], velocity[a, 1] - velocity[b, 1]
                votes += _rests(x, y, limit[a])
            if votes > moved[t]:
                moved[t], best = votes, b
        for a in here:
            x, y = velocity[a, 0], velocity[a, 1]
            share = _rests(x - velocity[best, 0], y - velocity[best, 1], limit[a]) / moved[t]
            motion[t, 0] += share * x
            motion[t, 1] += share * y
            still[t] += _rests(x, y, limit[a])
    return motion, moved, still
