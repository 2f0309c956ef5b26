"""What is to be done about every source: which are new, changed, or in the library already."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sentrack.cache import checksum
from sentrack.library.entry import CLIP, Entry, Origin, unused
from sentrack.library.folder import LibraryError
from sentrack.library.sources import ReadingOptions, ScanSettings, as_text, find
from sentrack.progress import Report
from sentrack.vision import check_span

NEW, CHANGED, THERE = "new", "changed", "there"


@dataclass(frozen=True)
class Task:
    """One clip to be indexed; it can be sent to another process.

    Attributes:
        origin: where it comes from and what it is going to be called.
        state: "new", "changed" or "there"; the last needs no work.
        why: it is not new, in words.
        options: of `load_clip`.
        replaces: files of the library that give way to it.
    """

    origin: Origin
    state: str = NEW
    why: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    replaces: tuple[str, ...] = ()


class Planner:
    """Decides about clips, one after another.

    Args:
        entries: all of the library.
        force: index anew what is there.
        sound: whether the file of an entry is what was written.
    """

    def __init__(
        self, entries: Iterable[Entry], force: bool, sound: Callable[[Entry], bool]
    ) -> None:
        self._force, self._sound = force, sound
        self._entries = {entry.name: entry for entry in entries}

    @cached_property
    def _taken(self) -> set[str]:
        """Names, those too that entries go by where two have the same."""
        return {*self._entries, *(entry.origin.name for entry in self._entries.values())}

    @cached_property
    def _by_key(self) -> dict[str, str]:
        return {entry.key: name for name, entry in reversed(self._entries.items())}

    @cached_property
    def _by_source(self) -> dict[tuple[str, str | None], list[Entry]]:
        found = defaultdict[tuple[str, str | None], list[Entry]](list)
        for entry in self._entries.values():
            found[entry.source, entry.origin.video].append(entry)
        return found

    def named(self, task: Task) -> Task:
        """Decide about a clip whose name is given."""
        entry = self._entries.get(task.origin.name)
        if entry is None:
            return task
        same = (entry.source, entry.origin.video) == (task.origin.source, task.origin.video)
        if not (same or self._force or entry.key == task.origin.key):
            raise LibraryError(
                f"{entry.name!r} is in the library, from {entry.source}; choose another name, or "
                f"replace it by force=True"
            )
        return self._again(task, entry)

    def found(self, task: Task) -> Task:
        """Decide about a clip that may be in the library under any name."""
        known = self._by_source[task.origin.source, task.origin.video]
        if known:
            return self._again(task, min(known, key=lambda each: each.key != task.origin.key))
        other = self._by_key.get(task.origin.key)
        if other is not None and (other not in self._entries or self._sound(self._entries[other])):
            origin = replace(task.origin, name=other)
            return replace(task, origin=origin, state=THERE, why=f"the same as {other}")
        name = unused(task.origin.name, self._taken)
        self._taken.add(name)
        self._by_key[task.origin.key] = name
        return replace(task, origin=replace(task.origin, name=name))

    def _again(self, task: Task, entry: Entry) -> Task:
        old = entry.origin
        if task.origin.key == old.key and not self._force:
            if not self._sound(entry):
                # From the same content the same file is made, and takes the place of this one.
                return replace(task, origin=old, state=CHANGED, why="its file was damaged")
            origin = replace(task.origin, name=entry.name)
            return replace(task, origin=origin, state=THERE, why="nothing has changed")
        origin = replace(task.origin, name=old.name, generation=old.generation + 1)
        why = _difference(old, task.origin)
        return replace(task, origin=origin, state=CHANGED, why=why, replaces=(entry.file,))


def plan(
    sources: Iterable[Any],
    planner: Planner,
    options: ReadingOptions,
    *,
    name: str | None,
    report: Report,
) -> list[Task]:
    """A task for every clip of the sources; see `Store.plan`."""
    check_span(options.start, options.end)
    settings = ScanSettings(report)
    tasks: list[Task] = []
    used: set[str] = set()
    for found in find(sources):
        chosen, sha256 = options.of(found), checksum(found.path)
        used |= chosen.keys()
        how = settings.of(found, chosen)
        for video in found.videos:
            called = found.called(video)
            if name is not None:
                called = name if len(found.videos) == 1 else f"{name}/{video}"
            source, raw = as_text(found.path)
            origin = Origin(called, source, video, sha256, how, raw=raw)
            task = Task(origin, options=chosen)
            tasks.append(planner.found(task) if name is None else planner.named(task))
    if idle := sorted(options.given().keys() - used):
        raise LibraryError(f"none of the sources takes {idle[0]}=; leave it out")
    return tasks


def _difference(old: Origin, new: Origin) -> str:
    """What has changed, in words."""
    found = ["content"] if old.sha256 != new.sha256 and old.source != CLIP else []
    if new.source != old.source:
        found = [f"source {old.source} → {new.source}"]
    for key in sorted(old.settings.keys() | new.settings.keys()):
        before, after = (each.settings.get(key, "not given") for each in (old, new))
        # Names of detectors say it better than their fingerprints.
        told = key != "fingerprint" or old.settings.get("detector") == new.settings.get("detector")
        if before != after and told:
            found.append(key if key == "fingerprint" else f"{key} {before} → {after}")
    return ", ".join(found) or ("content" if old.sha256 != new.sha256 else "as asked")
