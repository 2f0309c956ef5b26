"""Message passing as a method of its own."""

from dataclasses import dataclass
from typing import ClassVar

from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.methods.ascent import first_answer
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.relaxation import Relaxation, relaxation_bytes
from sentrack.inference.structures import Terms
from sentrack.inference.terms import Answer, Found, Reduction


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
