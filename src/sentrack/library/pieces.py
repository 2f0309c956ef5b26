"""The pieces of a long video as work for several processes; see `sentrack.vision.scan.pieces`."""

from dataclasses import dataclass
from typing import Any

from sentrack.errors import SentrackError
from sentrack.extras import requires
from sentrack.library.index_plan import Task
from sentrack.vision import is_video

FRAMES_A_CALL = 50  # that it takes about as long to look at as to read a clip of detections


@dataclass(frozen=True)
class Work:
    """What is left to be done of a task.

    Attributes:
        task: to be done.
        pieces: numbers of those to be scanned before the clip is indexed; none of a short video.
        frames: to be looked at, about.
    """

    task: Task
    pieces: tuple[int, ...] = ()
    frames: int = 0

    @property
    def calls(self) -> int:
        """About how many short ones take as long; see `sentrack.workers.open_executor`."""
        return 1 + self.frames // FRAMES_A_CALL


def work_left(task: Task) -> Work:
    """What is left to be done of a task."""
    if not is_video(task.origin.path):
        return Work(task)
    with requires("sentrack[video]"):
        from sentrack.vision.scan import left_of
    try:
        return Work(task, *left_of(task.origin.path, _settings(task), *_span(task)))
    except SentrackError:  # whoever indexes it meets that again
        return Work(task)


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
