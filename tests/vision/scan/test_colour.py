"""Colours of boxes against the standard library's conversion, point by point."""

import colorsys
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sentrack.lexicon.features import FEATURES
from sentrack.vision.clip import Floats
from sentrack.vision.scan.colour import colours
from sentrack.vision.scan.video import Image
from tests.lexicon.made import candidates

# Blue, green, red, as they are in a picture.
RED, GREEN, BLUE, YELLOW = (40, 30, 200), (60, 140, 50), (190, 70, 30), (30, 210, 230)
ORANGE, BROWN, SKIN = (20, 120, 240), (25, 55, 105), (120, 150, 200)
BLACK, WHITE, GREY = (18, 14, 15), (236, 240, 237), (120, 124, 121)


def names(found: Floats) -> list[str]:
    """What the lexicon calls colours (N, 3)."""
    colour = found.astype(np.float32)[None]
    nothing = np.zeros((1, len(found), 2), dtype=np.float32)
    seen = candidates(nothing, nothing, nothing, colour)
    feature = FEATURES["colour"]
    return [feature.bins[k] for k in feature.binned(seen)[0]]


def plain(*bgr: tuple[int, int, int]) -> Image:
    """A picture of stripes side by side, 60 by 60 pixels each."""
    return np.concatenate([np.full((60, 60, 3), c, dtype=np.uint8) for c in bgr], axis=1)


def stripes(n: int) -> Floats:
    left = 60.0 * np.arange(n)
    return np.stack([left, 0 * left, left + 60, 0 * left + 60], axis=1)


def noisy(image: Image) -> Image:
    random = np.random.default_rng(0)
    return np.clip(image + random.normal(0, 6, image.shape), 0, 255).astype(np.uint8)


def test_plain_colours_are_converted_exactly() -> None:
    palette = [RED, GREEN, BLUE, YELLOW, ORANGE, BROWN, SKIN]
    expected = [colorsys.rgb_to_hsv(r / 255, g / 255, b / 255) for b, g, r in palette]
    found = colours(plain(*palette), stripes(len(palette)))
    np.testing.assert_allclose(found / [360, 1, 1], expected, atol=1e-5)


def test_the_lexicon_has_the_words_for_them() -> None:
    palette = [RED, GREEN, BLUE, YELLOW, ORANGE, BROWN, BLACK, WHITE, GREY]
    words = ["red", "green", "blue", "yellow", "orange", "brown", "black", "white", "grey"]
    for image in (plain(*palette), noisy(plain(*palette))):
        assert names(colours(image, stripes(len(palette)))) == words


def person(
    shirt: tuple[int, int, int], trousers: tuple[int, int, int], behind: tuple[int, int, int]
) -> Image:
    """A person of 60 by 160 pixels in a picture of 100 by 200, with noise."""
    image = np.full((200, 100, 3), behind, dtype=np.uint8)
    image[22:50, 40:60] = SKIN
    image[50:105, 25:75] = shirt
    image[105:178, 30:70] = trousers
    return noisy(image)


@pytest.mark.parametrize(
    ("shirt", "trousers", "behind", "word"),
    [
        (RED, BLACK, GREEN, "red"),
        (RED, BLUE, GREY, "red"),
        (YELLOW, GREY, GREEN, "yellow"),
        (BLUE, BLACK, WHITE, "blue"),
        (ORANGE, BLACK, GREY, "orange"),
        (BLACK, BLACK, GREEN, "black"),
        (GREEN, BLACK, WHITE, "green"),
    ],
)
def test_a_person_has_the_colour_of_the_shirt(
    shirt: tuple[int, int, int],
    trousers: tuple[int, int, int],
    behind: tuple[int, int, int],
    word: str,
) -> None:
    box = np.array([[20.0, 20, 80, 180]])
    assert names(colours(person(shirt, trousers, behind), box)) == [word]


def test_a_small_mark_does_not_colour_a_white_van() -> None:
    image = noisy(plain(WHITE))
    image[25:35, 20:35] = RED
    assert names(colours(image, stripes(1))) == ["white"]


def test_black_and_white_make_grey() -> None:
    """The saturation of nearly black pixels is noise, and must not give a hue."""
    image = plain(WHITE)
    image[::2] = (4, 1, 2)
    assert names(colours(noisy(image), stripes(1))) == ["grey"]


