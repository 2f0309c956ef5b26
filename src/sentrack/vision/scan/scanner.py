"""Scanning a video once: what is seen is kept, and found again when it is asked for again."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sentrack.cache import checksum, make
from sentrack.files import whole
from sentrack.progress import Report, silent
from sentrack.vision.clip import ClipError
from sentrack.vision.io import Names, TableWriter
from sentrack.vision.scan.detectors import (
    BEST,
    DETECTOR,
    Asked,
    Detector,
    detector_parts,
    open_detector,
)
from sentrack.vision.scan.observations import Observation
from sentrack.vision.scan.piece_files import recalled, table_of_frames, write
from sentrack.vision.scan.pieces import Pieces, number_of
from sentrack.vision.scan.scan_cache import (
    EVERY_FRAME,
    Scan,
    Settings,
    file_of,
    piece_of,
    recall,
    remember,
    request_of,
    stored,
)
from sentrack.vision.scan.video import Limit, Video

FPS = 10.0  # frames per second that are looked at, at most
VERSION = 2  # of what is measured: another one, and videos are scanned anew


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
    detector_threads: int | None = None,
    every_frame: bool = True,
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
        detector_threads: that it computes with, which are no part of it either.
        every_frame: let the detector look at every frame; else at fewer, see `samples`.
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
    request = request_of(path, *detector_parts(name, names), most, rate, VERSION, every_frame)
    known = recall(request) if settings is None else settings
    if known is not None and (file := stored(known, start, end)) is not None:
        return _recalled(path, file, end)
    video = Video(path, limit)
    finder = open_detector(
        name, names=names, best=most, device=device, threads=detector_threads, report=report
    )
    known = {"sha256": checksum(path), **_settings(finder, most, rate, every_frame)}
    file = stored(known, start, end)
    if file is not None:
        remember(request, known)
        return _recalled(path, file, end)
    file = file_of(known, start, end)
    table = _scan(video, finder, known | {"start": start, "end": end}, file, report, file_only)
    remember(request, known)
    return Scan(path.stem, file, table)


def _recalled(path: Path, file: Path, end: float | None) -> Scan:
    """What is kept of a video; that it is cut off is said again to whom it matters."""
    scan = Scan(path.stem, file)
    if end is None:
        scan.warn_if_cut_off(path)
    return scan


def scan_settings(
    *,
    fps: float | None = None,
    detector: Asked | None = None,
    names: Names | None = None,
    best: int | None = None,
    device: str = "auto",
    detector_threads: int | None = None,
    every_frame: bool = True,
    report: Report = silent,
) -> Settings:
    """What decides on what is seen in a video besides its content, in full.

    Defaults are part of it, and which detector it really is. The arguments are those of
    `scan_video`.
    """
    most = BEST if best is None else best
    finder = open_detector(
        detector or DETECTOR,
        names=names,
        best=most,
        device=device,
        threads=detector_threads,
        report=report,
    )
    return _settings(finder, most, FPS if fps is None else float(fps), every_frame)


def _settings(detector: Detector, best: int, fps: float, every_frame: bool) -> Settings:
    told = {
        "detector": detector.name,
        "fingerprint": detector.fingerprint,
        "best": best,
        "fps": fps,
        "version": VERSION,
    }
    return told if every_frame else {**told, EVERY_FRAME: False}


def _scan(
    video: Video,
    detector: Detector,
    asked: Settings,
    file: Path,
    report: Report,
    file_only: bool,
) -> Any:
    """Scan a video, piece by piece, and write what is seen; the rows, if wanted.

    A piece is kept until all of them are in one file: whoever is interrupted goes on from there.
    """
    make(file.parent)
    span = asked["start"], asked["end"]
    settings = {key: value for key, value in asked.items() if key not in ("start", "end")}
    every_frame = asked.get(EVERY_FRAME, True)
    pieces = Pieces(video, detector, asked["best"], asked["fps"], *span, every_frame)
    count = _Count(video, asked, report)
    number: int | None = number_of(asked["start"])
    rows, kept = [], []
    with whole(file) as draft, TableWriter(draft) as writer:
        while number is not None:
            place = piece_of(settings, *span, number)
            table = recalled(place)
            if table is None:
                table = table_of_frames(video, detector, asked, list(count(pieces.of(number))))
                number = pieces.next
                if table is not None and number is not None:
                    write(place, table)
            else:
                count.skip(len(pc.unique(table["frame"])))
                pieces.skip()
                number += 1
            if table is not None:
                writer.add(table)
                kept.append(place)
                rows += [] if file_only else [table]
        if writer.empty:
            low, high = asked["start"] or 0.0, asked["end"] or math.inf
            raise ClipError(f"{video.path}: no frame from {low:g} to {high:g} s")
    for place in kept:
        place.unlink(missing_ok=True)
    return pa.concat_tables(rows) if rows else None


class _Count:
    """Says how many frames have been looked at, of those that were to be."""

    def __init__(self, video: Video, asked: Settings, report: Report) -> None:
        ends = [t for t in (asked["end"], video.duration) if t is not None]
        seconds = min(ends) - (asked["start"] or 0.0) if ends else None
        rate = min(asked["fps"], video.fps)
        self._total = None if seconds is None else max(1, round(seconds * rate))
        self._report, self._done = report, 0

    def skip(self, frames: int) -> None:
        """Some have been looked at before, which says nothing about the pace."""
        if self._total is not None:
            self._total = max(self._done, self._total - frames)

    def __call__(self, seen: Iterable[Observation]) -> Iterator[Observation]:
        for one in seen:
            self._done += 1
            self._report("looking", self._done, self._total)
            yield one
