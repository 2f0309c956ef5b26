"""What sentrack can make or fetch again: the folder that keeps it, and how files are told apart."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from sentrack.errors import SentrackError


def cache_folder() -> Path:
    """Where sentrack keeps what it can make or fetch again; $SENTRACK_CACHE goes first."""
    if chosen := os.environ.get("SENTRACK_CACHE"):
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("sentrack", appauthor=False)


def make(folder: Path) -> None:
    """Make a folder of the cache, before what is to be kept there costs any time.

    Raises:
        SentrackError: it cannot be made; the message says what to do.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = f"the cache cannot be made: {error.strerror}; $SENTRACK_CACHE names another folder"
        raise SentrackError(f"{folder}: {text}") from None


def checksum(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise SentrackError(f"{file}: it cannot be read: {error.strerror}") from None


def digest(value: Any) -> str:
    """32 hexadecimal digits, the same for the same JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
