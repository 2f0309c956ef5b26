"""Jobs for workers that are not about videos."""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sentrack.errors import SentrackError
from sentrack.serve.errors import JobError


@dataclass(frozen=True)
class Chores:
    """What a worker can do, and what can go wrong."""

    def who(self) -> Iterator[int]:
        yield os.getpid()

    def count(self, to: int) -> Iterator[int]:
        """Numbers, each of them after some work."""
        for n in range(to):
            sum(range(100_000))
            yield n

    def gated(self, gates: list[Path]) -> Iterator[int]:
        """Numbers, each of them after somebody wrote to its gate, a named pipe."""
        for n, gate in enumerate(gates):
            with gate.open("rb", buffering=0) as pipe:
                pipe.read(1)
            yield n

    def hang(self, after: int = 0) -> Iterator[int]:
        """Some numbers, and then nothing any more."""
        yield from range(after)
        while True:
            signal.pause()

    def crash(self) -> Iterator[int]:
        yield 1
        os._exit(3)

    def refuse(self) -> Iterator[int]:
        raise JobError("it is not there", 404)
        yield

    def mistake(self) -> Iterator[int]:
        raise SentrackError("that makes no sense")
        yield

    def bug(self) -> Iterator[int]:
        yield 1 // 0

    def full(self) -> Iterator[int]:
        raise OSError(28, "No space left on device")
        yield

    def eat(self, size: int) -> Iterator[int]:
        yield len(bytearray(size))
