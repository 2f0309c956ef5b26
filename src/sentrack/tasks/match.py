"""How probable it is that a sentence is depicted, given the tracks that depict it best.

A logistic function of two things: how much better than a word that means nothing the word that fits
least explains what is seen, as a part of what it could tell at best, since a sentence is as true as
each of its words; and how long it all lasts. It was fitted on annotated video
(docs/measured/match.md). What was hardly detected is hardly there.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sentrack.lexicon import WordModel

if TYPE_CHECKING:
    from sentrack.tasks.result import TrackedWord

BORDER = 0.5  # from which on a sentence is said to be depicted
# Of the logistic function; `python -m benchmarks.true_false --fit` prints them.
import os
PER_TYPICAL = float(os.environ.get('PT','0.7'))
CONSTANT, PER_FIT, PER_LOG_SECOND = 0.265, 1.411, 0.175
# What fits worse than by this many times what a word could tell says no more.
SATURATED = 3.0
SHARPNESS = 4.0  # how little the words count that fit better than the one that fits least
# Seconds: what is shorter or longer than these is no less or more probable for it.
SHORTEST, LONGEST = 0.1, 5.0
SURE = 0.4  # a detection score from which on a thing is there
# Nats per frame below which a word tells nothing: what uniform outputs come to by rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Depiction:
    """Whether a sentence is depicted, and what that depends on.

    Attributes:
        fit: how well the word fits that fits least; 0 is as well as one that means nothing, 1 is
            perfectly. 0 if no word tells anything.
        seconds: how long it lasts.
        sureness: the mean detection score of the participant that is least surely detected.
    """

    fit: float
    seconds: float
    sureness: float
    typical: float | None = None

    @property
    def match(self) -> float:
        """0..1, the probability that it is depicted."""
        lasts = math.log(min(max(self.seconds, SHORTEST), LONGEST))
        typical = self.fit if self.typical is None else self.typical
        x = CONSTANT + PER_FIT * self.fit + PER_LOG_SECOND * lasts + PER_TYPICAL * (typical - self.fit)
        return min(1.0, self.sureness / SURE) / (1 + math.exp(-x))


def depiction(
    words: "Iterable[tuple[WordModel, TrackedWord]]",
    seconds: float,
    scores: Iterable[npt.NDArray[np.float64]],
) -> Depiction:
    """What the match of an answer depends on.

    Args:
        words: every word with what was found of it.
        seconds: how long it lasts.
        scores: per participant, the detection scores of the frames in which it is seen, as
            probabilities.
    """
    fits = [relative(word.margin, model) for model, word in words if model.information > ROUNDING]
    sure = [float(each.mean()) if len(each) else 0.0 for each in scores]
    return Depiction(soft_least(fits), seconds, min(sure, default=1.0))


def soft_least(fits: Sequence[float]) -> float:
    """About the least of some numbers, but growing with each of them; 0 if there are none.

    -ln mean exp(-SHARPNESS x) / SHARPNESS: of two sentences that share their worst word, the one
    whose other words fit better is the more probable.
    """
    if not len(fits):
        return 0.0
    x = np.array(fits)
    least = float(x.min())
    return least - math.log(np.exp(-SHARPNESS * (x - least)).mean()) / SHARPNESS


def relative(nats: float, model: WordModel) -> float:
    return min(max(nats / model.most, -SATURATED), SATURATED)
