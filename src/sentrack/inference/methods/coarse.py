"""A relaxation in which labels that hardly matter are taken together.

The labels of a chain in a frame that are far from its best become one, worth in every term what the
best of them is worth there. An assignment through any of them is worth no more than one through all
of them: bounds hold, and a bound of theirs is one of each. An assignment without such labels has
its true score. Where they are in the way they are taken apart.
"""

import numpy as np

from sentrack.inference.kernels import coarsen_factors, coarsen_nodes, coarsen_steps
from sentrack.inference.lattices import lattice_chains, resized, sweep_bytes
from sentrack.inference.limits import Limits
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Bools, Floats, Ints, Terms
from sentrack.inference.terms import TOGETHER, chain_slice, layout

# Of labels that are taken apart, at least so many stand for themselves ...
FEWEST = 4
# ... and at least this share of them.
SHARE = 0.5


class CoarseRelaxation(Relaxation):
    """Lattices, one per word, of labels some of which stand for several.

    Args:
        apart: the first look at a component: chains and factors by themselves.
        keep: labels (laid out like its nodes) that are of interest at all.
        alone: those that stand for themselves; all others of a chain in a frame are one.
        limits: of time and memory.

    Attributes:
        unit: the place in `terms.node` of every label of the component, or -1 if it was dropped.
    """

    def __init__(self, apart: Relaxation, keep: Bools, alone: Bools, limits: Limits) -> None:
        self._apart = apart
        sizes = apart.terms.sizes
        self._cell = np.repeat(np.arange(sizes.size), sizes.ravel())
        self.unit = np.full(keep.size, -1, dtype=np.int64)
        left = np.flatnonzero(keep)
        self.unit[left] = _ranks(self._cell[left], np.where(alone[left], left, keep.size))
        super().__init__(self._coarsened(), limits)

    @property
    def alone(self) -> Bools:
        """Labels (laid out like `terms.node`) that stand for themselves."""
        return np.asarray(self.terms.label != TOGETHER)

    def eliminate(self, keep: Bools) -> None:
        """Drop all labels but these."""
        left = np.append(np.where(keep, np.cumsum(keep) - 1, -1), -1)
        self.unit = left[self.unit]
        super().eliminate(keep)

    def in_the_way(self) -> Bools:
        """(C, T) where the best labels of some lattice stand for several."""
        labels = self.terms.label[self.terms.node_at[self.lattices.chain] + self.copies()]
        cells = np.zeros(self.terms.sizes.shape, dtype=np.bool_)
        np.logical_or.at(cells, self.lattices.chain, labels == TOGETHER)
        return cells

    def take_apart(self, cells: Bools) -> bool:
        """Have more labels in these chains and frames (C, T) stand for themselves.

        Those that were nearest to the best at the first look come first. What message passing has
        learned of all of them together holds for each. False if there are none, or no room.
        """
        out = self._outermost(cells)
        if not out.size:
            return False
        old, unit = self.terms, self.unit
        left = np.flatnonzero(unit >= 0)
        itself = np.isin(left, out)
        new = np.full_like(unit, -1)
        new[left] = _ranks(unit[left], np.where(itself, left, -1))
        chains = [lattice_chains(self.lattices, n) for n in range(self.lattices.first.size - 1)]
        if sweep_bytes(self._sizes(new), chains) > self.limits.memory:
            return False
        learned = self._learned()
        self.unit = new
        self.terms = self._coarsened()
        before = np.empty(self.terms.node.size, dtype=np.int64)
        before[new[left]] = unit[left]
        nodes = []
        for a, c in enumerate(self.lattices.chain.tolist()):
            own = chain_slice(self.terms, c)
            then = before[own] - old.node_at[c, 0]
            nodes.append(self.lattices.share[a] * self.terms.node[own] + learned[a][then])
        self.lattices = resized(self.lattices, np.concatenate(nodes), self.terms.sizes)
        self._start()
        return True

    def _outermost(self, cells: Bools) -> Ints:
        """Of the labels in these chains and frames that are one, those to stand for themselves."""
        unit = self.unit
        inside = np.flatnonzero(cells.ravel()[self._cell] & (unit >= 0))
        inside = inside[self.terms.label[unit[inside]] == TOGETHER]
        order = inside[np.lexsort((-self._apart.bounds[inside], unit[inside]))]
        _, first, counts = np.unique(unit[order], return_index=True, return_counts=True)
        ranks = np.arange(order.size) - np.repeat(first, counts)
        most = np.maximum(FEWEST, np.ceil(SHARE * counts))
        return np.asarray(order[ranks < np.repeat(most, counts)])

    def _learned(self) -> list[Floats]:
        """Of every axis, by how much its nodes differ from an even share of the chain's own."""
        terms, lattices = self.terms, self.lattices
        found = []
        finite: Bools = np.ones(terms.node.size, dtype=np.bool_)
        for a, c in enumerate(lattices.chain.tolist()):
            own = chain_slice(terms, c)
            start = lattices.node_at[a, 0]
            copy = lattices.node[start : start + own.stop - own.start]
            with np.errstate(invalid="ignore"):
                found.append(copy - lattices.share[a] * terms.node[own])
            finite[own] &= np.isfinite(found[-1])
        for values, c in zip(found, lattices.chain.tolist(), strict=True):
            values[~finite[chain_slice(terms, c)]] = 0.0
        return found

    def _sizes(self, unit: Ints) -> Ints:
        """(C, T) numbers of labels, given the place that each old one has among the new ones."""
        left = np.flatnonzero(unit >= 0)
        cell = np.empty(int(unit.max()) + 1, dtype=np.int64)
        cell[unit[left]] = self._cell[left]
        shape = self._apart.terms.sizes.shape
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)

    def _coarsened(self) -> Terms:
        """The terms of all labels, given the place that each old one has among them."""
        apart, unit = self._apart, self.unit
        old = apart.terms
        left = np.flatnonzero(unit >= 0)
        new = layout(old.L, old.chain, self._sizes(unit), old.spans, old.word)
        new = new._replace(rounding=old.rounding)
        new.label[unit[left]] = old.label[left]
        new.label[np.bincount(unit[left]) > 1] = TOGETHER
        # In the first look, the chains come before the factors.
        own = apart.lattices.node[: old.node.size]
        coarsen_nodes(old, own, new, unit)
        coarsen_steps(old, new, unit)
        coarsen_factors(old, apart.lattices, new, unit)
        return new


def _ranks(major: Ints, minor: Ints) -> Ints:
    """The rank of every pair of numbers; equal ones have the same."""
    order = np.lexsort((minor, major))
    major, minor = major[order], minor[order]
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.cumsum(new) - 1
    return ranks
