"""Expected counts against an oracle that shares no code with them."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from sentrack.lexicon import WordModel
from sentrack.tasks.learning.e_step import (
    Parameters,
    expectations,
)
from sentrack.tasks.learning.examples import AWAY, Example
from tests.tasks.learning.samples import known, small


def by_enumeration(
    model: WordModel, example: Example, parameters: Parameters
) -> tuple[float, list[np.ndarray], np.ndarray, np.ndarray]:
    """The log-likelihood and counts, by looking at every assignment."""
    (word,) = example.words
    T, J, K = example.T, 2, model.K
    ((_, code),) = word.groups
    sizes = [len(o.feature.bins) for o in model.observed]
    bins = np.array(np.unravel_index(code, sizes)).reshape(len(sizes), T, J, J)
    stay = math.exp(-example.seconds / float(model.seconds[0]))  # type: ignore[index]
    move = np.array([[stay, 1 - stay], [0, 1]])
    follow = np.exp(np.asarray(example.tracks[0].pairwise[0]))
    uniform = math.prod(1 / size for size in sizes)
    total = alone = 0.0
    outputs = [np.zeros((K, size)) for size in sizes]
    initial, moves = np.zeros(K), np.zeros((2, 1))
    for a in itertools.product(range(J), repeat=T):
        for b in itertools.product(range(J), repeat=T):
            tracks = math.prod(follow[x, y] for t in (a, b) for x, y in itertools.pairwise(t))
            alone += tracks
            for states in itertools.product(range(K), repeat=T):
                if states[-1] == 0:
                    continue
                weight = tracks * model.initial[states[0]]
                weight *= math.prod(move[x, y] for x, y in itertools.pairwise(states))
                real = []
                for t, k in enumerate(states):
                    seen = [bins[n, t, a[t], b[t]] for n in range(len(sizes))]
                    own = math.prod(model.outputs[n][k, seen[n]] for n in range(len(sizes)))
                    usual = math.prod(
                        parameters.background[o.feature.name][seen[n]]
                        for n, o in enumerate(model.observed)
                    )
                    mixed = (1 - model.noise) * own + model.noise * uniform
                    weight *= mixed / usual
                    real.append((1 - model.noise) * own / mixed)
                total += weight
                initial[states[0]] += weight
                for x, y in itertools.pairwise(states):
                    if x == 0:
                        moves[y, 0] += weight
                for t, k in enumerate(states):
                    for n in range(len(sizes)):
                        outputs[n][k, bins[n, t, a[t], b[t]]] += weight * real[t]
    found = [output / total for output in outputs]
    return math.log(total / alone), found, initial / total, moves / total


@pytest.mark.parametrize("seed", range(3))
def test_expected_counts_are_those_of_all_assignments(seed: int) -> None:
    model, example = small(seed)
    parameters, _ = known([model], [example])
    log_likelihood, counts = expectations(example, parameters)
    true, outputs, initial, moves = by_enumeration(model, example, parameters)
    counted = counts.words["verb", "dax"]
    assert log_likelihood == pytest.approx(true)
    for own, other in zip(counted.outputs, outputs, strict=True):
        assert own == pytest.approx(other)
    assert counted.initial == pytest.approx(initial)
    assert counted.transitions[0.1] == pytest.approx(moves)


def test_a_word_that_rules_bins_out_counts_nothing_there() -> None:
    model, example = small(1)
    only = [np.stack([np.eye(output.shape[1])[0], output[1]]) for output in model.outputs]
    model = replace(model, noise=0.0, outputs=tuple(only), initial=np.array([0.5, 0.5]))
    parameters, _ = known([model], [example])
    counted = expectations(example, parameters)[1].words["verb", "dax"]
    for counts in counted.outputs:
        assert counts[0, 1:].sum() == 0
        assert counts.sum() == pytest.approx(example.T)


def test_the_classes_of_a_noun_are_weighed_in_every_frame() -> None:
    model, example = small(0)
    parameters, _ = known([model], [example])
    labels = (np.array([0, 1]),) * example.T
    example = replace(example, nouns=(("agent", labels), example.nouns[1]))
    share, classes = np.array([0.6, 0.4]), np.array([0.5, 0.5])
    plain, _ = expectations(example, parameters)
    soft, counts = expectations(
        example, replace(parameters, nouns={"agent": share}, classes=classes)
    )
    assert counts.nouns["agent"].sum() == pytest.approx(example.T)
    # Between what it would be if the first candidate were meant, and if the second were.
    assert plain + 3 * math.log(0.8) < soft < plain + 3 * math.log(1.2)


def test_what_is_not_there_shows_no_class() -> None:
    """A participant whose second candidate, of two frames, is no thing of any class."""
    model, example = small(0)
    parameters, _ = known([model], [example])
    parameters = replace(parameters, nouns={"agent": np.array([0.6, 0.4])}, classes=np.ones(2) / 2)
    labels = tuple(np.array([0, other]) for other in (AWAY, AWAY, 1))
    own = replace(example, nouns=(("agent", labels), example.nouns[1]))
    told = [math.log(1.2), math.log(0.8), 0.0]  # of a class, against how often it is there
    tracks = [
        np.asarray(f) + [told[label] for label in here]
        for f, here in zip(example.tracks[0].unary, labels, strict=True)
    ]
    plain = replace(example, tracks=(replace(example.tracks[0], unary=tracks), example.tracks[1]))
    expected, _ = expectations(plain, replace(parameters, nouns={}))
    found, counts = expectations(own, parameters)
    assert found == pytest.approx(expected)
    seen = counts.nouns["agent"]
    assert 0 < seen[1] < 1
    assert seen.sum() < example.T - 0.01
