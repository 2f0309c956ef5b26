"""Terms of labels that stand for several: in every term they are worth what the best of them is."""

import numpy as np

from sentrack.inference.kernels.jit import Flat, entry
from sentrack.inference.structures import Lattices, Terms


@entry
def coarsen_nodes(old: Terms, own: Flat, new: Terms, unit: Flat) -> None:
    """Fill the nodes; unit[p] is the place in `new.node` of old label p, or -1 if it has none.

    `own` are the nodes to take instead of those of the old terms.
    """
    for p in range(new.node.size):
        new.node[p] = -np.inf
    for p in range(old.node.size):
        if unit[p] >= 0:
            new.node[unit[p]] = max(new.node[unit[p]], own[p])


@entry
def coarsen_steps(old: Terms, new: Terms, unit: Flat) -> None:
    """Fill the transition blocks."""
    C, T = new.sizes.shape
    for p in range(new.step.size):
        new.step[p] = -np.inf
    for c in range(C):
        for t in range(1, T):
            width = old.sizes[c, t]
            first, to = old.node_at[c, t - 1], old.node_at[c, t]
            # Places of labels count from the first of their chain and frame.
            corner = new.step_at[c, t] - new.node_at[c, t]
            for i in range(old.sizes[c, t - 1]):
                if unit[first + i] < 0:
                    continue
                row = old.step_at[c, t] + i * width
                place = corner + (unit[first + i] - new.node_at[c, t - 1]) * new.sizes[c, t]
                for j in range(width):
                    if unit[to + j] >= 0:
                        at = place + unit[to + j]
                        new.step[at] = max(new.step[at], old.step[row + j])


@entry
def coarsen_factors(old: Terms, apart: Lattices, new: Terms, unit: Flat) -> None:
    """Fill the factor blocks, with the nodes that every factor's lattice `apart` has learned."""
    F, T = new.factor_at.shape
    C = new.sizes.shape[0]
    for p in range(new.factor.size):
        new.factor[p] = -np.inf
    for f in range(F):
        first, last = apart.first[C + f], apart.first[C + f + 1] - 1
        axes = last - first
        stride = np.empty(axes + 1, np.int64)
        index = np.empty(axes + 1, np.int64)
        for t in range(T):
            s, rows = 1, 1
            for i in range(axes, -1, -1):
                stride[i] = s
                index[i] = 0
                s *= new.sizes[apart.chain[first + i], t]
                if i < axes:
                    rows *= old.sizes[apart.chain[first + i], t]
            c = apart.chain[last]
            width, begin = old.sizes[c, t], old.node_at[c, t]
            nodes = apart.node_at[last, t]
            for row in range(rows):
                place, value, left = new.factor_at[f, t] - new.node_at[c, t], 0.0, True
                for i in range(axes):
                    b = apart.chain[first + i]
                    p = unit[old.node_at[b, t] + index[i]]
                    left = left and p >= 0
                    place += (p - new.node_at[b, t]) * stride[i]
                    value += apart.node[apart.node_at[first + i, t] + index[i]]
                source = old.factor_at[f, t] + row * width
                if left:
                    for j in range(width):
                        if unit[begin + j] >= 0:
                            at = place + unit[begin + j]
                            worth = old.factor[source + j] + apart.node[nodes + j] + value
                            new.factor[at] = max(new.factor[at], worth)
                for i in range(axes - 1, -1, -1):
                    index[i] += 1
                    if index[i] < old.sizes[apart.chain[first + i], t]:
                        break
                    index[i] = 0
