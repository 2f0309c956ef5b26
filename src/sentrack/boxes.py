"""Boxes: their areas, and how much two of them have in common.

A box is x1 y1 x2 y2 along the last axis of an array, single or double precision as given. Leading
axes broadcast: boxes (T, I, 1, 4) and (T, 1, J, 4) are compared pair by pair, (T, I, J).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Boxes = npt.NDArray[Any]

NOTHING = 1e-30  # stands in for the area of two boxes without any, which have nothing in common


def area(boxes: Boxes) -> Boxes:
    """(...): of boxes (..., 4)."""
    return np.asarray((boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1]))


def centre(boxes: Boxes) -> Boxes:
    """(..., 2): the middle of boxes (..., 4)."""
    return np.asarray(0.5 * (boxes[..., :2] + boxes[..., 2:]))


def extent(boxes: Boxes) -> Boxes:
    """(..., 2): width and height of boxes (..., 4)."""
    return np.asarray(boxes[..., 2:] - boxes[..., :2])


def around(centre: Boxes, extent: Boxes) -> Boxes:
    """(..., 4): the boxes of a middle (..., 2) and of width and height (..., 2)."""
    half = extent / 2
    return np.concatenate([centre - half, centre + half], axis=-1)


def moved(boxes: Boxes, by: Boxes) -> Boxes:
    """(..., 4): boxes (..., 4) moved by (..., 2)."""
    return np.asarray(boxes + np.tile(by, 2))


def shared(a: Boxes, b: Boxes) -> Boxes:
    """(...): the area that two boxes have in common."""
    wide = np.minimum(a[..., 2], b[..., 2]) - np.maximum(a[..., 0], b[..., 0])
    high = np.minimum(a[..., 3], b[..., 3]) - np.maximum(a[..., 1], b[..., 1])
    return np.asarray(np.maximum(wide, 0) * np.maximum(high, 0))


def iou(a: Boxes, b: Boxes) -> Boxes:
    """(...): intersection over union of two boxes; 0 where both have no area."""
    return over_union(shared(a, b), area(a), area(b))


def over_union(shared: Boxes, a: Boxes, b: Boxes) -> Boxes:
    """(...): the area that two boxes have in common over that of both, of areas a and b."""
    return np.asarray(shared / np.maximum(a + b - shared, NOTHING))
