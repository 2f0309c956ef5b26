"""One word on many given tracks at once (Eq. 2): its best paths, and its best intervals."""

import numpy as np

from sentrack.inference.kernels import announce, best_run_intervals, best_state_paths
from sentrack.inference.structures import Bools, Floats, Ints


def best_intervals_of_runs(
    initial: Floats,
    transition: Floats,
    state: Ints,
    final: Bools,
    told: Floats,
    begin: Ints,
    wanted: Bools | None = None,
) -> tuple[Floats, Ints, Ints]:
    """Eq. 2 with free start and end, for N runs at once: `best_interval` of given tracks.

    Args:
        initial: (S,) nats.
        transition: (S, S) nats.
        state: (S,) which of the K columns of `told` each state of the chain looks at.
        final: (S,) whether a chain may end in a state.
        told: (P, K) nats against a background, of the frames of all runs one after the other; -inf
            where there is nothing to tell of.
        begin: (N + 1,) the frames among these in which runs begin, and P.
        wanted: (N,) runs that are asked for; all if left out.

    Returns:
        (N,) the best scores; (N,) the first frames of the best intervals, counted from the
        beginning of the run; (N,) the frames after their last ones. The score is -inf where no
        interval has a finite one.
    """
    edges = np.argwhere(transition > -np.inf)
    weights = transition[edges[:, 0], edges[:, 1]]
    asked = np.ones(len(begin) - 1, np.bool_) if wanted is None else wanted
    announce(best_run_intervals)
    found: tuple[Floats, Ints, Ints] = best_run_intervals(
        np.ascontiguousarray(told), begin, asked, state, initial, edges, weights, final
    )
    return found


def best_paths(initial: Floats, transition: Floats, emission: Floats) -> Floats:
    """(N,): the best sum of a chain's terms (Eq. 2), for N sequences of emissions at once.

    Args:
        initial: (S,).
        transition: (S, S), mostly -inf: only moves that are possible are looked at.
        emission: (T, S, N).
    """
    target, source = np.nonzero(np.isfinite(transition).T)
    cost = transition[source, target][:, None]
    begin = np.flatnonzero(np.diff(target, prepend=-1))
    reached = target[begin]
    best = initial[:, None] + emission[0]
    for frame in emission[1:]:
        step = np.full_like(best, -np.inf)
        step[reached] = np.maximum.reduceat(best[source] + cost, begin, axis=0)
        best = step + frame
    return np.asarray(best.max(axis=0))


def best_states(
    initial: Floats, transition: Floats, state: Ints, final: Bools, told: Floats
) -> tuple[Floats, Ints]:
    """Eq. 2 over all frames of N given tracks at once, with the states of the best paths.

    Args:
        initial: (S,) nats.
        transition: (S, S) nats.
        state: (S,) which of the K that `told` has each state of the chain looks like.
        final: (S,) whether a chain may end in a state.
        told: (N, T, K) nats.

    Returns:
        (N,) the best sums, -inf where there is no path; (N, T) what the states of the best paths
        look like.
    """
    edges = np.argwhere(transition > -np.inf)
    weights = transition[edges[:, 0], edges[:, 1]]
    leave = np.where(final, 0.0, -np.inf)
    announce(best_state_paths)
    found: tuple[Floats, Ints] = best_state_paths(
        np.ascontiguousarray(told), state, initial, edges, weights, leave
    )
    return found
