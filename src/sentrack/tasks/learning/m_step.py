"""The M-step: the models that are most probable given expected counts and a weak prior."""

import math
from dataclasses import dataclass, replace

import numpy as np

from sentrack.lexicon import WordModel
from sentrack.tasks.learning.e_step import Backgrounds, Tally
from sentrack.tasks.learning.scenes import Floats

# Of the clips, how many begin with a word's first state, before any is seen.
FIRST = 0.9


@dataclass(frozen=True, eq=False)
class Prior:
    """What is thought of a new word before any clip is seen, in frames, clips and seconds.

    Attributes:
        frames: that every feature of every state is taken to have shown, with the usual bins.
        bins: the usual bins.
        seconds: that a state is taken to have lasted once.
    """

    frames: float
    bins: Backgrounds
    seconds: float

    def outputs(self, model: WordModel) -> list[Floats]:
        """Per feature, (bins,) the frames in which it was seen beforehand."""
        return [self.frames * self.bins[o.feature.name] for o in model.observed]

    def initial(self, K: int) -> Floats:
        """(K,): one clip, mostly begun with the first state."""
        return np.array([FIRST, *[(1 - FIRST) / (K - 1)] * (K - 1)]) if K > 1 else np.ones(1)

    def log(self, model: WordModel) -> float:
        """The log probability of a model, up to a constant."""
        total = float(self.initial(model.K) @ np.log(model.initial))
        for prior, output in zip(self.outputs(model), model.outputs, strict=True):
            total += float((prior * np.log(output)).sum())
        if model.seconds is not None:
            rates = 1.0 / model.seconds[:-1]
            total += float((np.log(rates) - rates * self.seconds).sum())
        return total


def estimate(model: WordModel, tally: Tally, prior: Prior) -> WordModel:
    """The most probable model of a word given what is expected of it."""
    outputs = tuple(
        (counts + before) / (counts + before).sum(axis=1, keepdims=True)
        for counts, before in zip(tally.outputs, prior.outputs(model), strict=True)
    )
    initial = tally.initial + prior.initial(model.K)
    seconds = model.seconds
    if seconds is not None:
        rates = _rates(tally.moves, prior.seconds, model.K - 1)
        seconds = np.append(1.0 / rates, prior.seconds)
    return replace(model, outputs=outputs, initial=initial / initial.sum(), seconds=seconds)


def _rates(moves: dict[float, Floats], seconds: float, n: int) -> Floats:
    """(n,): per state, the rate at which it is left that makes stays and leaves most probable.

    A state is kept over d seconds with probability exp(-rate·d). The log probability is concave in
    the rate; bisection finds where its derivative is zero.
    """
    d = np.array(list(moves))[:, None]
    stays, leaves = np.stack(list(moves.values()), axis=1)
    low, high = np.full(n, -20.0), np.full(n, 20.0)
    for _ in range(80):
        middle = 0.5 * (low + high)
        rate = np.exp(middle)
        slope = (leaves * d / np.expm1(np.minimum(d * rate, 700.0)) - stays * d).sum(axis=0)
        rising = slope + 1.0 / rate - seconds > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.asarray(np.exp(0.5 * (low + high)))


def share_out(counts: Floats, classes: Floats) -> Floats:
    """(C,): the classes of a noun; before any clip is seen, one of the usual classes."""
    return np.asarray((counts + classes) / (counts.sum() + 1.0))


def log_share_prior(share: Floats, classes: Floats) -> float:
    """The log prior of the classes of a noun, up to a constant."""
    return float((classes * np.log(share)).sum()) if share.size else -math.inf
