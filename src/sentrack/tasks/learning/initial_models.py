"""Where EM starts: the features and states of new words, random outputs, likely nouns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sentrack.lexicon import FEATURES, Observed, WordModel
from sentrack.tasks.learning.e_step import Background
from sentrack.tasks.learning.examples import Example, Floats, classes_there

# How many states the words of a part of speech have, as in the paper's corpus.
DEFAULT_STATES: Mapping[str, int] = {
    "verb": 3,
    "adverb": 3,
    "motion": 3,
    "adjective": 1,
    "preposition": 1,
    "direction": 1,
}

# The features of all words of a part of speech with so many participants, which go by number. No
# feature is chosen for a single word.
DEFAULT_FEATURES: Mapping[str, str] = {
    "verb 1": "speed(0) heading(0)",
    "verb 2": "speed(1) vertical(1) rise(1) change(1) reach(0,1) closing(0,1)",
    "verb 3": "speed(0) vertical(0) speed(1) vertical(1) speed(2) vertical(2) gap(0,1) gap(0,2) "
    "gap(1,2) closing(0,1) closing(0,2) closing(1,2)",
    "adverb 1": "speed(0)",
    "direction 1": "heading(0)",
    "adjective 1": "colour(0) bulk(0)",
    "preposition 2": "side(0,1) height(0,1) gap(0,1) support(0,1) depth(0,1)",
    "motion 2": "speed(0) advance(0,1) gap(0,1)",
}
# Share of clips in which a noun is said and its class is not there; and of all classes at first.
ABSENT = 0.1
# Nats per frame, over uniform outputs, from which on a word is said to look at a feature.
TELLING = 0.05
# Of the Dirichlet distribution of random outputs, in frames; with fewer they differ more.
CONCENTRATION = 8.0


def parse_features(written: str) -> tuple[Observed, ...]:
    """The features of a word, written as in DEFAULT_FEATURES."""
    found = []
    for text in written.split():
        name, _, roles = text.rstrip(")").partition("(")
        found.append(Observed(FEATURES[name], tuple(map(int, roles.split(",")))))
    return tuple(found)


def blank_model(
    model: WordModel, states: Mapping[str, int], features: Mapping[str, str], noise: float
) -> WordModel:
    """A word that is said as before but means nothing yet."""
    K = states.get(model.part, 1)
    observed = parse_features(features[f"{model.part} {len(model.roles)}"])
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


def widened_model(model: WordModel, features: Mapping[str, str]) -> WordModel:
    """A word that means the same, and also looks at features that tell it nothing yet.

    Nothing is impossible: what is learned may be likely that was not.
    """
    more = parse_features(features.get(f"{model.part} {len(model.roles)}", ""))
    new = tuple(o for o in more if o not in model.observed)
    flat = (np.full((model.K, len(o.feature.bins)), 1 / len(o.feature.bins)) for o in new)
    outputs = (*(_floored(output) for output in model.outputs), *flat)
    return replace(model, observed=model.observed + new, outputs=outputs)


def narrowed_model(model: WordModel) -> WordModel:
    """A word without the features that tell less than TELLING in all of its states."""
    told = [float((o * np.log(o * o.shape[1])).sum(axis=1).max()) >= TELLING for o in model.outputs]
    if not any(told):
        return model
    return replace(
        model,
        observed=tuple(o for o, kept in zip(model.observed, told, strict=True) if kept),
        outputs=tuple(o for o, kept in zip(model.outputs, told, strict=True) if kept),
    )


def random_model(
    model: WordModel,
    background: Background,
    initial: Floats,
    seconds: float,
    rng: np.random.Generator,
) -> WordModel:
    """A word with outputs drawn at random around the background."""
    outputs = tuple(
        _floored(rng.dirichlet(CONCENTRATION * background[o.feature.name] + 0.5, model.K))
        for o in model.observed
    )
    lasting = None if model.seconds is None else np.full(model.K, seconds)
    return replace(model, outputs=outputs, initial=initial, seconds=lasting)


def initial_noun(examples: Sequence[Example], noun: str, classes: Floats) -> Floats:
    """(C,): the probability of each class that a noun names it, by what is there when it is said.

    A noun names one class, which is there whenever it is said, except for a share of ABSENT. Other
    classes are there as often as usual: (C,) `classes`.
    """
    labels = [seen for example in examples for said, seen in example.nouns if said == noun]
    there = np.array([classes_there(seen, len(classes)) for seen in labels])
    log = np.where(there, np.log((1 - ABSENT) / classes), np.log(ABSENT)).sum(axis=0)
    share = np.exp(log - log.max())
    return np.asarray((1 - ABSENT) * share / share.sum() + ABSENT / len(classes))


def _floored(output: Floats) -> Floats:
    output = np.maximum(output, 1e-6)
    return np.asarray(output / output.sum(axis=1, keepdims=True))
