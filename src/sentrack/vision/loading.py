"""Clips from paths and to paths: which kind of file it is, and who reads and writes that kind."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentrack.extras import MissingError, requires
from sentrack.progress import Report, silent
from sentrack.text import nearest
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.detections import read_table
from sentrack.vision.formats.coco import read_coco, videos_in, write_coco, write_results
from sentrack.vision.formats.kitti import read_kitti, write_kitti
from sentrack.vision.formats.mot import read_mot, write_mot
from sentrack.vision.formats.names import Names
from sentrack.vision.formats.text import is_number
from sentrack.vision.formats.yolo import read_yolo, write_yolo
from sentrack.vision.storing import write_table
from sentrack.vision.tables import Table


@dataclass(frozen=True)
class Format:
    """Who reads and who writes a kind of file, and what reading takes besides size and rate."""

    read: Callable[..., Clip]
    write: Callable[[Clip, Path], None]
    takes: tuple[str, ...]


FORMATS = {
    "table": Format(read_table, write_table, ("video",)),
    "mot": Format(read_mot, write_mot, ("names",)),
    "kitti": Format(read_kitti, write_kitti, ()),
    "coco": Format(read_coco, write_coco, ("names", "video")),
    "coco-results": Format(read_coco, write_results, ("names", "video")),
    "yolo": Format(read_yolo, write_yolo, ("names",)),
}


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
    detector: str | Path | None = None,
    best: int | None = None,
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
        detector: what finds things in a video: `yolov4-tiny`, `yolo11n` or an ONNX file.
        best: boxes of every class in a frame of a video.
        report: told how far a video has been looked at.

    Raises:
        ClipError: the file or an argument is at fault; the message says what to do.
    """
    path = Path(path)
    if start is not None and end is not None and start >= end:
        raise ClipError(f"{path}: start ({start:g} s) must be before end ({end:g} s)")
    kind = kind_of(path) if format is None else _known(path, format)
    given = {"names": names, "video": video, "detector": detector, "best": best, "size": size}
    options = {key: value for key, value in given.items() if value is not None}
    takes = ("names", "detector", "best") if kind is None else ("size", *FORMATS[kind].takes)
    for key in options:
        if key not in takes:
            what = "a video" if kind is None else "such a file"
            raise ClipError(f"{path}: {what} does not take {key}=; leave it out")
    if kind is None:
        clip: Clip = looking(path).look(
            path, start=start, end=end, fps=fps, report=report, **options
        )
        return clip
    return FORMATS[kind].read(path, fps=fps, **{"size": None, **options}).within(start, end)


def save_clip(clip: Clip, path: str | Path, format: str | None = None) -> None:
    """Write a clip so that `load_clip` reads it back.

    Args:
        clip: what to write.
        path: .csv, .csv.gz or .parquet (which hold all of it), .txt, .json or a new folder.
        format: "mot" or "kitti", which has to be said for .txt; "coco" if left out, or
            "coco-results", for .json; "yolo", for a folder.
    """
    path = Path(path)
    if format is None and path.suffix.lower() == ".txt":
        raise ClipError(f"{path}: text may be MOT or KITTI: say format='mot' or format='kitti'")
    kind = _by_name(path) if format is None else _known(path, format)
    if kind is None:
        raise ClipError(
            f"{path}: no format has the suffix {path.suffix!r}; known: .csv, .csv.gz, .parquet, "
            f".json, .txt or no suffix, for a folder"
        )
    FORMATS[kind].write(clip, path)


def videos(path: str | Path) -> list[str]:
    """The names of the clips in a file, in its order; none if it does not name any."""
    path = Path(path)
    kind = kind_of(path)
    if kind == "table":
        return Table.read(path).videos()
    return videos_in(path) if kind == "coco" else []


def _known(path: Path, format: str) -> str:
    if format not in FORMATS:
        near = nearest(format, FORMATS)
        raise ClipError(f"{path}: no format {format!r}; nearest: {near!r}")
    return format


def _by_name(path: Path) -> str | None:
    """The format that a path alone tells."""
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz", ".parquet")):
        return "table"
    if name.endswith(".json"):
        return "coco"
    return "yolo" if path.is_dir() or not path.suffix else None


def kind_of(path: Path) -> str | None:
    """The format of a path that is there; None for a video."""
    if path.is_dir():
        return "yolo"
    if not path.is_file():
        raise ClipError(f"{path}: no such file")
    if path.suffix.lower() not in (".csv", ".txt"):
        return _by_name(path) if path.suffix else None
    try:
        with path.open("rb") as file:
            head = file.read(65536).decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise ClipError(f"{path}: it cannot be read: {error.strerror}") from error
    row = next((line.strip() for line in head if line.strip()), "")
    cells = row.split(",")
    if path.suffix.lower() == ".csv":
        numbers = len(cells) > 1 and all(is_number(cell.strip()) for cell in cells)
        return "mot" if numbers else "table"
    if len(row.split()) in (17, 18):
        return "kitti"
    if len(cells) > 1:
        return "mot"
    raise ClipError(
        f"{path}: neither MOT (numbers between commas) nor KITTI tracking (17 or 18 columns "
        f"between blanks); for YOLO, name the folder"
    )


def kept(path: str | Path, **options: Any) -> Path:
    """The file that keeps what is seen in a video; the options are those of `load_clip`."""
    if not is_video(path):
        raise ClipError(f"{path}: it is no video but a file of detections")
    file: Path = looking(Path(path)).looked(path, **options)
    return file


def is_video(path: str | Path) -> bool:
    """Whether `load_clip` would look at it as a video."""
    return kind_of(Path(path)) is None


def looking(path: Path) -> Any:
    """The module that looks at videos, whose parts are an extra."""
    try:
        with requires("sentrack[video]"):
            return importlib.import_module("sentrack.vision.looking")
    except MissingError as error:
        raise ClipError(f"{path}: to look at a video, {error}") from None
