"""The cheapest way to a certified optimum.

Small lattices are solved exactly at once. In large ones the candidates that a first look finds far
from the best are taken together, and apart again where they are in the way. Then: bound by message
passing, put together good answers, eliminate the labels that cannot beat them, and solve what
survives exactly as soon as that costs no more than what has been spent already, which keeps the
total within twice the best choice. A relaxation that stalls is tightened by joining two of its
lattices; joined all together they are the exact problem.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sentrack.inference.balance import balanced
from sentrack.inference.errors import Infeasible, ProblemTooLarge
from sentrack.inference.lattices import operations
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.methods.ascent import first_answer
from sentrack.inference.methods.close_windows import close_windows
from sentrack.inference.methods.coarse import CoarseRelaxation
from sentrack.inference.methods.component_search import ComponentSearch, among_others
from sentrack.inference.methods.first_answers import seek_among_few, seek_answers
from sentrack.inference.methods.first_look import (
    first_look,
    first_look_bytes,
    first_look_operations,
    nearest,
)
from sentrack.inference.methods.frontier import search_frontier
from sentrack.inference.methods.unions import tighten
from sentrack.inference.methods.viterbi import checkpoint_stride, exact
from sentrack.inference.relaxation import Relaxation, relaxation_bytes, relaxation_operations
from sentrack.inference.solution import closes
from sentrack.inference.structures import Bools, Ints, Terms
from sentrack.inference.terms import (
    TOGETHER,
    Answer,
    Found,
    Reduction,
    kept_sizes,
    problem_labels,
    restrict,
)
from sentrack.inference.windows import can_be_cut

# Operations that are done whatever the time: some milliseconds.
SMALL = 1e6
# A sweep must cost this many times as much as one look at every term to be worth a first look, and
# so many operations, since that takes some milliseconds whatever the size. So does ascent, and
# putting answers together.
LOOK = 16
LARGE = 1e7
# A first guess narrows a relaxation down to this share of its cost; each further one to twice that.
GUESS = 1 / 8
# Joint states are kept in a list for about this many operations per state, chain and candidate.
JOINT = 40.0
# Fewer joint states than this are not worth a search.
FEWEST = 100
# Candidates per track and frame, on average, that stand for themselves at first.
ALONE = 16
# If labels taken together are in the way in this part of all chains and frames, there are more.
CROWDED = 0.25
# Where more than this part of them do so anyway, all do: the others would save little, and a clip
# that has some cannot be cut into windows.
MOST = 0.6
# After so many times the operations a new answer is put together from parts of others; that may
# take so many sweeps.
MIXING = 1.25
MIXED = 4.0
# An operation on a product of many short axes takes about so many of one on two or three long ones.
DENSE = 8.0
# A clip of so many frames, a sweep of which takes so many operations, is searched in windows.
LONG = 120
COSTLY = 1e8
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
        if (
            sweep > max(LOOK * (terms.factor.size + terms.step.size), LARGE)
            and first_look_bytes(terms) <= limits.memory
        ):
            soon = limits.affords(first_look_operations(terms))
            if not soon:
                seek_among_few(terms, search, limits, self._mix)
            apart = first_look(terms, limits, self.inside and self.inside(terms))
            search.lower(apart.upper_bound)
            if soon:
                seek_answers(apart, search, limits, self._mix)
            if not limits.affords(first_look_operations(terms)):
                raise OutOfTime
            keep = apart.survivors(search.score)
            if not kept_sizes(terms, keep).all():
                return search.proven()
            relaxation: Relaxation = _coarse(apart, keep, limits)
        elif relaxation_bytes(terms) <= limits.memory:
            lattices = None
            if self.inside is not None:
                terms, lattices = balanced(terms, None, self.inside(terms), limits)
            relaxation = Relaxation(terms, limits, lattices)
        else:
            search.climb(terms, first_answer(terms))
            return search.found()
        search.follow(relaxation, climb=False)
        if not search.closed and _worth_windows(relaxation, limits):
            search.lower(self._searched_in_windows(relaxation, search, limits))
        elif not search.closed:
            search.lower(self._close(relaxation, search, limits))
        return search.found()

    def _searched_in_windows(
        self, relaxation: Relaxation, search: ComponentSearch, limits: Limits
    ) -> float:
        """A bound of all that may be better than what is known, by windows of frames."""

        def close(part: Relaxation, own: ComponentSearch, floor: float, budget: float) -> float:
            return self._close(part, own, limits, floor, budget)

        plain = Relaxation(relaxation.terms, limits, relaxation.lattices)
        return close_windows(plain, search, close)

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
        bound, share, listed, mixed = relaxation.upper_bound, GUESS, 0.0, LARGE
        coarse, nested = isinstance(relaxation, CoarseRelaxation), floor > -math.inf
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
                    bound = min(bound, max(known, best.score))
                    if not relaxation.take_apart(best.labels == TOGETHER):
                        return bound
                    continue
                if relaxation.cost_of(sizes) <= 0.5 * relaxation.cost:
                    relaxation.eliminate(keep)
                    share = GUESS
                    continue
                if relaxation.operations >= mixed:
                    self._mix(relaxation, search, limits)
                    mixed = MIXING * relaxation.operations
                    known = max(search.score, floor)
                    if closes(known, bound):
                        break
                slow = not relaxation.progress > 0.05 * (bound - known)
                if slow and relaxation.cost >= LARGE and relaxation.descended(known):
                    continue
                if slow and relaxation.take_apart(relaxation.in_the_way()):
                    continue
                if (
                    relaxation.operations >= listed
                    and (most := _room(relaxation, limits)) >= FEWEST
                ):
                    bound = min(bound, _reach(relaxation, search, known, most, limits))
                    listed = 2 * relaxation.operations
                    known = max(search.score, floor)
                    if closes(known, bound):
                        break
                stuck = not relaxation.progress > relaxation.terms.rounding
                if slow and tighten(relaxation, keep, limits, _paid(relaxation, budget)):
                    share = GUESS
                elif share < 1.0 and (
                    slow and not nested if coarse else slow or relaxation.sweeps > 2
                ):
                    bound = min(bound, self._guess(relaxation, search, limits, known, share))
                    share *= 2.0
                    if closes(max(search.score, floor), bound):
                        break
                elif slow:
                    if not coarse and relaxation.operations > LARGE:
                        search.try_answer(relaxation, climb=True)
                    if tighten(relaxation, keep, limits, _patience(relaxation)):
                        share = GUESS
                    elif stuck:
                        break
            else:
                # Lattices that were just joined may have an answer.
                search.try_answer(relaxation, climb=False)
        except OutOfTime as stop:
            stop.upper_bound = min(bound, stop.upper_bound)
            raise
        return max(search.score, floor, bound)

    def _mix(self, relaxation: Relaxation, search: ComponentSearch, limits: Limits) -> None:
        """Look for an answer among the labels of recent answers and of lattices' best ones."""
        terms = search.mixture(relaxation)
        if terms is None:
            return
        with among_others():
            if _exact_cost(terms.sizes, limits) <= max(SMALL, relaxation.cost):
                best = exact(terms, limits)
                search.offer(best.labels, best.score)
                return
            mixed, own = Relaxation(terms, limits), ComponentSearch(terms, limits)
            try:
                self._close(mixed, own, limits, search.score, MIXED * relaxation.cost)
            finally:
                search.offer(own.labels, own.score)
            relaxation.operations += mixed.operations

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


