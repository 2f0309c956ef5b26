"""What a library knows of a clip without reading it: where it came from, and what is in it.

Nothing in a file ever changes; a clip that is looked at anew gets another file of a later
generation.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sentrack.cache import digest
from sentrack.library.folder import LibraryError
from sentrack.vision import SURE, most_seen

FILE = re.compile(r"[\w-]+\.[0-9a-f]{20}\.parquet", re.ASCII)
CLIP = "clip"  # the source of a clip that came from no file


@dataclass(frozen=True)
class Origin:
    """Where a clip came from and how it was looked at.

    Attributes:
        name: of the clip in the library.
        source: the full path of the file, or "clip"; bytes that are no text are escaped.
        video: which video of the file, if it names any.
        sha256: of the content of the source.
        settings: what else decides on what is seen: detector, its fingerprint, rate, ...
        generation: 1, and one more each time that the clip is looked at anew.
        raw: the bytes of the path in hexadecimal, where they are no text.
    """

    name: str
    source: str
    video: str | None
    sha256: str
    settings: dict[str, Any]
    generation: int = 1
    raw: str | None = None

    @property
    def path(self) -> Path:
        """The file that it came from."""
        return Path(self.source if self.raw is None else os.fsdecode(bytes.fromhex(self.raw)))

    @cached_property
    def key(self) -> str:
        """The same for the same content and settings."""
        return digest([self.sha256, self.video, self.settings])

    @property
    def scan_settings(self) -> dict[str, Any]:
        """Under which the scan of a video is kept; see `sentrack.vision.scan.scan_video`."""
        return {"sha256": self.sha256, **self.settings}

    @property
    def place(self) -> tuple[str, str, str]:
        """What a later generation has in common with an earlier one."""
        return self.name, self.source, self.video or ""

    @property
    def file(self) -> str:
        """The name of the file: readable, and another one for everything that differs."""
        slug = re.sub(r"[^\w-]+", "-", self.name, flags=re.ASCII).strip("-")[:60] or CLIP
        return f"{slug}.{digest([*self.place, self.key, self.generation])[:20]}.parquet"


class Presence(NamedTuple):
    """How much of a class is in a clip.

    Attributes:
        frames: that have a candidate of it.
        best: of their scores.
        sure: frames in which it was surely detected; see `surely`. Files of version 0.1.0 do not
            tell.
    """

    frames: int
    best: float
    sure: int | None = None


class _Basics(msgspec.Struct):
    """What is soon read of what a file says of its clip."""

    origin: Origin
    version: str
    frames: int
    seconds: float
    width: float
    height: float
    fps: float


class Facts(_Basics):
    """What a file says of its clip, as `pack` writes it."""

    classes: tuple[str, ...]
    present: dict[str, Presence]
    duration: float | None = None


class _Outline(_Basics):
    """The same, with what takes long to read left for later."""

    classes: msgspec.Raw
    present: msgspec.Raw
    duration: float | None = None


FACTS = msgspec.json.Decoder(Facts)
_OUTLINE = msgspec.json.Decoder(_Outline)
_PRESENT = msgspec.json.Decoder(dict[str, Presence])


@lru_cache(maxsize=64)
def _class_names(text: bytes) -> tuple[str, ...]:
    """The classes of a detector, which many clips have in common."""
    return msgspec.json.decode(text, type=tuple[str, ...])


@dataclass(frozen=True)
class Entry:
    """What a library knows of a clip.

    Attributes:
        name: by which it is asked for.
        origin: where it came from; under the name that it was given.
        seconds: how long it lasts.
        T: number of frames.
        size: width and height of a frame, in pixels.
        fps: source frames per second.
        classes: what is in it, by class.
        known: all classes that the detector knows.
        version: of sentrack that wrote it.
        file: in the folder of the library.
        bytes: of that file.
        duration: seconds that its video should last, where that says so.
    """

    name: str
    origin: Origin
    seconds: float
    T: int
    size: tuple[int, int]
    fps: float
    classes: dict[str, Presence]
    known: tuple[str, ...] = field(repr=False)
    version: str
    file: str
    bytes: int
    duration: float | None = None

    def __getattr__(self, name: str) -> Any:
        """What `entry_of` left for later, when it is first asked for: most never are."""
        own = self.__dict__
        try:
            if name == "classes" and "_classes" in own:
                own[name] = _PRESENT.decode(own["_classes"])
            elif name == "known" and "_known" in own:
                own[name] = _class_names(bytes(own["_known"]))
            else:
                raise AttributeError(name)
        except ValueError as error:
            raise senseless(self.file, error) from None
        return own[name]

    @property
    def key(self) -> str:
        """The same for the same content and settings."""
        return self.origin.key

    @property
    def source(self) -> str:
        """The full path of the file it came from, or "clip"."""
        return self.origin.source

    @property
    def path(self) -> Path:
        """The file it came from, to be opened."""
        return self.origin.path

    @property
    def detector(self) -> str | None:
        """The name of the detector, for a video."""
        found: str | None = self.origin.settings.get("detector")
        return found

    @property
    def seen(self) -> dict[str, int]:
        """The classes that are surely there, by the frames that show them; see `seen_classes`."""
        counts = [
            (
                name,
                (there.frames if there.best >= SURE else 0) if there.sure is None else there.sure,
            )
            for name, there in self.classes.items()
        ]
        return most_seen(counts, self.T, self.seconds)

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON; of the classes, only those that are seen."""
        return {
            "name": self.name,
            "seconds": self.seconds,
            "frames": self.T,
            "width": self.size[0],
            "height": self.size[1],
            "fps": self.fps,
            "classes": {name: there._asdict() for name, there in self.classes.items()},
            "seen": self.seen,
            "source": self.source,
            "video": self.origin.video,
            "sha256": self.origin.sha256,
            "settings": self.origin.settings,
            "key": self.key,
            "version": self.version,
            "file": self.file,
            "bytes": self.bytes,
        }


