"""Message passing as a method of its own, and the search for answers that it guides."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sentrack.inference.ascent import ascend
from sentrack.inference.relaxation import ROUNDING, Relaxation
from sentrack.inference.resources import Limits
from sentrack.inference.solution import closes
from sentrack.inference.structures import Ints, Terms
from sentrack.inference.terms import Answer, Reduction, assignment_score


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
        assignments, bound = [], 0.0
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
            assignments.append(search.labels)
            bound += max(relaxation.upper_bound, search.score)
        return reduction.answer(assignments, bound)


class Search:
    """The best assignment known of one component.

    Attributes:
        labels: (C, T), in the component's own labels.
        score: its score.
    """

    def __init__(self, terms: Terms, limits: Limits) -> None:
        self._limits = limits
        self._tried: set[bytes] = set()
        self.labels: Ints = np.zeros(terms.sizes.shape, dtype=np.int64)
        self.score = assignment_score(terms, self.labels)

    def follow(self, relaxation: Relaxation, climb: bool) -> None:
        """Read an answer off a relaxation; on request improve it, unless that was tried before."""
        labels = relaxation.decode()
        score = assignment_score(relaxation.terms, labels)
        self.offer(relaxation.original(labels), score)
        seen = relaxation.original(labels).tobytes()
        if climb and seen not in self._tried and not self.closed(relaxation.upper_bound):
            self._tried.add(seen)
            labels, score = ascend(relaxation.terms, labels, self._limits)
            self.offer(relaxation.original(labels), score)

    def offer(self, labels: Ints, score: float) -> None:
        """Keep an assignment if it is the best so far."""
        if score > self.score:
            self.labels, self.score = labels, score

    def closed(self, upper_bound: float) -> bool:
        """Whether the best score known meets the bound."""
        return closes(self.score, upper_bound)
