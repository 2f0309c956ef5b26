"""Progress on the terminal: a bar for every stage, with its pace and the time left."""

from datetime import timedelta
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.text import Text

PATIENCE = 0.5  # seconds of work after which bars appear


class Bars:
    """A report that draws: give it to work that reports, in a `with` statement.

    A stage counts frames, or what it is about: clips, sentences. The bars go to stderr, appear only
    if the work lasts, and vanish when it ends. Where stderr is no terminal, nothing is printed.
    """

    def __init__(self, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self._wanted = console.is_terminal
        self._begun = monotonic()
        self._tasks: dict[str, TaskID] = {}
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            _Count(),
            _Pace(),
            console=console,
            transient=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress.live.is_started:
            self._progress.stop()

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """Say how much of a stage is done, of how much if that is known."""
        if not self._wanted:
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=None)
        task = self._tasks[stage]
        if done < self._progress.tasks[task].completed:  # the next file, with a pace of its own
            self._progress.reset(task)
        self._progress.update(task, completed=done, total=total)
        if not self._progress.live.is_started and monotonic() - self._begun > PATIENCE:
            self._progress.start()


class _Count(ProgressColumn):
    """How many are done, of how many."""

    def render(self, task: Task) -> Text:
        total = "" if task.total is None else f"/{task.total:.0f}"
        return Text(f"{task.completed:.0f}{total}")


class _Pace(ProgressColumn):
    """How many per second so far, and the time left at that pace.

    Rich's own estimate starts anew whenever the total changes, which it does while it is a guess.
    """

    def render(self, task: Task) -> Text:
        seconds = task.finished_time or task.elapsed
        if not seconds or not task.completed:
            return Text("")
        rate = task.completed / seconds
        text = f"{rate:.1f}/s"
        if task.total is not None and not task.finished:
            left = round((task.total - task.completed) / rate)
            text += f", {timedelta(seconds=left)} left"
        return Text(text)
