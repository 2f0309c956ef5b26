"""The cheapest way to a certified optimum.

Small lattices are solved exactly at once. Of large ones a shortlist of candidates is made first.
Then: bound by message passing, ascend to a good
answer, eliminate the labels that cannot beat it, and solve what survives exactly as soon as that
costs no more than what has been spent already, which keeps the total within twice the best choice.
A relaxation that stalls is tightened by joining two of its lattices; joined all together they are
the exact problem.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sentrack.inference.balance import balanced
from sentrack.inference.errors import Infeasible, ProblemTooLarge
from sentrack.inference.lattices import lattice_chains, operations, sweep_bytes
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.methods.ascent import first_answer
from sentrack.inference.methods.dual import ComponentSearch
from sentrack.inference.methods.frontier import search_frontier
from sentrack.inference.methods.shortlist import (
    BEAM,
    first_look,
    first_look_bytes,
    first_look_operations,
    nearest,
    part,
)
from sentrack.inference.methods.viterbi import checkpoint_stride, exact
from sentrack.inference.relaxation import Relaxation, relaxation_bytes, relaxation_operations
from sentrack.inference.solution import closes
from sentrack.inference.structures import Bools, Ints, Terms
from sentrack.inference.terms import Answer, Found, Reduction, kept_sizes, problem_labels, restrict

# Operations that are done whatever the time: some milliseconds.
SMALL = 1e6
# A sweep must cost this many times as much as one look at every term to be worth a shortlist, and
# so many operations, since the first look takes some milliseconds whatever the size. So does
# ascent.
SHORTLIST = 16
LARGE = 1e7
# A first guess narrows a relaxation down to this share of its cost; each further one to twice that.
GUESS = 1 / 8
# Joint states are kept in a list for about this many operations per state, chain and candidate.
JOINT = 40.0
# Fewer joint states than this are not worth a search.
FEWEST = 100
# Sweeps among the labels of the first look before an answer is read off them.
FIRST = 4
# Where time does not allow for so many times the operations of a first look and of an answer among
# the labels that it leaves, some answer comes first. Machines are quicker than they seem before
# anything was timed.
SOON = 0.75
# An operation on a product of many short axes takes about so many of one on two or three long ones.
DENSE = 8.0
# With a budget, lattices are joined as soon as it pays for so many sweeps of them.
PATIENCE = 16.0


@dataclass(frozen=True)
class Auto:
    """The default method: certified unless time or memory run out.

    Attributes:
        exact_operations: components below this cost are solved exactly at once ...
        exact_sweeps: ... and so are those that cost no more than so many sweeps of the relaxation.
        inside: of a problem with free start and end, the labels (laid out like `Terms.node`) that
            are neither before nor after.
    """

    exact_operations: float = 1e6
    exact_sweeps: float = 16.0
    inside: Callable[[Terms], Bools] | None = None
    name: ClassVar[str] = "auto"

    def run(self, reduction: Reduction, limits: Limits, seed: int) -> Answer:  # noqa: ARG002
        """Tracks, states and an upper bound."""
        return reduction.answer([self._component(terms, limits) for terms in reduction.components])

    def _component(self, terms: Terms, limits: Limits) -> Found:
        cost = _exact_cost(terms.sizes, limits)
        if cost <= min(SMALL, self.exact_operations):
            return exact(terms, Limits(limits.memory))
        search = ComponentSearch(terms, limits)
        try:
            sweep = relaxation_operations(terms)
            if cost <= self._at_once(sweep) and limits.affords(cost):
                return exact(terms, limits)
            return self._searched(terms, search, sweep, limits)
        except OutOfTime as stop:
            search.lower(stop.upper_bound)
            return search.found()
        except Infeasible:
            # Nothing among what is left is finite, so that nothing beats what is known.
            return search.proven()

    def _at_once(self, sweep: float) -> float:
        """Operations that exact inference may take without further ado, given those of a sweep."""
        return max(self.exact_operations, self.exact_sweeps * sweep)

    def _searched(
        self, terms: Terms, search: ComponentSearch, sweep: float, limits: Limits
    ) -> Found:
        """Bound and search, where a sweep of the cheapest relaxation takes so many operations."""
        lattices = None
        if limits.deadline < math.inf and not limits.affords(
            SOON * min(_first_answer_operations(terms), sweep)
        ):
            search.climb(terms, first_answer(terms))
        if (
            sweep > max(SHORTLIST * (terms.factor.size + terms.step.size), LARGE)
            and first_look_bytes(terms) <= limits.memory
        ):
            apart = first_look(terms, limits, self.inside and self.inside(terms))
            search.lower(apart.upper_bound)
            if not nearest(apart).all():
                self._first_answer(apart, search, sweep, limits)
            keep = apart.survivors(search.score)
            if not kept_sizes(terms, keep).all():
                return search.proven()
            terms, lattices = part(apart, keep)
            if _exact_cost(terms.sizes, limits) <= self._at_once(relaxation_operations(terms)):
                return _finish(terms, search, limits)
        if relaxation_bytes(terms) > limits.memory:
            search.climb(terms, first_answer(terms))
            return search.found()
        if self.inside is not None and lattices is None:
            terms, lattices = balanced(terms, lattices, self.inside(terms), limits)
        relaxation = Relaxation(terms, limits, lattices)
        search.follow(relaxation, climb=False)
        if not search.closed:
            search.lower(self._close(relaxation, search, limits))
        return search.found()

    def _first_answer(
        self, apart: Relaxation, search: ComponentSearch, budget: float, limits: Limits
    ) -> None:
        """Look for an answer among the labels nearest to the best of their frames.

        At most at the cost of a sweep over all labels, the budget. What bounds these says nothing
        of others.
        """
        terms, lattices = part(apart, nearest(apart))
        if relaxation_bytes(terms) > limits.memory:
            return
        try:
            relaxation = Relaxation(terms, limits, lattices)
            for _ in range(FIRST):
                relaxation.sweep()
            reached = search_frontier(relaxation, search.score, FEWEST, limits)
            if reached.labels is not None:
                search.offer(problem_labels(terms, reached.labels), reached.score)
                search.climb(terms, reached.labels)
            self._close(relaxation, search, limits, budget=budget)
        except Infeasible:
            # The best by themselves do not go together: the first answer is among the others.
            return
        except OutOfTime as stop:
            stop.upper_bound = math.inf
            raise

    def _close(
        self,
        relaxation: Relaxation,
        search: ComponentSearch,
        limits: Limits,
        floor: float = -math.inf,
        budget: float = math.inf,
    ) -> float:
        """Look for assignments of a relaxation's terms that are better than `floor`.

        Returns:
            An upper bound of all of them, at most `floor` if there are none, and the score of the
            best known one if that is proven to be the best.

        Raises:
            OutOfTime: with the bound reached by then.
        """
        bound, share, due = relaxation.upper_bound, GUESS, 0.0
        cheap = budget / PATIENCE if budget < math.inf else 0.0
        try:
            while relaxation.operations <= budget:
                relaxation.sweep()
                bound = min(bound, relaxation.upper_bound)
                search.try_answer(relaxation, climb=False)
                known = max(search.score, floor)
                if closes(known, bound):
                    break
                keep = relaxation.survivors(known)
                sizes = kept_sizes(relaxation.terms, keep)
                if not sizes.all():
                    # In some frame nothing can beat what is known.
                    return known
                if _exact_cost(sizes, limits) <= max(
                    self._at_once(relaxation.cost_of(sizes)), relaxation.operations / DENSE
                ):
                    best = exact(restrict(relaxation.terms, keep)[0], limits)
                    search.offer(best.labels, best.score)
                    return max(known, best.score)
                if relaxation.cost_of(sizes) <= 0.5 * relaxation.cost:
                    relaxation.eliminate(keep)
                    share = GUESS
                    continue
                slow = not relaxation.progress > 0.05 * (bound - known)
                if relaxation.operations >= due and (most := _room(relaxation, limits)) >= FEWEST:
                    bound = min(bound, _reach(relaxation, search, known, most, limits))
                    due = 2 * relaxation.operations
                    known = max(search.score, floor)
                    if closes(known, bound):
                        break
                if slow and _tighten(relaxation, sizes, keep, limits, cheap):
                    share = GUESS
                elif share < 1.0 and (slow or relaxation.sweeps > 2):
                    bound = min(bound, self._guess(relaxation, search, limits, known, share))
                    share *= 2.0
                    if closes(max(search.score, floor), bound):
                        break
                elif slow:
                    search.try_answer(relaxation, climb=relaxation.operations > LARGE)
                    if _tighten(relaxation, sizes, keep, limits, _patience(relaxation)):
                        share = GUESS
                    elif not relaxation.progress > relaxation.terms.rounding:
                        break
        except OutOfTime as stop:
            stop.upper_bound = min(bound, stop.upper_bound)
            raise
        return max(search.score, floor, bound)

    def _guess(
        self,
        relaxation: Relaxation,
        search: ComponentSearch,
        limits: Limits,
        known: float,
        share: float,
    ) -> float:
        """Suppose that the best answer is better than some threshold, which few labels survive.

        Every assignment is either one of them, bounded by a relaxation of its own, or not above
        the threshold. Returns a bound of both.
        """
        threshold = relaxation.threshold(known, share)
        if not known < threshold < relaxation.upper_bound:
            return math.inf
        try:
            narrowed = relaxation.narrowed(relaxation.promising(threshold))
            budget = max(relaxation.cost, relaxation.operations / 4)
            bound = self._close(narrowed, search, limits, threshold, budget)
            relaxation.operations += narrowed.operations
        except Infeasible:
            return threshold
        except OutOfTime as stop:
            stop.upper_bound = max(threshold, stop.upper_bound)
            raise
        return max(threshold, bound)


def _room(relaxation: Relaxation, limits: Limits) -> int:
    """How many joint states of a frame have been paid for, and fit."""
    sizes = relaxation.terms.sizes
    each = JOINT * float(sizes.sum())
    room = limits.memory / (sizes.shape[1] * (4.0 * sizes.shape[0] + 8.0) + 8.0 * sizes.max())
    return int(min(0.25 * relaxation.operations / each, 0.5 * room, 1e6))


def _reach(
    relaxation: Relaxation, search: ComponentSearch, known: float, most: int, limits: Limits
) -> float:
    """Search the joint states that are left, `most` of a frame; returns a bound."""
    reached = search_frontier(relaxation, known, most, limits)
    if reached.labels is not None:
        search.offer(problem_labels(relaxation.terms, reached.labels), reached.score)
    return max(known, reached.upper_bound)


def _first_answer_operations(terms: Terms) -> float:
    """About what it takes to look at all labels and to find an answer among the nearest ones."""
    few = terms._replace(sizes=np.minimum(terms.sizes, BEAM))
    states = JOINT * FEWEST * float(few.sizes.sum())
    return first_look_operations(terms) + FIRST * relaxation_operations(few) + states


def _finish(terms: Terms, search: ComponentSearch, limits: Limits) -> Found:
    """Solve exactly what is left; nothing else can beat the best answer known."""
    best = exact(terms, limits)
    search.offer(best.labels, best.score)
    return search.proven()


def _exact_cost(sizes: Ints, limits: Limits) -> float:
    """Operations of solving exactly, infinite if it does not fit."""
    try:
        stride = checkpoint_stride(sizes, limits)
    except ProblemTooLarge:
        return math.inf
    passes = 1 if stride == sizes.shape[1] else 2
    return passes * operations(sizes, np.arange(sizes.shape[0]))


def _patience(relaxation: Relaxation) -> float:
    """Operations that a sweep may cost after lattices are joined.

    As long as sweeps still make some progress, only a cheap union is worth it.
    """
    if not relaxation.progress > relaxation.terms.rounding:
        return math.inf
    return max(4 * relaxation.cost, relaxation.operations)


def _tighten(relaxation: Relaxation, sizes: Ints, keep: Bools, limits: Limits, most: float) -> bool:
    """Join the two lattices that disagree in most frames; False if none can be joined.

    Of those that disagree as much, the two whose union is cheapest. A union that costs more than
    `most`, or does not fit, is none.
    """
    lattices = relaxation.lattices
    N = lattices.first.size - 1
    chains = [set(lattice_chains(lattices, n).tolist()) for n in range(N)]
    unions = [
        (cost, m, n)
        for m, n in itertools.combinations(range(N), 2)
        if chains[m] & chains[n]
        and (cost := operations(sizes, np.array(sorted(chains[m] | chains[n])))) <= most
    ]
    if most == math.inf or not unions:
        unions = sorted(unions)[:1]
    apart = relaxation.disagreement() if len(unions) > 1 else np.zeros((N, N), dtype=np.int64)
    for _, m, n in sorted(unions, key=lambda union: (-apart[union[1], union[2]], union)):
        union = np.array(sorted(chains[m] | chains[n]))
        rest = [np.array(sorted(c)) for i, c in enumerate(chains) if i not in (m, n)]
        if sweep_bytes(sizes, [union, *rest]) <= limits.memory:
            if not keep.all():
                relaxation.eliminate(keep)
            relaxation.merge([[m, n], *([i] for i in range(N) if i not in (m, n))])
            return True
    return False
