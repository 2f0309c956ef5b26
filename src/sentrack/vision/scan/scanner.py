"""Scanning a video once: what is seen is kept, and found again when it is asked for again."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sentrack.cache import checksum
from sentrack.files import whole
from sentrack.progress import Report, silent
from sentrack.vision.arrays import clip_from_arrays
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.io import Names, TableWriter
from sentrack.vision.scan.detectors import BEST, Asked, Detector, detector_parts, open_detector
from sentrack.vision.scan.observations import Observation, observe
from sentrack.vision.scan.scan_cache import (
    Scan,
    Settings,
    file_of,
    recall,
    remember,
    request_of,
    stored,
)
from sentrack.vision.scan.video import Limit, Video

FPS = 10.0  # frames per second that are looked at, at most
VERSION = 2  # of what is measured: another one, and videos are scanned anew
BATCH = 256  # frames that are kept in memory before they are written
DETECTOR = "yolov4-tiny"


def scan_video(
    path: str | Path,
    *,
    start: float | None = None,
    end: float | None = None,
    fps: float | None = None,
    detector: Asked | None = None,
    names: Names | None = None,
    best: int | None = None,
    device: str = "auto",
    report: Report = silent,
    settings: Settings | None = None,
    file_only: bool = False,
    limit: Limit | None = None,
) -> Scan:
    """What is seen in a video; at once if the same was asked before.

    Args:
        path: the video.
        start: seconds from which on.
        end: seconds before which.
        fps: frames per second to look at, at most; 10 if left out.
        detector: see `open_detector`; `yolov4-tiny` if left out.
        names: of its classes, if it does not tell; see `load_clip`.
        best: boxes of every class in a frame; 10 if left out.
        device: where the detector runs, which is no part of what is kept.
        report: told how far it is.
        settings: all of these as `scan_settings` tells them, and the SHA-256 of the video as
            "sha256", where that is known.
        file_only: leave the rows in the file, so that memory does not grow with the video.
        limit: of the video, where it is not known before it is decoded.
    """
    if fps is not None and not (math.isfinite(fps) and fps > 0):
        raise ClipError(f"{path}: fps must be above 0, and it is {fps:g}")
    path, name, most = Path(path), detector or DETECTOR, BEST if best is None else best
    rate = FPS if fps is None else float(fps)
    request = request_of(path, *detector_parts(name, names), most, rate, VERSION)
    known = recall(request) if settings is None else settings
    if known is not None and (file := stored(known, start, end)) is not None:
        return Scan(path.stem, file)
    video = Video(path, limit)
    finder = open_detector(name, names=names, best=most, device=device, report=report)
    known = {"sha256": checksum(path), **_settings(finder, most, rate)}
    file, table = stored(known, start, end), None
    if file is None:
        file = file_of(known, start, end)
        table = _scan(video, finder, known | {"start": start, "end": end}, file, report, file_only)
    remember(request, known)
    return Scan(path.stem, file, table)


def scan_settings(
    *,
    fps: float | None = None,
    detector: Asked | None = None,
    names: Names | None = None,
    best: int | None = None,
    device: str = "auto",
    report: Report = silent,
) -> Settings:
    """What decides on what is seen in a video besides its content, in full.

    Defaults are part of it, and which detector it really is. The arguments are those of
    `scan_video`.
    """
    most = BEST if best is None else best
    finder = open_detector(
        detector or DETECTOR, names=names, best=most, device=device, report=report
    )
    return _settings(finder, most, FPS if fps is None else float(fps))


def _settings(detector: Detector, best: int, fps: float) -> Settings:
    return {
        "detector": detector.name,
        "fingerprint": detector.fingerprint,
        "best": best,
        "fps": fps,
        "version": VERSION,
    }


def _scan(
    video: Video,
    detector: Detector,
    asked: Settings,
    file: Path,
    report: Report,
    file_only: bool,
) -> Any:
    """Scan a video and write what is seen, a batch of frames at a time; the rows, if wanted."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = f"the cache cannot be made: {error.strerror}; $SENTRACK_CACHE names another folder"
        raise ClipError(f"{file.parent}: {text}") from None
    frames = video.frames(asked["start"], asked["end"], asked["fps"])
    seen = _reported(observe(frames, detector, video.size, asked["best"]), video, asked, report)
    told = {"name": video.path.stem, "source": video.path.name, "look": asked}
    rows = []
    with whole(file) as draft, TableWriter(draft, told) as writer:
        while batch := list(islice(seen, BATCH)):
            facts = video.path.stem, video.size, video.fps, detector.classes
            table = writer.add(clip_of_frames(batch, *facts))
            rows += [] if file_only else [table]
        if writer.empty:
            low, high = asked["start"] or 0.0, asked["end"] or math.inf
            raise ClipError(f"{video.path}: no frame from {low:g} to {high:g} s")
    return pa.concat_tables(rows) if rows else None


def _reported(
    seen: Iterable[Observation], video: Video, asked: dict[str, Any], report: Report
) -> Iterator[Observation]:
    """Say how many frames have been looked at."""
    ends = [t for t in (asked["end"], video.duration) if t is not None]
    seconds = min(ends) - (asked["start"] or 0.0) if ends else None
    total = None if seconds is None else max(1, round(seconds * min(asked["fps"], video.fps)))
    for done, one in enumerate(seen, 1):
        report("looking", done, total)
        yield one


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
