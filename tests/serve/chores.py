"""Jobs for workers that are not about videos."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

from sentrack.errors import SentrackError
from sentrack.serve.work import JobError


@dataclass(frozen=True)
class Chores:
    """What a worker can do, and what can go wrong."""

    def who(self) -> Iterator[int]:
        yield os.getpid()

    def count(self, to: int, pause: float = 0.0) -> Iterator[int]:
        for n in range(to):
            time.sleep(pause)
            yield n

    def hang(self) -> Iterator[int]:
        time.sleep(600)
        yield 0

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
