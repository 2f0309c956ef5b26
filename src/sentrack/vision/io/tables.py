"""Tables of detections, CSV and Parquet with one row per box, read into clips and written.

A row is `frame,class,x1,y1,x2,y2[,score][,id][,video][,vx,vy][,hue,saturation,value][,looks]
[,time]`; columns come in any order and others are ignored. A row with neither class nor box says
that a frame was looked at and nothing was found. Size and rate are in columns `width,height,fps`
(CSV) or in the schema's metadata (Parquet). A file that tells size, rate and times lists all its
frames; in others those without a detection are filled in.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from sentrack.colours import CELLS, HALVES
from sentrack.files import whole
from sentrack.vision.arrays import RATES, check, clip_from_arrays, regular
from sentrack.vision.clip import Clip, ClipError, Floats, Ints
from sentrack.vision.io.columns import (
    CAMERA,
    COLOUR,
    CORNERS,
    LOOKS,
    METADATA,
    MOTION,
    Table,
    stem,
)
from sentrack.vision.io.rows import size_by_reach, sound_rows, usual_rate

# What is measured on pixels is not known to more digits than these hold.
COMPACT = pa.schema(
    [
        ("frame", pa.int64()),
        ("time", pa.float64()),
        ("class", pa.string()),
        *((name, pa.float32()) for name in (*CORNERS, "score", *MOTION, *CAMERA, *COLOUR)),
        (LOOKS, pa.binary(HALVES * CELLS)),
        ("projected", pa.int8()),
    ]
)


def read_table(
    path: Path, size: tuple[int, int] | None, fps: float | None, video: str | None = None
) -> Clip:
    """A clip from a CSV or Parquet file.

    Args:
        path: the file.
        size: width and height of a frame; if left out, as stored, else the largest coordinates.
        fps: source frames per second; if left out, as stored, else by the times, else 30.
        video: which clip, in a file with a column `video`.
    """
    return clip_of(Table.read(path).take(video), size, fps, video)


def clip_of(
    table: Table,
    size: tuple[int, int] | None = None,
    fps: float | None = None,
    video: str | None = None,
) -> Clip:
    """A clip from a table; the arguments are those of `read_table`."""
    path = table.path
    number, corners = table.whole("frame"), table.block(CORNERS)
    classes, label = table.names("class")
    score = table.numbers("score") if table.has(["score"]) else np.ones(len(number))
    blank = np.array([not word.strip() for word in classes])[label]
    if (blank & ~np.isnan(corners).all(axis=1)).any():
        raise ClipError(f"{path}: column 'class' is empty in a row that has a box")
    found = sound_rows(path, corners, score, blank)
    sound = slice(None) if found.all() else found
    size = size or _size(table, corners[sound])
    knots, seconds = table.times(number)
    fps = _rate(table, knots, seconds) if fps is None else fps
    check(str(path), size, fps)
    complete = len(knots) > 0 and None not in map(table.fact, ("width", "height", "fps"))
    frames = np.unique(number) if complete else regular(str(path), number)
    times = frames / fps
    if len(knots):
        within = np.clip(frames, knots[0], knots[-1])
        times = np.interp(within, knots, seconds) + (frames - within) / fps
        if (np.diff(times) <= 0.5 / RATES[1]).any():
            most = float(np.abs(seconds).max())
            text = f"column 'time' does not tell frames apart; it goes up to {most:g} s"
            raise ClipError(f"{path}: {text}")
    groups = {"velocity": MOTION, "camera": CAMERA, "colour": COLOUR}
    # By its first two columns: a lone `value` may be anything.
    given = {key: names for key, names in groups.items() if table.has(names[:2])}
    extra: dict[str, npt.NDArray[Any]] = {
        key: table.block(names)[sound] for key, names in given.items()
    }
    if table.has([LOOKS]):
        extra[LOOKS] = table.looks()[sound]
    projected = table.numbers("projected")[sound] > 0 if table.has(["projected"]) else None
    # Classes that the detector knew come first, in its order, even those it never saw.
    stored = table.stored["classes"]
    used = np.unique(label[sound])
    return clip_from_arrays(
        video or next(iter(table.videos()), stem(path)),
        size,
        fps,
        number[sound],
        [*stored, *(classes[k] for k in used)],
        corners[sound],
        score[sound],
        table.identities()[sound],
        label=len(stored) + np.searchsorted(used, label[sound]),
        frames=frames,
        times=times,
        projected=projected,
        **extra,
    )


def _size(table: Table, corners: Floats) -> tuple[int, int]:
    width, height = table.fact("width"), table.fact("height")
    if width is not None and height is not None:
        return round(width), round(height)
    return size_by_reach(table.path, corners)


def _rate(table: Table, knots: Ints, seconds: Floats) -> float:
    stored = table.fact("fps")
    if stored is not None:
        return stored
    if len(knots) > 1:
        return 1 / float(np.median(np.diff(seconds) / np.diff(knots)))
    return usual_rate(table.path)


def write_table(clip: Clip, path: Path) -> None:
    """Write a clip to .csv, .csv.gz or .parquet, with all that it holds."""
    table = table_of(clip)
    groups = (COLOUR, CAMERA, (LOOKS,), ("id",), ("projected",))
    silent = [names for names in groups if not any(_told(table, name) for name in names)]
    table = table.drop_columns([name for names in silent for name in names])
    with whole(path) as draft:
        if path.suffix.lower() == ".parquet":
            pyarrow.parquet.write_table(table, draft)
            return
        if LOOKS in table.column_names:
            written = [value and value.hex() for value in table.column(LOOKS).to_pylist()]
            table = table.set_column(table.column_names.index(LOOKS), LOOKS, pa.array(written))
        for name, value in zip(("width", "height", "fps"), (*clip.size, clip.fps), strict=True):
            table = table.append_column(name, [[value] * len(table)])
        packed = path.suffix.lower() == ".gz"
        with pa.output_stream(draft, "gzip" if packed else None) as stream:
            pyarrow.csv.write_csv(table, stream)


class TableWriter:
    """Writes a long clip to Parquet, some frames at a time.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: pyarrow.parquet.ParquetWriter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    @property
    def empty(self) -> bool:
        """Whether nothing has been added."""
        return self._writer is None

    def add(self, table: Any) -> None:
        """Write the next frames, as `compact` makes them."""
        if self._writer is None:
            self._writer = pyarrow.parquet.ParquetWriter(
                self._path, table.schema, compression="zstd"
            )
        self._writer.write_table(table)


