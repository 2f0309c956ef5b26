"""Candidates made up of a few arrays."""

import numpy as np
import numpy.typing as npt

from sentrack.colours import CELLS, HALVES
from sentrack.lexicon.features import Candidates, Parts

Values = npt.NDArray[np.float32]


def candidates(
    centre: Values,
    extent: Values,
    velocity: Values,
    colour: Values,
    aspect: float = 4 / 3,
    fps: float = 30.0,
    metres: float = 1.0,
    looks: Parts | None = None,
) -> Candidates:
    """Candidates (T, J) that are there and do not change, where a frame is so many metres high."""
    unknown = np.zeros((*centre.shape[:-1], HALVES * CELLS), dtype=np.uint8)
    nothing = np.zeros(centre.shape[:-1], dtype=np.float32)
    return Candidates(
        centre,
        extent,
        velocity,
        colour,
        unknown if looks is None else looks,
        np.full_like(nothing, metres),
        nothing.astype(np.int16),
        nothing,
        nothing,
        nothing,
        nothing,
        aspect,
        fps,
    )
