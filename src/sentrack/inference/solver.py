"""From a problem to a solution, by any of the methods."""

import time
from collections.abc import Callable
from typing import Protocol

from sentrack.inference.diagnosis import explain
from sentrack.inference.errors import Infeasible, ProblemError
from sentrack.inference.limits import Limits
from sentrack.inference.methods import Ascent, Auto, Dual, Growth, Viterbi
from sentrack.inference.problem import Problem
from sentrack.inference.solution import Solution
from sentrack.inference.terms import Answer, Reduction, reduce
from sentrack.text import unknown


class Method(Protocol):
    """What `solve` asks of a method."""

    @property
    def name(self) -> str:
        """The name that a solution carries."""
        ...

    def run(self, reduction: Reduction, limits: Limits, seed: int) -> Answer:
        """The best answer found, with an upper bound."""
        ...


METHODS: dict[str, type[Method]] = {
    method.name: method for method in (Auto, Viterbi, Dual, Ascent, Growth)
}


def solve(
    problem: Problem,
    method: str | Method = "auto",
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
) -> Solution:
    """Find the tracks and states that maximise Eq. 4.

    Args:
        problem: the terms.
        method: "auto", "viterbi", "dual", "ascent" or "growth", or a configured object of theirs.
        seed: of the methods that start at random.
        time_limit: seconds after which to answer with the best found and a bound that holds. All
            terms are read once, and an answer is made of each track by itself, however long that
            takes. An answer that was not found in time may score -inf.
        memory_limit: bytes for the messages of a lattice, beyond those of one track; by default
            half of what is free.

    Returns:
        The best answer found, with an upper bound of every possible answer.

    Raises:
        Infeasible: when no assignment has a finite score.
        ProblemTooLarge: when `viterbi` would exceed the memory limit.
        ProblemError: when there is no such method, or the values are too large to add up.
    """
    return solved(lambda: reduce(problem), method, seed, time_limit, memory_limit)


def solved(
    read: Callable[[], Reduction],
    method: str | Method,
    seed: int,
    time_limit: float | None,
    memory_limit: int | None,
) -> Solution:
    """The same of terms that are read within the time limit; labels are those of the terms."""
    start = time.perf_counter()
    solver = _method(method)
    limits = Limits.of(time_limit, memory_limit)
    reduction = read()
    try:
        answer = solver.run(reduction, limits, seed)
    except Infeasible:
        raise Infeasible(explain(reduction, limits)) from None
    return Solution(
        tracks=answer.tracks,
        states=answer.states,
        score=answer.score,
        upper_bound=answer.upper_bound,
        method=solver.name,
        seconds=time.perf_counter() - start,
    )


def _method(method: str | Method) -> Method:
    if not isinstance(method, str):
        return method
    if method not in METHODS:
        hint = unknown("method", method, METHODS)
        raise ProblemError(f"{hint} There are {', '.join(METHODS)}")
    return METHODS[method]()
