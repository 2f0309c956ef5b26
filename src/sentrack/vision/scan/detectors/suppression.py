"""Greedy suppression: of boxes that overlap much, the one with the highest score stays."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from sentrack.vision.clip import Floats, Ints

F = TypeVar("F", bound=Callable[..., Any])


def suppress(boxes: Floats, label: Ints, score: Floats, best: int, overlap: float) -> Ints:
    """The rows that stay, by class and then by falling score, the first of equals first.

    In every class, boxes are taken by falling score; one stays unless its intersection over union
    with one that stays is above `overlap`, until `best` stay.

    Args:
        boxes: (M, 4) x1 y1 x2 y2.
        label: (M,) class.
        score: (M,) higher is better.
        best: the most that stay of a class.
        overlap: the most that two of a class may overlap.
    """
    order = np.lexsort((-score, label))
    stays: Ints = order[_greedy(boxes[order], label[order], best, overlap)]
    return stays


def _compiled(function: F) -> F:
    return cast(F, numba.njit(cache=True, nogil=True)(function))


@_compiled
def _greedy(boxes: Any, label: Any, best: Any, overlap: Any) -> Any:
    """The indices that stay, of boxes sorted by class and falling score."""
    M = len(boxes)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    stays = np.empty(M, np.int64)
    first = count = 0  # those of the class at hand are stays[first:count]
    for i in range(M):
        if i > 0 and label[i] != label[i - 1]:
            first = count
        free = count - first < best
        k = first
        while free and k < count:
            j = stays[k]
            width = min(boxes[i, 2], boxes[j, 2]) - max(boxes[i, 0], boxes[j, 0])
            height = min(boxes[i, 3], boxes[j, 3]) - max(boxes[i, 1], boxes[j, 1])
            common = max(width, 0.0) * max(height, 0.0)
            free = common <= overlap * (area[i] + area[j] - common)
            k += 1
        if free:
            stays[count] = i
            count += 1
    return stays[:count]
