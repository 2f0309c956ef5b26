"""A folder of files that can be made again: what was not asked for longest goes first."""

import os
import time
from contextlib import suppress
from pathlib import Path

from sentrack.cache import cache_folder, digest

CACHE_BYTES = 1 << 30  # bytes of files that are kept
KINDS = ("*.mp4", "*.jpg")  # of files that are kept, and no others are touched
HOUR = 3600.0  # seconds after which nobody writes to a temporary file any more


def picture_path(sha256: str, at: float, width: int) -> Path:
    """Where the picture of a video at a time is kept, by the content of the video."""
    return cache_folder() / "pictures" / f"{digest([sha256, round(at, 2), width])[:32]}.jpg"


def asked_for(path: Path) -> None:
    """Take note that a file was asked for; to browsers it is the same as before."""
    os.utime(path, (time.time(), path.stat().st_mtime))


def trim(folder: Path, most: int = CACHE_BYTES) -> None:
    """Remove files until the rest is not too much; others may do so at the same time."""
    found = []
    for path in (each for kind in KINDS for each in folder.glob(kind)):
        with suppress(FileNotFoundError):
            found.append((path.stat(), path))
    total = 0
    for facts, path in sorted(found, key=lambda each: -each[0].st_atime):
        draft = path.name.startswith(".")  # of somebody who writes, or was killed
        total += 0 if draft else facts.st_size
        if total > most if not draft else time.time() - facts.st_mtime > HOUR:
            path.unlink(missing_ok=True)
