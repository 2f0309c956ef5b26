"""Files of a library: the rows of a clip with the facts about it, packed, read and checked.

A file is a Parquet table as `save_clip` makes them. The metadata of its schema are the facts, with
a digest of their own; its footer holds one of all its bytes.
"""

import json
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from sentrack.cache import digest
from sentrack.library.entry import FACTS, Origin, senseless
from sentrack.library.folder import Folder, LibraryError
from sentrack.library.seal import DamageError, check, is_sealed, read, seal
from sentrack.vision import surely
from sentrack.vision.io import CORNERS, METADATA

THIN = 1e-6  # pixels: a box with a thinner side would not be read again


def pack(table: Any, origin: Origin) -> bytes:
    """The table of a clip as a file: in single precision, with all facts."""
    stored = json.loads(table.schema.metadata[METADATA])
    facts = {key: stored[key] for key in ("width", "height", "fps", "classes")}
    facts["duration"] = stored.get("duration")
    frame, first = np.unique(table["frame"].to_numpy(), return_index=True)
    times = table["time"].to_numpy()[first]
    step = float(np.median(np.diff(times))) if len(frame) > 1 else 1.0 / facts["fps"]
    small = _single(table)
    seen = small.filter(pc.is_valid(small["class"])).group_by("class")
    counts = seen.aggregate([("frame", "count_distinct"), ("score", "max")]).sort_by("class")
    facts["origin"], facts["version"] = asdict(origin), version("sentrack")
    facts["frames"], facts["seconds"] = len(frame), float(times[-1] - times[0]) + step
    columns = ("class", "frame_count_distinct", "score_max")
    certain = _sure(small)
    facts["present"] = {
        name: [frames, best, certain.get(name, 0)]
        for name, frames, best in zip(*(counts[c].to_pylist() for c in columns), strict=True)
    }
    facts["sealed"] = True
    facts["digest"] = digest(facts)
    return seal(small.replace_schema_metadata({METADATA: json.dumps(facts).encode()}))


def read_facts(folder: Folder, file: str) -> str:
    """The facts of a file, as JSON, compared with their own digest.

    Raises:
        FileNotFoundError: it is gone.
        LibraryError: it cannot be read, or is not the clip that its name says.
    """
    try:
        with folder.open(file) as stream, pyarrow.parquet.ParquetFile(stream) as parquet:
            text = str(parquet.schema_arrow.metadata[METADATA].decode())
        facts = json.loads(text)
        written = facts.pop("digest", None) if isinstance(facts, dict) else None
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        reason = (str(error).splitlines() or ["unreadable"])[0]
        raise LibraryError(f"{file}: not a clip that can be read: {reason}") from None
    if written != digest(facts):
        raise LibraryError(f"{file}: what it says of the clip was changed")
    try:
        origin = FACTS.decode(text).origin
    except (ValueError, RecursionError) as error:
        raise senseless(file, error) from None
    if origin.file != file:
        raise LibraryError(f"{file}: it holds another clip than its name says")
    return text


def read_rows(folder: Folder, file: str) -> Any:
    """The table of a clip, compared with the digest that its file carries.

    Files of earlier releases carry none; of these, pages have checksums.

    Raises:
        FileNotFoundError: it is gone.
        LibraryError: it is damaged.
    """
    try:
        content = folder.read(file)
        if is_sealed(content):
            check(content)
            return read(content)
        table = read(content)
        facts = json.loads(table.schema.metadata[METADATA])
        if facts.get("sealed"):
            raise DamageError("it carries no digest")
        if len(np.unique(table["frame"].to_numpy())) != facts["frames"]:
            raise DamageError("frames are missing")
    except FileNotFoundError:
        raise
    except (DamageError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        reason = (str(error).splitlines() or ["unreadable"])[0]
        raise LibraryError(f"{file}: it is damaged: {reason}") from None
    return table


def sound(folder: Folder, file: str) -> None:
    """Read a file to the last byte.

    Raises:
        FileNotFoundError: it is gone.
        LibraryError: it is damaged.
    """
    read_facts(folder, file)
    read_rows(folder, file)


def _sure(table: Any) -> dict[str, int]:
    """The frames in which each class was surely detected."""
    boxes = table.filter(pc.is_valid(table["class"]))
    kept = surely(boxes["score"].to_numpy().astype(np.float64))
    if "projected" in boxes.column_names:
        kept &= boxes["projected"].fill_null(0).to_numpy() == 0
    counts = boxes.filter(pa.array(kept)).group_by("class").aggregate([("frame", "count_distinct")])
    names, frames = (counts[name].to_pylist() for name in ("class", "frame_count_distinct"))
    return dict(zip(names, frames, strict=True))


def _single(table: Any) -> Any:
    """A table in single precision; as it is where that would lose a number or a box."""
    kinds = {"time": pa.float64(), "projected": pa.int8()}
    fields = [
        (name, kinds.get(name, pa.float32() if pa.types.is_floating(kind) else kind))
        for name, kind in zip(table.schema.names, table.schema.types, strict=True)
    ]
    small = table.cast(pa.schema(fields))
    x1, y1, x2, y2, score = (
        small[name].drop_null().to_numpy().astype(np.float64) for name in (*CORNERS, "score")
    )
    kept = (x2 - x1 >= THIN) & (y2 - y1 >= THIN) & np.isfinite(score)
    return small if kept.all() else table
