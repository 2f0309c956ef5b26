"""Files that are written whole or not at all, and marks that tell whether one has changed."""

import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sentrack.errors import SentrackError

Mark = tuple[int, int, int, int]  # device, inode, bytes, and nanoseconds of the last change


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its name when all went well, and else vanishes.

    The temporary name ends like the final one, for writers that go by the suffix.

    Raises:
        SentrackError: the file cannot be written: no such folder, no right to, no space.
    """
    path = Path(path)
    temporary = path.with_name(f".{uuid.uuid4().hex[:12]}.{path.name}")
    try:
        yield temporary
        # On the disk first, and only then by its name: a machine may stop at any moment.
        _flush(temporary)
        temporary.replace(path)
        _flush(path.parent)
    except OSError as error:
        text = os.strerror(error.errno) if error.errno else str(error)
        raise SentrackError(f"{path}: it cannot be written: {text}") from None
    finally:
        temporary.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Have a file or the names in a folder on the disk; not all systems can open a folder."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def new(path: Path | None, force: bool) -> None:
    """Refuse to overwrite a file unless told to."""
    if path is not None and path.exists() and not force:
        raise SentrackError(f"{path} exists; use --force to overwrite it")


def free(path: Path) -> Path:
    """The path itself, or if it is taken the first of name-2, name-3, ... that is not."""
    number, chosen = 2, path
    while chosen.exists():
        chosen, number = path.with_stem(f"{path.stem}-{number}"), number + 1
    return chosen


def mark(path: str | Path) -> Mark | None:
    """The mark of a regular file, another one if its content may differ; None of anything else."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
