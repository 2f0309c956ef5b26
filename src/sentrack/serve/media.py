"""Pictures and pieces of videos, made for browsers."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np

from sentrack.errors import SentrackError
from sentrack.files import mark, whole
from sentrack.library import Entry
from sentrack.serve.errors import JobError
from sentrack.serve.media_cache import asked_for, picture_path, trim
from sentrack.show import CANVAS, EXCERPT_FPS, EXCERPT_WIDTH, VideoWriter, colour, outline, smaller
from sentrack.vision import Clip
from sentrack.vision.scan import Frame, Image, Video

BEFORE = 1.0  # seconds in which there is a frame, in any video but a slide show
WIDTH = 320  # pixels of the pictures in lists
PICTURES = 1 << 28  # bytes of pictures that are kept
QUALITY = 80  # of JPEG, in per cent


def picture(source: Path, at: float, width: int) -> bytes:
    """The frame that is shown at a time, as JPEG, at most so many pixels wide."""
    frame = next(_from(Video(source).frames(max(0.0, at - BEFORE), at + 2 * BEFORE), at), None)
    if frame is None:
        raise JobError("the video has no frame at that time", 404)
    return _jpeg(smaller(frame.image, width))


def kept_picture(source: Path, sha256: str, at: float, width: int) -> bytes:
    """The same, kept in the cache under the content of the video."""
    path = picture_path(sha256, at, width)
    with suppress(OSError):
        asked_for(path)
        return path.read_bytes()
    jpeg = picture(source, at, width)
    with suppress(OSError, SentrackError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as draft:
            draft.write_bytes(jpeg)
        trim(path.parent, PICTURES)
    return jpeg


def prepare(entry: Entry) -> None:
    """Make the picture that the page shows first of a video, so that nobody waits for it."""
    if mark(entry.path) is not None and entry.detector is not None:
        with suppress(SentrackError):
            kept_picture(entry.path, entry.origin.sha256, entry.seconds / 2, WIDTH)


def sketch(clip: Clip, at: float, width: int) -> bytes:
    """The boxes of the frame nearest to a time on a plain ground, every class in its colour."""
    t = int(np.abs(clip.times - at).argmin())
    scale = min(1.0, width / clip.size[0])
    wide, high = (max(1, round(scale * side)) for side in clip.size)
    image = np.full((high, wide, 3), CANVAS, np.uint8)
    rows = slice(clip.start[t], clip.start[t + 1])
    for box, label in zip(clip.boxes[rows] * scale, clip.label[rows], strict=True):
        outline(image, box, colour(int(label)), 2)
    return _jpeg(image)


def _jpeg(image: Image) -> bytes:
    done, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    assert done
    return jpeg.tobytes()


def piece(source: Path, start: float, end: float, path: Path) -> None:
    """Write a part of a video as an MP4 file whose time 0 is `start`."""
    video = Video(source)
    frames = video.frames(max(0.0, start - BEFORE), end, EXCERPT_FPS)
    written = False
    with VideoWriter(path, min(EXCERPT_FPS, video.fps)) as writer:
        for frame in _from(frames, start):
            writer.write(smaller(frame.image, EXCERPT_WIDTH), frame.time if written else start)
            written = True
        if not written:
            raise JobError("the video has no frame at that time", 404)


def _from(frames: Iterable[Frame], start: float) -> Iterator[Frame]:
    """The frame that is shown at a time, and those after it."""
    shown = None
    for frame in frames:
        if frame.time <= start + 1e-6:
            shown = frame
            continue
        if shown is not None:
            yield shown
            shown = None
        yield frame
    if shown is not None:
        yield shown
