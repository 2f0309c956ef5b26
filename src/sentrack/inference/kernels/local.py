"""The best interval of one track and one word: the smallest case of `intervals`, for bounds."""

from typing import Any

import numpy as np

from sentrack.inference.kernels.jit import Flat, entry


@entry
def best_local_score(
    h: Flat, g: Flat, state: Flat, initial: Flat, transition: Flat, leave: Flat
) -> Any:
    """The score of the best interval of one track and one word, with free start and end.

    Args:
        h: (T, K, J) all terms of a frame.
        g: (T-1, J, J) coherence.
        state: (S,) the K that each state of the chain looks at.
        initial: (S,) nats.
        transition: (S, S) nats.
        leave: (S,) 0 where the word may end, else -inf.
    """
    T, _, J = h.shape
    S = len(state)
    here, moved = np.empty((S, J)), np.empty((S, J))
    best = -np.inf
    for t in range(T):
        if t > 0:
            moved[:] = -np.inf
            for s in range(S):
                for i in range(J):
                    score = here[s, i]
                    for j in range(J):
                        moved[s, j] = max(moved[s, j], score + g[t - 1, i, j])
        for s in range(S):
            here[s] = initial[s]
            if t > 0:
                for r in range(S):
                    a = transition[r, s]
                    if a > -np.inf:
                        for j in range(J):
                            here[s, j] = max(here[s, j], moved[r, j] + a)
            for j in range(J):
                here[s, j] += h[t, state[s], j]
                best = max(best, here[s, j] + leave[s])
    return best


@entry
def best_run_intervals(
    told: Flat,
    begin: Flat,
    wanted: Flat,
    state: Flat,
    initial: Flat,
    edges: Flat,
    weights: Flat,
    final: Flat,
) -> Any:
    """The best interval of one word in each of N runs of frames, with free start and end.

    Nobody is to be chosen in a run: it is the case J = 1 of `best_local_score`, for many at once.

    Args:
        told: (P, K) all terms of every frame of all runs; -inf where there is nothing to tell of.
        begin: (N + 1,) where the runs begin.
        wanted: (N,) which runs are asked for; of the others the score is -inf.
        state: (S,) the K that each state of the chain looks at.
        initial: (S,) nats.
        edges: (E, 2) from which state to which the chain may go.
        weights: (E,) nats.
        final: (S,) whether the word may end in a state.

    Returns:
        (N,) scores, (N,) first frames and (N,) the frames after the last ones, counted from the
        beginning of the run.
    """
    S, N = len(state), len(begin) - 1
    scores, first, last = np.full(N, -np.inf), np.zeros(N, np.int64), np.zeros(N, np.int64)
    here, there = np.empty(S), np.empty(S)
    began, begins = np.empty(S, np.int64), np.empty(S, np.int64)
    for n in range(N):
        if not wanted[n]:
            continue
        here[:] = -np.inf
        for p in range(begin[n], begin[n + 1]):
            there[:] = initial
            begins[:] = p - begin[n]
            for e in range(len(weights)):
                score = here[edges[e, 0]] + weights[e]
                if score > there[edges[e, 1]]:
                    there[edges[e, 1]] = score
                    begins[edges[e, 1]] = began[edges[e, 0]]
            for s in range(S):
                there[s] += told[p, state[s]]
                if final[s] and there[s] > scores[n]:
                    scores[n], first[n], last[n] = there[s], begins[s], p + 1 - begin[n]
            here, there = there, here
            began, begins = begins, began
    return scores, first, last


@entry
def best_state_paths(
    told: Flat, state: Flat, initial: Flat, edges: Flat, weights: Flat, leave: Flat
) -> Any:
    """The best path of one word over all frames of each of N sequences (Eq. 2).

    Args:
        told: (N, T, K) what every frame tells of all that states look like.
        state: (S,) the K that each state of the chain looks at.
        initial: (S,) nats.
        edges: (E, 2) from which state to which the chain may go.
        weights: (E,) nats.
        leave: (S,) 0 where the word may end, else -inf.

    Returns:
        (N,) nats, -inf where there is no path, and (N, T) the K that the states of the path look
        at.
    """
    N, T, _ = told.shape
    S = len(state)
    nats, path = np.empty(N), np.zeros((N, T), np.int64)
    here, there = np.empty(S), np.empty(S)
    origin = np.zeros((T, S), np.int64)
    for n in range(N):
        for s in range(S):
            here[s] = initial[s] + told[n, 0, state[s]]
        for t in range(1, T):
            there[:] = -np.inf
            for e in range(len(weights)):
                score = here[edges[e, 0]] + weights[e]
                if score > there[edges[e, 1]]:
                    there[edges[e, 1]] = score
                    origin[t, edges[e, 1]] = edges[e, 0]
            for s in range(S):
                there[s] += told[n, t, state[s]]
            here, there = there, here
        last = 0
        for s in range(1, S):
            if here[s] + leave[s] > here[last] + leave[last]:
                last = s
        nats[n] = here[last] + leave[last]
        for t in range(T - 1, -1, -1):
            path[n, t] = state[last]
            last = origin[t, last]
    return nats, path


@entry
def best_run_sums(value: Flat, begin: Flat) -> Any:
    """(N,): the largest sum of values (P,) of successive frames in each of N runs."""
    N = len(begin) - 1
    best = np.full(N, -np.inf)
    for n in range(N):
        total = -np.inf
        for p in range(begin[n], begin[n + 1]):
            total = max(total, 0.0) + value[p]
            best[n] = max(best[n], total)
    return best
