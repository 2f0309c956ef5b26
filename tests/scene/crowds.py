"""Made-up crowds."""

import numpy as np

from sentrack.colours import CELLS, HALVES
from sentrack.vision import Clip, clip_from_arrays


def crowd(seed: int, T: int, things: int, pan: float) -> Clip:
    """Things of two classes that wander, are missed or hidden and change their colour and looks.

    Args:
        seed: of all that is random.
        T: frames, ten a second.
        things: how many there are.
        pan: pixels by which the picture moves when it moves, twice a second.
    """
    rng = np.random.default_rng(seed)
    shift = np.cumsum(pan * (np.arange(T) % 5 == 3))[:, None] * [1.0, 0.2]
    wander = np.cumsum(rng.normal(rng.normal(0, 4, (things, 2)), 3, (T, things, 2)), axis=0)
    low = rng.uniform(0, [560, 360], (things, 2)) + wander + shift[:, None]
    size = rng.uniform(20, 90, (things, 2)) * np.exp(rng.normal(0, 0.05, (T, things, 2)))
    colour = rng.random((things, 3)) + rng.normal(0, 0.03, (T, things, 3))
    colour[rng.random((T, things)) < 0.2] = np.nan
    looks = rng.dirichlet(np.full(CELLS, 0.5), (things, HALVES))
    looks = 0.8 * looks + 0.2 * rng.dirichlet(np.ones(CELLS), (T, things, HALVES))
    looks[rng.random((T, things)) < 0.2] = 0
    hidden = (np.arange(T)[:, None] - rng.integers(0, 30, things)) % 30 < 8
    frame, thing = np.nonzero((rng.random((T, things)) > rng.uniform(0, 0.2)) & ~hidden)
    return clip_from_arrays(
        "crowd",
        (640, 480),
        10,
        frame,
        ("cat", "dog"),
        np.concatenate([low, low + size], axis=2)[frame, thing],
        rng.uniform(0.3, 1, len(frame)),
        label=rng.integers(0, 2, things)[thing],
        frames=np.arange(T),
        colour=colour[frame, thing],
        looks=np.rint(255 * looks)[frame, thing].reshape(-1, HALVES * CELLS),
    )
