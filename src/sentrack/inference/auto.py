"""The cheapest way to a certified optimum.

Small lattices are solved exactly at once. Otherwise: bound by message passing, ascend to a good
answer, eliminate the labels that cannot beat it, and solve what survives exactly as soon as that
costs no more than what has been spent already, which keeps the total within twice the best choice.
A relaxation that stalls is tightened by joining two of its lattices; joined all together they are
the exact problem.
"""

import itertools
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sentrack.inference.ascent import ascend
from sentrack.inference.dual import Search
from sentrack.inference.errors import Infeasible, ProblemTooLarge
from sentrack.inference.lattices import joint_states, lattice_chains, operations
from sentrack.inference.relaxation import ROUNDING, Relaxation, quick_bound, relaxation_bytes
from sentrack.inference.resources import Limits
from sentrack.inference.structures import Bools, Ints, Terms
from sentrack.inference.terms import Answer, Reduction
from sentrack.inference.viterbi import checkpoint_stride, exact


@dataclass(frozen=True)
class Auto:
    """The default method: certified unless time or memory run out.

    Attributes:
        exact_operations: components below this cost are solved exactly at once.
    """

    exact_operations: float = 1e6
    name: ClassVar[str] = "auto"

    def run(self, reduction: Reduction, limits: Limits, seed: int) -> Answer:  # noqa: ARG002
        """Tracks, states and an upper bound."""
        answers = [self._component(terms, limits) for terms in reduction.components]
        return reduction.answer(
            [labels for labels, _ in answers], math.fsum(bound for _, bound in answers)
        )

    def _component(self, terms: Terms, limits: Limits) -> tuple[Ints, float]:
        """The best assignment found of a component, and its upper bound."""
        if _exact_cost(terms.sizes, limits) <= self.exact_operations:
            return exact(terms, limits)
        if relaxation_bytes(terms) > limits.memory:
            labels, score = ascend(terms, np.zeros_like(terms.sizes), limits)
            return labels, max(score, quick_bound(terms, limits))
        relaxation = Relaxation(terms)
        search = Search(terms, limits)
        search.follow(relaxation, climb=False)
        while not search.closed(relaxation.upper_bound) and limits.seconds_left > 0:
            relaxation.sweep()
            gap = relaxation.upper_bound - search.score
            slow = not relaxation.progress > 0.05 * gap
            # Climbing costs about as much as a sweep, and the first sweeps may do without.
            sweeps = relaxation.sweeps
            search.follow(relaxation, climb=slow or (sweeps > 1 and sweeps.bit_count() == 1))
            if search.closed(relaxation.upper_bound):
                break
            keep = relaxation.survivors(search.score)
            sizes = relaxation.sizes_of(keep)
            if not sizes.all():
                # In some frame nothing can beat what is known.
                return _proven(search)
            spent = max(self.exact_operations, relaxation.operations)
            if _exact_cost(sizes, limits) <= spent:
                return self._finish(relaxation, search, keep, limits)
            if relaxation.cost_of(sizes) <= 0.5 * relaxation.cost:
                relaxation.eliminate(keep)
            elif slow and not _tighten(relaxation, sizes, keep, limits):
                break
        return search.labels, max(search.score, relaxation.upper_bound)

    def _finish(
        self, relaxation: Relaxation, search: Search, keep: Bools, limits: Limits
    ) -> tuple[Ints, float]:
        """Solve exactly what survives; nothing else can beat the best answer known."""
        relaxation.eliminate(keep)
        try:
            labels, score = exact(relaxation.terms, limits)
        except TimeoutError:
            return search.labels, max(search.score, relaxation.upper_bound)
        except Infeasible:
            return _proven(search)
        search.offer(relaxation.original(labels), score)
        return _proven(search)


def _proven(search: Search) -> tuple[Ints, float]:
    """The best answer known, which nothing can beat."""
    if search.score == -math.inf:
        raise Infeasible("no assignment of tracks and states has a finite score")
    return search.labels, search.score


def _exact_cost(sizes: Ints, limits: Limits) -> float:
    """Operations of solving exactly, infinite if it does not fit."""
    try:
        stride = checkpoint_stride(sizes, limits)
    except ProblemTooLarge:
        return math.inf
    passes = 1 if stride == sizes.shape[1] else 2
    return passes * operations(sizes, np.arange(sizes.shape[0]))


def _tighten(relaxation: Relaxation, sizes: Ints, keep: Bools, limits: Limits) -> bool:
    """Join the two lattices whose union is cheapest; False if nothing more can be done.

    As long as sweeps still make some progress, only a cheap union is worth it.
    """
    lattices = relaxation.lattices
    N = lattices.first.size - 1
    chains = [set(lattice_chains(lattices, n).tolist()) for n in range(N)]
    unions = [
        (operations(sizes, np.array(sorted(chains[m] | chains[n]))), m, n)
        for m, n in itertools.combinations(range(N), 2)
        if chains[m] & chains[n]
    ]
    if not unions:
        return False
    cost, m, n = min(unions)
    union = np.array(sorted(chains[m] | chains[n]))
    rest = [np.array(sorted(c)) for i, c in enumerate(chains) if i not in (m, n)]
    states = sum(float(joint_states(sizes, c).sum()) for c in [union, *rest])
    affordable = 16 * states <= limits.memory
    stuck = not relaxation.progress > ROUNDING
    if not affordable or (cost > max(4 * relaxation.cost, relaxation.operations) and not stuck):
        return not stuck
    if not keep.all():
        relaxation.eliminate(keep)
    relaxation.merge([[m, n], *([i] for i in range(N) if i not in (m, n))])
    return True
