"""The best answer known of a component, and what it may be put together from."""

import math
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from sentrack.inference.errors import Infeasible
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.methods.ascent import ascend, first_answer
from sentrack.inference.relaxation import Relaxation, term_bound
from sentrack.inference.solution import closes
from sentrack.inference.structures import Bools, Ints, Terms
from sentrack.inference.terms import (
    TOGETHER,
    Found,
    assignment_score,
    kept_sizes,
    problem_labels,
    restrict,
)

# Assignments, read off after sweeps or found, that the next answer is put together from.
RECENT = 12


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
        self._recent: deque[Ints] = deque(maxlen=RECENT)
        self._mixed: Bools | None = None
        self._keys: Ints | None = None

    @property
    def closed(self) -> bool:
        """Whether the best score known meets the bound."""
        return closes(self.score, self.upper_bound)

    def follow(self, relaxation: Relaxation, climb: bool) -> None:
        """Take the bound of a relaxation of all that is left, and try its answer."""
        self.lower(relaxation.upper_bound)
        self.try_answer(relaxation, climb)

    def try_answer(self, relaxation: Relaxation, climb: bool) -> None:
        """Read an answer off a relaxation, if it has one yet; on request improve it."""
        if not relaxation.whole:
            return
        terms = relaxation.terms
        labels = relaxation.decode()
        found = problem_labels(terms, labels)
        self._recent.append(found)
        self.offer(found, assignment_score(terms, labels))
        if climb and not closes(self.score, relaxation.upper_bound):
            self.climb(terms, labels)

    def climb(self, terms: Terms, labels: Ints) -> None:
        """Improve an assignment of what is left of the component, unless that was tried before."""
        start = problem_labels(terms, labels).tobytes()
        if start not in self._tried:
            self._tried.add(start)
            better, score = ascend(terms, labels, self._limits)
            self.offer(problem_labels(terms, better), score)

    def offer(self, labels: Ints, score: float) -> None:
        """Keep an assignment, in the labels of the problem, if it is the best so far.

        One with a label that stands for several is none.
        """
        if score > self.score and not (labels == TOGETHER).any():
            self.labels, self.score = labels, score

    def climb_from(self, labels: Ints) -> None:
        """The same of an assignment of the component, given in the labels of the problem."""
        self.climb(self._terms, self._own(labels))

    def offer_known(self, labels: Ints) -> None:
        """Keep an assignment of the component whose score is not known, if it is the best."""
        self.offer(labels, assignment_score(self._terms, self._own(labels)))

    def mixture(self, relaxation: Relaxation) -> Terms | None:
        """The component with few labels, among which a better answer may be.

        Those are all states of words, and the candidates of the best answer, of recent assignments
        and of the best ones of lattices. None if there is nothing new among them.
        """
        whole, terms, chains = self._terms, relaxation.terms, relaxation.lattices.chain
        T = whole.sizes.shape[1]
        mixed = np.repeat(np.repeat(whole.chain >= whole.L, T), whole.sizes.ravel())
        copies = terms.label[terms.node_at[chains] + relaxation.copies()]
        answers = [*self._recent, *([self.labels] if self.score > -math.inf else [])]
        every = np.arange(whole.chain.size)
        for rows, labels in (*((every, each) for each in answers), (chains, copies)):
            cells = rows[:, None] * T + np.arange(T)
            alone = labels != TOGETHER
            mixed[self._places(cells[alone], labels[alone])] = True
        if self._mixed is not None and not (mixed & ~self._mixed).any():
            return None
        self._mixed = mixed
        return restrict(whole, mixed)[0] if kept_sizes(whole, mixed).all() else None

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

    def _own(self, labels: Ints) -> Ints:
        """(C, T) the component's own labels of an assignment in those of the problem."""
        places = self._places(np.arange(labels.size), labels.ravel())
        return np.asarray(places.reshape(labels.shape) - self._terms.node_at)

    def _places(self, cells: Ints, labels: Ints) -> Ints:
        """Where labels of the problem, of chains and frames by number, lie in the component."""
        terms = self._terms
        most = int(terms.label.max()) + 1
        if self._keys is None:
            cell = np.repeat(np.arange(terms.sizes.size), terms.sizes.ravel())
            self._keys = cell * most + terms.label
        return np.asarray(np.searchsorted(self._keys, cells * most + labels))


@contextmanager
def among_others() -> Iterator[None]:
    """Look for answers among some labels, which bounds nothing, and proves nothing impossible."""
    try:
        yield
    except Infeasible:
        pass
    except OutOfTime as stop:
        stop.upper_bound = math.inf
        raise
