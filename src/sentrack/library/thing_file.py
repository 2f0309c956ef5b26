"""The things of a clip in a file beside it, so that search need not follow them again.

It is a cache: made from the clip when that is indexed, or else when it is first searched; what is
damaged, or was made by other code, is made anew. A file begins with a header that says where the
parts are and carries its own digest; every part carries one, too, so that of a long clip only the
classes that are asked for are read.
"""

import hashlib
import json
import math
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow as pa

from sentrack.cache import digest
from sentrack.library.folder import Folder
from sentrack.library.seal import DamageError
from sentrack.scene import LOOKING, MOVING, Column, ThingTable

THINGS = re.compile(r"[\w-]+\.[0-9a-f]{20}\.things", re.ASCII)
MAGIC = b"sentrack things\n"
HEAD = len(MAGIC) + 8 + 32  # ..., the length of the header and its SHA-256
CODEC = "zstd"
PARTS: dict[str, dict[str, type]] = {
    "moving": MOVING,
    "looking": LOOKING,
}  # columns that are read together
# What decides on what is measured: these packages and modules of sentrack.
MADE_OF = ("scene", "vision", "boxes.py", "colours.py", "inference/kernels")


def thing_name(file: str) -> str:
    """The name of the file beside that of a clip."""
    return file.removesuffix(".parquet") + ".things"


@cache
def made_by() -> str:
    """The same as long as the same code measures things on the same kind of machine."""
    root, found = files("sentrack"), [np.__version__, platform.machine()]
    for name in MADE_OF:
        at = root / name
        each = [at] if at.is_file() else sorted(at.iterdir(), key=lambda path: path.name)
        sources = [path for path in each if path.name.endswith(".py")]
        found += [hashlib.sha256(path.read_bytes()).hexdigest() for path in sources]
    return digest(found)


def pack_things(table: ThingTable, size: int) -> bytes:
    """A table as a file.

    Args:
        table: of all classes.
        size: bytes of the clip's file.
    """
    lives = np.stack([table.label, table.first, table.last]).astype(np.int32)
    parts = [_Part.of("times", -1, table.times), _Part.of("lives", -1, lives)]
    begin = np.concatenate([[0], np.cumsum(table.lengths)])
    for label in np.unique(table.label).tolist():
        low, high = np.searchsorted(table.label, [label, label + 1])
        rows = slice(begin[low], begin[high])
        for name, columns in PARTS.items():
            own = b"".join(table.columns[column][rows].tobytes() for column in columns)
            parts.append(_Part.of(name, label, own))
    header = json.dumps(
        {
            "made_by": made_by(),
            "clip": size,
            "size": table.size,
            "fps": table.fps,
            "classes": table.classes,
            "shapes": {name: table.columns[name].shape[1:] for name in (*MOVING, *LOOKING)},
            "parts": [[part.name, part.label, len(part.kept), part.raw] for part in parts],
            "digests": [hashlib.sha256(part.kept).hexdigest() for part in parts],
        }
    ).encode()
    head = MAGIC + len(header).to_bytes(8, "little") + hashlib.sha256(header).digest()
    return b"".join([head, header, *(part.kept for part in parts)])


@dataclass(frozen=True, eq=False)
class _Part:
    """Some columns, compressed.

    Attributes:
        name: of the part.
        label: the class, or -1 for all.
        kept: its bytes.
        raw: how many they were.
    """

    name: str
    label: int
    kept: bytes
    raw: int

    @classmethod
    def of(cls, name: str, label: int, values: Any) -> "_Part":
        raw = values if isinstance(values, bytes) else values.tobytes()
        return cls(name, label, pa.compress(raw, CODEC, asbytes=True), len(raw))


