"""Kinds of files: how they are told apart, and who reads and writes each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sentrack.text import nearest
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.io.coco import read_coco, videos_in, write_coco, write_results
from sentrack.vision.io.columns import Table
from sentrack.vision.io.delimited import is_number
from sentrack.vision.io.kitti import read_kitti, write_kitti
from sentrack.vision.io.mot import read_mot, write_mot
from sentrack.vision.io.tables import read_table, write_table
from sentrack.vision.io.yolo import read_yolo, write_yolo


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
    kind = _by_name(path) if format is None else known_format(path, format)
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


def known_format(path: Path, format: str) -> str:
    """The name of a format, if there is one of that name."""
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
        if not any(path.glob("*.txt")):
            text = "this is a folder, without a file of boxes for each frame (.txt); name one file"
            raise ClipError(f"{path}: {text}")
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


def is_video(path: str | Path) -> bool:
    """Whether `load_clip` would look at it as a video."""
    return kind_of(Path(path)) is None