def entry_of(file: str, size: int, text: str) -> Entry:
    """An entry from the facts of a file.

    Raises:
        LibraryError: they are not those of a clip.
    """
    try:
        facts = _OUTLINE.decode(text)
    except (ValueError, RecursionError) as error:
        raise senseless(file, error) from None
    # A library may have very many of them, and each is made but once.
    entry = object.__new__(Entry)
    entry.__dict__.update(
        name=facts.origin.name,
        origin=facts.origin,
        seconds=facts.seconds,
        T=facts.frames,
        size=(int(facts.width), int(facts.height)),
        fps=facts.fps,
        _classes=facts.present,
        _known=facts.classes,
        version=facts.version,
        file=file,
        bytes=size,
        duration=facts.duration,
    )
    return entry


def senseless(file: str, error: Exception) -> LibraryError:
    """What is told of a file whose facts are not those of a clip."""
    return LibraryError(f"{file}: what it says of the clip makes no sense: {error}")


def current(entries: Iterable[Entry]) -> list[Entry]:
    """The latest generation of every clip, sorted by name, under names that all differ.

    Of two clips by one name, which two indexers may add at once, the second by source is numbered.
    """
    latest: dict[tuple[str, str, str], Entry] = {}
    for entry in entries:
        place = entry.origin.place
        other = latest.setdefault(place, entry)
        if (entry.origin.generation, entry.file) > (other.origin.generation, other.file):
            latest[place] = entry
    taken = {name for name, _, _ in latest}
    found: dict[str, Entry] = {}
    for _, entry in sorted(latest.items()):
        name = entry.name if entry.name not in found else unused(entry.name, taken)
        taken.add(name)
        found[name] = entry if name == entry.name else replace(entry, name=name)
    return [found[name] for name in sorted(found)]


def unused(name: str, taken: Iterable[str]) -> str:
    """The name itself, or the first of name-2, name-3, ... that is not taken."""
    number, chosen = 2, name
    while chosen in taken:
        chosen, number = f"{name}-{number}", number + 1
    return chosen
