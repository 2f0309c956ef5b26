"""The pieces of a scan as files in the cache, and as work for other processes and machines."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sentrack.cache import make
from sentrack.files import whole
from sentrack.vision.arrays import clip_from_arrays
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.io import Names, TableWriter, compact, read_arrow
from sentrack.vision.scan.detectors import DETECTOR, Asked, Detector, open_detector
from sentrack.vision.scan.observations import Observation
from sentrack.vision.scan.pieces import Pieces, number_of, span_of
from sentrack.vision.scan.scan_cache import EVERY_FRAME, Settings, piece_of, stored
from sentrack.vision.scan.video import Video

MOST_PIECES = 10_000  # of a video: a week; who says that there are more is likely wrong


class Left(NamedTuple):
    """What is to be scanned yet of a video, as far as that says how long it is.

    Attributes:
        pieces: their numbers; none, if it has only one.
        frames: in all, about.
    """

    pieces: tuple[int, ...] = ()
    frames: int = 0


def scan_piece(
    path: str | Path,
    number: int,
    settings: Settings,
    *,
    start: float | None = None,
    end: float | None = None,
    detector: Asked | None = None,
    names: Names | None = None,
    device: str = "auto",
    detector_threads: int | None = None,
) -> bytes:
    """Do one piece of the scan of a video, which finds it in the cache afterwards.

    Args:
        path: the video.
        number: of the piece.
        settings: those of the scan, with the SHA-256 of the video; see `scan_video`, as for all
            that follow.
        start: seconds from which on.
        end: seconds before which.
        detector: what finds things.
        names: of its classes.
        device: where the detector runs.
        detector_threads: that it computes with.

    Returns:
        The file in the cache, for other machines; nothing, if the piece has no frame.
    """
    file = piece_of(settings, start, end, number)
    if not file.exists():
        most, asked = settings["best"], settings | {"start": start, "end": end}
        finder = open_detector(
            detector or DETECTOR, names=names, best=most, device=device, threads=detector_threads
        )
        video = Video(path)
        make(file.parent)
        every = settings.get(EVERY_FRAME, True)
        pieces = Pieces(video, finder, most, settings["fps"], start, end, every)
        table = table_of_frames(video, finder, asked, list(pieces.of(number)))
        if table is None:
            return b""
        write(file, table)
    return file.read_bytes()


def keep_piece(
    settings: Settings, start: float | None, end: float | None, number: int, content: bytes
) -> None:
    """Put a piece that was scanned elsewhere into the cache."""
    file = piece_of(settings, start, end, number)
    if content and not file.exists():
        make(file.parent)
        with whole(file) as draft:
            draft.write_bytes(content)


def left_of(
    path: str | Path, settings: Settings, start: float | None = None, end: float | None = None
) -> Left:
    """What is to be scanned yet of a video; see `scan_piece`."""
    if stored(settings, start, end):
        return Left()
    video = Video(path)
    if video.duration is None:
        return Left()
    first, last = start or 0.0, video.duration if end is None else min(video.duration, end)
    numbers = range(number_of(first), min(number_of(last), MOST_PIECES) + 1)
    missing = [n for n in numbers if not piece_of(settings, start, end, n).exists()]
    seconds = 0.0
    for number in missing:
        begin, stop = span_of(number)
        seconds += max(0.0, min(stop, last) - max(begin, first))
    frames = round(seconds * min(settings["fps"], video.fps))
    return Left(tuple(missing) if len(numbers) > 1 else (), frames)


def recalled(piece: Path) -> Any:
    """The rows of a piece, if it was scanned before."""
    try:
        return read_arrow(piece) if piece.exists() else None
    except ClipError:  # it was removed meanwhile, or is damaged
        return None


def write(piece: Path, table: Any) -> None:
    """Keep the rows of a piece."""
    with whole(piece) as draft, TableWriter(draft) as writer:
        writer.add(table)


def table_of_frames(
    video: Video, detector: Detector, asked: Settings, seen: Sequence[Observation]
) -> Any | None:
    """What is seen in some frames, as rows; None of no frame."""
    if not seen:
        return None
    told = {
        "name": video.path.stem,
        "source": video.path.name,
        "look": asked,
        "duration": video.duration,
    }
    facts = video.path.stem, video.size, video.fps, detector.classes
    return compact(clip_of_frames(seen, *facts), told)


def clip_of_frames(
    batch: Sequence[Observation],
    name: str,
    size: tuple[int, int],
    fps: float,
    classes: tuple[str, ...],
) -> Clip:
    """The clip of some frames that were looked at.

    Args:
        batch: the frames, in order of time.
        name: of the clip.
        size: width and height of a frame.
        fps: frames per second of the source.
        classes: that the detector knows.
    """

    def every(name: str) -> Any:
        return np.concatenate([getattr(seen, name) for seen in batch])

    frames = [seen.number for seen in batch]
    return clip_from_arrays(
        name,
        size,
        fps,
        np.repeat(frames, [len(seen.label) for seen in batch]),
        classes,
        every("boxes"),
        every("score"),
        label=every("label"),
        frames=frames,
        times=[seen.time for seen in batch],
        velocity=every("velocity"),
        camera=every("camera"),
        colour=every("colour"),
        looks=every("looks"),
        projected=every("age") > 0,
    )
