"""Looking at a video once: what is seen is kept, and recalled when it is asked about again."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from sentrack.cache import cache_folder, checksum, digest, make
from sentrack.files import whole
from sentrack.progress import Report, silent
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.detections import clip_from_arrays, read_table
from sentrack.vision.detectors import Detector, open_detector
from sentrack.vision.formats.names import Names
from sentrack.vision.observing import Seen, observe
from sentrack.vision.storing import TableWriter
from sentrack.vision.video import Video

FPS = 10.0  # frames per second that are looked at, at most
BEST = 10  # boxes of every class in a frame
VERSION = 1  # of what is measured: another one, and videos are looked at anew
BATCH = 256  # frames that are kept in memory before they are written


def look(
    path: str | Path, *, start: float | None = None, end: float | None = None, **options: Any
) -> Clip:
    """What is seen in a video; at once if the same was asked before. Options: see `looked`."""
    file = looked(path, start=start, end=end, **options)
    return replace(read_table(file, None, None), name=Path(path).stem).within(start, end)


def looked(
    path: str | Path,
    *,
    start: float | None = None,
    end: float | None = None,
    fps: float | None = None,
    detector: str | Path | None = None,
    names: Names | None = None,
    best: int | None = None,
    report: Report = silent,
) -> Path:
    """The file that keeps what is seen in a video, or in more of it than was asked.

    It is named after the contents of the video, the detector and the settings.

    Args:
        path: the video.
        start: seconds from which on.
        end: seconds before which.
        fps: frames per second to look at, at most; 10 if left out.
        detector: a known name or an ONNX file; `yolov4-tiny` if left out.
        names: of its classes, if it does not tell; see `load_clip`.
        best: boxes of every class in a frame; 10 if left out.
        report: told how far it is.
    """
    if fps is not None and not (math.isfinite(fps) and fps > 0):
        raise ClipError(f"{path}: fps must be above 0, and it is {fps:g}")
    video = Video(path)
    most = BEST if best is None else best
    finder = open_detector(detector or "yolov4-tiny", names=names, best=most, report=report)
    settings = {
        "sha256": checksum(video.path),
        "detector": finder.name,
        "fingerprint": finder.fingerprint,
        "best": most,
        "fps": FPS if fps is None else float(fps),
        "version": VERSION,
    }
    folder = cache_folder() / "looks"
    for span in ((None, None), (start, end)):
        asked = settings | {"start": span[0], "end": span[1]}
        file = folder / f"{digest(asked)}.parquet"
        if file.exists():
            return file
    make(folder)
    _keep(video, finder, asked, file, report)
    return file


def _keep(
    video: Video, detector: Detector, asked: dict[str, Any], file: Path, report: Report
) -> None:
    """Look at a video and write what is seen, a batch of frames at a time."""
    frames = video.frames(asked["start"], asked["end"], asked["fps"])
    seen = _reported(observe(frames, detector, video.size, asked["best"]), video, asked, report)
    facts = {"name": video.path.stem, "source": video.path.name, "look": asked}
    with whole(file) as draft, TableWriter(draft, facts) as writer:
        while batch := list(islice(seen, BATCH)):
            writer.add(_clip(batch, video, detector.classes))
        if writer.empty:
            low, high = asked["start"] or 0.0, asked["end"] or math.inf
            raise ClipError(f"{video.path}: no frame from {low:g} to {high:g} s")


def _reported(
    seen: Iterable[Seen], video: Video, asked: dict[str, Any], report: Report
) -> Iterator[Seen]:
    """Say how many frames have been looked at."""
    ends = [t for t in (asked["end"], video.duration) if t is not None]
    seconds = min(ends) - (asked["start"] or 0.0) if ends else None
    total = None if seconds is None else max(1, round(seconds * min(asked["fps"], video.fps)))
    for done, one in enumerate(seen, 1):
        report("looking", done, total)
        yield one


def _clip(batch: Sequence[Seen], video: Video, classes: tuple[str, ...]) -> Clip:
    def every(name: str) -> Any:
        return np.concatenate([getattr(seen, name) for seen in batch])

    frames = [seen.number for seen in batch]
    return clip_from_arrays(
        video.path.stem,
        video.size,
        video.fps,
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
        projected=every("age") > 0,
    )
