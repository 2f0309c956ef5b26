"""Text, boxes, labels and tracks, drawn on images."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from sentrack.boxes import iou
from sentrack.show.palette import Colour, colour
from sentrack.tasks import Tracking
from sentrack.vision import Floats
from sentrack.vision.scan import Image

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
REJECTED: Colour = (140, 140, 140)
TEXT = 0.034  # frame heights, of a line of text
SMALLEST_TEXT = 13  # pixels, of a line of text
BESIDE = ((0, 0), (0, -1), (1, 0), (0, 1), (0, -2), (0, 2))  # label sizes, of where else to put it
TIME_TOLERANCE = 1e-3  # seconds by which times may be rounded
HIDING_IOU = 0.7  # IoU of boxes that would hide each other


@dataclass(frozen=True, eq=False)
class Mark:
    """A participant that is seen in a frame: its box (4,) in pixels, noun and colour."""

    box: Floats
    noun: str
    colour: Colour


def text_size(width: int, height: int) -> int:
    """The size of text that is legible on a picture."""
    return max(SMALLEST_TEXT, round(TEXT * min(height, 0.75 * width)))


@lru_cache(maxsize=1024)
def letters(text: str, size: int, stroke: int = 0) -> Image:
    """How much ink each pixel of a text gets: (height, width), 0 to 255."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # the bitmap font has no sizes
    ascent, descent = font.getmetrics()
    extent = int(np.ceil(font.getlength(text))) + 2 * stroke, ascent + descent + 2 * stroke
    picture = Pictures.new("L", extent)
    ImageDraw.Draw(picture).text((stroke, stroke), text, 255, font, stroke_width=stroke)
    return np.asarray(picture)


def extent(text: str, size: int) -> tuple[int, int]:
    """Width and height of a text in pixels."""
    height, width = letters(text, size).shape
    return width, height


def write(
    image: Image, text: str, x: int, y: int, size: int, ink: Colour, edge: Colour | None = None
) -> None:
    """Write with the upper left corner at x y; an edge keeps it legible on any ground."""
    if edge is not None:
        _blend(image, letters(text, size, 1), x - 1, y - 1, edge)
    _blend(image, letters(text, size), x, y, ink)


def _blend(image: Image, mask: Image, x: int, y: int, ink: Colour) -> None:
    left, right = max(x, 0), min(x + mask.shape[1], image.shape[1])
    top, bottom = max(y, 0), min(y + mask.shape[0], image.shape[0])
    if left >= right or top >= bottom:
        return
    part = image[top:bottom, left:right]
    share = mask[top - y : bottom - y, left - x : right - x].astype(np.uint16)[..., None]
    part[:] = (part * (255 - share) + np.array(ink, np.uint16) * share + 127) // 255


