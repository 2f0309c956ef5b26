"""What a new word looks at, and where learning starts: states in a row, outputs at random."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sentrack.lexicon import WordModel
from sentrack.lexicon.features import FEATURES
from sentrack.lexicon.model import Observed
from sentrack.tasks.learning.e_step import Backgrounds
from sentrack.tasks.learning.scenes import Floats, Scene

# How many states the words of a part of speech have, as in the paper's corpus.
STATES: Mapping[str, int] = {
    "verb": 3,
    "adverb": 3,
    "motion": 3,
    "adjective": 1,
    "preposition": 1,
    "direction": 1,
}

# What the words of a part of speech look at, of their participants by number. The same for all: no
# feature is chosen for a word.
LOOKED_AT: Mapping[str, str] = {
    "verb 1": "speed(0) heading(0)",
    "verb 2": "speed(1) vertical(1) gap(0,1) closing(0,1) together(0,1) advance(0,1)",
    "verb 3": "speed(0) vertical(0) speed(1) vertical(1) speed(2) vertical(2) gap(0,1) gap(0,2) "
    "gap(1,2) closing(0,1) closing(0,2) closing(1,2)",
    "adverb 1": "speed(0)",
    "direction 1": "heading(0)",
    "adjective 1": "colour(0) bulk(0)",
    "preposition 2": "side(0,1) height(0,1) gap(0,1) support(0,1) depth(0,1)",
    "motion 2": "speed(0) advance(0,1) gap(0,1)",
}
# A noun begins as what co-occurs with it, but with this probability as anything.
ANYTHING = 0.1
# Frames, in effect, that a random output is drawn with: few differ more from the usual bins.
SPREAD = 8.0


def looked_at(written: str) -> tuple[Observed, ...]:
    """The features of a word, written as in LOOKED_AT."""
    found = []
    for text in written.split():
        name, _, roles = text.rstrip(")").partition("(")
        found.append(Observed(FEATURES[name], tuple(map(int, roles.split(",")))))
    return tuple(found)


def blank(
    model: WordModel, states: Mapping[str, int], features: Mapping[str, str], noise: float
) -> WordModel:
    """A word that is said as before but means nothing yet."""
    K = states.get(model.part, 1)
    observed = looked_at(features[f"{model.part} {len(model.roles)}"])
    return replace(
        model,
        states=tuple(f"phase {k + 1}" for k in range(K)) if K > 1 else ("is",),
        observed=observed,
        outputs=tuple(np.full((K, len(o.feature.bins)), 1 / len(o.feature.bins)) for o in observed),
        initial=np.full(K, 1 / K),
        seconds=np.ones(K) if K > 1 else None,
        transitions=None,
        final=np.arange(K) == K - 1,
        noise=noise,
    )


def drawn(
    model: WordModel, bins: Backgrounds, initial: Floats, seconds: float, rng: np.random.Generator
) -> WordModel:
    """A word with outputs drawn at random around the usual bins."""
    outputs = tuple(
        _floored(rng.dirichlet(SPREAD * bins[o.feature.name] + 0.5, model.K))
        for o in model.observed
    )
    lasting = None if model.seconds is None else np.full(model.K, seconds)
    return replace(model, outputs=outputs, initial=initial, seconds=lasting)


def co_occurring(scenes: Sequence[Scene], noun: str, classes: Floats) -> Floats:
    """(C,): the class that a noun probably names, by what is there when it is said.

    It names one class, which is there each time but for ANYTHING of them; others are there as often
    as usual, (C,) `classes`.
    """
    labels = [seen for scene in scenes for said, seen in scene.nouns if said == noun]
    there = np.array([np.bincount(seen, minlength=len(classes)) > 0 for seen in labels])
    log = np.where(there, np.log((1 - ANYTHING) / classes), np.log(ANYTHING)).sum(axis=0)
    share = np.exp(log - log.max())
    return np.asarray((1 - ANYTHING) * share / share.sum() + ANYTHING / len(classes))


def _floored(output: Floats) -> Floats:
    output = np.maximum(output, 1e-6)
    return np.asarray(output / output.sum(axis=1, keepdims=True))
