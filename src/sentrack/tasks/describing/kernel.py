"""The best totals of a word: over states, and over states and all tracks at once."""

import numpy as np

from sentrack.inference.compiled import Flat, entry, internal
from sentrack.lexicon.model import Floats, WordModel


def best_states(model: WordModel, seconds: float, told: Floats) -> Floats:
    """(N,): the best total of a word over its states, for N cases at once.

    Args:
        model: the word.
        seconds: between frames.
        told: (N, K, T) what each state tells in each frame, in nats.
    """
    move = model.log_transitions(seconds)
    here = model.log_initial() + told[:, :, 0]
    for t in range(1, told.shape[2]):
        here = (here[:, :, None] + move).max(axis=1) + told[:, :, t]
    return np.asarray(here[:, model.final].max(axis=1))


@internal
def _step(table: Flat, move: Flat, out: Flat) -> None:
    """out[a, j, b] = max over i of table[a, i, b] + move[i, j]."""
    for a in range(table.shape[0]):
        for j in range(move.shape[1]):
            for b in range(table.shape[2]):
                best = -np.inf
                for i in range(move.shape[0]):
                    best = max(best, table[a, i, b] + move[i, j])
                out[a, j, b] = best


@entry
def best_tracks(told: Flat, begin: Flat, move: Flat, final: Flat, f: Flat, g: Flat) -> Flat:
    """The best states and tracks of a word, as rows of four: (T, 4).

    Args:
        told: (T, K, J1, J2, J3) what states tell of candidates; J is 1 beyond a word's roles.
        begin: (K,) log probability of the first state.
        move: (K, K) of the next.
        final: (K,) whether the word may end there.
        f: (3, T, J) detection scores, -inf for padding.
        g: (3, T - 1, J, J) coherence.
    """
    T, K, A, B, C = told.shape
    table = np.empty((T, K, A, B, C))
    one, two = np.empty((K, A, B, C)), np.empty((K, A, B, C))
    for t in range(T):
        if t:
            N, M = A * B * C, K * A * B
            _step(table[t - 1].reshape(1, K, N), move, one.reshape(1, K, N))
            _step(one.reshape(K, A, B * C), g[0, t - 1, :A, :A], two.reshape(K, A, B * C))
            _step(two.reshape(K * A, B, C), g[1, t - 1, :B, :B], one.reshape(K * A, B, C))
            _step(one.reshape(M, C, 1), g[2, t - 1, :C, :C], two.reshape(M, C, 1))
        for k in range(K):
            for a in range(A):
                for b in range(B):
                    for c in range(C):
                        before = two[k, a, b, c] if t else begin[k]
                        seen = f[0, t, a] + f[1, t, b] + f[2, t, c]
                        table[t, k, a, b, c] = before + seen + told[t, k, a, b, c]
    path = np.zeros((T, 4), dtype=np.int64)
    for t in range(T - 1, -1, -1):
        best = -np.inf
        n = path[t + 1] if t < T - 1 else path[t]
        for k in range(K):
            if t == T - 1 and not final[k]:
                continue
            for a in range(A):
                for b in range(B):
                    for c in range(C):
                        value = table[t, k, a, b, c]
                        if t < T - 1:
                            value += move[k, n[0]] + g[0, t, a, n[1]]
                            value += g[1, t, b, n[2]] + g[2, t, c, n[3]]
                        if value > best:
                            best = value
                            path[t] = (k, a, b, c)
    return path
