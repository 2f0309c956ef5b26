"""Message passing as a method of its own, and the search for answers that it guides."""

import math
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sentrack.inference.errors import Infeasible
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.methods.ascent import ascend, first_answer
from sentrack.inference.relaxation import Relaxation, relaxation_bytes, term_bound
from sentrack.inference.solution import closes
from sentrack.inference.structures import Ints, Terms
from sentrack.inference.terms import Answer, Found, Reduction, assignment_score, kept_sizes, problem_labels, restrict


@dataclass(frozen=True)
class Dual:
    """Bound and answer from message passing alone; certified when they meet.

    Where the messages do not fit the memory limit, it ascends, and bounds each term alone.

    Attributes:
        sweeps: most passes over the clip.
    """

    sweeps: int = 1000
    name: ClassVar[str] = "dual"

    def run(self, reduction: Reduction, limits: Limits, seed: int) -> Answer:  # noqa: ARG002
        """Tracks, states and an upper bound."""
        return reduction.answer([self._component(terms, limits) for terms in reduction.components])

    def _component(self, terms: Terms, limits: Limits) -> Found:
        search = ComponentSearch(terms, limits)
        try:
            if relaxation_bytes(terms) > limits.memory:
                search.climb(terms, first_answer(terms))
                return search.found()
            relaxation = Relaxation(terms, limits)
            search.follow(relaxation, climb=True)
            while (
                relaxation.sweeps < self.sweeps
                and not search.closed
                and relaxation.progress > terms.rounding
            ):
                relaxation.sweep()
                search.follow(relaxation, climb=True)
        except OutOfTime as stop:
            search.lower(stop.upper_bound)
        return search.found()


class ComponentSearch:
    """The best assignment known of one component, and the best bound of what may beat it.

    Attributes:
        labels: (C, T), in the labels of the problem.
        score: of them, or -inf before there are any.
        upper_bound: no assignment that is not known to be worse scores more.
    """

    def __init__(self, terms: Terms, limits: Limits) -> None:
        self._terms, self._limits = terms, limits
        self._tried: set[bytes] = set()
        self.labels: Ints = problem_labels(terms, np.zeros_like(terms.sizes))
        self.score, self.upper_bound = -math.inf, math.inf
        self._pool = np.zeros(terms.node.size, dtype=np.bool_)
        self._M = int(terms.label.max()) + 1
        cell = np.repeat(np.arange(terms.sizes.size), terms.sizes.ravel())
        self._keys = cell * self._M + terms.label
        self._recent, self._answers = deque(maxlen=2), deque(maxlen=2)

    @property
    def closed(self) -> bool:
        """Whether the best score known meets the bound."""
        return closes(self.score, self.upper_bound)

    def follow(self, relaxation: Relaxation, climb: bool) -> None:
        """Take the bound of a relaxation of all that is left, and try its answer."""
        self.lower(relaxation.upper_bound)
        self.try_answer(relaxation, climb)

    def try_answer(self, relaxation: Relaxation, climb: bool) -> None:
        """Read an answer off a relaxation; on request improve it, if it can be."""
        terms = relaxation.terms
        labels = relaxation.decode()
        l = problem_labels(terms, labels)
        if (l >= 0).all() and (s := assignment_score(terms, labels)) > self.score: self.offer(l, s)
        if climb and not closes(self.score, relaxation.upper_bound):
            self.climb(terms, labels)

    def climb(self, terms: Terms, labels: Ints) -> None:
        """Improve an assignment of what is left of the component, unless that was tried before."""
        start = problem_labels(terms, labels).tobytes()
        if start not in self._tried:
            self._tried.add(start)
            better, score = ascend(terms, labels, self._limits)
            self.offer(problem_labels(terms, better), score)

    def collected(self, relaxation):
        """The terms of all labels that lattices' best assignments or recent answers use, or None if none is new."""
        terms, lattices = relaxation.terms, relaxation.lattices
        C, T = terms.sizes.shape
        labels = terms.label[terms.node_at[lattices.chain] + relaxation.copies()].ravel()
        cells = (lattices.chain[:, None] * T + np.arange(T)).ravel()
        real = labels >= 0
        self._recent.append(np.searchsorted(self._keys, cells[real] * self._M + labels[real]))
        whole = self._terms
        pool = np.repeat(np.repeat(whole.chain >= whole.L, T), whole.sizes.ravel())
        for each in self._recent:
            pool[each] = True
        for answer in (*self._answers, *([self.labels] if self.score > -np.inf else [])):
            pool[np.searchsorted(self._keys, np.arange(C * T) * self._M + answer.ravel())] = True
        if (pool <= self._pool).all() or not kept_sizes(whole, pool).all():
            return None
        self._pool = pool
        return restrict(self._terms, pool)[0]

    def offer(self, labels: Ints, score: float) -> None:
        """Keep an assignment, in the labels of the problem, if it is the best so far."""
        if (labels < 0).any():
            return
        if score > -np.inf and all((labels != a).any() for a in self._answers):
            self._answers.append(labels)
        if score > self.score:
            self.labels, self.score = labels, score

    def lower(self, upper_bound: float) -> None:
        """Take a bound of all that is not known to be worse than the best known."""
        self.upper_bound = min(self.upper_bound, upper_bound)

    def found(self) -> Found:
        """The best known, or what is quickly found where nothing is."""
        if self.score == -math.inf:
            self.climb(self._terms, first_answer(self._terms))
        if self.upper_bound == math.inf:
            self.upper_bound = term_bound(self._terms)
        return Found(self.labels, self.score, max(self.score, self.upper_bound))

    def proven(self) -> Found:
        """The best known, which nothing can beat."""
        if self.score == -math.inf:
            raise Infeasible("no assignment of tracks and states has a finite score")
        return Found(self.labels, self.score, self.score)