def _coarse(apart: Relaxation, keep: Bools, limits: Limits) -> Relaxation:
    """A relaxation by words, with labels far from the best of their frame taken together.

    Where that is in the way in many frames, they are not far enough: fewer are.
    """
    most = ALONE
    while True:
        alone = nearest(apart.terms, apart.bounds, most)
        if alone[keep].mean() > MOST:
            alone[:] = True
        relaxation = CoarseRelaxation(apart, keep, alone, limits)
        if alone[keep].all() or relaxation.in_the_way().mean() < CROWDED:
            return relaxation
        most *= 2


def _worth_windows(relaxation: Relaxation, limits: Limits) -> bool:
    """Whether a clip is long, sweeps are slow, and all labels stand for themselves."""
    terms = relaxation.terms
    return (
        terms.sizes.shape[1] >= LONG
        and relaxation.cost > COSTLY
        and bool(relaxation.alone.all())
        and can_be_cut(relaxation)
        and 2.0 * relaxation_bytes(terms) <= limits.memory
    )


def _room(relaxation: Relaxation, limits: Limits) -> int:
    """How many joint states of a frame have been paid for, and fit."""
    sizes = relaxation.terms.sizes
    each = JOINT * float(sizes.sum())
    room = limits.memory / (sizes.shape[1] * (4.0 * sizes.shape[0] + 8.0) + 8.0 * sizes.max())
    return int(min(0.25 * relaxation.operations / each, 0.5 * room, 1e6))


def _reach(
    relaxation: Relaxation, search: ComponentSearch, known: float, most: int, limits: Limits
) -> float:
    """Search the joint states that are left, `most` of a frame; returns a bound.

    Labels that stand for several are left out, and then nothing is bounded.
    """
    alone, bound = relaxation.alone, math.inf
    if alone.all():
        reached = search_frontier(relaxation, known, most, limits)
        bound = max(known, reached.upper_bound)
        if reached.labels is not None:
            search.offer(problem_labels(relaxation.terms, reached.labels), reached.score)
    elif kept_sizes(relaxation.terms, alone).all():
        with among_others():
            near = relaxation.narrowed(alone)
            near.sweep()
            reached = search_frontier(near, known, most, limits)
            if reached.labels is not None:
                search.offer(problem_labels(near.terms, reached.labels), reached.score)
    return bound


def _exact_cost(sizes: Ints, limits: Limits) -> float:
    """Operations of solving exactly, infinite if it does not fit."""
    try:
        stride = checkpoint_stride(sizes, limits)
    except ProblemTooLarge:
        return math.inf
    passes = 1 if stride == sizes.shape[1] else 2
    return passes * operations(sizes, np.arange(sizes.shape[0]))


def _paid(relaxation: Relaxation, budget: float) -> float:
    """Operations that a pass over joined lattices may take, while sweeps still gain something.

    In a coarse relaxation, twice what it costs, or what has been paid for by sweeps before.
    """
    if isinstance(relaxation, CoarseRelaxation):
        return max(relaxation.cost, relaxation.operations / PATIENCE)
    return budget / PATIENCE if budget < math.inf else 0.0


def _patience(relaxation: Relaxation) -> float:
    """The same, when neither unions that are paid for nor guesses are left.

    As long as sweeps still make some progress, only a cheap union is worth it.
    """
    if not relaxation.progress > relaxation.terms.rounding:
        return math.inf
    if isinstance(relaxation, CoarseRelaxation):
        return 0.0
    return max(4 * relaxation.cost, relaxation.operations)
