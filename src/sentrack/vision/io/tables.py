"""Clips written as tables: CSV, and Parquet, also part by part."""

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from sentrack.files import whole
from sentrack.vision.clip import Clip
from sentrack.vision.io.columns import CAMERA, COLOUR, CORNERS, METADATA, MOTION

# What is measured on pixels is not known to more digits than these hold.
COMPACT = pa.schema(
    [
        ("frame", pa.int64()),
        ("time", pa.float64()),
        ("class", pa.string()),
        *((name, pa.float32()) for name in (*CORNERS, "score", *MOTION, *CAMERA, *COLOUR)),
        ("projected", pa.int8()),
    ]
)


def write_table(clip: Clip, path: Path) -> None:
    """Write a clip to .csv, .csv.gz or .parquet, with all that it holds."""
    table = table_of(clip)
    groups = (COLOUR, CAMERA, ("id",), ("projected",))
    silent = [names for names in groups if not any(_told(table, name) for name in names)]
    table = table.drop_columns([name for names in silent for name in names])
    with whole(path) as draft:
        if path.suffix.lower() == ".parquet":
            text = json.dumps(facts_of(clip)).encode()
            pyarrow.parquet.write_table(table.replace_schema_metadata({METADATA: text}), draft)
            return
        for name in ("width", "height", "fps"):
            table = table.append_column(name, [[facts_of(clip)[name]] * len(table)])
        packed = path.suffix.lower() == ".gz"
        with pa.output_stream(draft, "gzip" if packed else None) as stream:
            pyarrow.csv.write_csv(table, stream)


class TableWriter:
    """Writes a long clip to Parquet, some frames at a time, in single precision.

    Args:
        path: the file.
        facts: what else the file is to say of the clip.
    """

    def __init__(self, path: Path, facts: dict[str, Any]) -> None:
        self._path, self._extra = path, facts
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

    def add(self, clip: Clip) -> None:
        """Write the next frames."""
        if self._writer is None:
            text = json.dumps(facts_of(clip) | self._extra).encode()
            self._writer = pyarrow.parquet.ParquetWriter(
                self._path, COMPACT.with_metadata({METADATA: text}), compression="zstd"
            )
        table = table_of(clip).select(COMPACT.names).cast(COMPACT)
        self._writer.write_table(table.replace_schema_metadata(self._writer.schema.metadata))


def facts_of(clip: Clip) -> dict[str, Any]:
    """What a table says of a clip beyond its rows."""
    width, height = clip.size
    return {"width": width, "height": height, "fps": clip.fps, "classes": clip.classes}


def _told(table: Any, name: str) -> bool:
    """Whether a column says anything: null does not, nor does a camera or a mark that is zero."""
    known = table.column(name).drop_null()
    if name in (*CAMERA, "projected"):
        return bool(pc.any(pc.not_equal(known, 0)).as_py())
    return len(known) > 0


def table_of(clip: Clip) -> Any:
    """All columns, one row per detection; a frame without any has a row of its own."""
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
    numbers = {name: column(block[:, k]) for names, block in blocks for k, name in enumerate(names)}
    return pa.table(
        {
            "frame": pa.array(clip.frames[at][order]),
            "time": pa.array(clip.times[at][order]),
            "class": column(np.array([*clip.classes, ""], dtype=object)[clip.label]),
            **numbers,
            "id": pc.if_else(pc.less(column(clip.id), 0), None, column(clip.id)),
            "projected": column(clip.projected.astype(np.int64)),
        }
    )
