"""Key frames side by side, in one picture for papers and READMEs."""

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from sentrack.files import whole
from sentrack.progress import Report, silent
from sentrack.show.annotation import CLOSE, LIGHT, Caption, between
from sentrack.show.drawing import draw_marks, extent, movings, span, text_size, write
from sentrack.tasks import Tracking
from sentrack.vision import Ints
from sentrack.vision.scan import Frame, Image

HEIGHT = 360  # pixels of a key frame
GAP = 8  # pixels between key frames
ROW = 6  # key frames in a row, before there are two rows


def strip(
    tracking: Tracking,
    frames: Iterable[Frame],
    path: Path,
    *,
    count: int = 6,
    report: Report = silent,
) -> None:
    """Write a PNG file of key frames with tracks, the sentence, and the states of its words.

    Args:
        tracking: the answer.
        frames: of the video, in order of time, at least those that were tracked.
        path: of the file.
        count: number of key frames; a clip of fewer frames shows all of them.
        report: told of the key frames drawn.

    Raises:
        SentrackError: the file cannot be written, or no frame lies in the tracked span.
    """
    objective, found = tracking.objective, tracking.solution.states
    states = np.array([objective.states(w, found) for w in range(len(tracking.words))])
    times = objective.clip.times[key_frames(states, count)]
    tiles: list[Image] = []
    shown: list[float] = []
    for frame in between(frames, *span([tracking])):
        # The first frame at or after a wanted time; decoded times may be rounded.
        if len(tiles) < len(times) and frame.time >= times[len(tiles)] - CLOSE:
            tiles.append(_tile(tracking, frame))
            shown.append(frame.time)
            report("strip", len(tiles), len(times))
    _save(_sheet(tracking, tiles, shown), path)


def key_frames(states: Ints, count: int) -> Ints:
    """Indices of frames that show every phase, given states (W, T): the longer it is, the more.

    A phase lasts until a word changes its state. With more phases than frames, they are spread
    evenly over time.
    """
    T = states.shape[1]
    changes = np.flatnonzero((np.diff(states, axis=1) != 0).any(axis=0)) + 1
    if len(changes) >= count:
        changes = changes[:0]
    edges = np.array([0, *changes, T])
    lengths = np.diff(edges)
    shares = np.ones(len(lengths), np.int64)
    for _ in range(min(count, T) - len(lengths)):
        shares[np.argmax(lengths / shares)] += 1
    picked = [
        low + (np.arange(n) + 0.5) * length / n
        for low, length, n in zip(edges[:-1], lengths, shares, strict=True)
    ]
    return np.concatenate(picked).astype(np.int64)


def _tile(tracking: Tracking, frame: Frame) -> Image:
    """A key frame with its tracks, and its time below."""
    height, width = frame.image.shape[:2]
    size = max(1, round(width * HEIGHT / height)), HEIGHT
    text = round(1.5 * text_size(*size))  # pages show a strip smaller than it is
    tile = np.full((HEIGHT + extent("", text)[1] + GAP, size[0], 3), LIGHT.ground, np.uint8)
    cv2.resize(frame.image, size, dst=tile[:HEIGHT], interpolation=cv2.INTER_AREA)
    (moving,) = movings([tracking], size)
    draw_marks(tile[:HEIGHT], moving.at(frame.time)[1], text)
    label = f"{frame.time:.1f} s"
    x = (size[0] - extent(label, text)[0]) // 2
    write(tile, label, x, HEIGHT + GAP // 2, text, LIGHT.ink)
    return tile


def _sheet(tracking: Tracking, tiles: list[Image], times: list[float]) -> Image:
    """The sentence above the tiles, in one or two rows, and the bands of its words below."""
    columns = len(tiles) if len(tiles) <= ROW else -(-len(tiles) // 2)
    high, wide = tiles[0].shape[:2]
    width, rows = columns * (wide + GAP) + GAP, -(-len(tiles) // columns)
    text = max(16, width // 75)
    caption = Caption(movings([tracking], (wide, HEIGHT)), width, text, LIGHT, False)
    below = np.empty((caption.height, width, 3), np.uint8)
    caption.draw_all(below, times)
    title = caption.tops[0][2] if caption.tops else caption.height
    pictures = np.full((GAP + rows * high, width, 3), LIGHT.ground, np.uint8)
    for n, tile in enumerate(tiles):
        x, y = GAP + (n % columns) * (wide + GAP), GAP + (n // columns) * high
        pictures[y : y + high, x : x + wide] = tile
    return np.concatenate([below[:title], pictures, below[title:]])


def _save(image: Image, path: Path) -> None:
    data = cv2.imencode(".png", image)[1].tobytes()
    with whole(path) as temporary:
        temporary.write_bytes(data)
