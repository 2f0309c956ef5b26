"""Dual decomposition: an upper bound of Eq. 4 and of every label.

Every multi-state word is a small lattice with copies of the tracks it speaks of. A sweep passes
messages through all frames and makes the copies agree frame by frame, which never raises the sum of
the lattices' maxima. That sum is an upper bound; with one label fixed, it bounds every assignment
that uses the label, so a label whose bound is below a known score is eliminated.
"""

import copy
import math

import numpy as np

from sentrack.inference.errors import Infeasible
from sentrack.inference.lattices import (
    decompose,
    effort,
    group_chains,
    merge,
    operations,
    restrict_lattices,
    sweep_bytes,
    sweep_operations,
    word_groups,
)
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.message_passing import MessagePassing
from sentrack.inference.structures import Bools, Floats, Ints, Lattices, Terms
from sentrack.inference.subgradient import Subgradient
from sentrack.inference.terms import block_maxima, kept_sizes, label_maxima, restrict

# Bounds that are tried, at most about twice as many, for one that keeps a share of the labels.
THRESHOLDS = 128
# Steps against the subgradient, and sweeps after them; of the gap what these must gain.
STEPS, SWEEPS, ENOUGH = 10, 4, 0.08


def term_bound(terms: Terms) -> float:
    """An upper bound from each term alone: the sum of the maxima of all blocks."""
    kinds = (
        (terms.node, terms.node_at),
        (terms.step, terms.step_at[:, 1:]),
        (terms.factor, terms.factor_at),
    )
    bound = sum(float(block_maxima(values, at).sum()) for values, at in kinds)
    return bound + terms.rounding


def quick_bound(terms: Terms, limits: Limits) -> float:
    """An upper bound from one pass over the words, or from each term alone if that is too much."""
    if relaxation_bytes(terms) <= limits.memory:
        try:
            return Relaxation(terms, limits).upper_bound
        except OutOfTime:
            pass
    return term_bound(terms)


def relaxation_bytes(terms: Terms) -> float:
    """Memory of the messages of the cheapest relaxation."""
    return sweep_bytes(terms.sizes, [group_chains(terms, g) for g in word_groups(terms)])


def relaxation_operations(terms: Terms) -> float:
    """Additions and comparisons of one sweep of the cheapest relaxation."""
    return sum(operations(terms.sizes, group_chains(terms, g)) for g in word_groups(terms))


def relaxation_effort(terms: Terms) -> float:
    """How long that takes, in operations on large tables."""
    return sum(effort(terms.sizes, group_chains(terms, g)) for g in word_groups(terms))


