"""The M-step: the models that are most probable given expected counts and a weak prior."""

import math
from dataclasses import dataclass, replace

import numpy as np

from sentrack.lexicon import WordModel
from sentrack.tasks.learning.e_step import Background, Counts, Parameters, WordCounts
from sentrack.tasks.learning.examples import Floats

FIRST = 0.9  # share of clips that begin with a word's first state, before any is seen


@dataclass(frozen=True, eq=False)
class Prior:
    """What a word is taken to have shown before any clip is seen: conjugate priors, as counts.

    Attributes:
        frames: that every state has shown, with the bins of the background.
        background: how often any candidates show each bin.
        seconds: that every state has lasted, once.
    """

    frames: float
    background: Background
    seconds: float

    def outputs(self, model: WordModel) -> list[Floats]:
        """Per feature, (bins,) frames that show each bin."""
        return [self.frames * self.background[o.feature.name] for o in model.observed]

    def initial(self, K: int) -> Floats:
        """(K,): the states that one clip begins with, mostly the first."""
        return np.array([FIRST, *[(1 - FIRST) / (K - 1)] * (K - 1)]) if K > 1 else np.ones(1)

    def log_density(self, model: WordModel) -> float:
        """The log prior of a model, up to a constant."""
        total = float(self.initial(model.K) @ np.log(model.initial))
        for prior, output in zip(self.outputs(model), model.outputs, strict=True):
            total += float((prior * np.log(output)).sum())
        if model.seconds is not None:
            rates = 1.0 / model.seconds[:-1]
            total += float((np.log(rates) - rates * self.seconds).sum())
        return total


def m_step(parameters: Parameters, counts: Counts, prior: Prior) -> Parameters:
    """The most probable parameters given the expected counts of all examples."""
    models = dict(parameters.models)
    for key, own in counts.words.items():
        models[key] = estimate_word(models[key], own, prior)
    nouns = {
        noun: estimate_noun(counts.nouns[noun], parameters.classes) for noun in parameters.nouns
    }
    return replace(parameters, models=models, nouns=nouns)


def estimate_word(model: WordModel, counts: WordCounts, prior: Prior) -> WordModel:
    """The most probable model of a word given its expected counts."""
    outputs = tuple(
        (frames + before) / (frames + before).sum(axis=1, keepdims=True)
        for frames, before in zip(counts.outputs, prior.outputs(model), strict=True)
    )
    initial = counts.initial + prior.initial(model.K)
    seconds = model.seconds
    if seconds is not None:
        rates = _rates(counts.transitions, prior.seconds, model.K - 1)
        seconds = np.append(1.0 / rates, prior.seconds)
    return replace(model, outputs=outputs, initial=initial / initial.sum(), seconds=seconds)


def _rates(transitions: dict[float, Floats], seconds: float, n: int) -> Floats:
    """(n,): for each state, the rate of leaving it that makes its transitions most probable.

    A state is kept over d seconds with probability exp(-rate·d). The log probability is concave in
    the rate; bisection finds where its derivative is zero.
    """
    d = np.array(list(transitions))[:, None]
    stays, leaves = np.stack(list(transitions.values()), axis=1)
    low, high = np.full(n, -20.0), np.full(n, 20.0)
    for _ in range(80):
        middle = 0.5 * (low + high)
        rate = np.exp(middle)
        slope = (leaves * d / np.expm1(np.minimum(d * rate, 700.0)) - stays * d).sum(axis=0)
        rising = slope + 1.0 / rate - seconds > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.asarray(np.exp(0.5 * (low + high)))


def estimate_noun(counts: Floats, classes: Floats) -> Floats:
    """(C,): the most probable classes of a noun; the prior is one frame of the usual classes."""
    return np.asarray((counts + classes) / (counts.sum() + 1.0))


def noun_log_density(noun: Floats, classes: Floats) -> float:
    """The log prior of the classes of a noun, up to a constant."""
    return float((classes * np.log(noun)).sum()) if noun.size else -math.inf
