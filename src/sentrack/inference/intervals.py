"""When: the interval of frames in which Eq. 4 is largest, by free start and free end.

If the terms are log-ratios against a background, frames that depict the sentence add to the score
and others take from it, so that the best interval says when it happens, as the best local alignment
does of two sequences. Instead of trying intervals, every track gets two more candidates, *before*
and *after*, and every word one more state, *outside*, all worth nothing. A word is outside while
its tracks are before or after, all in one phase, so the best answer of this larger problem is the
best interval, whatever method finds it, with its bound (`opening`).
"""

import heapq
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sentrack.inference.errors import Infeasible
from sentrack.inference.methods import Auto, Growth
from sentrack.inference.opening import Final, as_problem, inside, leave, opened
from sentrack.inference.problem import Derived, Problem, TrackTerms
from sentrack.inference.solution import Solution
from sentrack.inference.solver import Method, solve, solved
from sentrack.inference.terms import problem_labels


@dataclass(frozen=True, eq=False)
class Interval:
    """The frames first to last - 1, and what is best there.

    Attributes:
        first: first frame.
        last: the frame after the last one.
        solution: tracks (L, last - first) and states (W, last - first); its upper bound holds for
            every interval that could have been chosen.
    """

    first: int
    last: int
    solution: Solution


def best_interval(
    problem: Problem,
    final: Final = None,
    method: str | Method = "auto",
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
) -> Interval:
    """Find the interval, of one frame at least, whose own Eq. 4 is largest.

    Args:
        problem: terms of all frames; log-ratios, so that more frames are not just worse.
        final: per word (K,), in which states it may end; all if left out.
        method: as of `solve`; also the limits.
        seed: of the methods that start at random.
        time_limit: seconds.
        memory_limit: bytes.

    Raises:
        Infeasible: when no interval has a finite score.
        ProblemTooLarge: when `viterbi` would exceed the memory limit.
    """
    limits = seed, time_limit, memory_limit
    method = Auto() if method == Auto.name else method
    if isinstance(method, Auto):
        method = replace(method, inside=partial(inside, problem))
    if method == Growth.name or isinstance(method, Growth):
        found = _grown(problem, final, method, *limits)
    else:
        found = solved(partial(opened, problem, final), method, *limits)
    if found.score == -np.inf:
        return _first_frames(problem, final, found)
    within = np.flatnonzero(found.tracks[0] < problem.sizes[0])
    first, last = int(within[0]), int(within[-1]) + 1
    solution = replace(
        found,
        tracks=found.tracks[:, first:last],
        states=found.states[: problem.W, first:last],
    )
    return Interval(first, last, solution)


def _grown(
    problem: Problem,
    final: Final,
    method: str | Method,
    seed: int,
    time_limit: float | None,
    memory_limit: int | None,
) -> Solution:
    """The same of `growth`, which needs a problem."""
    (terms,) = opened(problem, final).components
    found = solve(as_problem(terms), method, seed, time_limit, memory_limit)
    labels = np.zeros_like(terms.sizes)
    of_tracks = terms.chain < terms.L
    labels[of_tracks] = found.tracks[terms.chain[of_tracks]]
    states = np.zeros((problem.W, problem.T), dtype=np.int64)
    for word, own in zip(terms.word.tolist(), found.states, strict=True):
        if word < problem.W:
            states[word] = own
    tracks = problem_labels(terms, labels)[np.argsort(terms.chain)][: problem.L]
    return replace(found, tracks=tracks, states=states)


def _first_frames(problem: Problem, final: Final, found: Solution) -> Interval:
    """The first frames, as few as words can end in, where nothing was found in time.

    It is an answer, worth what it is.
    """
    n = min(problem.T, max((_fewest(problem, w, final) for w in range(problem.W)), default=1))
    try:
        first = solve(ended(between(problem, 0, n), final), time_limit=0.0)
    except Infeasible:
        tracks = np.array([[problem.unary(i, 0).argmax()] for i in range(problem.L)])
        states = np.array([problem.initial(w).argmax() for w in range(problem.W)], dtype=np.int64)
        return Interval(0, 1, replace(found, tracks=tracks, states=states.reshape(-1, 1)))
    bound = max(first.score, found.upper_bound)
    return Interval(0, n, replace(first, upper_bound=bound, seconds=found.seconds))


def _fewest(problem: Problem, w: int, final: Final) -> int:
    """The least number of frames in which a word can begin and end."""
    reached, goes_on = problem.initial(w) > -np.inf, problem.transition(w) > -np.inf
    end = leave(problem, w, final) == 0
    frames = 1
    while not (reached & end).any() and frames < problem.T:
        reached, frames = np.asarray(goes_on[reached].any(axis=0)), frames + 1
    return frames


def ended(problem: Problem, final: Final) -> Problem:
    """The problem with words that end in some of their states only."""
    words = []
    for w, word in enumerate(problem.words):
        *before, last = (problem.emission(w, t) for t in range(problem.T))
        ends = leave(problem, w, final).reshape(-1, *[1] * (last.ndim - 1))
        words.append(replace(word, emission=[*before, last + ends]))
    return Problem(problem.tracks, words)


def best_intervals(
    problem: Problem,
    count: int,
    final: Final = None,
    least: float = -np.inf,
    method: str | Method = "auto",
    seed: int = 0,
) -> list[Interval]:
    """The best interval, then the best of those that do not overlap it, and so on.

    There may be none at all.

    Args:
        problem: terms of all frames.
        count: how many at most.
        final: per word (K,), in which states it may end.
        least: score below which an interval is not wanted.
        method: as of `solve`.
        seed: of the methods that start at random.
    """
    waiting: list[tuple[float, int, int, Interval]] = []

    def look(first: int, last: int) -> None:
        if first < last:
            part = between(problem, first, last)
            try:
                best = best_interval(part, final, method, seed)
            except Infeasible:  # it is too short
                return
            best = Interval(best.first + first, best.last + first, best.solution)
            if best.solution.score >= least:
                heapq.heappush(waiting, (-best.solution.score, first, last, best))

    look(0, problem.T)
    found: list[Interval] = []
    while waiting and len(found) < count:
        _, first, last, best = heapq.heappop(waiting)
        found.append(best)
        look(first, best.first)
        look(best.last, last)
    return found


def between(problem: Problem, first: int, last: int) -> Problem:
    """The problem of the frames first to last - 1 alone."""
    here, later = range(first, last), range(first + 1, last)
    return Problem(
        [
            TrackTerms(
                Derived(problem.unary(i, t) for t in here),
                Derived(problem.pairwise(i, t) for t in later),
            )
            for i in range(problem.L)
        ],
        [
            replace(word, emission=Derived(problem.emission(w, t) for t in here))
            for w, word in enumerate(problem.words)
        ],
    )
