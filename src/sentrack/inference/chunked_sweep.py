"""Sweeps over all frames, in pieces between which a deadline is kept."""

import numpy as np

from sentrack.inference.kernels import announce, sweep_frames
from sentrack.inference.lattices import sweep_operations
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
    costs: Floats | None = None,
) -> None:
    """Pass messages through all frames of all lattices, in one direction; see `sweep_frames`.

    `costs` are the `sweep_operations` of the frames, where they are known.

    Raises:
        OutOfTime: with the messages half done. When `update` is set, `best` and `bound` hold all
            the same, for every frame leaves them true.
    """
    announce(sweep_frames)
    full = np.empty(int(lattices.states.max(axis=1).sum()))
    cost = sweep_operations(terms.sizes, lattices) if costs is None else costs
    if not forward:
        cost = cost[::-1]
    done = np.cumsum(cost)
    T, begin = cost.size, 0
    if done[-1] <= CHUNK:
        with limits.spend(float(done[-1])):
            sweep_frames(terms, lattices, mine, other, forward, update, best, bound, full, 0, T)
        return
    while begin < T:
        reached = done[begin] - cost[begin] + CHUNK
        end = max(begin + 1, int(np.searchsorted(done, reached, side="right")))
        with limits.spend(float(cost[begin:end].sum())):
            sweep_frames(
                terms, lattices, mine, other, forward, update, best, bound, full, begin, end
            )
        begin = end
