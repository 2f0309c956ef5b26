"""What a solver answers."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sentrack.read_only import ReadOnly

TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Solution(ReadOnly):
    """Tracks and states that depict the sentence, and how good they provably are.

    Attributes:
        tracks: int (L, T): the candidate chosen for every track in every frame.
        states: int (W, T): the state of every word in every frame.
        score: Eq. 4 of this choice, in nats.
        upper_bound: no choice of tracks and states scores more than this.
        method: the solver that found it.
        seconds: wall-clock time it took.
    """

    tracks: npt.NDArray[np.int64]
    states: npt.NDArray[np.int64]
    score: float
    upper_bound: float
    method: str
    seconds: float

    @property
    def gap(self) -> float:
        """How much better, in nats, the best answer could be at most."""
        return self.upper_bound - self.score

    @property
    def certified(self) -> bool:
        """Whether the answer is proven to be the best one, up to 1e-6 of its size."""
        return closes(self.score, self.upper_bound)


def closes(score: float, upper_bound: float) -> bool:
    """Whether a score is as good as proven to be the best."""
    return score > -math.inf and bool(upper_bound - score <= TOLERANCE * max(1.0, abs(score)))