class Relaxation:
    """Lattices that share chains, and the messages in them.

    All that passes messages may raise OutOfTime, after which it is of no use any more.

    Attributes:
        terms: what is left of the component.
        lattices: its decomposition.
        sweeps: passes made.
        operations: additions and comparisons made so far.
        upper_bound: no assignment of `terms` scores more.
        progress: by how much each of the last two sweeps lowered the bound, at most.
    """

    upper_bound: float
    progress: float
    _changes: tuple[float, float]
    _worth: bool
    _messages: MessagePassing

    def __init__(self, terms: Terms, limits: Limits, lattices: Lattices | None = None) -> None:
        self.terms, self.limits = terms, limits
        self.lattices = lattices or decompose(terms, word_groups(terms))
        self.sweeps, self.operations = 0, 0.0
        self._start()

    def sweep(self) -> None:
        """One pass through all frames."""
        before = self.upper_bound
        try:
            self._messages.sweep()
        except OutOfTime as stop:
            # Every frame leaves a bound that holds.
            stop.upper_bound = min(before, self._messages.upper_bound)
            raise
        self.upper_bound = min(before, self._messages.upper_bound)
        self.sweeps += 1
        self.operations += self.cost
        self._check_feasible()
        self._changes = (self._changes[1], before - self.upper_bound)
        self.progress = max(self._changes)

    def descend(self, score: float, steps: int) -> None:
        """Make so many steps against the subgradient, with a known score for a goal."""
        messages = self._whole()
        subgradient = Subgradient(self.terms, self.lattices)
        try:
            for _ in range(steps):
                gap = messages.upper_bound - score
                if not self.terms.rounding < gap < math.inf:
                    break
                if not subgradient.step(messages.copies(), gap):
                    break
                messages.restart()
                self.upper_bound = min(self.upper_bound, messages.upper_bound)
                self.operations += self.cost
        except OutOfTime as stop:
            stop.upper_bound = self.upper_bound
            raise

    def descended(self, score: float) -> bool:
        """Make some steps and sweeps, if the last ones were worth it; whether these are."""
        if not self._worth:
            return False
        before = self.upper_bound
        self.descend(score, STEPS)
        for _ in range(SWEEPS):
            self.sweep()
        self._worth = bool(before - self.upper_bound > ENOUGH * (before - score))
        return self._worth

    @property
    def whole(self) -> bool:
        """Whether an assignment can be read off without another sweep."""
        return self._messages.whole

    def decode(self) -> Ints:
        """(C, T) an assignment of `terms`, read off all lattices together."""
        return self._whole().read()

    @property
    def cost(self) -> float:
        """Additions and comparisons of a sweep."""
        return self._messages.cost

    @property
    def effort(self) -> float:
        """How long a sweep takes, in operations on large tables."""
        return self._messages.effort

    @property
    def best(self) -> Floats:
        """(N,) the maximum of every lattice."""
        return self._whole().best

    @property
    def bounds(self) -> Floats:
        """Bounds of every label (laid out like `terms.node`), or inf where not known yet."""
        return self._messages.bounds

    @property
    def alone(self) -> Bools:
        """Labels (laid out like `terms.node`) that stand for themselves: here all."""
        return np.ones(self.terms.node.size, dtype=np.bool_)

    def in_the_way(self) -> Bools:
        """(C, T) where the best labels of some lattice stand for several: nowhere."""
        return np.zeros(self.terms.sizes.shape, dtype=np.bool_)

    def take_apart(self, cells: Bools) -> bool:  # noqa: ARG002
        """Have more labels in these chains and frames (C, T) stand for themselves: all do."""
        return False

    def copies(self) -> Ints:
        """(A, T) the best labels of every axis of every lattice."""
        return self._whole().copies()

    def backward(self) -> Floats:
        """Messages into all frames from those after them."""
        return self._whole().backward()

    def both_ways(self) -> tuple[Floats, Floats]:
        """Messages from the frames before and from those after, both of what is known now."""
        self.operations += self.cost
        return self._whole().both_ways()

    def survivors(self, score: float) -> Bools:
        """Labels (laid out like `terms.node`) that an assignment better than `score` may use."""
        return np.asarray(self.bounds > score - self.terms.rounding)

    def cost_of(self, sizes: Ints) -> float:
        """Operations of a sweep with this many labels (C, T) per chain and frame."""
        return float(sweep_operations(sizes, self.lattices).sum())

    def threshold(self, floor: float, share: float) -> float:
        """A bound above `floor`: without the labels of lower ones a sweep costs a share of this.

        It is about the lowest such bound, or that of everything if there is none.
        """
        bounds = np.sort(self.bounds[self.bounds > floor])
        bounds = bounds[:: max(1, bounds.size // THRESHOLDS)]
        best = label_maxima(self.terms, self.bounds)
        first, last = 0, bounds.size
        while first < last:
            middle = (first + last) // 2
            sizes = kept_sizes(self.terms, self._promising(float(bounds[middle]), best))
            if self.cost_of(sizes) <= share * self.cost:
                last = middle
            else:
                first = middle + 1
        return float(bounds[first]) if first < bounds.size else self.upper_bound

    def promising(self, threshold: float) -> Bools:
        """Labels whose bound is above a threshold, and the best of every chain and frame."""
        return self._promising(threshold, label_maxima(self.terms, self.bounds))

    def _promising(self, threshold: float, best: Floats) -> Bools:
        least = np.minimum(best, threshold - self.terms.rounding)
        return np.asarray(self.bounds >= np.repeat(least.ravel(), self.terms.sizes.ravel()))

    def narrowed(self, keep: Bools) -> "Relaxation":
        """A relaxation of these labels alone, with all that message passing has learned."""
        other = copy.copy(self)
        other.sweeps, other.operations = 0, 0.0
        other.eliminate(keep)
        return other

    def eliminate(self, keep: Bools) -> None:
        """Drop all labels but these."""
        new, _ = restrict(self.terms, keep)
        self.lattices = restrict_lattices(self.terms, self.lattices, keep, new)
        self.terms = new
        self._start()

    def merge(self, groups: list[list[int]]) -> None:
        """Join lattices, which tightens the bound."""
        self.lattices = merge(self.terms, self.lattices, groups)
        self._start()

    def gain(self, m: int, n: int) -> float:
        """By how much the bound falls as soon as two lattices are joined."""
        union = merge(self.terms, self.lattices, [[m, n]])
        messages = MessagePassing(self.terms, union, self.limits)
        self.operations += messages.cost
        return float(self.best[m] + self.best[n] - messages.best[0])

    def _start(self) -> None:
        """Messages of the present lattices from scratch."""
        self._messages = MessagePassing(self.terms, self.lattices, self.limits)
        self.upper_bound = self._messages.upper_bound
        self.operations += self.cost
        self.progress, self._changes = math.inf, (math.inf, math.inf)
        self._worth = True
        self._check_feasible()

    def _whole(self) -> MessagePassing:
        """The messages when both halves of the clip are one."""
        if not self._messages.whole:
            self.sweep()
        return self._messages

    def _check_feasible(self) -> None:
        if self.upper_bound == -math.inf:
            raise Infeasible("no assignment of tracks and states has a finite score")
