"""What words can look at in two candidates: where one is and how it moves relative to the other."""

import numpy as np

from sentrack.boxes import around, shared
from sentrack.lexicon.features import STILL, Bins, Candidates, Values, feature, length

CUT_OFF = 0.02  # frame heights from the lower border, where the picture may end before a thing does


def between(a: Candidates, b: Candidates) -> Values:
    """(T, Ja, Jb, 2): from the centre of every candidate of a to every one of b."""
    return np.asarray(b.centre[:, None, :, :] - a.centre[:, :, None, :])


def scale(a: Candidates, b: Candidates) -> Values:
    """(T, Ja, Jb): metres that a frame height is between two things: where the farther one is."""
    return np.asarray(np.maximum(a.metres[:, :, None], b.metres[:, None, :]))


@feature("distance", 2, "metres", "near medium far", (0.45, 1.1))
def distance(a: Candidates, b: Candidates) -> Values:
    """Between their centres."""
    return np.asarray(length(between(a, b)) * scale(a, b))


@feature("gap", 2, "metres", "touching near apart far", (0.0, 0.15, 0.6))
def gap(a: Candidates, b: Candidates) -> Values:
    """Between their boxes; none where they overlap."""
    reach = 0.5 * (a.extent[:, :, None, :] + b.extent[:, None, :, :])
    return np.asarray(length(np.maximum(np.abs(between(a, b)) - reach, 0)) * scale(a, b))


@feature("reach", 2, "metres", "touching near apart far", (0.0, 0.15, 0.6))
def reach(a: Candidates, b: Candidates) -> Values:
    """Between the hands of the first and the second; as gap, unless both hands are seen.

    A hand that is not seen may be anywhere where its owner is.
    """
    found: Values = gap(a, b).astype(np.float32)
    if a.hands is None or not a.hands.shape[2]:
        return found
    middle, size = a.hands[:, :, :, None, :2], a.hands[:, :, :, None, 2:]
    apart = np.abs(b.centre[:, None, None] - middle) - 0.5 * (size + b.extent[:, None, None])
    nearest = length(np.maximum(apart, 0)).min(axis=2)  # NaN unless both are seen
    return np.where(np.isnan(nearest), found, nearest * scale(a, b)).astype(np.float32)


@feature("closing", 2, "metres per second", "closing steady parting", (-STILL, STILL))
def closing(a: Candidates, b: Candidates) -> Values:
    """The rate at which their distance changes."""
    apart = between(a, b)
    relative = b.velocity[:, None, :, :] - a.velocity[:, :, None, :]
    along = (apart * relative).sum(axis=-1) / np.maximum(length(apart), 1e-3)
    return np.asarray(along * scale(a, b))


@feature("advance", 2, "metres per second", "away neither towards", (-STILL, STILL))
def advance(a: Candidates, b: Candidates) -> Values:
    """How fast the first moves towards where the second is."""
    apart = between(a, b)
    along = (apart * a.velocity[:, :, None, :]).sum(axis=-1) / np.maximum(length(apart), 1e-3)
    return np.asarray(along * a.metres[:, :, None])


@feature("side", 2, "frame heights", "left level right", (-0.04, 0.04))
def side(a: Candidates, b: Candidates) -> Values:
    """Whether the first is to the left or the right of the second."""
    return np.asarray(-between(a, b)[..., 0])


@feature("height", 2, "frame heights", "above level below", (-0.04, 0.04))
def height(a: Candidates, b: Candidates) -> Values:
    """Whether the first is above or below the second."""
    return np.asarray(-between(a, b)[..., 1])


def shared_area(a: Candidates, b: Candidates) -> Values:
    """(T, Ja, Jb): the area of the intersection of their boxes."""
    first, second = (around(each.centre, each.extent) for each in (a, b))
    return shared(first[:, :, None], second[:, None])


@feature("overlap", 2, "part of the smaller box", "none some much", (0.02, 0.4))
def overlap(a: Candidates, b: Candidates) -> Values:
    """How much of the smaller box lies in the other."""
    areas = a.extent.prod(axis=-1)[:, :, None], b.extent.prod(axis=-1)[:, None, :]
    return np.asarray(shared_area(a, b) / np.maximum(np.minimum(*areas), 1e-9))


@feature("containment", 2, "part of the first box", "outside partly inside", (0.2, 0.75))
def containment(a: Candidates, b: Candidates) -> Values:
    """How much of the first box lies in the second."""
    return np.asarray(shared_area(a, b) / np.maximum(a.extent.prod(axis=-1)[:, :, None], 1e-9))


@feature("ratio", 2, "area over area", "smaller similar larger", (0.6, 1.6))
def ratio(a: Candidates, b: Candidates) -> Values:
    """The area of the first over the area of the second."""
    areas = a.extent.prod(axis=-1)[:, :, None], b.extent.prod(axis=-1)[:, None, :]
    return np.asarray(areas[0] / np.maximum(areas[1], 1e-9))


@feature("together", 2, "", "still together apart")
def together(a: Candidates, b: Candidates) -> Bins:
    """Whether they rest, move as one, or move differently."""
    fast = np.maximum(length(a.velocity)[:, :, None], length(b.velocity)[:, None, :]) * scale(a, b)
    differ = length(a.velocity[:, :, None, :] - b.velocity[:, None, :, :]) * scale(a, b)
    moving = np.where(differ <= 0.4 * fast + 0.5 * STILL, 1, 2)
    return np.where(fast <= STILL, 0, moving).astype(np.int16)


@feature("support", 2, "", "beside above on into beneath")
def support(a: Candidates, b: Candidates) -> Bins:
    """Where the lower edge of the first is relative to the second, if one is over the other.

    Beside is what shares less than half of the narrower width. Else the lower edge of the first is
    above the top of the second, from its top (within 0.04 frame heights) to its middle, from its
    middle to its bottom, or beneath that.
    """
    apart = between(a, b)
    sizes = a.extent[:, :, None, :], b.extent[:, None, :, :]
    common = 0.5 * (sizes[0] + sizes[1])[..., 0] - np.abs(apart[..., 0])
    # From the middle of the second downwards to the lower edge of the first.
    foot = 0.5 * sizes[0][..., 1] - apart[..., 1]
    half = 0.5 * sizes[1][..., 1]
    over = 1 + (foot >= -half - 0.04) + (foot > 0).astype(np.int16) + (foot > half)
    return np.where(common < 0.5 * np.minimum(*sizes)[..., 0], 0, over).astype(np.int16)


@feature("depth", 2, "frame heights", "behind level front", (-0.03, 0.03))
def depth(a: Candidates, b: Candidates) -> Values:
    """How much lower the first reaches: on level ground, what reaches lower is nearer.

    Where the picture ends before either does, it is how much lower its top is: what is in front
    hides the lower part of what is behind.
    """
    first, second = (c.centre[..., 1] for c in (a, b))
    halves = [0.5 * c.extent[..., 1] for c in (a, b)]
    feet = first + halves[0], second + halves[1]
    foot = feet[0][:, :, None] - feet[1][:, None, :]
    top = (first - halves[0])[:, :, None] - (second - halves[1])[:, None, :]
    low = [each >= 1 - CUT_OFF for each in feet]
    return np.where(low[0][:, :, None] & low[1][:, None, :], top, foot)
