"""The manifest: the facts of all files in one, so that nobody has to open each of them.

It is a cache. What a library holds is decided by the files that are there; the manifest may be
behind, damaged or gone, and nothing is lost.
"""

import logging
from collections.abc import Iterable
from contextlib import suppress

import pyarrow as pa

from sentrack.errors import SentrackError
from sentrack.library.entry import FILE, Entry, entry_of, read_facts
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
            files = set(filter(FILE.fullmatch, self._folder.files()))
            new = files - self._entries.keys()
            # The first time, and when others have added many, the manifest is worth reading.
            if new and (not self._entries or len(new) > MANY):
                self._rows.update(stored(self._folder) or {})
            missing = False
            for file in sorted(new):
                try:
                    if file not in self._rows:
                        facts = read_facts(self._folder, file)
                        self._rows[file] = self._folder.size(file), facts
                        opened += 1
                    self._entries[file] = entry_of(file, *self._rows[file])
                except FileNotFoundError:
                    missing = True
                except LibraryError as error:
                    self._rows.pop(file, None)
                    _log.warning("%s: left out: %s; --check tells more", self._folder.url, error)
            if not missing:  # else it gave way to another one, which was not listed yet
                break
        self._rows = {file: row for file, row in self._rows.items() if file in files}
        self._entries = {file: entry for file, entry in self._entries.items() if file in files}
        if opened > MANY:
            with suppress(SentrackError):  # one may read a library without the right to write
                self.write()
        return dict(self._entries)

    def write(self) -> None:
        """Write the manifest anew, with all that is known by now, unless it says so already."""
        if (stored(self._folder) or {}) != self._rows:
            write_rows(self._folder, self._rows.items())


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
