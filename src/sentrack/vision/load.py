"""Clips from paths: detections are read, videos are scanned."""

import importlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentrack.extras import MissingError, requires
from sentrack.progress import Report, silent
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.io import FORMATS, Names, is_video, kind_of, known_format

if TYPE_CHECKING:
    from sentrack.vision.scan import Asked, Scan


def load_clip(
    path: str | Path,
    *,
    size: tuple[int, int] | None = None,
    fps: float | None = None,
    start: float | None = None,
    end: float | None = None,
    video: str | None = None,
    format: str | None = None,
    names: Names | None = None,
    detector: "Asked | None" = None,
    best: int | None = None,
    device: str | None = None,
    detector_threads: int | None = None,
    every_frame: bool | None = None,
    report: Report = silent,
) -> Clip:
    """Read a clip from a file or a folder of detections, or look at a video.

    Args:
        path: a table (.csv, .csv.gz, .parquet), MOT or KITTI text (.txt), a COCO document (.json)
            or a folder of YOLO text; anything else is a video.
        size: width and height of a frame, for detections; if left out, as stored, else the largest
            coordinates.
        fps: for detections, source frames per second; if left out, as stored, else by the times,
            else 30. For a video, how many frames per second are looked at.
        start: seconds from which on frames are taken.
        end: seconds before which frames are taken.
        video: which clip, in a file that holds several.
        format: "table", "mot", "kitti", "coco" or "yolo", where path and content mislead.
        names: of classes, where detections hold numbers or a detector does not tell: a sequence, a
            text file with a name on each line, or a COCO file with categories.
        detector: what finds things in a video: `picodet`, `yolov4-tiny`, `yolo11n`, an ONNX file,
            an object of your own (`sentrack.vision.scan.Own`), or several of them in a list.
        best: boxes of every class in a frame of a video.
        device: where the detector runs: `cpu`, `cuda`, `coreml`, `openvino`, ...; by default the
            best that ONNX Runtime has here.
        detector_threads: that the detector computes with; by default one per core.
        every_frame: whether the detector looks at every frame of a video, which is the default, or
            at fewer where little happens.
        report: told how far a video has been looked at.

    Raises:
        ClipError: the file or an argument is at fault; the message says what to do.
    """
    path = local_path(path)
    check_span(start, end)
    kind = kind_of(path) if format is None else known_format(path, format)
    seen = {
        "names": names,
        "detector": detector,
        "best": best,
        "device": device,
        "detector_threads": detector_threads,
        "every_frame": every_frame,
    }
    given = seen | {"video": video, "size": size}
    options = {key: value for key, value in given.items() if value is not None}
    takes = (*seen,) if kind is None else ("size", *FORMATS[kind].takes)
    for key in options:
        if key not in takes:
            what = "a video" if kind is None else "such a file"
            raise ClipError(f"{path}: {what} does not take {key}=; leave it out")
    if kind is None:
        scan = scan_video(path, start=start, end=end, fps=fps, report=report, **options)
        return scan.clip(start, end)
    return FORMATS[kind].read(path, fps=fps, **{"size": None, **options}).within(start, end)


def as_clip(clip: Clip | str | Path) -> Clip:
    """The clip itself, or the one of a path; see `load_clip`."""
    return clip if isinstance(clip, Clip) else load_clip(clip)


def check_span(start: float | None, end: float | None) -> None:
    """Refuse a cut that cannot hold a frame.

    Raises:
        ClipError: it ends before it starts, or is no time at all.
    """
    for name, time in (("start", start), ("end", end)):
        if time is not None and not math.isfinite(time):
            raise ClipError(f"{name} is no number of seconds")
    if start is not None and end is not None and start >= end:
        raise ClipError(f"start ({start:g} s) must be before end ({end:g} s)")


def local_path(source: str | Path) -> Path:
    """The path of a file on this machine.

    Raises:
        ClipError: it is the address of something elsewhere.
    """
    if "://" in str(source):
        text = "an address, not a file; fetch it first, or follow it by: sentrack watch"
        raise ClipError(f"{source}: {text}")
    return Path(source)


def detector_classes(
    path: str | Path,
    detector: str | Path | None = None,
    names: Names | None = None,
    report: Report = silent,
    detector_threads: int | None = None,
) -> tuple[str, ...]:
    """The classes that will be known of a video when it has been looked at; see `load_clip`."""
    given: dict[str, Any] = {} if detector is None else {"name": detector}
    given |= {"names": names, "threads": detector_threads, "report": report}
    opened = _scan_package(path, "open_detector", **given)
    found: tuple[str, ...] = opened.classes
    return found


def scan_video(path: str | Path, **options: Any) -> "Scan":
    """What is seen in a video, and the file that keeps it.

    Args:
        path: the video.
        **options: those of `sentrack.vision.scan.scan_video`.
    """
    if not is_video(path):
        raise ClipError(f"{path}: it is no video but a file of detections")
    found: Scan = _scan_package(path, "scan_video", path, **options)
    return found


def scan_settings(path: str | Path, **options: Any) -> dict[str, Any]:
    """What decides on what is seen in a video; see `sentrack.vision.scan.scan_settings`."""
    found: dict[str, Any] = _scan_package(path, "scan_settings", **options)
    return found


def kept(path: str | Path, **options: Any) -> Path:
    """The file that keeps what is seen in a video; the options are those of `load_clip`."""
    return scan_video(path, **options, file_only=True).file


def _scan_package(path: str | Path, function: str, *arguments: Any, **options: Any) -> Any:
    """Call a function of the package that scans videos, whose parts are an extra."""
    try:
        with requires("sentrack[video]"):
            package = importlib.import_module("sentrack.vision.scan")
            return getattr(package, function)(*arguments, **options)
    except MissingError as error:
        raise ClipError(f"{path}: to look at a video, {error}") from None
