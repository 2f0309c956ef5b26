"""Time, memory and threads that a solver may use."""

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

# Operations of one call of a kernel, where it can be split; the clock is looked at in between.
CHUNK = 1e8
# Operations per second until some have been timed, and how many are enough to time.
PACE = 2e9
TIMED = 1e7
# What the names of threads begin with.
THREAD = "sentrack-kernel"


class OutOfTime(Exception):  # noqa: N818 - it is no error: what was found by then is the answer
    """The deadline has passed, or would pass before the next piece of work is done.

    Attributes:
        upper_bound: what was proven by then, of all that was being bounded.
    """

    upper_bound = math.inf


class Limits:
    """How far a solver may go.

    Args:
        memory: bytes for messages.
        deadline: on the clock of time.monotonic.
    """

    def __init__(self, memory: int, deadline: float = math.inf) -> None:
        self.memory, self.deadline = memory, deadline
        self._pace = PACE

    @classmethod
    def of(cls, time_limit: float | None, memory_limit: int | None) -> "Limits":
        """Limits in seconds from now and in bytes; by default none, and half of what is free."""
        return cls(
            free_memory() // 2 if memory_limit is None else memory_limit,
            math.inf if time_limit is None else time.monotonic() + time_limit,
        )

    def affords(self, operations: float) -> bool:
        """Whether so many operations, at the pace of the last ones, end before the deadline."""
        return (
            self.deadline == math.inf or time.monotonic() + operations / self._pace < self.deadline
        )

    @contextmanager
    def spend(self, operations: float) -> Iterator[None]:
        """Do a piece of work and learn from it how fast this machine is.

        Raises:
            OutOfTime: before the work, if it would not be done in time.
        """
        if not self.affords(operations):
            raise OutOfTime
        start = time.monotonic()
        yield
        if operations >= TIMED:
            self._pace = operations / max(time.monotonic() - start, 1e-9)


def free_memory() -> int:
    """Bytes that can be had without swapping, within the limits of a container.

    The system is asked ten times a second at most: that takes a part of what small problems do.
    """
    return _free_memory(int(10 * time.monotonic()))


@lru_cache(maxsize=1)
def _free_memory(_: int) -> int:
    available = _field("/proc/meminfo", "MemAvailable:")
    if available is None:
        # Elsewhere than on Linux: half of what is installed, or a modest guess.
        try:
            available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        except (AttributeError, ValueError):
            available = 4 << 30
    else:
        available *= 1024
    try:
        quota = int(Path("/sys/fs/cgroup/memory.max").read_text())
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
    except (OSError, ValueError):
        return available
    return max(0, min(available, quota - used))


def in_parallel(work: Callable[[int, int], object], size: int) -> None:
    """Call work(lo, hi) on equal parts of range(size), one per core, and wait for all."""
    _split(work, 0, size)


def in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Call work(item) for all items, on all cores, and wait for all.

    What an item gives must not depend on others. Work that is split further stays on its core.
    """
    todo = list(items)
    if len(todo) < 2 or in_thread():
        return [work(item) for item in todo]
    tasks = [_pool().submit(work, item) for item in todo]
    try:
        wait(tasks)
    except KeyboardInterrupt:
        for task in tasks:
            task.cancel()
        raise
    return [task.result() for task in tasks]


def in_pieces(
    work: Callable[[int, int], object], size: int, operations: float, limits: Limits
) -> None:
    """The same, piece by piece, with a look at the clock before each.

    Args:
        work: called with parts of range(size).
        size: of the range.
        operations: of all of it.
        limits: with the deadline.

    Raises:
        OutOfTime: before a piece that would not be done in time.
    """
    pieces = min(size, math.ceil(operations / (CHUNK * _cores())) or 1)
    for i in range(pieces):
        with limits.spend(operations / pieces):
            _split(work, size * i // pieces, size * (i + 1) // pieces)


def _split(work: Callable[[int, int], object], first: int, last: int) -> None:
    if in_thread():
        work(first, last)
        return
    size = last - first
    parts = min(size, _cores())
    edges = [first + size * i // parts for i in range(parts + 1)]
    tasks: Iterable[object] = _pool().map(work, edges[:-1], edges[1:])
    for _ in tasks:
        pass


def in_thread() -> bool:
    """Whether this is one of the threads, which would wait for itself."""
    return threading.current_thread().name.startswith(THREAD)


@cache
def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_cores(), thread_name_prefix=THREAD)


# A forked child has the pool but not its threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _field(path: str, name: str) -> int | None:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), None)