class ThingFile:
    """A file of things that was opened.

    Args:
        content: of the file, of which only what is asked for is checked and unpacked.

    Raises:
        DamageError: it is not such a file, or its header is damaged.
    """

    def __init__(self, content: bytes) -> None:
        self._content = memoryview(content)
        length = int.from_bytes(content[len(MAGIC) : len(MAGIC) + 8], "little")
        header = content[HEAD : HEAD + length]
        if content[: len(MAGIC)] != MAGIC or len(header) != length:
            raise DamageError("it is no file of things")
        if hashlib.sha256(header).digest() != content[HEAD - 32 : HEAD]:
            raise DamageError("its header is not what was written")
        self._header = json.loads(header)
        sizes = [size for _, _, size, _ in self._header["parts"]]
        self._ends = HEAD + length + np.cumsum(sizes)
        if self._ends[-1] != len(content):
            raise DamageError("it is not as long as it was")

    def fits(self, size: int) -> bool:
        """Whether it was made by this code, from a clip whose file has so many bytes."""
        return bool(self._header["made_by"] == made_by() and self._header["clip"] == size)

    def check(self) -> None:
        """Compare all of it with its digests.

        Raises:
            DamageError: it differs.
        """
        for n in range(len(self._ends)):
            self._checked(n)

    def table(self, classes: frozenset[str]) -> ThingTable:
        """The things of some classes.

        Raises:
            DamageError: what is needed of it is damaged.
        """
        header = self._header
        at = {(name, label): n for n, (name, label, _, _) in enumerate(header["parts"])}
        known: list[str] = header["classes"]
        lives = np.frombuffer(self._read(at["lives", -1]), np.int32).reshape(3, -1)
        asked = [n for n, name in enumerate(known) if name in classes and ("moving", n) in at]
        label, first, last = lives[:, np.isin(lives[0], asked)].astype(np.int64)
        parts = {name: [self._checked(at[name, n]) for n in asked] for name in PARTS}
        return ThingTable(
            (header["size"][0], header["size"][1]),
            header["fps"],
            np.frombuffer(self._read(at["times", -1]), np.float64),
            tuple(known),
            label,
            first,
            last,
            header["shapes"]["hands"][0],
            _Columns(parts, {name: tuple(shape) for name, shape in header["shapes"].items()}),
        )

    def _checked(self, n: int) -> tuple[memoryview, int]:
        """A part as it is kept, and its length when it is not compressed."""
        _, _, size, raw = self._header["parts"][n]
        part = self._content[self._ends[n] - size : self._ends[n]]
        if hashlib.sha256(part).hexdigest() != self._header["digests"][n]:
            raise DamageError("its bytes are not those that were written")
        return part, raw

    def _read(self, n: int) -> Any:
        return _unpacked(*self._checked(n))


def _unpacked(part: memoryview, raw: int) -> Any:
    return pa.decompress(part, raw, CODEC)


class _Columns(Mapping[str, Column]):
    """Columns that are unpacked, with those that lie beside them, when one is first asked for.

    Args:
        parts: per name, one part for every class.
        shapes: of a row of each column.
    """

    def __init__(
        self, parts: dict[str, list[tuple[memoryview, int]]], shapes: dict[str, tuple[int, ...]]
    ) -> None:
        self._parts, self._shapes = parts, shapes
        self._known: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        if name not in self._known:
            self._unpack("moving" if name in MOVING else "looking")
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def _unpack(self, part: str) -> None:
        kinds = PARTS[part]
        widths = [
            np.dtype(kind).itemsize * math.prod(self._shapes[name]) for name, kind in kinds.items()
        ]
        found: dict[str, list[Column]] = {name: [] for name in kinds}
        for each in self._parts[part]:
            content, rows, at = _unpacked(*each), each[1] // sum(widths), 0
            for (name, kind), width in zip(kinds.items(), widths, strict=True):
                values: Column = np.frombuffer(
                    content, kind, rows * width // np.dtype(kind).itemsize, at
                )
                found[name].append(values.reshape(rows, *self._shapes[name]))
                at += rows * width
        for name, columns in found.items():
            if not columns:
                columns.append(np.zeros((0, *self._shapes[name]), dtype=kinds[name]))
            one = len(columns) == 1
            self._known[name] = columns[0] if one else np.concatenate(columns)


def read_things(folder: Folder, file: str, size: int, classes: frozenset[str]) -> ThingTable | None:
    """The things of some classes of a clip, if they are kept and as they were written.

    Args:
        folder: of the library.
        file: of the clip.
        size: bytes of that file.
        classes: their names.
    """
    try:
        opened = ThingFile(folder.read(thing_name(file)))
        return opened.table(classes) if opened.fits(size) else None
    except (FileNotFoundError, DamageError):
        return None
