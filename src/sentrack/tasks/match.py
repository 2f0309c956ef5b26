"""How probable it is that a sentence is depicted, given the tracks that depict it best.

A logistic function of two things: how much better than words that mean nothing its words explain
what is seen, each as a part of what it could tell at best, mostly by the one that fits least, since
a sentence is as true as each of its words; and how long it all lasts. It is asked of all things
that the participants could be (`alternatives`): one of fifty does nearly anything. It was
fitted on annotated video (docs/measured/match.md). What was hardly detected is hardly there, and
what neither lives nor goes by itself hardly ever carries, pushes or walks.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sentrack.lexicon import WordModel

if TYPE_CHECKING:
    from sentrack.tasks.result import TrackedWord

Floats = npt.NDArray[np.float64]

BORDER = 0.5  # from which on a sentence is said to be depicted
# Of the logistic function; `python -m benchmarks.true_false --fit` prints them.
CONSTANT, PER_FIT, PER_LOG_SECOND = 0.141, 2.156, 0.146
# What fits worse than by this many times what a word could tell says no more.
SATURATED = 3.0
SHARPNESS = 4.0  # how little the words count that fit better than the one that fits least
# Seconds: what is shorter or longer than these is no less or more probable for it.
SHORTEST, LONGEST = 0.1, 5.0
# Log-odds against a word that needs legs or hands, where its agent is not of a kind that acts.
UNUSUAL = math.log(20)
SURE_SCORE = 0.4  # a detection score from which on a thing is there
# Nats per frame below which a word tells nothing: what uniform outputs come to by rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Depiction:
    """Whether a sentence is depicted, and what that depends on.

    Attributes:
        fit: how well the words fit, mostly the one that fits least; 0 is as well as words that mean
            nothing, 1 is perfectly. 0 if no word tells anything.
        seconds: how long it lasts.
        sureness: the mean detection score of the participant that is least surely detected.
        unusual: in how many words somebody acts whose kind does not do so.
    """

    fit: float
    seconds: float
    sureness: float
    unusual: int = 0

    @property
    def match(self) -> float:
        """0..1, the probability that it is depicted."""
        lasts = math.log(min(max(self.seconds, SHORTEST), LONGEST))
        x = CONSTANT + PER_FIT * self.fit + PER_LOG_SECOND * lasts - UNUSUAL * self.unusual
        return min(1.0, self.sureness / SURE_SCORE) / (1 + math.exp(-x))


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
    return Depiction(float(soft_least(fits)), seconds, min(sure, default=1.0))


def soft_greatest(x: npt.ArrayLike) -> Floats:
    """(...): about the greatest of numbers (W, ...), but growing with each; 0 if W is 0.

    ln mean exp(SHARPNESS x) / SHARPNESS, which is the least of all if SHARPNESS is taken for
    -SHARPNESS (`soft_least`).
    """
    values = np.asarray(x, dtype=np.float64)
    if not len(values):
        return np.zeros(values.shape[1:])
    top = values.max(axis=0)
    return np.asarray(top + np.log(np.exp(SHARPNESS * (values - top)).mean(axis=0)) / SHARPNESS)


def soft_least(x: npt.ArrayLike) -> Floats:
    """(...): about the least of numbers (W, ...), but growing with each; 0 if W is 0."""
    return -soft_greatest(-np.asarray(x, dtype=np.float64))


def relative(nats: npt.ArrayLike, model: WordModel) -> Floats:
    """How well a word fits: nats per frame as a part of what it could tell at best."""
    return np.clip(np.asarray(nats) / model.most, -SATURATED, SATURATED)
