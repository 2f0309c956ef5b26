"""Files that are written whole or not at all."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sentrack.errors import SentrackError


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
        temporary.replace(path)
    except OSError as error:
        text = os.strerror(error.errno) if error.errno else str(error)
        raise SentrackError(f"{path}: it cannot be written: {text}") from None
    finally:
        temporary.unlink(missing_ok=True)


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
