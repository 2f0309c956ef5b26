"""The features of the paper's own models, in its units and with the bins of its six-class corpus.

Lengths are in pixels of a frame 1280 wide and speeds in such pixels per source frame, whatever the
size of the video; bins are the paper's.
"""

import numpy as np
import numpy.typing as npt

from sentrack.lexicon.features import Bins, Candidates, feature
from sentrack.lexicon.pair_features import between, shared_area

Floats = npt.NDArray[np.float64]

WIDTH = 1280.0  # of the frame that pixels are counted in
MARGIN = 50.0  # pixels by which a thing must be off to be on one side
HUES = (0.0, 120.0, 60.0, 30.0, 240.0)  # degrees, in the order of the bins


def pixels(a: Candidates) -> float:
    """A frame height, in pixels of a frame 1280 wide."""
    return WIDTH / a.aspect


def areas(a: Candidates) -> Floats:
    """(T, J): the pixels of a box, its border included."""
    extent = a.extent.astype(np.float64) * pixels(a)
    return np.asarray(np.floor((extent + 1).prod(axis=-1)))


def distances(a: Candidates, b: Candidates, axis: int) -> Floats:
    """(T, Ja, Jb): how far the centres are apart along an axis, in pixels."""
    return np.abs(between(a, b)[..., axis].astype(np.float64)) * pixels(a)


@feature(
    "paper-speed",
    1,
    "pixels of 1280 per frame",
    "absolutely-stationary stationary moving fast-moving quickly",
    (0.446304, 2.424366, 5.386146, 9.186421),
)
def paper_speed(a: Candidates) -> Floats:
    """How fast it moves."""
    return np.hypot(a.velocity[..., 0], a.velocity[..., 1]) * (pixels(a) / a.fps)


@feature("paper-heading", 1, "", "left down right up")
def paper_heading(a: Candidates) -> Bins:
    """The direction it moves in; right if it does not move."""
    u, v = a.velocity[..., 0], a.velocity[..., 1]
    # Of two directions equally near, the first is taken, except for no motion at all.
    nearest = np.stack((-u, v, u, -v)).argmax(axis=0)
    return np.where((u == 0) & (v == 0), 2, nearest).astype(np.int16)


@feature("paper-hue", 1, "", "red green yellow orange blue")
def paper_hue(a: Candidates) -> Bins:
    """The nearest of five hues; red if its colour is not known, as in the paper's corpus."""
    hue = np.nan_to_num(a.colour[..., 0])[..., None]
    apart = np.abs((hue - np.array(HUES) + 180.0) % 360.0 - 180.0)
    return np.asarray(apart.argmin(axis=-1), dtype=np.int16)


@feature("paper-x-distance", 2, "pixels of 1280", "near normal far", (225.298332, 375.425142))
def paper_x_distance(a: Candidates, b: Candidates) -> Floats:
    """Between their centres, along the horizontal."""
    return distances(a, b, 0)


@feature("paper-y-distance", 2, "pixels of 1280", "near normal far", (75.298332, 200.425142))
def paper_y_distance(a: Candidates, b: Candidates) -> Floats:
    """Between their centres, along the vertical."""
    return distances(a, b, 1)


@feature("paper-ratio", 2, "", "larger smaller")
def paper_ratio(a: Candidates, b: Candidates) -> Bins:
    """Whether the first box is larger than the second, by more than 1.3 times."""
    return (areas(a)[:, :, None] / areas(b)[:, None, :] <= 1.3).astype(np.int16)


@feature("paper-overlap", 2, "part of the smaller box", "little much", (0.3,))
def paper_overlap(a: Candidates, b: Candidates) -> Floats:
    """How much of the smaller box lies in the other."""
    whole = a.extent.prod(axis=-1)[:, :, None], b.extent.prod(axis=-1)[:, None, :]
    part = shared_area(a, b) / np.maximum(np.minimum(*whole), 1e-9)
    return np.asarray(part, dtype=np.float64)


@feature("paper-side", 2, "", "left right neither")
def paper_side(a: Candidates, b: Candidates) -> Bins:
    """Whether the first is clearly to the left or the right of the second."""
    offset = -between(a, b)[..., 0].astype(np.float64) * pixels(a)
    return np.select([offset < -MARGIN, offset > MARGIN], [0, 1], 2).astype(np.int16)
