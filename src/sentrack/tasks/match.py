"""How well a sentence is depicted, as one number that compares between sentences and clips."""

import math
from collections.abc import Iterable

from sentrack.lexicon import WordModel

# Nats per frame below which a word tells nothing: what uniform outputs come to by rounding.
ROUNDING = 1e-12
# Of a word's information: more is as good as certain, and is not to outweigh all other words.
SATURATED = 1e3


def match(told: Iterable[tuple[WordModel, float]]) -> float:
    """How much better than words that mean nothing, per frame and per word, from 0 to 1.

    Each word's margin is taken relative to what the word tells in a typical frame, so that words
    that look at many features count no more than words that look at few. Nouns say nothing here:
    their candidates are of their class to begin with.

    Args:
        told: every word with its margin, which may be infinite.
    """
    parts = [
        min(max(margin / model.information, -SATURATED), SATURATED)
        for model, margin in told
        if model.part != "noun" and model.information > ROUNDING
    ]
    return _logistic(math.fsum(parts) / len(parts)) if parts else 0.5


def _logistic(x: float) -> float:
    """1 / (1 + exp(-x)) without an overflow."""
    return 0.5 + 0.5 * math.tanh(0.5 * x)
