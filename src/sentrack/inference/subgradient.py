"""Steps against a subgradient of the sum of the lattices' maxima.

Where two lattices hold on to different labels of a track for hundreds of frames, making copies
agree frame by frame moves them little by little. A subgradient says of all frames at once what the
best assignments of lattices disagree in; steps against it move all of them together. They may raise
the bound for a while; sweeps after them lower it far.
"""

import numpy as np

from sentrack.inference.structures import Floats, Ints, Lattices, Terms

# The part of Polyak's step that is taken, and of the direction before that is kept.
PART, MOMENTUM = 0.5, 0.7


class Subgradient:
    """A direction, which changes with every step.

    Args:
        terms: the component.
        lattices: its decomposition; their nodes are changed.
    """

    def __init__(self, terms: Terms, lattices: Lattices) -> None:
        self._lattices = lattices
        self._possible = np.isfinite(lattices.node)
        self._direction = np.zeros(lattices.node.size)
        # The axes of every chain that lattices share.
        first = lattices.owner_first.tolist()
        self._shared = [
            lattices.owner[first[c] : first[c + 1]].tolist()
            for c in range(terms.chain.size)
            if first[c + 1] - first[c] > 1
        ]

    def step(self, copies: Ints, gap: float) -> bool:
        """Move what copies of chains share to where their lattices disagree less.

        Args:
            copies: (A, T) the best labels of every axis of every lattice.
            gap: by how much the maxima add up to more than what is known.

        Returns:
            Whether they disagree at all.
        """
        node_at, found = self._lattices.node_at, np.zeros(self._direction.size)
        for axes in self._shared:
            # Where all agree nothing is to be moved, not even by what rounding leaves.
            t = np.flatnonzero((copies[axes] != copies[axes[0]]).any(axis=0))
            for a in axes:
                found[node_at[a, t] + copies[a, t]] += 1.0
                for b in axes:
                    found[node_at[a, t] + copies[b, t]] -= 1.0 / len(axes)
        if not found.any():
            return False
        self._direction *= MOMENTUM
        self._direction += found
        # No product of vectors by a BLAS, whose threads would be in the way of those of the sweep.
        square = float(np.square(self._direction).sum())
        if square > 0.0:
            node: Floats = self._lattices.node
            length = PART * gap / square
            np.subtract(node, length * self._direction, out=node, where=self._possible)
        return True
