"""What boxes look like: how much of each basic colour their upper and lower halves show."""

import cv2
import numpy as np

from sentrack.colours import CELLS, HALVES, colour_cells
from sentrack.vision.clip import Floats, Parts
from sentrack.vision.scan.video import Image

ACROSS, DOWN = 12, 9  # points at which a half is looked at
MIDDLE = (0.2, 0.8)  # part of the width looked at: beside it is the background
# Parts of the height: where people wear shirts, below the head, and trousers, above the feet.
UPPER, LOWER = (0.15, 0.5), (0.5, 0.9)
FULL = 255  # what stands for all of a half


def looks(image: Image, boxes: Floats) -> Parts:
    """(N, HALVES * CELLS) parts of each half that are of each colour; 0 where not visible.

    Args:
        image: (height, width, 3) blue, green, red.
        boxes: (N, 4) x1 y1 x2 y2, in pixels.
    """
    N, size = len(boxes), np.array(image.shape[1::-1])
    visible = np.clip(boxes.reshape(-1, 2, 2), 0, size)
    extent = visible[:, 1] - visible[:, 0]
    down = np.concatenate([_steps(*UPPER, DOWN), _steps(*LOWER, DOWN)])
    x = visible[:, 0, :1] + extent[:, :1] * _steps(*MIDDLE, ACROSS)
    y = visible[:, 0, 1:] + extent[:, 1:] * down
    column = np.minimum(x, size[0] - 1).astype(np.int64)[:, None, :]
    row = np.minimum(y, size[1] - 1).astype(np.int64)[:, :, None]
    points = image[row, column].reshape(N * HALVES, ACROSS * DOWN, 3)
    if N == 0:
        return np.zeros((0, HALVES * CELLS), dtype=np.uint8)
    hsv = cv2.cvtColor(points.astype(np.float32) / 255, cv2.COLOR_BGR2HSV)
    cell = colour_cells(*np.ascontiguousarray(np.moveaxis(hsv, 2, 0)))
    half = np.arange(N * HALVES)[:, None] * CELLS
    count = np.bincount((half + cell).ravel(), minlength=N * HALVES * CELLS).reshape(N, -1)
    part: Parts = np.rint(count * (FULL / (ACROSS * DOWN))).astype(np.uint8)
    part[(extent <= 0).any(axis=1)] = 0
    return part


def _steps(low: float, high: float, many: int) -> Floats:
    """(many,) the middles of equal parts of what is between two numbers."""
    return low + (np.arange(many) + 0.5) * (high - low) / many
