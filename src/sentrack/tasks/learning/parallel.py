"""Expectations of many scenes at once: one process per core, since most of the work is Python's."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from types import TracebackType
from typing import Self

from sentrack.tasks.learning.e_step import Belief, Counts, expected
from sentrack.tasks.learning.scenes import Scene

# Scenes from which on processes are worth their start.
MANY = 16
# Handed to a process at a time.
CHUNK = 8

_scenes: Sequence[Scene] = ()


class Readers:
    """Processes that know the scenes and are told the belief. Use it in a `with` statement.

    The answers come in the order of the scenes, so their sums do not depend on how many processes
    there are.
    """

    def __init__(self, scenes: Sequence[Scene], workers: int | None = None) -> None:
        self.scenes = scenes
        cores = (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
        number = workers or min(cores, 1 + len(scenes) // MANY)
        self._pool: ProcessPoolExecutor | None = None
        if number > 1:
            ways = multiprocessing.get_all_start_methods()
            context = multiprocessing.get_context("fork" if "fork" in ways else "spawn")
            self._pool = ProcessPoolExecutor(number, context, _begin, (scenes,))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def expected(self, belief: Belief) -> list[tuple[float, Counts]]:
        """The log-likelihood and the expected counts of every scene, in order."""
        if self._pool is None:
            return [expected(scene, belief) for scene in self.scenes]
        spans = [range(i, i + CHUNK) for i in range(0, len(self.scenes), CHUNK)]
        parts = self._pool.map(_some, spans, [belief] * len(spans))
        return [answer for part in parts for answer in part]


def _begin(scenes: Sequence[Scene]) -> None:
    """Know the scenes; an interrupt is for the process that started this one, and so is an end."""
    global _scenes
    _scenes = scenes
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process that is killed cannot end its own; they would wait for it for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _some(span: range, belief: Belief) -> list[tuple[float, Counts]]:
    return [expected(scene, belief) for scene in _scenes[span.start : span.stop]]
