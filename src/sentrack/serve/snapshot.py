"""Snapshots of the library: what it holds, looked at again only every few seconds."""

import asyncio
import importlib.util
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import PurePath
from time import monotonic

from sentrack.files import Mark, mark
from sentrack.language import Vocabulary, complete
from sentrack.lexicon import Lexicon
from sentrack.library import Entry, Store
from sentrack.serve.errors import JobError
from sentrack.serve.schemas import ClassCount, Completions, Misunderstood, Understood
from sentrack.serve.sentences import understand
from sentrack.tasks import vocabulary_of

FRESH = 3.0  # seconds after which the folder is looked at again
REMEMBERED = 512  # texts whose reading is kept
PIXELS = all(importlib.util.find_spec(part) for part in ("av", "cv2"))


def may_show(entry: Entry) -> bool:
    """Whether a clip came from a video that seems to be there."""
    return PIXELS and entry.detector is not None and mark(entry.path) is not None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a library held when it was looked at.

    Attributes:
        entries: all clips, by name.
        lexicon: what words mean.
    """

    entries: dict[str, Entry]
    lexicon: Lexicon

    @cached_property
    def classes(self) -> list[ClassCount]:
        """The classes that are surely seen, the most frequent first."""
        counts = Counter(name for entry in self.entries.values() for name in entry.seen)
        return [ClassCount(*each) for each in sorted(counts.items(), key=lambda c: (-c[1], c[0]))]

    @cached_property
    def seconds(self) -> float:
        """Of all clips."""
        return sum(entry.seconds for entry in self.entries.values())

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that a search understands."""
        known = sorted({name for entry in self.entries.values() for name in entry.known})
        return vocabulary_of(self.lexicon, known) if known else self.lexicon.vocabulary()

    @cached_property
    def understand(self) -> Callable[[str], Understood | Misunderstood]:
        """What a sentence says."""
        words = self.vocabulary
        return lru_cache(REMEMBERED)(lambda text: understand(text, words))

    @cached_property
    def complete(self) -> Callable[[str, int], Completions]:
        """How a text may go on, and how many ways at most."""
        words, often = self.vocabulary, {each.name: each.clips for each in self.classes}
        return lru_cache(REMEMBERED)(
            lambda text, limit: Completions(complete(text, words, limit, often))
        )

    def entry(self, name: str) -> Entry:
        """A clip by its name, and by nothing else.

        Raises:
            JobError: there is none.
        """
        if name in self.entries:
            return self.entries[name]
        raise JobError("the library has no such video", 404)


class SnapshotCache:
    """Keeps the latest snapshot of a library.

    Args:
        store: the library.
        lexicon: what words mean.
    """

    def __init__(self, store: Store, lexicon: Lexicon) -> None:
        self._store, self._lexicon = store, lexicon
        self.name = PurePath(store.url).name or store.url
        self._lock = asyncio.Lock()
        self._changed: dict[str, Mark | None] = {}
        self._snapshot, self._looked = Snapshot({}, lexicon), -math.inf
        self.look()

    def look(self, now: bool = False) -> Snapshot:
        """What the library holds, or did a few seconds ago; in a server, see `latest`."""
        if now or self._stale:
            entries = {entry.name: entry for entry in self._store.entries()}
            # What is worked out from it, words above all, is kept while nothing changes.
            if _files(self._snapshot.entries) != _files(entries):
                self._snapshot = Snapshot(entries, self._lexicon)
            self._looked = monotonic()
        return self._snapshot

    async def latest(self, now: bool = False) -> Snapshot:
        """The same, for whoever must not wait for a disk."""
        if not now and not self._stale:
            return self._snapshot
        async with self._lock:
            return await asyncio.to_thread(self.look, now)

    @property
    def _stale(self) -> bool:
        return monotonic() - self._looked > FRESH

    def shows(self, entry: Entry) -> bool:
        """Whether a clip has pixels, as far as is known."""
        if not may_show(entry):
            return False
        return self._changed.get(entry.file, ()) != mark(entry.path)

    def changed(self, entry: Entry) -> None:
        """Take note that the source of a clip is not the one that was indexed."""
        self._changed[entry.file] = mark(entry.path)


def _files(entries: dict[str, Entry]) -> list[tuple[str, str]]:
    return [(name, entry.file) for name, entry in entries.items()]
