"""The frames that tracks are drawn on."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sentrack.vision import Clip, is_video
from sentrack.vision.scan import Frame, Video

CANVAS = (56, 50, 46)  # blue, green, red of the canvas where there are no pixels


def pictures(source: str | Path, clip: Clip) -> Iterator[Frame]:
    """All frames of the video that a clip is of; a plain canvas where there are no pixels."""
    if Path(source).is_file() and is_video(source):
        yield from Video(source).frames(float(clip.times[0]), float(clip.times[-1]) + 1e-6)
        return
    width, height = clip.size
    canvas = np.full((height, width, 3), CANVAS, dtype=np.uint8)
    for number, time in zip(clip.frames, clip.times, strict=True):
        yield Frame(int(number), float(time), canvas.copy())
