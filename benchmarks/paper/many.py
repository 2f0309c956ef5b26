"""The same for many things, on all cores."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

from benchmarks.paper.journal import Journal
from sentrack.progress import Report

In = TypeVar("In")
Out = TypeVar("Out")

FEW = 8  # things that one process does sooner than several get ready


def each_once(
    function: Callable[[In], Any],
    things: Mapping[str, In],
    journal: Journal,
    report: Report,
    stage: str,
) -> list[Any]:
    """The results in order, as JSON has them; those that a journal has are not computed again."""
    new = {key: thing for key, thing in things.items() if key not in journal}
    found = each(function, list(new.values()), report, stage)
    for key, result in zip(new, found, strict=True):
        journal.keep(key, result)
    return [journal[key] for key in things]


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
