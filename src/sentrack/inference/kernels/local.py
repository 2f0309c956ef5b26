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
