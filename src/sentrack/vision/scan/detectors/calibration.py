"""Scores turned into probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

NEAR = 1e-9  # of a score to 0 and 1, beyond which it tells no more


@dataclass(frozen=True)
class Curve:
    """How often boxes of a score show a thing of their class: σ(offset + slope · logit(score)).

    It grows with the score, so that no order changes. docs/measured/vision.md has the curves of the
    detectors that are known by name, and `python -m benchmarks.vision --only detectors` fits them.
    """

    offset: float
    slope: float

    def __call__(self, score: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Probabilities, of any shape; NaN stays."""
        inside = np.clip(score.astype(np.float64), NEAR, 1 - NEAR)
        logit = self.offset + self.slope * np.log(inside / (1 - inside))
        return np.asarray(1 / (1 + np.exp(-logit)))

    def inverse(self, probability: float) -> float:
        """The score that has a probability."""
        if not 0 < probability < 1:
            return probability
        logit = (np.log(probability / (1 - probability)) - self.offset) / self.slope
        return float(1 / (1 + np.exp(-logit)))
