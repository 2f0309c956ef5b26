"""The columns of a table of detections, with errors that name file, column and a way out."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from sentrack.colours import CELLS, HALVES
from sentrack.text import nearest
from sentrack.vision.clip import Bools, ClipError, Floats, Ints, Parts
from sentrack.vision.io.limits import read_content, read_parquet

CORNERS = ("x1", "y1", "x2", "y2")
MOTION = ("vx", "vy")
CAMERA = ("camera_x", "camera_y")
COLOUR = ("hue", "saturation", "value")
LOOKS = "looks"
OTHERS = (
    "frame", "class", "score", "id", "video", "time", "width", "height", "fps", "projected", LOOKS
)  # fmt: skip
KNOWN = (*CORNERS, *MOTION, *CAMERA, *COLOUR, *OTHERS)
LARGEST = 2.0**53  # from here on, numbers read as floats are not exact
TEXT = ("video", "class", LOOKS)  # columns of text, even if it looks like numbers
METADATA = b"sentrack"  # the key under which a Parquet schema holds what the rows do not


def stem(path: Path) -> str:
    """The name of a file without its suffixes."""
    return Path(path.name.removesuffix(".gz")).stem


def not_whole(values: Floats) -> Bools:
    """(R,) which numbers are not whole, or too large to tell."""
    wrong: Bools = ~(np.abs(values) < LARGEST) | (values != np.round(values))
    return wrong


def choose(path: Path, names: Sequence[str], video: str | None) -> None:
    """Refuse a video that a file does not hold, or none where it holds several."""
    if video is None and len(names) > 1:
        some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        raise ClipError(f"{path}: holds {len(names)} videos ({some}); choose by video=")
    if video is not None and video not in names:
        near = f"; nearest name: {nearest(video, names)!r}" if names else ""
        raise ClipError(f"{path}: no video {video!r}{near}")


@dataclass(frozen=True)
class Table:
    """Columns of R rows by lower-case name, and what the file says beyond its rows."""

    path: Path
    columns: dict[str, Any]
    stored: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Table":
        """Read a file whole, whatever its columns are."""
        return cls.of(path, read_arrow(path))

    @classmethod
    def of(cls, path: Path, data: Any) -> "Table":
        """Of an Arrow table, which is in the file or will be."""
        if data.num_rows == 0:
            raise ClipError(f"{path}: there is no row in it")
        columns: dict[str, Any] = {}
        for name, column in zip(data.column_names, data.columns, strict=True):
            columns.setdefault(name.strip().lower(), column)
        return cls(path, columns, _stored(path, data.schema.metadata or {}))

    def videos(self) -> list[str]:
        """The names in the column `video`, in the order of the file; none without that column."""
        return self.names("video")[0] if "video" in self.columns else []

    def take(self, video: str | None) -> "Table":
        """The rows of one video; it may go unnamed where there is no other."""
        names = self.videos()
        if video is not None and not names:
            raise ClipError(f"{self.path}: no column 'video', so leave out video={video!r}")
        choose(self.path, names, video)
        if video is None:
            return self
        mask = pc.equal(pc.cast(self.columns["video"], pa.string()), video)
        return replace(self, columns={k: column.filter(mask) for k, column in self.columns.items()})

    def column(self, name: str) -> Any:
        """A column that must be there."""
        if name not in self.columns:
            spare = [other for other in self.columns if other not in KNOWN]
            hint = f"; nearest column: {nearest(name, spare)!r}" if spare else ""
            raise ClipError(f"{self.path}: no column {name!r}{hint}")
        return self.columns[name]

    def has(self, names: Iterable[str]) -> bool:
        """Whether any of the columns is there; what belongs together is then asked for together."""
        return any(name in self.columns for name in names)

    def numbers(self, name: str) -> Floats:
        """(R,) a column of numbers, NaN where there is none."""
        column = self.column(name)
        try:
            cast = pc.cast(column, pa.float64(), safe=False)
        except pa.ArrowException as error:
            wrong = next(value.as_py() for value in column if not _is_number(value))
            message = f"{self.path}: column {name!r} holds {wrong!r}, which is not a number"
            raise ClipError(message) from error
        values: Floats = cast.fill_null(np.nan).to_numpy()
        return values

    def block(self, names: Iterable[str]) -> Floats:
        """(R, C) several columns of numbers."""
        return np.stack([self.numbers(name) for name in names], axis=1)

    def whole(self, name: str) -> Ints:
        """(R,) a column of whole numbers."""
        values = self.numbers(name)
        wrong = not_whole(values)
        if wrong.any():
            value = values[wrong][0]
            raise ClipError(f"{self.path}: column {name!r} holds {value:g}, not a whole number")
        return values.astype(np.int64)

    def names(self, name: str) -> tuple[list[str], Ints]:
        """The different texts of a column, in the order of the file, and (R,) which a row has."""
        try:
            text = pc.cast(self.column(name), pa.string()).fill_null("").combine_chunks()
        except pa.ArrowException as error:
            raise ClipError(f"{self.path}: column {name!r} does not hold text") from error
        coded = text.dictionary_encode()
        return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)

    def identities(self) -> Ints:
        """(R,) the column `id`: its whole numbers, or a number for each text; -1 where unknown."""
        if not self.has(["id"]):
            return np.full(len(self.columns["frame"]), -1, dtype=np.int64)
        kind = self.columns["id"].type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind):
            values = self.numbers("id")
            known = (values >= 0) & (values < LARGEST)
            return np.where(known, values, -1).astype(np.int64)
        words, code = self.names("id")
        unknown = [word.strip() in ("", "-1") for word in words]
        number = np.where(unknown, -1, np.cumsum(np.logical_not(unknown)) - 1)
        return number[code].astype(np.int64)

    def looks(self) -> Parts:
        """(R, HALVES * CELLS) the column `looks`: bytes, or two hexadecimal digits for each."""
        column, wide = self.column(LOOKS), HALVES * CELLS
        if column.type == pa.binary(wide):
            # As libraries keep it: the bytes are there one row after the other.
            plain = column.fill_null(bytes(wide)).combine_chunks()
            rows = np.frombuffer(
                plain.buffers()[1], np.uint8, len(plain) * wide, plain.offset * wide
            )
            return rows.reshape(-1, wide)
        written = pa.types.is_string(column.type)
        full = 2 * wide if written else wide
        empty = b"0" * full if written else bytes(full)
        try:
            data = pc.cast(column, pa.binary()).fill_null(b"")
            size = pc.binary_length(data)
            wrong = pc.and_(pc.greater(size, 0), pc.not_equal(size, full))
            if pc.any(wrong).as_py():
                raise ValueError
            joined = b"".join(value or empty for value in data.to_pylist())
            found = np.frombuffer(bytes.fromhex(joined.decode()) if written else joined, np.uint8)
        except (pa.ArrowException, ValueError) as error:
            text = (
                f"column {LOOKS!r} must hold {wide} bytes a row, as {2 * wide} hexadecimal digits"
            )
            raise ClipError(f"{self.path}: {text}") from error
        return found.reshape(-1, wide)

    def fact(self, name: str) -> float | None:
        """A number about the whole clip, from the metadata or the first row that has it."""
        values = self.numbers(name) if name in self.columns else np.empty(0)
        if name in self.stored:
            values = np.array([self.stored[name]])
        values = values[np.isfinite(values)]
        return float(values[0]) if len(values) else None

    def times(self, frame: Ints) -> tuple[Ints, Floats]:
        """The frames that the column `time` tells of, ascending, and their seconds."""
        told_at = "time" in self.columns
        seconds = self.numbers("time") if told_at else np.full(len(frame), np.nan)
        told = np.isfinite(seconds)
        knots, first = np.unique(frame[told], return_index=True)
        seconds = seconds[told][first]
        if (np.diff(seconds) <= 0).any():
            raise ClipError(f"{self.path}: column 'time' does not grow with column 'frame'")
        return knots, seconds


def read_arrow(path: Path) -> Any:
    """A CSV or Parquet file whole, as an Arrow table."""
    parquet = path.suffix.lower() == ".parquet"
    try:
        if path.stat().st_size == 0:
            raise ClipError(f"{path}: the file is empty")
        return read_parquet(path, KNOWN) if parquet else _csv(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or ["unreadable"])[0]
        name = "Parquet" if parquet else "CSV"
        raise ClipError(f"{path}: not a readable {name} file: {reason}") from error


def _stored(path: Path, metadata: dict[bytes, bytes]) -> dict[str, Any]:
    """What the metadata of a schema says, as far as it makes sense."""
    try:
        found = json.loads(metadata.get(METADATA, b"{}"))
    except ValueError as error:
        raise ClipError(f"{path}: not a readable Parquet file: {error}") from error
    told = found.items() if isinstance(found, dict) else ()
    facts = {key: float(value) for key, value in told if isinstance(value, int | float)}
    names = dict(told).get("classes")
    return facts | {"classes": [str(each) for each in names] if isinstance(names, list) else []}


def _csv(path: Path) -> Any:
    data = pa.py_buffer(read_content(path))
    with pyarrow.csv.open_csv(pa.BufferReader(data)) as reader:
        header = reader.schema.names
    # Names that look like numbers stay names: video "007" is not 7.
    text = {name: pa.string() for name in header if name.strip().lower() in TEXT}
    options = pyarrow.csv.ConvertOptions(column_types=text)
    return pyarrow.csv.read_csv(pa.BufferReader(data), convert_options=options)


def _is_number(value: Any) -> bool:
    try:
        value.cast(pa.float64(), safe=False)
    except pa.ArrowException:
        return False
    return True
