"""Examples sampled from a word model: what learning should give back."""

from dataclasses import replace

import numpy as np

from sentrack.inference import Problem, TrackTerms, posteriors
from sentrack.lexicon import WordModel
from sentrack.tasks.learning.examples import Example, Floats, Spoken
from sentrack.tasks.learning.initial_models import DEFAULT_STATES, blank_model

FEATURES = {
    "verb 2": "speed(1) vertical(1) gap(0,1) closing(0,1) together(0,1) advance(0,1)",
}
# Probability that a candidate is followed by that of the same place.
SAME = 0.95


def sharp_word(name: str, rng: np.random.Generator) -> WordModel:
    """A verb of two with random outputs, most of them clear."""
    said = WordModel(name, "verb", (name,), ("agent", "patient"))
    model = blank_model(said, DEFAULT_STATES, FEATURES, 0.02)
    K = model.K
    outputs = tuple(
        0.97 * rng.dirichlet(np.full(len(o.feature.bins), 0.5), K) + 0.03 / len(o.feature.bins)
        for o in model.observed
    )
    initial = np.array([0.9, *[0.1 / (K - 1)] * (K - 1)])
    return replace(model, outputs=outputs, initial=initial, seconds=rng.uniform(0.5, 1.5, K))


def sampled(model: WordModel, T: int, J: int, rng: np.random.Generator) -> Example:
    """T frames with J candidates for each participant; one of them, anywhere, shows the word.

    Others show any bin equally often.
    """
    seconds = 0.1
    states = _states(model, T, seconds, rng)
    arity = len(model.roles)
    true = rng.integers(J, size=arity)
    real = rng.random(T) >= model.noise
    bins = []
    for observed, output in zip(model.observed, model.outputs, strict=True):
        B = output.shape[1]
        shape = [J if r in observed.roles else 1 for r in range(arity)]
        values = rng.integers(B, size=(T, *shape))
        shown = np.array([rng.choice(B, p=output[k]) for k in states])
        place = [int(true[r]) if r in observed.roles else 0 for r in range(arity)]
        flat = values.reshape(T, -1)
        own = int(np.ravel_multi_index(place, shape))
        flat[:, own] = np.where(real, shown, flat[:, own])
        bins.append(np.broadcast_to(values, (T, *[J] * arity)).reshape(-1))
    groups = []
    for members in model.groups():
        code = np.zeros(len(bins[0]), dtype=np.int64)
        for n in members:
            code = code * len(model.observed[n].feature.bins) + bins[n]
        groups.append((members, code))
    follow = np.full((J, J), np.log((1 - SAME) / max(J - 1, 1)))
    np.fill_diagonal(follow, np.log(SAME))
    tracks = tuple(TrackTerms([np.zeros(J)] * T, [follow] * (T - 1)) for _ in range(arity))
    spoken = Spoken(
        (model.part, model.name),
        tuple(range(arity)),
        ((J,) * arity,) * T,
        tuple(groups),
        np.zeros(len(bins[0]), dtype=np.bool_),
        np.ones(len(bins[0]), dtype=np.bool_),
    )
    alone = posteriors(Problem(tracks)).log_partition
    nowhere = (np.zeros(J, dtype=np.int64),) * T
    nouns = tuple((role, nowhere) for role in model.roles)
    return Example(model.name, seconds, tracks, (), (spoken,), nouns, alone)


def _states(model: WordModel, T: int, seconds: float, rng: np.random.Generator) -> list[int]:
    """The state of every frame, drawn until the word ends in a final one."""
    moves: Floats = np.exp(model.log_transitions(seconds))
    while True:
        states = [int(rng.choice(model.K, p=model.initial))]
        for _ in range(T - 1):
            states.append(int(rng.choice(model.K, p=moves[states[-1]])))
        if model.final[states[-1]]:
            return states
