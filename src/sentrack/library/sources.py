"""Videos and detections to be indexed: where they are, what they hold, how they are to be read."""

import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentrack.cache import checksum
from sentrack.library.entry import FILE
from sentrack.library.folder import LibraryError
from sentrack.progress import Report
from sentrack.vision import ClipError, scan_settings, videos
from sentrack.vision.io import CORNERS, FORMATS, Names, Table, kind_of, read_content, stem

VIDEOS = ".3gp .asf .avi .flv .m2ts .m4v .mkv .mov .mp4 .mpeg .mpg .mts .ogv .ts .vob .webm .wmv"
DETECTIONS = ".csv .gz .json .parquet .txt"
SPAN = ("start", "end")  # options that cut
MANIFEST = "catalogue.parquet"  # as users know it

_log = logging.getLogger("sentrack")


@dataclass(frozen=True)
class SourceFile:
    """A source.

    Attributes:
        path: in full.
        name: that it suggests for its clip.
        videos: that it holds, by name; None is the only one, which has no name.
        kind: of file, None for a video; see `FORMATS`.
    """

    path: Path
    name: str
    videos: tuple[str | None, ...]
    kind: str | None

    def called(self, video: str | None) -> str:
        """The name of one of its clips: that of the video, in the folder where it was found."""
        folder = self.name.rpartition("/")[0]
        return self.name if video is None else f"{folder}/{video}" if folder else video


def find(sources: Iterable[str | Path]) -> Iterator[SourceFile]:
    """All sources among files and folders; folders are searched to the bottom.

    Raises:
        LibraryError: a folder holds none.
        ClipError: a file that was named is not there or cannot be read.
    """
    for source in sources:
        path = Path(source).absolute()
        if not path.is_dir():
            yield open_source(path, stem(path))
            continue
        count = 0
        for file in _walk(path):
            if (found := _recognise(file, path)) is not None:
                count += 1
                yield found
        if not count:
            raise LibraryError(f"{source}: neither a video nor detections are in this folder")


def sources_in(folder: Path) -> Iterator[Path]:
    """The videos, and the files of detections but for text, that are in a folder itself."""
    kinds = {*VIDEOS.split(), *DETECTIONS.split()} - {".txt"}
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix.lower() in kinds:
            yield path


def open_source(path: Path, name: str) -> SourceFile:
    """A file, whatever its suffix."""
    kind = kind_of(path)
    many = videos(path) if kind in ("table", "coco") else []
    return SourceFile(path, as_text(name)[0], tuple(many) or (None,), kind)


def as_text(path: str | Path) -> tuple[str, str | None]:
    """A path as text that can be printed, and its bytes in hexadecimal if it is none as it is."""
    raw = os.fsencode(path)
    try:
        return raw.decode(), None
    except UnicodeDecodeError:
        return raw.decode(errors="backslashreplace"), raw.hex()


def _walk(folder: Path) -> Iterator[Path]:
    """Files with a suffix that is known, sorted; nothing hidden and nothing of a library."""
    suffixes = {*VIDEOS.split(), *DETECTIONS.split()}
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            ours = FILE.fullmatch(name) or name == MANIFEST
            if not name.startswith(".") and not ours and Path(name).suffix.lower() in suffixes:
                yield Path(at, name)


def _recognise(path: Path, folder: Path) -> SourceFile | None:
    """A file that was met in a folder, if it is a video or holds detections."""
    inside = path.relative_to(folder)
    try:
        kind = kind_of(path)
    except ClipError:  # a text about something else
        return None
    try:
        if kind is None and path.suffix.lower() not in VIDEOS.split():
            return None
        if kind == "table" and not {"frame", "class", *CORNERS} <= Table.read(path).columns.keys():
            return None
        if kind == "coco" and b'"bbox"' not in read_content(path):
            return None
        return open_source(path, inside.with_name(stem(path)).as_posix())
    except (ClipError, OSError) as error:
        _log.warning("left out: %s", error)
        return None


@dataclass(frozen=True)
class ReadingOptions:
    """How sources are to be read; see `load_clip`. What a source does not take is left out."""

    detector: str | Path | None = None
    names: Names | None = None
    fps: float | None = None
    best: int | None = None
    size: tuple[int, int] | None = None
    device: str | None = None
    detector_threads: int | None = None
    start: float | None = None
    end: float | None = None
    every_frame: bool | None = None

    def given(self) -> dict[str, Any]:
        """Those that are given, with full paths, so that they mean the same to other processes."""
        values = {key: getattr(self, key) for key in self.__dataclass_fields__}
        for key in ("fps", "start", "end"):
            if values[key] is not None:
                values[key] = float(values[key])
        if self.detector is not None and Path(self.detector).is_file():
            values["detector"] = str(Path(self.detector).absolute())
        if isinstance(self.names, str | Path):
            values["names"] = Path(self.names).absolute()
        return {key: value for key, value in values.items() if value is not None}

    def of(self, found: SourceFile) -> dict[str, Any]:
        """Those that a source takes."""
        takes = {"detector", "names", "fps", "best", "device", "detector_threads", "every_frame"}
        takes.update(SPAN)
        if found.kind is not None:
            takes = {"size", "fps", *SPAN, *FORMATS[found.kind].takes}
        return {key: value for key, value in self.given().items() if key in takes}


class ScanSettings:
    """What decides on what is seen in a source, besides its content.

    Args:
        report: told how many bytes of a detector are fetched.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._scans: dict[str, dict[str, Any]] = {}

    def of(self, found: SourceFile, options: dict[str, Any]) -> dict[str, Any]:
        """In full for a video: defaults too, and which detector it really is."""
        if found.kind is None:
            span = {key: options[key] for key in SPAN if key in options}
            rest = {key: options[key] for key in options if key not in SPAN}
            key = repr(sorted(rest.items()))
            if key not in self._scans:
                self._scans[key] = scan_settings(found.path, **rest, report=self._report)
            return self._scans[key] | span
        settings: dict[str, Any] = {**options}
        if "names" in options:
            names = options["names"]
            settings["names"] = checksum(names) if isinstance(names, Path) else list(names)
        if "size" in options:
            settings["size"] = list(options["size"])  # as JSON gives it back
        return settings
