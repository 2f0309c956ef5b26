"""A relaxation in which labels that hardly matter are taken together.

The labels of a chain in a frame that are far from its best become one, worth in every term what the
best of them is worth there. An assignment through any of them is worth no more than one through all
of them: bounds hold, and a bound of theirs is one of each. An assignment without such labels has
its true score. Where they are in the way they are taken apart.
"""

import numpy as np

from sentrack.inference.kernels import coarsen_factors, coarsen_nodes, coarsen_steps
from sentrack.inference.lattices import resized
from sentrack.inference.limits import Limits
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Bools, Floats, Ints, Terms
from sentrack.inference.terms import TOGETHER, chain_slice, layout


# At least so many labels are taken apart at once.
OUT = 4


class CoarseRelaxation(Relaxation):
    """Lattices, one per word, of labels some of which stand for several.

    Args:
        apart: the first look at a component: chains and factors by themselves.
        keep: labels (laid out like its nodes) that stand for themselves; all others of a chain in
            a frame are one.
        limits: of time.
    """

    def __init__(self, apart: Relaxation, keep: Bools, limits: Limits) -> None:
        self._apart = apart
        sizes = apart.terms.sizes
        self._cell = np.repeat(np.arange(sizes.size), sizes.ravel())
        self._unit = _numbered(self._cell, np.where(keep, np.arange(keep.size), keep.size))
        super().__init__(self._coarsened(), limits)

    def eliminate(self, keep: Bools) -> None:
        """Drop all labels but these."""
        left = np.append(np.where(keep, np.cumsum(keep) - 1, -1), -1)
        self._unit = left[self._unit]
        super().eliminate(keep)

    def in_the_way(self) -> Bools:
        """(C, T) where the best labels of some lattice stand for several."""
        labels = self.terms.label[self.terms.node_at[self.lattices.chain] + self.copies()]
        cells = np.zeros(self.terms.sizes.shape, dtype=np.bool_)
        np.logical_or.at(cells, self.lattices.chain, labels == TOGETHER)
        return cells

    def kept_units(self, keep: Bools) -> Bools:
        left = np.zeros(self.terms.node.size, dtype=np.bool_)
        u = self._unit[keep]
        left[u[u >= 0]] = True
        return left

    def take_apart(self, cells: Bools) -> bool:
        """Have every label in these chains and frames (C, T) stand for itself again.

        What message passing has learned of them together holds for each.
        """
        if not cells.any():
            return False
        old, learned, unit = self.terms, self._learned(), self._unit
        left = np.flatnonzero(unit >= 0)
        inside = np.flatnonzero(cells.ravel()[self._cell[left]] & (old.label[unit[left]] == TOGETHER))
        # Rank within the lump by the bound of the first look.
        order = inside[np.lexsort((-self._apart.bounds[left[inside]], unit[left[inside]]))]
        lump = unit[left[order]]
        start = np.flatnonzero(np.append(True, lump[1:] != lump[:-1]))
        count = np.diff(np.append(start, lump.size))
        rank = np.arange(lump.size) - np.repeat(start, count)
        out = order[rank < np.maximum(OUT, np.repeat(count, count) // 2)]
        itself = np.zeros(left.size, dtype=np.bool_)
        itself[out] = True
        self._unit = np.full_like(unit, -1)
        self._unit[left] = _numbered(unit[left], np.where(itself, left, -1))
        self.terms = self._coarsened()
        before = np.empty(self.terms.node.size, dtype=np.int64)
        before[self._unit[left]] = unit[left]
        nodes = []
        for a, c in enumerate(self.lattices.chain.tolist()):
            own = chain_slice(self.terms, c)
            then = before[own] - old.node_at[c, 0]
            nodes.append(self.lattices.share[a] * self.terms.node[own] + learned[a][then])
        self.lattices = resized(self.lattices, np.concatenate(nodes), self.terms.sizes)
        self._start()
        return True

    def _learned(self) -> list[Floats]:
        """Of every axis, how its nodes differ from an even share; over a chain's copies, nothing."""
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

    def _coarsened(self) -> Terms:
        """The terms of all units."""
        apart, unit = self._apart, self._unit
        old = apart.terms
        left = np.flatnonzero(unit >= 0)
        size = int(unit.max()) + 1
        cell = np.empty(size, dtype=np.int64)
        cell[unit[left]] = self._cell[left]
        sizes = np.bincount(cell, minlength=old.sizes.size).reshape(old.sizes.shape)
        new = layout(old.L, old.chain, sizes, old.spans, old.word)
        new = new._replace(rounding=old.rounding)
        new.label[unit[left]] = old.label[left]
        new.label[np.bincount(unit[left], minlength=size) > 1] = TOGETHER
        # In the first look, the chains come before the factors.
        own = apart.lattices.node[: old.node.size]
        coarsen_nodes(old, own, new, unit)
        coarsen_steps(old, new, unit)
        coarsen_factors(old, apart.lattices, new, unit)
        return new


def _numbered(major: Ints, minor: Ints) -> Ints:
    """The rank of every pair of numbers; equal ones have the same."""
    order = np.lexsort((minor, major))
    major, minor = major[order], minor[order]
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.cumsum(new) - 1
    return ranks