def chip_extent(text: str, size: int) -> tuple[int, int]:
    """Width and height of a chip in pixels."""
    width, height = extent(text, size)
    return width + 2 * (size // 3), height + 2 * (size // 8)


def chip(image: Image, text: str, x: int, y: int, size: int, ground: Colour) -> None:
    """A text on a ground of its own, in black or white, whichever is read better."""
    width, height = chip_extent(text, size)
    cv2.rectangle(image, (x, y), (x + width - 1, y + height - 1), ground, cv2.FILLED)
    blue, green, red = ground
    ink = BLACK if 0.114 * blue + 0.587 * green + 0.299 * red > 120 else WHITE
    write(image, text, x + size // 3, y + size // 8, size, ink)


def outline(image: Image, box: Floats, ink: Colour, thick: int) -> None:
    """The edges of a box (4,) x1 y1 x2 y2."""
    x1, y1, x2, y2 = (int(v) for v in np.round(np.clip(box, -1e4, 1e5)))
    cv2.rectangle(image, (x1, y1), (x2, y2), ink, thick)


def draw_rejected(image: Image, boxes: Floats) -> None:
    """Thin boxes (N, 4) around what was not chosen."""
    for box in boxes:
        outline(image, box, REJECTED, max(1, round(image.shape[0] / 720)))


def draw_marks(image: Image, marks: Sequence[Mark], size: int) -> None:
    """Boxes and labels of participants, with text of a size.

    Boxes about the same thing are nested, and labels are moved so that none hides another.
    """
    height, width = image.shape[:2]
    thick = max(2, round(height / 260))
    boxes = np.array([mark.box for mark in marks])
    for i, mark in enumerate(marks):
        nested = int((iou(mark.box, boxes[:i]) > HIDING_IOU).sum())
        box = mark.box + nested * (thick + 1) * np.array([-1, -1, 1, 1])
        outline(image, box, BLACK, thick + 2)
        outline(image, box, mark.colour, thick)
        boxes[i] = box
    taken: list[Floats] = []
    for mark, box in zip(marks, boxes, strict=True):
        place = _free(box, chip_extent(mark.noun, size), taken, (width, height), thick)
        taken.append(place)
        chip(image, mark.noun, int(place[0]), int(place[1]), size, mark.colour)


def _free(
    box: Floats, extent: tuple[int, int], taken: list[Floats], bounds: tuple[int, int], thick: int
) -> Floats:
    """Where (4,) a label of this extent goes: above its box, or as near to that as is free."""
    (w, h), (width, height) = extent, bounds
    x, y = (round(float(v)) - thick // 2 for v in (box[0], box[1] - h))
    x = min(max(x, 0), max(0, width - w))
    others = np.array(taken).reshape(-1, 4)
    for across, down in BESIDE:
        left, top = x + across * w, y + down * h
        place = np.array([left, top, left + w, top + h], np.float64)
        inside = place.min() >= 0 and place[2] <= width and place[3] <= height
        if inside and not (iou(place, others) > 0).any():
            return place
    y = min(max(y, 0), max(0, height - h))
    return np.array([x, y, x + w, y + h], np.float64)


class Moving:
    """The tracks of one sentence at any time.

    Args:
        tracking: the answer.
        first: number of its first participant among all sentences.
        scale: (2,) pixels of the picture per pixel of the clip, across and down.
    """

    def __init__(self, tracking: Tracking, first: int, scale: Floats) -> None:
        self.tracking, self.first = tracking, first
        self.times = tracking.objective.clip.times
        self.scale = np.tile(scale, 2)
        self.boxes = np.stack([p.boxes for p in tracking.participants]) * self.scale

    def at(self, time: float) -> tuple[int, list[Mark]]:
        """The tracked frame nearest to a time, and all participants seen there, interpolated."""
        t, boxes = interpolate(self.times, self.boxes, time)
        # Between a frame in which it is seen and one in which it is not, it is where it is seen.
        boxes = np.where(np.isnan(boxes), self.boxes[:, t], boxes)
        return t, [
            Mark(box, p.noun, colour(self.first + i))
            for i, (p, box) in enumerate(zip(self.tracking.participants, boxes, strict=True))
            if p.seen[t] and self.covers(time)
        ]

    def covers(self, time: float) -> bool:
        """Whether the tracks are about a time."""
        return self.tracking.start - TIME_TOLERANCE <= time <= self.tracking.end + TIME_TOLERANCE

    def rejected(self, t: int) -> Floats:
        """(N, 4) the candidates of tracked frame t that were not chosen."""
        objective, tracks = self.tracking.objective, self.tracking.solution.tracks
        rows = [candidates.rows[t] for candidates in objective.candidates]
        chosen = [row[track[t]] for row, track in zip(rows, tracks, strict=True)]
        left = np.setdiff1d(np.concatenate(rows), chosen)
        left = left[~objective.clip.projected[left]]
        return np.asarray(objective.clip.boxes[left] * self.scale)


def interpolate(times: Floats, boxes: Floats, time: float) -> tuple[int, Floats]:
    """The index of the nearest of (T,) times, and boxes (L, 4) of (L, T, 4) between frames."""
    after = int(np.clip(np.searchsorted(times, time), min(1, len(times) - 1), len(times) - 1))
    before = max(after - 1, 0)
    gap = times[after] - times[before]
    share = float(np.clip((time - times[before]) / gap, 0, 1)) if gap > 0 else 0.0
    now = (1 - share) * boxes[:, before] + share * boxes[:, after]
    return (after if share >= 0.5 else before), now


def span(trackings: Sequence[Tracking]) -> tuple[float, float]:
    """The first and the last second that any of them tells about."""
    times = [tracking.objective.clip.times for tracking in trackings]
    return float(min(t[0] for t in times)), float(max(t[-1] for t in times))


def movings(trackings: Sequence[Tracking], size: tuple[int, int]) -> list[Moving]:
    """The tracks of all sentences on a picture of this size, every participant its own colour."""
    counts = [len(tracking.participants) for tracking in trackings]
    firsts = np.cumsum([0, *counts])
    return [
        Moving(tracking, int(first), np.array(size) / tracking.objective.clip.size)
        for tracking, first in zip(trackings, firsts[:-1], strict=True)
    ]
