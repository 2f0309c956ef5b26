"""Greedy suppression: of boxes that overlap much, the one with the highest score stays."""

import numpy as np

from sentrack.boxes import iou
from sentrack.vision.clip import Floats, Ints


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
    order = left = np.lexsort((-score, label))
    stays = np.zeros(len(label), dtype=np.bool_)
    for _ in range(best):  # one more of every class each time
        if not len(left):
            break
        first, of = np.ones(len(left), dtype=np.bool_), label[left]
        first[1:] = of[1:] != of[:-1]
        top = left[first][first.cumsum() - 1]
        stays[top] = True
        left = left[(iou(boxes[left], boxes[top]) <= overlap) & (left != top)]
    return order[stays[order]]
