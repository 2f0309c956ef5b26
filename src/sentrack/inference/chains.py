"""The best scores of many chains at once."""

import numpy as np

from sentrack.inference.structures import Bools, Floats


def best_scores(initial: Floats, transition: Floats, emission: Floats, final: Bools) -> Floats:
    """(N,): Eq. 2 at its best, for N cases at once.

    Args:
        initial: (K,) nats.
        transition: (K, K) nats.
        emission: (N, T, K) nats.
        final: (K,) whether a chain may end in a state.
    """
    here = initial + emission[:, 0]
    for t in range(1, emission.shape[1]):
        here = (here[:, :, None] + transition).max(axis=1) + emission[:, t]
    return np.asarray(here[:, final].max(axis=1))
