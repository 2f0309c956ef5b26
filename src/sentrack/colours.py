"""Basic colours: the eleven that English has names for, and how much of each a thing shows."""

from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int16]

NAMES = (
    "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey"
)  # fmt: skip
RED, ORANGE, PINK, BROWN, BLACK, WHITE, GREY = 0, 1, 6, 7, 8, 9, 10
HUES = (15, 40, 70, 165, 260, 295, 345)  # degrees, where one hue ends and the next begins
GREYS = (0.35, 0.5, 0.65)  # values at which greys are told apart
CELLS = len(NAMES) + len(GREYS)  # grey is the last of the names, and has a cell for each
HALVES = 2  # the upper and the lower half of a thing are looked at by themselves


def basic_colours(hue: Any, saturation: Any, value: Any) -> Codes:
    """The number in `NAMES` of each colour: hue in degrees, saturation and value in 0..1."""
    named = np.array([*range(len(HUES)), RED])[np.searchsorted(HUES, hue, side="right")]
    named = np.where((named == ORANGE) & (value < 0.6), BROWN, named)
    named = np.where((named == RED) & (saturation < 0.5) & (value > 0.6), PINK, named)
    named = np.where(saturation < 0.18, np.where(value > 0.8, WHITE, GREY), named)
    return np.where(value < 0.18, BLACK, named).astype(np.int16)


def colour_cells(hue: Any, saturation: Any, value: Any) -> Codes:
    """The same with greys told apart: 0 to CELLS - 1."""
    named = basic_colours(hue, saturation, value)
    return np.where(named == GREY, GREY + np.searchsorted(GREYS, value), named).astype(np.int16)
