"""Key frames side by side, in one picture for papers and READMEs."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from sentrack.files import whole
from sentrack.progress import Report, silent
from sentrack.show.annotation import LIGHT, TIME_TOLERANCE, Caption, between, decimals
from sentrack.show.drawing import draw_marks, extent, movings, span, text_size, write
from sentrack.show.key_frames import key_times
from sentrack.tasks import Tracking
from sentrack.vision.scan import Frame, Image

HEIGHT = 360  # pixels of a key frame
GAP = 8  # pixels between key frames
ROW = 6  # key frames in a row, before there are two rows


def strip(
    trackings: Sequence[Tracking],
    frames: Iterable[Frame],
    path: Path,
    *,
    count: int = 6,
    report: Report = silent,
) -> None:
    """Write a PNG file: for each sentence key frames with tracks, and the states of its words.

    Args:
        trackings: the answers, about one video.
        frames: of the video, in order of time, at least those that were tracked.
        path: of the file.
        count: number of key frames of a sentence; a clip of fewer frames shows all of them.
        report: told of the key frames drawn.

    Raises:
        SentrackError: the file cannot be written, or no frame lies in the tracked span.
    """
    wanted = [key_times(tracking, count) for tracking in trackings]
    tiles: list[list[Image]] = [[] for _ in trackings]
    shown: list[list[float]] = [[] for _ in trackings]
    total = sum(map(len, wanted))
    for frame in between(frames, *span(trackings)):
        for times, own, at, number in zip(wanted, tiles, shown, range(len(wanted)), strict=True):
            # The first frame at or after a wanted time; decoded times may be rounded.
            if len(own) < len(times) and frame.time >= times[len(own)] - TIME_TOLERANCE:
                own.append(_tile(trackings, number, frame, decimals(times)))
                at.append(frame.time)
                report("strip", sum(map(len, tiles)), total)
    sheets = [_sheet(trackings, n, tiles[n], shown[n]) for n in range(len(trackings)) if tiles[n]]
    _save(_stacked(sheets), path)


def _tile(trackings: Sequence[Tracking], number: int, frame: Frame, digits: int) -> Image:
    """A key frame with the tracks of one sentence, and its time below, with so many digits."""
    height, width = frame.image.shape[:2]
    size = max(1, round(width * HEIGHT / height)), HEIGHT
    text = round(1.5 * text_size(*size))  # pages show a strip smaller than it is
    tile = np.full((HEIGHT + extent("", text)[1] + GAP, size[0], 3), LIGHT.ground, np.uint8)
    cv2.resize(frame.image, size, dst=tile[:HEIGHT], interpolation=cv2.INTER_AREA)
    moving = movings(trackings, size)[number]
    draw_marks(tile[:HEIGHT], moving.at(frame.time)[1], text)
    label = f"{frame.time:.{digits}f} s"
    x = (size[0] - extent(label, text)[0]) // 2
    write(tile, label, x, HEIGHT + GAP // 2, text, LIGHT.ink)
    return tile


def _sheet(
    trackings: Sequence[Tracking], number: int, tiles: list[Image], times: list[float]
) -> Image:
    """A sentence above its tiles, in one or two rows, and the bands of its words below."""
    columns = len(tiles) if len(tiles) <= ROW else -(-len(tiles) // 2)
    high, wide = tiles[0].shape[:2]
    width, rows = columns * (wide + GAP) + GAP, -(-len(tiles) // columns)
    text = max(16, width // 75)
    moving = movings(trackings, (wide, HEIGHT))[number]
    caption = Caption([moving], width, text, LIGHT, False)
    below = np.empty((caption.height, width, 3), np.uint8)
    caption.draw_all(below, times)
    title = caption.tops[0][2] if caption.tops else caption.height
    pictures = np.full((GAP + rows * high, width, 3), LIGHT.ground, np.uint8)
    for n, tile in enumerate(tiles):
        x, y = GAP + (n % columns) * (wide + GAP), GAP + (n // columns) * high
        pictures[y : y + high, x : x + wide] = tile
    return np.concatenate([below[:title], pictures, below[title:]])


def _stacked(sheets: Sequence[Image]) -> Image:
    """All sheets below each other, each beginning at the left."""
    width = max(sheet.shape[1] for sheet in sheets)
    padded = [
        np.pad(s, ((0, 0), (0, width - s.shape[1]), (0, 0)), constant_values=255) for s in sheets
    ]
    return np.concatenate(padded)


def _save(image: Image, path: Path) -> None:
    data = cv2.imencode(".png", image)[1].tobytes()
    with whole(path) as temporary:
        temporary.write_bytes(data)
