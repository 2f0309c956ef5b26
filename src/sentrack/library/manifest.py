"""The manifest: the facts of all files in one, so that nobody has to open each of them.

It is a cache. What a library holds is decided by the files that are there; the manifest may be
behind, damaged or gone, and nothing is lost.
"""

import gc
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain

import pyarrow as pa

from sentrack.errors import SentrackError
from sentrack.library.clip_file import read_facts
from sentrack.library.entry import FILE, Entry, entry_of
from sentrack.library.folder import Folder, LibraryError
from sentrack.library.seal import check, is_sealed, read, seal
from sentrack.library.sources import MANIFEST

MANY = 32  # files that had to be opened, after which the manifest is written anew
SEALED = {b"sealed": b"1"}  # in the metadata: it must carry a digest
TRIES = 5  # listings, while others replace files

Row = tuple[int, str]  # bytes of a file and its facts, as JSON

_log = logging.getLogger("sentrack")


class Manifest:
    """Knows all files of a library, and opens only those that it has not met.

    Args:
        folder: of the library.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._rows: dict[str, Row] = {}
        self._entries: dict[str, Entry] = {}

    def entries(self) -> dict[str, Entry]:
        """All clips by file, those of earlier generations too; what cannot be read is left out."""
        opened = 0
        for _ in range(TRIES):
            listed = {file for file in self._folder.files() if file.endswith(".parquet")}
            unknown = listed - self._entries.keys()
            # The first time, and when others have added many, the manifest is worth reading.
            if unknown and (not self._entries or len(unknown) > MANY):
                self._rows.update(stored(self._folder) or {})
            strange = {file for file in unknown - self._rows.keys() if not FILE.fullmatch(file)}
            files, new = listed - strange, unknown - strange
            # The order of the manifest is nearly that of the entries, which makes it quick.
            ordered = [file for file in self._rows if file in new]
            missing = False
            with _without_collection():
                for file in chain(ordered, new.difference(ordered)):
                    try:
                        if (row := self._rows.get(file)) is None:
                            facts = read_facts(self._folder, file)
                            row = self._rows[file] = self._folder.size(file), facts
                            opened += 1
                        self._entries[file] = entry_of(file, *row)
                    except FileNotFoundError:
                        missing = True
                    except LibraryError as error:
                        self._rows.pop(file, None)
                        text = "%s: left out: %s; --check tells more"
                        _log.warning(text, self._folder.url, error)
            if not missing:  # else it gave way to another one, which was not listed yet
                break
        for known in (self._rows, self._entries):
            for file in known.keys() - files:
                del known[file]
        if opened > MANY:
            with suppress(SentrackError):  # one may read a library without the right to write
                self.write()
        return dict(self._entries)

    def write(self) -> None:
        """Write the manifest anew, with all that is known by now, unless it says so already."""
        if (stored(self._folder) or {}) != self._rows:
            write_rows(self._folder, self._rows.items())


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keep Python from looking for garbage, over and over, among many entries that stay."""
    wanted = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if wanted:
            gc.enable()


def stored(folder: Folder) -> dict[str, Row] | None:
    """The rows of the manifest by file; None if there is none that can be read."""
    try:
        content = folder.read(MANIFEST)
        if is_sealed(content):
            check(content)
        table = read(content)
        if SEALED.items() <= (table.schema.metadata or {}).items() and not is_sealed(content):
            return None
        files, sizes, facts = (table[name].to_pylist() for name in ("file", "bytes", "facts"))
    except (OSError, ValueError, KeyError):
        return None
    return dict(zip(files, zip(sizes, facts, strict=True), strict=True))


def write_rows(folder: Folder, rows: Iterable[tuple[str, Row]]) -> None:
    """Replace the manifest."""
    ordered = sorted(rows)
    table = pa.table(
        {
            "file": pa.array([file for file, _ in ordered], pa.string()),
            "bytes": pa.array([size for _, (size, _) in ordered], pa.int64()),
            "facts": pa.array([facts for _, (_, facts) in ordered], pa.string()),
        },
        metadata=SEALED,
    )
    folder.put(MANIFEST, seal(table))