def compact(clip: Clip, facts: Mapping[str, Any] | None = None) -> Any:
    """A clip that was made from pixels as an Arrow table in single precision; see `table_of`."""
    table = table_of(clip, facts).select(COMPACT.names)
    return table.cast(COMPACT.with_metadata(table.schema.metadata))


def _told(table: Any, name: str) -> bool:
    """Whether a column says anything: null does not, nor does a camera or a mark that is zero."""
    known = table.column(name).drop_null()
    if name in (*CAMERA, "projected"):
        return bool(pc.any(pc.not_equal(known, 0)).as_py())
    return len(known) > 0


def table_of(clip: Clip, facts: Mapping[str, Any] | None = None) -> Any:
    """A clip as an Arrow table: a row for each detection, and one for a frame without any.

    Args:
        clip: the clip.
        facts: what the table is to say of it beside its size, rate and classes.
    """
    found, none = clip.frame_of, np.flatnonzero(np.diff(clip.start) == 0)
    at = np.concatenate([found, none])
    order = np.argsort(at, kind="stable")
    empty = (np.arange(len(at)) >= len(found))[order]

    def column(values: npt.NDArray[Any]) -> Any:
        rows = np.concatenate([values, np.zeros(len(none), dtype=values.dtype)])[order]
        gone = empty | np.isnan(rows) if rows.dtype.kind == "f" else empty
        return pa.array(rows, mask=gone)

    blocks = (
        (CORNERS, clip.boxes),
        (("score",), clip.score[:, None]),
        (MOTION, clip.velocity),
        (CAMERA, clip.camera),
        (COLOUR, clip.colour),
    )
    width, height = clip.size
    told = {"width": width, "height": height, "fps": clip.fps, "classes": clip.classes}
    numbers = {name: column(block[:, k]) for names, block in blocks for k, name in enumerate(names)}
    return pa.table(
        {
            "frame": pa.array(clip.frames[at][order]),
            "time": pa.array(clip.times[at][order]),
            "class": column(np.array([*clip.classes, ""], dtype=object)[clip.label]),
            **numbers,
            LOOKS: _looks(clip, order, len(none)),
            "id": pc.if_else(pc.less(column(clip.id), 0), None, column(clip.id)),
            "projected": column(clip.projected.astype(np.int64)),
        },
        metadata={METADATA: json.dumps(told | dict(facts or {})).encode()},
    )


def _looks(clip: Clip, order: Ints, empty: int) -> Any:
    """The looks of detections, then of so many empty frames, in some order; null where unknown."""
    wide = clip.looks.shape[1]
    rows = np.concatenate([clip.looks, np.zeros((empty, wide), dtype=np.uint8)])[order]
    unknown = pa.array(~rows.any(axis=1))
    data = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(wide), len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows))]
    )
    return pc.if_else(unknown, None, data)
