"""Looks of boxes against counting their points one by one, with the standard library's colours."""

import colorsys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sentrack.colours import CELLS, GREY, GREYS, HALVES, NAMES, basic_colours, colour_cells
from sentrack.lexicon.features import FEATURES
from sentrack.vision.clip import Floats, Parts
from sentrack.vision.scan.looks import looks
from sentrack.vision.scan.video import Image
from tests.lexicon.made import candidates

# Blue, green, red, as they are in a picture.
RED, BLUE, BLACK = (40, 30, 200), (190, 70, 30), (18, 14, 15)
CHARCOAL, ASH = (70, 72, 71), (120, 124, 121)


def dressed(upper: tuple[int, int, int], lower: tuple[int, int, int]) -> Image:
    """A picture of somebody who fills it, half and half."""
    image = np.empty((100, 40, 3), dtype=np.uint8)
    image[:50], image[50:] = upper, lower
    return image


def named(found: Parts, feature: str) -> list[str]:
    """What the lexicon calls the looks (N, HALVES * CELLS) of boxes."""
    nothing = np.zeros((1, len(found), 2), dtype=np.float32)
    colour = np.full((1, len(found), 3), np.nan, dtype=np.float32)
    seen = candidates(nothing, nothing, nothing, colour, looks=found[None])
    return [FEATURES[feature].bins[k] for k in FEATURES[feature].binned(seen)[0]]


def counted(image: Image, box: Floats) -> Floats:
    """(HALVES, CELLS) how many points of a box are of each colour, point by point."""
    height, width = image.shape[:2]
    x1, x2 = np.clip(box[[0, 2]], 0, width)
    y1, y2 = np.clip(box[[1, 3]], 0, height)
    found = np.zeros((HALVES, CELLS))
    for half, (low, high) in enumerate([(0.15, 0.5), (0.5, 0.9)]):
        for i in range(9):
            for j in range(12):
                y = y1 + (y2 - y1) * (low + (high - low) * (i + 0.5) / 9)
                x = x1 + (x2 - x1) * (0.2 + 0.6 * (j + 0.5) / 12)
                blue, green, red = image[min(int(y), height - 1), min(int(x), width - 1)] / 255
                hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
                found[half, cell(360 * hue, saturation, value)] += 1
    return found


def cell(hue: float, saturation: float, value: float) -> int:
    if value < 0.18:
        return NAMES.index("black")
    if saturation < 0.18:
        shade = sum(value > edge for edge in GREYS)
        return NAMES.index("white") if value > 0.8 else GREY + shade
    spans = zip((15, 40, 70, 165, 260, 295, 345, 361), (*range(7), 0), strict=True)
    name = NAMES[next(k for edge, k in spans if hue < edge)]
    if name == "orange" and value < 0.6:
        name = "brown"
    if name == "red" and saturation < 0.5 and value > 0.6:
        name = "pink"
    return NAMES.index(name)


@settings(max_examples=20)
@given(
    image=arrays(np.uint8, (24, 16, 3)),
    box=st.tuples(*[st.integers(-4, 20)] * 2, *[st.integers(1, 12)] * 2),
)
def test_every_point_counts_once(image: Image, box: tuple[int, int, int, int]) -> None:
    x, y, w, h = box
    corners = np.array([x, y, x + w, y + h], dtype=np.float64)
    found = looks(image, corners[None])[0].reshape(HALVES, CELLS)
    if min(x + w, 16) <= max(x, 0) or min(y + h, 24) <= max(y, 0):
        assert not found.any()
        return
    # Single and double precision may differ where a colour lies on an edge.
    off = np.abs(found - np.rint(counted(image, corners) * 255 / 108)).sum(axis=1)
    assert (off <= 4 * 255 / 108).all()


def test_halves_are_named_by_what_most_of_them_shows() -> None:
    found = looks(dressed(RED, BLACK), np.array([[0.0, 0, 40, 100]]))
    assert named(found, "upper-colour") == ["red"]
    assert named(found, "lower-colour") == ["black"]
    found = looks(dressed(BLUE, RED), np.array([[0.0, 0, 40, 100], [-20, 0, 0, 100]]))
    assert named(found, "upper-colour") == ["blue", "unknown"]
    assert named(found, "lower-colour") == ["red", "unknown"]
    found = looks(dressed(CHARCOAL, ASH), np.array([[0.0, 0, 40, 100]]))
    assert (named(found, "upper-colour"), named(found, "lower-colour")) == (["black"], ["grey"])


def test_nothing_is_seen_of_no_boxes() -> None:
    assert looks(dressed(RED, BLUE), np.empty((0, 4))).shape == (0, HALVES * CELLS)


@pytest.mark.parametrize(("value", "shade"), [(0.3, 0), (0.4, 1), (0.6, 2), (0.7, 3)])
def test_greys_are_told_apart_and_are_all_grey(value: float, shade: int) -> None:
    assert basic_colours(0.0, 0.1, value) == GREY
    assert colour_cells(0.0, 0.1, value) == GREY + shade
