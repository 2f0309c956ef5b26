"""The store of indexed clips: a folder of files, each of which appears whole or not at all."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from sentrack.errors import SentrackError
from sentrack.library.clip_file import pack, read_facts, read_rows, sound
from sentrack.library.entry import CLIP, FILE, Entry, Origin, current, entry_of
from sentrack.library.folder import DamagedError, Folder, LibraryError
from sentrack.library.index_plan import THERE, Planner, Task, plan
from sentrack.library.integrity import HOUR, Fault, astray, behind, damaged, leftovers
from sentrack.library.manifest import Manifest
from sentrack.library.sources import MANIFEST, ReadingOptions
from sentrack.library.thing_file import pack_things, read_things, thing_name
from sentrack.progress import Report, silent
from sentrack.scene import RATE, ThingTable, thing_table
from sentrack.text import nearest
from sentrack.vision import Clip, ClipError, is_video, load_clip, scan_video, warn_if_cut_off
from sentrack.vision.io import Names, Table, clip_of, table_of

JUDGED = "judged.jsonl"  # what people said of answers
OWN = (MANIFEST, JUDGED, "uploads")  # what a library may hold besides clips


class Store:
    """A library of clips.

    Args:
        url: a folder or any fsspec URL; made when the first clip is added.

    Attributes:
        url: the same in full, so that it means the same to other processes.
    """

    def __init__(self, url: str | Path) -> None:
        self._folder = Folder(url)
        self._manifest = Manifest(self._folder)
        self.url = self._folder.url

    def exists(self) -> bool:
        """Whether there is such a library: a folder with clips in it, or with nothing yet."""
        if not self._folder.exists():
            return False
        names = [name for name in self._folder.files() if not name.startswith(".")]
        return not names or any(FILE.fullmatch(name) or name in OWN for name in names)

    def demand(self) -> None:
        """Ask that the library is there.

        Raises:
            LibraryError: it is not; the message says how to make one.
        """
        if self.exists():
            return
        made, what = self.url, "SOURCES"
        if self._folder.exists():
            # Its own clips are not to lie among somebody's files.
            made, what = "LIBRARY", self.url
        hint = f"make one by: sentrack index {what} --library {made}"
        raise LibraryError(f"{self.url}: there is no such library; {hint}")

    def entries(self) -> list[Entry]:
        """What is known of every clip, sorted by name, without reading them."""
        return current(self._manifest.entries().values())

    def entry(self, name: str) -> Entry:
        """What is known of one clip."""
        entries = {entry.name: entry for entry in self.entries()}
        if name in entries:
            return entries[name]
        near = f"; nearest name: {nearest(name, entries)!r}" if entries else "; it is empty"
        raise LibraryError(f"{self.url}: no clip {name!r}{near}")

    def clip(self, which: str | Entry) -> Clip:
        """A clip, by name or, without a look into the library, by its entry."""
        entry = self.entry(which) if isinstance(which, str) else which
        try:
            return self._read(entry)
        except (ClipError, LibraryError, FileNotFoundError) as error:
            if not self.exists():
                text = "the library is not there; all workers must reach it by this address"
                raise LibraryError(f"{self.url}: {text}") from None
            newer = self.entry(entry.name)
            if newer.file == entry.file:
                again = "" if entry.source == CLIP else f"; index {entry.source} again"
                raise DamagedError(f"{entry.name} cannot be read: {error}{again}") from None
            return self._read(newer)

    def things(self, entry: Entry, classes: frozenset[str]) -> ThingTable | None:
        """The things of some classes of a clip; None if they must be looked for in the clip.

        What is not kept is made, and kept if one may write.

        Raises:
            DamagedError: they are not kept, and the clip cannot be read.
        """
        found = read_things(self._folder, entry.file, entry.bytes, classes)
        if found is None:
            found = thing_table(self.clip(entry), RATE)
            if found is not None:
                _keep_things(self._folder, entry, found)
        return found

    def sound(self, entry: Entry) -> bool:
        """Whether the file of a clip is what was written, to the last byte."""
        try:
            sound(self._folder, entry.file)
        except (FileNotFoundError, LibraryError):
            return False
        return True

    def __len__(self) -> int:
        return len(self.entries())

    def __contains__(self, name: object) -> bool:
        return any(entry.name == name for entry in self.entries())

    def add(
        self,
        source: str | Path | Clip,
        *,
        name: str | None = None,
        detector: str | Path | None = None,
        names: Names | None = None,
        fps: float | None = None,
        best: int | None = None,
        size: tuple[int, int] | None = None,
        device: str | None = None,
        detector_threads: int | None = None,
        start: float | None = None,
        end: float | None = None,
        every_frame: bool | None = None,
        report: Report = silent,
        force: bool = False,
    ) -> list[Entry]:
        """Index a source; what is there with the same content and settings is left alone.

        Args:
            source: a video, a file of detections, a folder of both, or a clip.
            name: of the clip, or of the folder of clips if there are several; by the source if left
                out.
            detector: see `load_clip`, as for all that follow.
            names: of classes.
            fps: frames per second.
            best: boxes of every class in a frame.
            size: width and height of a frame.
            device: where the detector runs.
            detector_threads: that it computes with.
            start: seconds from which on.
            end: seconds before which.
            every_frame: whether the detector looks at every frame of a video.
            report: told how far a video has been looked at.
            force: index anew what is there, and replace a clip of that name from another source.

        Returns:
            The entries of all clips of the source, new or not.
        """
        options = ReadingOptions(
            detector, names, fps, best, size, device, detector_threads, start, end, every_frame
        )
        if isinstance(source, Clip):
            return [self._add(source, name or source.name, options, force)]
        tasks = self.plan([source], name=name, **vars(options), report=report, force=force)
        done = {t.origin.key: index_one(self.url, t, report) for t in tasks if t.state != THERE}
        return [done.get(t.origin.key) or self.entry(t.origin.name) for t in tasks]

    def plan(
        self,
        sources: Iterable[str | Path],
        *,
        name: str | None = None,
        detector: str | Path | None = None,
        names: Names | None = None,
        fps: float | None = None,
        best: int | None = None,
        size: tuple[int, int] | None = None,
        device: str | None = None,
        detector_threads: int | None = None,
        start: float | None = None,
        end: float | None = None,
        every_frame: bool | None = None,
        report: Report = silent,
        force: bool = False,
    ) -> list[Task]:
        """What is to be done to index files and folders; nothing is done yet.

        The arguments are those of `add`. Tasks that are not "there" are for `index_one`.
        """
        options = ReadingOptions(
            detector, names, fps, best, size, device, detector_threads, start, end, every_frame
        )
        entries = self.entries()
        planner = Planner(entries, force, self.sound)
        tasks = plan(sources, planner, options, name=name, report=report)
        there = {task.origin.name for task in tasks if task.state == THERE}
        for entry in entries:
            if entry.name in there and end is None:
                warn_if_cut_off(entry.source, entry.seconds, entry.duration, entry.fps)
        return tasks

    def remove(self, name: str) -> None:
        """Remove a clip."""
        place = self.entry(name).origin.place
        files = [e for e in self._manifest.entries().values() if e.origin.place == place]
        # The latest goes last: if this is interrupted, no earlier one takes its place.
        for entry in sorted(files, key=lambda e: (e.origin.generation, e.file)):
            _remove(self._folder, entry.file)

    def refresh(self) -> None:
        """Bring the manifest up to date, for whoever opens the library next."""
        self._manifest.entries()
        self._manifest.write()

    def check(self, age: float = HOUR) -> list[Fault]:
        """What is not in order; every clip is read, and every source that is still there.

        Args:
            age: seconds from which on a temporary file is one that nobody writes any more.
        """
        found = list(damaged(self._folder))
        broken = {problem.what for problem in found}
        listed = self._manifest.entries()
        entries = {file: entry for file, entry in listed.items() if file not in broken}
        found += leftovers(self._folder, entries, age)
        found += behind(self._folder, listed)
        return [*found, *astray(entries)]

    def repair(self, age: float = HOUR) -> list[Fault]:
        """Remove what is damaged or left over and write the manifest; say what was put right.

        Index the sources again to complete the library.
        """
        found = list(damaged(self._folder))
        for problem in found:
            _remove(self._folder, problem.what)
        entries = self._manifest.entries()
        for problem in leftovers(self._folder, entries, age):
            _remove(self._folder, problem.what)
            found.append(problem)
        entries = self._manifest.entries()
        found += behind(self._folder, entries)
        if entries or found:
            self._manifest.write()
        return found

    def _add(self, clip: Clip, name: str, options: ReadingOptions, force: bool) -> Entry:
        if given := sorted(options.given()):
            raise LibraryError(f"{name}: a clip does not take {given[0]}=; leave it out")
        origin = Origin(name, CLIP, None, clip.sha256, {})
        task = Planner(self.entries(), force, self.sound).named(Task(origin))
        return (
            self.entry(name) if task.state == THERE else _keep(self._folder, task, table_of(clip))
        )

    def _read(self, entry: Entry) -> Clip:
        table = Table.of(Path(entry.file), read_rows(self._folder, entry.file))
        return replace(clip_of(table), name=entry.name)


def index_one(url: str, task: Task, report: Report = silent) -> Entry:
    """Look at one clip and keep it in a library; any process may do so, and several at once.

    Args:
        url: of the library.
        task: of `Store.plan`.
        report: told how far a video has been looked at.
    """
    folder, origin = Folder(url), task.origin
    try:
        # Somebody else was quicker.
        sound(folder, origin.file)
        return _entry(folder, origin.file)
    except (FileNotFoundError, LibraryError):
        pass
    if is_video(origin.path):
        scan = scan_video(origin.path, **task.options, settings=origin.scan_settings, report=report)
        table = scan.table
    else:
        table = table_of(load_clip(origin.path, video=origin.video, **task.options))
    return _keep(folder, task, table)


def _keep(folder: Folder, task: Task, table: Any) -> Entry:
    """Write a clip and its things, and only then remove those that it replaces."""
    file = task.origin.file
    folder.remove(thing_name(file))  # of another clip that had this name, if any
    folder.put(file, pack(table, task.origin))
    for old in task.replaces:
        _remove(folder, old)
    entry = _entry(folder, file)
    things = thing_table(clip_of(Table.of(Path(file), read_rows(folder, file))), RATE)
    if things is not None:
        _keep_things(folder, entry, things)
    return entry


def _keep_things(folder: Folder, entry: Entry, things: ThingTable) -> None:
    """Keep what can be made again, where there is room and one may write."""
    with suppress(SentrackError):
        folder.put(thing_name(entry.file), pack_things(things, entry.bytes))


def _remove(folder: Folder, file: str) -> None:
    """Remove a clip with its things, these first; or another file."""
    if FILE.fullmatch(file):
        folder.remove(thing_name(file))
    folder.remove(file)


def _entry(folder: Folder, file: str) -> Entry:
    facts = read_facts(folder, file)
    return entry_of(file, folder.size(file), facts)
