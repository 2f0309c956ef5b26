"""The folder of videos that people send: what is left there by uploads that broke off."""

import time
from pathlib import Path

from sentrack.library import Store

FORSAKEN = 7200.0  # seconds after which nobody can still be looking at a video


def clear(folder: Path, sha256: str = "") -> None:
    """Remove files that no clip comes from: one by its content, and all that were left long ago.

    Args:
        folder: of the uploads, in that of the library.
        sha256: of a file that somebody gave up to send; none if left out.
    """
    if not folder.is_dir():
        return
    kept = {entry.path for entry in Store(folder.parent).entries()}
    for path in folder.iterdir():
        if path in kept or not path.is_file():
            continue
        given_up = sha256 and path.stem == sha256[: len(path.stem)]
        if given_up or time.time() - path.stat().st_mtime > FORSAKEN:
            path.unlink(missing_ok=True)
