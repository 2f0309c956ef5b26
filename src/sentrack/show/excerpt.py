"""A part of a video, small enough for a page, that browsers play."""

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from sentrack.progress import Report, silent
from sentrack.show.annotation import between
from sentrack.show.video_writer import VideoWriter
from sentrack.vision.scan import Frame, Image

EXCERPT_WIDTH = 960  # pixels
EXCERPT_FPS = 30.0  # about, for the encoder


def excerpt(
    frames: Iterable[Frame], start: float, end: float, path: Path, report: Report = silent
) -> float:
    """Write the frames between two times as an MP4 file.

    Args:
        frames: of a video, in order of time.
        start: seconds.
        end: seconds.
        path: of the file.
        report: told of the frames written.

    Returns:
        The seconds at which its first frame is shown in the video.

    Raises:
        SentrackError: the file cannot be written, or there is no frame between these times.
    """
    first = None
    with VideoWriter(path, EXCERPT_FPS) as writer:
        for done, frame in enumerate(between(frames, start, end), 1):
            first = frame.time if first is None else first
            writer.write(smaller(frame.image, EXCERPT_WIDTH), frame.time)
            passed = frame.time - first
            report("film", done, 1 + (done - 1) * (end - first) / passed if passed > 0 else None)
    assert first is not None  # `between` yields a frame or raises
    return first


def smaller(image: Image, width: int) -> Image:
    """An image (height, width, 3), reduced if it is wider than this many pixels."""
    scale = width / image.shape[1]
    if scale >= 1:
        return image
    size = width, max(1, round(scale * image.shape[0]))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
