"""Time, memory and threads that a solver may use."""

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """How far a solver may go.

    Attributes:
        memory: bytes.
        deadline: on the clock of time.monotonic.
    """

    memory: int
    deadline: float

    @classmethod
    def of(cls, time_limit: float | None, memory_limit: int | None) -> "Limits":
        """Limits in seconds from now and in bytes; by default none, and half of what is free."""
        return cls(
            free_memory() // 2 if memory_limit is None else memory_limit,
            float("inf") if time_limit is None else time.monotonic() + time_limit,
        )

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, which may have passed."""
        return self.deadline - time.monotonic()


def free_memory() -> int:
    """Bytes that can be had without swapping, within the limits of a container."""
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
    parts = min(size, _cores())
    edges = [size * i // parts for i in range(parts + 1)]
    tasks: Iterable[object] = _pool().map(work, edges[:-1], edges[1:])
    for _ in tasks:
        pass


@cache
def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_cores(), thread_name_prefix="sentrack")


# A forked child has the pool but not its threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _field(path: str, name: str) -> int | None:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), None)
