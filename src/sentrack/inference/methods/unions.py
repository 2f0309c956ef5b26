"""Tightening a relaxation: which lattices to join."""

import itertools
import math

import numpy as np

from sentrack.inference.lattices import lattice_chains, operations, sweep_bytes
from sentrack.inference.limits import Limits
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Bools
from sentrack.inference.terms import kept_sizes

# Unions are compared by what they gain for this power of what they cost.
POWER = 0.5


def tighten(relaxation: Relaxation, keep: Bools, limits: Limits, most: float) -> bool:
    """Join the two lattices whose union gains most for its cost; False if none can be joined.

    Args:
        relaxation: to be tightened; labels that are not in `keep` are eliminated first.
        keep: labels (laid out like its nodes) that are left.
        limits: of memory and time.
        most: operations that a pass over a union may take. If there is no limit, the cheapest
            union is taken.
    """
    lattices, sizes = relaxation.lattices, kept_sizes(relaxation.terms, keep)
    N = lattices.first.size - 1
    chains = [set(lattice_chains(lattices, n).tolist()) for n in range(N)]
    unions = []
    for m, n in itertools.combinations(range(N), 2):
        if chains[m] & chains[n]:
            union = np.array(sorted(chains[m] | chains[n]))
            rest = [np.array(sorted(chains[i])) for i in range(N) if i not in (m, n)]
            cost = operations(sizes, union)
            if cost <= most and sweep_bytes(sizes, [union, *rest]) <= limits.memory:
                unions.append((cost, m, n))
    if not unions:
        return False
    if not keep.all():
        relaxation.eliminate(keep)
    chosen = min(unions)
    if len(unions) > 1 and most < math.inf:
        gains = {union: relaxation.gain(*union[1:]) / union[0] ** POWER for union in unions}
        chosen = max(unions, key=lambda union: (gains[union], -union[0]))
    _, m, n = chosen
    relaxation.merge([[m, n], *([i] for i in range(N) if i not in (m, n))])
    return True
