"""Eq. 4 by brute force: every joint assignment of a small problem, scored from the raw arrays."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sentrack.inference.problem import Problem

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

LIMIT = 200_000


class Assignments(NamedTuple):
    """All N joint assignments of a problem, the last axis running over them.

    Attributes:
        tracks: (L, T, N) candidates.
        states: (W, T, N) states.
        scores: (N,) Eq. 4 of each.
    """

    tracks: Labels
    states: Labels
    scores: Array


class Partition(NamedTuple):
    """Sums over all assignments, in the layout of the package's posteriors.

    Attributes:
        log_partition: log of the sum of exp(score); -inf where nothing is feasible.
        tracks: per track and frame, (J_t,).
        states: per word, (T, K).
        transitions: per word, (T-1, K, K).
        emissions: per word and frame, (K, J_t[p1], ..., J_t[pI]).
    """

    log_partition: float
    tracks: list[list[Array]]
    states: list[Array]
    transitions: list[Array]
    emissions: list[list[Array]]


def assignments(problem: Problem) -> Assignments:
    """Enumerate and score every choice of tracks and states."""
    T = _frames(problem)
    L, W = len(problem.tracks), len(problem.words)
    radices = [len(_table(track.unary[t])) for track in problem.tracks for t in range(T)]
    radices += [len(_table(word.initial)) for word in problem.words for _ in range(T)]
    count = math.prod(radices)
    if count > LIMIT:
        raise ValueError(f"{count:,} assignments are too many to enumerate (limit {LIMIT:,})")
    labels = np.empty((len(radices), count), dtype=np.int64)
    rest = np.arange(count)
    for row, radix in zip(labels, radices, strict=True):
        rest, row[:] = np.divmod(rest, radix)
    tracks, states = labels[: L * T].reshape(L, T, count), labels[L * T :].reshape(W, T, count)

    scores = np.zeros(count)
    for j, track in zip(tracks, problem.tracks, strict=True):
        for t in range(T):
            scores += _table(track.unary[t])[j[t]]
        for t in range(1, T):
            scores += _table(track.pairwise[t - 1])[j[t - 1], j[t]]
    for k, word in zip(states, problem.words, strict=True):
        scores += _table(word.initial)[k[0]]
        for t in range(1, T):
            scores += _table(word.transition)[k[t - 1], k[t]]
        for t in range(T):
            scores += _table(word.emission[t])[k[t], *(tracks[p, t] for p in word.participants)]
    return Assignments(tracks, states, scores)


def best(problem: Problem) -> tuple[float, Labels, Labels]:
    """The highest score (-inf if nothing is feasible) with its tracks (L, T) and states (W, T)."""
    tracks, states, scores = assignments(problem)
    winner = int(np.argmax(scores))
    return float(scores[winner]), tracks[..., winner], states[..., winner]


def partition(problem: Problem) -> Partition:
    """The log partition function and every marginal; marginals are zero if nothing is feasible."""
    tracks, states, scores = assignments(problem)
    T, top = _frames(problem), float(scores.max())
    weights = np.exp(scores - top) if np.isfinite(top) else np.zeros_like(scores)
    log_partition = top + math.log(weights.sum()) if np.isfinite(top) else top
    weights /= max(1.0, weights.sum())  # the best assignment weighs 1 before this

    def marginal(shape: tuple[int, ...], *labels: Labels) -> Array:
        cells = np.ravel_multi_index(labels, shape)
        totals = np.bincount(cells, weights, math.prod(shape))
        return totals.reshape(shape).astype(np.float64)

    sums = Partition(log_partition, [], [], [], [])
    for j, track in zip(tracks, problem.tracks, strict=True):
        sums.tracks.append([marginal(_table(track.unary[t]).shape, j[t]) for t in range(T)])
    for k, word in zip(states, problem.words, strict=True):
        K = len(_table(word.initial))
        pairs = [marginal((K, K), k[t - 1], k[t]) for t in range(1, T)]
        sums.states.append(np.stack([marginal((K,), k[t]) for t in range(T)]))
        sums.transitions.append(np.array(pairs).reshape(T - 1, K, K))
        sums.emissions.append(
            [
                marginal(
                    _table(word.emission[t]).shape,
                    k[t],
                    *(tracks[p, t] for p in word.participants),
                )
                for t in range(T)
            ]
        )
    return sums


def _frames(problem: Problem) -> int:
    return len(problem.tracks[0].unary) if problem.tracks else 0


def _table(values: npt.ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)
