"""Strokes of a brush, at fractions of a pixel."""

import cv2
import numpy as np
import numpy.typing as npt

from sentrack.vision import Floats

FRACTION = 4  # bits behind the point in the coordinates that OpenCV draws at

Canvas = npt.NDArray[np.uint8]
Point = npt.NDArray[np.float64]  # (2,) x and y
Colour = tuple[int, int, int]  # blue, green, red


def _fixed(points: list[Point]) -> npt.NDArray[np.int32]:
    return np.round(np.array(points) * (1 << FRACTION)).astype(np.int32)


def line(image: Canvas, points: list[Point], colour: Colour, thick: int) -> None:
    """A line through points, so many pixels thick."""
    cv2.polylines(image, [_fixed(points)], False, colour, thick, cv2.LINE_AA, FRACTION)


def shape(image: Canvas, points: list[Point], colour: Colour) -> None:
    """A filled polygon."""
    cv2.fillPoly(image, [_fixed(points)], colour, cv2.LINE_AA, FRACTION)


def disc(image: Canvas, centre: Point, across: float, down: float, colour: Colour) -> None:
    """A filled ellipse, given by its radii."""
    (x, y), radii = _fixed([centre])[0], _fixed([np.array([across, down])])[0]
    axes = (int(radii[0]), int(radii[1]))
    cv2.ellipse(image, (int(x), int(y)), axes, 0, 0, 360, colour, cv2.FILLED, cv2.LINE_AA, FRACTION)


def slab(
    image: Canvas, box: Floats, x1: float, y1: float, x2: float, y2: float, colour: Colour
) -> None:
    """A filled rectangle, given in units of a box."""
    corners = [within(box, x, y) for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2))]
    shape(image, corners, colour)


def within(box: Floats, x: float, y: float) -> Point:
    """A place in a box, where 0 0 is its upper left and 1 1 its lower right corner."""
    return np.asarray(box[:2] + (box[2:] - box[:2]) * [x, y])


def shade(colour: Colour, light: float = 0.8) -> Colour:
    """A colour made darker, or lighter above 1."""
    blue, green, red = (min(255, round(c * light)) for c in colour)
    return blue, green, red
