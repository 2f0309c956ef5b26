"""When: the interval of frames in which Eq. 4 is largest, by free start and free end.

If the terms are log-ratios against a background, frames that depict the sentence add to the score
and others take from it, so that the best interval says when it happens, as the best local alignment
does of two sequences. Instead of trying intervals, every track gets two more candidates, *before*
and *after*, and every word one more state, *outside*, all worth nothing. A word is outside while
its tracks are before or after, all in one phase, so the best answer of this larger problem is the
best interval, whatever method finds it, with its bound.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sentrack.inference.errors import Infeasible
from sentrack.inference.problem import Array, Derived, Problem, TrackTerms, WordTerms
from sentrack.inference.solution import Solution
from sentrack.inference.solver import Method, solve

Final = Sequence[npt.ArrayLike] | None


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
    found = solve(opened(problem, final), method, seed, time_limit, memory_limit)
    if found.score == -np.inf:
        return _first_frames(problem, final, found)
    inside = np.flatnonzero(found.tracks[0] < problem.sizes[0])
    first, last = int(inside[0]), int(inside[-1]) + 1
    solution = replace(
        found,
        tracks=found.tracks[:, first:last],
        states=found.states[: problem.W, first:last],
    )
    return Interval(first, last, solution)


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
    end = _leave(problem, w, final) == 0
    frames = 1
    while not (reached & end).any() and frames < problem.T:
        reached, frames = np.asarray(goes_on[reached].any(axis=0)), frames + 1
    return frames


def ended(problem: Problem, final: Final) -> Problem:
    """The problem with words that end in some of their states only."""
    words = []
    for w, word in enumerate(problem.words):
        *before, last = (problem.emission(w, t) for t in range(problem.T))
        leave = _leave(problem, w, final).reshape(-1, *[1] * (last.ndim - 1))
        words.append(replace(word, emission=[*before, last + leave]))
    return Problem(problem.tracks, words)


def _leave(problem: Problem, w: int, final: Final) -> Array:
    """(K,): 0 for the states in which a word may end, -inf for others."""
    end = np.ones(problem.states(w)) if final is None else final[w]
    return np.where(np.asarray(end, dtype=np.bool_), 0.0, -np.inf)


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


def opened(problem: Problem, final: Final = None) -> Problem:
    """The problem with free start and end: candidates J_t and J_t + 1 are *before* and *after*."""
    every, shares = range(problem.T), _shares(problem)
    # Participants of one noun have the same coherence: it stays the same.
    first = {id(track.pairwise): i for i, track in enumerate(problem.tracks)}
    coherence = {
        key: Derived(_pairwise(problem.pairwise(i, t)) for t in every[1:])
        for key, i in first.items()
    }
    tracks = [
        TrackTerms(
            Derived(_unary(problem.unary(i, t) + shares[i, t], t, problem.T) for t in every),
            coherence[id(track.pairwise)],
        )
        for i, track in enumerate(problem.tracks)
    ]
    words = []
    for w in range(problem.W):
        if problem.states(w) == 1 and not problem.initial(w)[0] and not problem.transition(w)[0, 0]:
            # It has no time of its own: its tracks know when.
            joined = Derived(_joined(problem.emission(w, t)[0])[None] for t in every)
            words.append(WordTerms([0.0], [[0.0]], joined, problem.link(w)))
            continue
        leave = _leave(problem, w, final)
        chain = _chain(problem.initial(w), problem.transition(w), leave)
        emission = Derived(_emission(problem.emission(w, t)) for t in every)
        emission[-1][: len(leave)] += leave.reshape(-1, *[1] * len(problem.link(w)))
        words.append(WordTerms(*chain, emission, problem.link(w)))
    return Problem(tracks, [*words, *_ties(problem)])


def _shares(problem: Problem) -> Array:
    """(L, T): what to add to the candidates of every track, which sums to nothing over the tracks.

    All tracks are inside in the same frames, so that this changes no score. Where one track alone
    had all that a frame is worth, it would be inside while the others, each by itself, are not:
    bounds are tighter if all can gain about as much.
    """
    every = range(problem.T)
    most = np.array([[problem.unary(i, t).max() for t in every] for i in range(problem.L)])
    for w in range(problem.W):
        link = problem.link(w)
        most[list(link)] += np.array([problem.emission(w, t).max() for t in every]) / len(link)
    most[:, ~np.isfinite(most).all(axis=0)] = 0.0
    return np.asarray(most.mean(axis=0) - most)


def _unary(f: Array, t: int, T: int) -> Array:
    """One frame is inside at least: the last one is not before, and the first one not after."""
    return np.concatenate([f, [0.0 if t < T - 1 else -np.inf, 0.0 if t > 0 else -np.inf]])


def _pairwise(g: Array) -> Array:
    wide = np.full([n + 2 for n in g.shape], -np.inf)
    wide[:-2, :-2] = g
    wide[:-2, -1] = 0.0  # it ends
    wide[-2, :-1] = 0.0  # it has not started yet, or starts
    wide[-1, -1] = 0.0
    return wide


def _chain(initial: Array, transition: Array, leave: Array) -> tuple[Array, Array]:
    """(K+1,) and (K+1, K+1): a word starts in its initial states whenever it does.

    That it does so once is up to its tracks, which come inside once.
    """
    K = len(initial)
    wide = np.zeros((K + 1, K + 1))
    wide[:K, :K] = transition
    wide[:K, K] = leave
    wide[K, :K] = initial
    return np.append(initial, 0.0), wide


def _emission(h: Array) -> Array:
    """(K+1, J+2, ...): a word is outside while all its tracks are before, or all after."""
    wide = np.full([len(h) + 1, *(n + 2 for n in h.shape[1:])], -np.inf)
    wide[tuple(slice(n) for n in h.shape)] = h
    for phase in (-2, -1):
        wide[(-1, *[phase] * (h.ndim - 1))] = 0.0
    return wide


def _joined(h: Array) -> Array:
    """(J+2, ...): what a word of one state says, while all its tracks are in one phase."""
    wide = np.full([n + 2 for n in h.shape], -np.inf)
    wide[tuple(slice(n) for n in h.shape)] = h
    for phase in (-2, -1):
        wide[(phase,) * h.ndim] = 0.0
    return wide


def _ties(problem: Problem) -> list[WordTerms]:
    """Words that say nothing but keep tracks in one phase that no word holds together."""
    group = list(range(problem.L))
    for w in range(problem.W):
        joined = {group[p] for p in problem.link(w)}
        group = [min(joined) if g in joined else g for g in group]
    ties = []
    for other in sorted(set(group) - {group[0]}):
        sizes = problem.sizes[[0, other]].T
        phases = Derived(_joined(np.zeros(pair))[None] for pair in sizes)
        ties.append(WordTerms([0.0], [[0.0]], phases, (0, other)))
    return ties