def test_only_what_is_visible_counts() -> None:
    image = plain(RED, BLUE)
    found = colours(image, np.array([[-300.0, -50, 55, 90], [70, -9, 900, 900]]))
    assert names(found) == ["red", "blue"]
    outside = np.array([[130.0, 0, 160, 50], [0, -20, 50, 0], [10, 10, 10, 40]])
    assert np.isnan(colours(image, outside)).all()
    assert colours(image, np.empty((0, 4))).shape == (0, 3)


def test_colours_do_not_depend_on_the_other_boxes() -> None:
    random = np.random.default_rng(1)
    image = random.integers(0, 256, (90, 120, 3), dtype=np.uint8)
    corner = random.uniform((0, 0), (90, 60), (40, 2))
    boxes = np.concatenate([corner, corner + random.uniform(1, 40, (40, 2))], axis=1)
    together = colours(image, boxes)
    alone = [colours(image, box[None])[0] for box in boxes]
    np.testing.assert_array_equal(together, alone)


def by_hand(
    image: Image, box: tuple[float, float, float, float]
) -> list[tuple[float, float, float]]:
    """The definition, one point after the other.

    Where several hues are as strong but for rounding, the colour of each.
    """
    height, width = image.shape[:2]
    x1, x2 = max(box[0], 0), min(box[2], width)
    y1, y2 = max(box[1], 0), min(box[3], height)
    points = []
    for i in range(12):
        for j in range(12):
            x = (x1 + x2) / 2 + 0.6 * (x2 - x1) * ((j + 0.5) / 12 - 0.5)
            y = (y1 + y2) / 2 + 0.6 * (y2 - y1) * ((i + 0.5) / 12 - 0.5)
            b, g, r = (int(c) / 255 for c in image[int(y), int(x)])
            h, s, v = colorsys.rgb_to_hsv(r, g, b)
            vivid = s >= 0.2 and v >= 0.2
            points.append((360 * h, s, v, vivid, s * v * (1 if vivid else 0.001)))
    modes = [[p for p in points if (int(p[0] // 10) - mode + 2) % 36 <= 4] for mode in range(36)]
    totals = [math.fsum(p[4] for p in near) for near in modes]
    found = []
    for own, total in zip(modes, totals, strict=True):
        if not own or total < max(totals) - 1e-6:
            continue
        # Relative to one of them, hues within 50 degrees have an ordinary mean.
        first = own[0][0]
        beside = [(p[0] - first + 180) % 360 - 180 for p in own]
        weighed = sum(p[4] * d for p, d in zip(own, beside, strict=True))
        chosen = [p for p in own if p[3]]
        if len(chosen) < 0.2 * 144:
            chosen = points
        value = math.fsum(p[2] for p in chosen)
        chroma = math.fsum(p[1] * p[2] for p in chosen)
        hue = first + weighed / total if total else first
        found.append((hue, chroma / value if value else 0.0, value / len(chosen)))
    return found


# Hues that are not at the edge of a bin, where rounding decides.
PALETTE = np.array([RED, GREEN, BLUE, YELLOW, ORANGE, BROWN, SKIN, BLACK, WHITE, GREY], np.uint8)


@given(
    picks=arrays(np.int64, (9, 7), elements=st.integers(0, len(PALETTE) - 1)),
    corner=st.tuples(st.floats(-3, 6.5), st.floats(-3, 8.5)),
    extent=st.tuples(st.floats(0.6, 9), st.floats(0.6, 11)),
)
def test_colours_are_as_defined(
    picks: np.ndarray[tuple[int, int], np.dtype[np.int64]],
    corner: tuple[float, float],
    extent: tuple[float, float],
) -> None:
    image = PALETTE[picks]
    box = (corner[0], corner[1], corner[0] + extent[0], corner[1] + extent[1])
    found = colours(image, np.array([box]))[0]
    if box[2] <= 0 or box[3] <= 0:
        assert np.isnan(found).all()
        return
    off = [
        max(abs((found[0] - hue + 180) % 360 - 180) / 1000, *np.abs(found[1:] - rest))
        for hue, *rest in by_hand(image, box)
    ]
    assert min(off) < 1e-5
