"""The best intervals of one word in many cases at once."""

import numpy as np

from sentrack.inference.kernels import announce, best_local_intervals
from sentrack.inference.structures import Bools, Floats, Ints


def best_intervals_of_cases(
    initial: Floats, transition: Floats, state: Ints, final: Bools, told: Floats
) -> tuple[Floats, Ints, Ints]:
    """Eq. 2 with free start and end, for N cases at once: `best_interval` of given tracks.

    Args:
        initial: (S,) nats.
        transition: (S, S) nats.
        state: (S,) which of the K columns of `told` each state of the chain looks at.
        final: (S,) whether a chain may end in a state.
        told: (N, T, K) nats against a background; -inf where there is no case.

    Returns:
        (N,) the best scores; (N,) the first frames of the best intervals; (N,) the frames after
        their last ones. The score is -inf where no interval has a finite one.
    """
    edges = np.argwhere(transition > -np.inf)
    weights = transition[edges[:, 0], edges[:, 1]]
    announce(best_local_intervals)
    found: tuple[Floats, Ints, Ints] = best_local_intervals(
        np.ascontiguousarray(told), state, initial, edges, weights, final
    )
    return found
