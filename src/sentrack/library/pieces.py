"""The pieces of a long video as work for several processes; see `sentrack.vision.scan.pieces`."""

from typing import Any

from sentrack.extras import requires
from sentrack.library.index_plan import Task
from sentrack.vision import is_video


def pieces_left(task: Task) -> list[int]:
    """The numbers of the pieces to be scanned before a clip is indexed; none of a short video."""
    if not is_video(task.origin.path):
        return []
    with requires("sentrack[video]"):
        from sentrack.vision.scan import pieces_left
    return pieces_left(task.origin.path, _settings(task), *_span(task))


def scan_piece(task: Task, number: int) -> bytes:
    """Scan a piece; what `keep_piece` takes, on the machine that is going to index the clip."""
    with requires("sentrack[video]"):
        from sentrack.vision.scan import scan_piece
    known = ("fps", "best", "every_frame")  # by the settings
    options = {key: value for key, value in task.options.items() if key not in known}
    return scan_piece(task.origin.path, number, _settings(task), **options)


def keep_piece(task: Task, number: int, content: bytes) -> None:
    """Keep a piece until the clip is indexed."""
    with requires("sentrack[video]"):
        from sentrack.vision.scan import keep_piece
    keep_piece(_settings(task), *_span(task), number, content)


def _settings(task: Task) -> dict[str, Any]:
    return task.origin.scan_settings


def _span(task: Task) -> tuple[float | None, float | None]:
    return task.options.get("start"), task.options.get("end")
