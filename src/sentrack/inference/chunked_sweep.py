"""Sweeps over all frames, in pieces between which a deadline is kept."""

import numpy as np

from sentrack.inference.kernels import sweep_frames
from sentrack.inference.lattices import lattice_operations
from sentrack.inference.limits import CHUNK, Limits
from sentrack.inference.structures import Floats, Lattices, Terms


def sweep(
    terms: Terms,
    lattices: Lattices,
    mine: Floats,
    other: Floats,
    forward: bool,
    update: bool,
    best: Floats,
    bound: Floats,
    limits: Limits,
) -> None:
    """Pass messages through all frames of all lattices, in one direction; see `sweep_frames`.

    Raises:
        OutOfTime: with the messages half done. When `update` is set, `best` and `bound` hold all
            the same, for every frame leaves them true.
    """
    full = np.empty(int(lattices.states.max(axis=1).sum()))
    cost = sweep_operations(terms, lattices)
    if not forward:
        cost = cost[::-1]
    done = np.cumsum(cost)
    T, begin = cost.size, 0
    while begin < T:
        reached = done[begin] - cost[begin] + CHUNK
        end = max(begin + 1, int(np.searchsorted(done, reached, side="right")))
        with limits.spend(float(cost[begin:end].sum())):
            sweep_frames(
                terms, lattices, mine, other, forward, update, best, bound, full, begin, end
            )
        begin = end


def sweep_operations(terms: Terms, lattices: Lattices) -> Floats:
    """(T,) additions and comparisons of a sweep over all lattices, frame by frame."""
    N = lattices.first.size - 1
    each = [lattice_operations(terms.sizes, lattices, n) for n in range(N)]
    return np.asarray(np.sum(each, axis=0))
