"""What is not in order in a library."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sentrack.cache import checksum
from sentrack.library.clip_file import sound
from sentrack.library.entry import CLIP, FILE, Entry, current
from sentrack.library.folder import Folder, LibraryError
from sentrack.library.manifest import stored
from sentrack.library.seal import DamageError
from sentrack.library.sources import MANIFEST
from sentrack.library.thing_file import THINGS, ThingFile, thing_name
from sentrack.text import counted

DRAFT = re.compile(
    rf"\.[0-9a-f]{{12}}\.(?:{FILE.pattern}|{THINGS.pattern}|{re.escape(MANIFEST)})", re.ASCII
)
HOUR = 3600.0  # seconds after which nobody is still writing a temporary file

CORRUPT, LEFTOVER, SUPERSEDED, BEHIND = "corrupt", "leftover", "superseded", "catalogue"
GONE, CHANGED = "source gone", "source changed"


@dataclass(frozen=True)
class Fault:
    """Something that is not in order.

    Attributes:
        kind: "corrupt", "leftover", "superseded", "catalogue", "source gone" or "source changed".
        what: the file, or the name of the clip whose source is meant.
        text: what is wrong, in words.
    """

    kind: str
    what: str
    text: str

    @property
    def note(self) -> bool:
        """Whether the clips and files of the library are all in order nevertheless."""
        return self.kind in (BEHIND, GONE, CHANGED)


def damaged(folder: Folder) -> Iterator[Fault]:
    """Clips that cannot be read to the last byte."""
    for file in sorted(filter(FILE.fullmatch, folder.files())):
        try:
            sound(folder, file)
        except FileNotFoundError:  # it gave way to another one meanwhile
            continue
        except LibraryError as error:
            yield Fault(CORRUPT, file, str(error).removeprefix(f"{file}: "))
    for file in sorted(filter(THINGS.fullmatch, folder.files())):
        try:
            ThingFile(folder.read(file)).check()
        except FileNotFoundError:
            continue
        except (DamageError, OSError) as error:
            yield Fault(CORRUPT, file, f"it is damaged: {error}")


def leftovers(folder: Folder, entries: Mapping[str, Entry], age: float) -> Iterator[Fault]:
    """Temporary files at least so many seconds old, and clips that gave way to newer ones."""
    for file in sorted(filter(DRAFT.fullmatch, folder.files())):
        if age <= 0 or (folder.age(file) or 0.0) >= age:
            yield Fault(LEFTOVER, file, "a temporary file of an indexer that was stopped")
    files = folder.files()
    known = set(map(thing_name, filter(FILE.fullmatch, files)))
    for file in sorted(filter(THINGS.fullmatch, files)):
        if file not in known:
            yield Fault(LEFTOVER, file, "the things of a clip that is gone")
    for file in sorted(entries.keys() - {entry.file for entry in current(entries.values())}):
        yield Fault(SUPERSEDED, file, f"{entries[file].name} has been indexed anew")


def behind(folder: Folder, entries: Mapping[str, Entry]) -> Iterator[Fault]:
    """A manifest that does not list what is there."""
    rows = stored(folder)
    if rows is None:
        if entries:
            yield Fault(BEHIND, MANIFEST, "it is not there or cannot be read")
    elif differing := len(rows.keys() ^ entries.keys()):
        yield Fault(
            BEHIND, MANIFEST, f"it differs in {counted(differing, 'clip')} from what is there"
        )


def astray(entries: Mapping[str, Entry]) -> Iterator[Fault]:
    """Clips whose source is gone or has other content now."""
    sums: dict[str, str | None] = {}
    for entry in current(entries.values()):
        if entry.source == CLIP:
            continue
        if entry.source not in sums:
            sums[entry.source] = checksum(entry.path) if entry.path.is_file() else None
        now = sums[entry.source]
        if now is None:
            yield Fault(GONE, entry.name, f"{entry.source} is not there")
        elif now != entry.origin.sha256:
            yield Fault(CHANGED, entry.name, f"{entry.source} has other content now")
