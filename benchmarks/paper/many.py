"""The same for many things, on all cores."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from sentrack.progress import Report

In = TypeVar("In")
Out = TypeVar("Out")

FEW = 8  # things that one process does sooner than several get ready


def each(
    function: Callable[[In], Out], things: Sequence[In], report: Report, stage: str
) -> Iterator[Out]:
    """The results in order; nothing is timed in there."""
    cores = len(os.sched_getaffinity(0))
    if cores == 1 or len(things) < FEW:
        for done, thing in enumerate(things, 1):
            yield function(thing)
            report(stage, done, len(things))
        return
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as pool:
        for done, result in enumerate(pool.map(function, things), 1):
            yield result
            report(stage, done, len(things))
