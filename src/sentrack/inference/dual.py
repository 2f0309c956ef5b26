"""Message passing as a method of its own, and the search for answers that it guides."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sentrack.inference.ascent import ascend
from sentrack.inference.errors import Infeasible
from sentrack.inference.relaxation import ROUNDING, Relaxation
from sentrack.inference.resources import Limits
from sentrack.inference.solution import closes
from sentrack.inference.structures import Ints, Terms
from sentrack.inference.terms import Answer, Found, Reduction, assignment_score, problem_labels


@dataclass(frozen=True)
class Dual:
    """Bound and answer from message passing alone; certified when they meet.

    Attributes:
        sweeps: most passes over the clip.
    """

    sweeps: int = 1000
    name: ClassVar[str] = "dual"

    def run(self, reduction: Reduction, limits: Limits, seed: int) -> Answer:  # noqa: ARG002
        """Tracks, states and an upper bound."""
        found = []
        for terms in reduction.components:
            relaxation = Relaxation(terms)
            search = Search(terms, limits)
            search.follow(relaxation, climb=True)
            while (
                relaxation.sweeps < self.sweeps
                and not search.closed(relaxation.upper_bound)
                and relaxation.progress > ROUNDING
                and limits.seconds_left > 0
            ):
                relaxation.sweep()
                search.follow(relaxation, climb=True)
            found.append(search.found(relaxation.upper_bound))
        return reduction.answer(found)


class Search:
    """The best assignment known of one component.

    Attributes:
        labels: (C, T), in the labels of the problem.
        score: of them.
    """

    def __init__(self, terms: Terms, limits: Limits) -> None:
        self._limits = limits
        self._tried: set[bytes] = set()
        first = np.zeros_like(terms.sizes)
        self.labels: Ints = problem_labels(terms, first)
        self.score = assignment_score(terms, first)

    def follow(self, relaxation: Relaxation, climb: bool) -> None:
        """Read an answer off a relaxation; on request improve it."""
        terms = relaxation.terms
        labels = relaxation.decode()
        self.offer(problem_labels(terms, labels), assignment_score(terms, labels))
        if climb and not self.closed(relaxation.upper_bound):
            self.climb(terms, labels)

    def climb(self, terms: Terms, labels: Ints) -> None:
        """Improve an assignment of what is left of the component, unless that was tried before."""
        start = problem_labels(terms, labels).tobytes()
        if start not in self._tried:
            self._tried.add(start)
            better, score = ascend(terms, labels, self._limits)
            self.offer(problem_labels(terms, better), score)

    def offer(self, labels: Ints, score: float) -> None:
        """Keep an assignment, in the labels of the problem, if it is the best so far."""
        if score > self.score:
            self.labels, self.score = labels, score

    def closed(self, upper_bound: float) -> bool:
        """Whether the best score known meets the bound."""
        return closes(self.score, upper_bound)

    def found(self, upper_bound: float) -> Found:
        """The best known, given a bound of all that is not known to be worse."""
        return Found(self.labels, self.score, max(self.score, upper_bound))

    def proven(self) -> Found:
        """The best known, which nothing can beat."""
        if self.score == -math.inf:
            raise Infeasible("no assignment of tracks and states has a finite score")
        return self.found(self.score)
