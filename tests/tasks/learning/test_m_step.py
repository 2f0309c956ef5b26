"""Estimates against what they maximise."""

import math

import numpy as np
import pytest

from benchmarks.sampled import sharp_word
from sentrack.tasks.learning.e_step import WordCounts
from sentrack.tasks.learning.m_step import Prior, estimate_noun, estimate_word


def test_lasting_times_are_the_most_probable_ones() -> None:
    word = sharp_word("dax", np.random.default_rng(0))
    moves = {0.1: np.array([[30.0, 4.0], [5.0, 2.0]]), 0.04: np.array([[80.0, 1.0], [3.0, 7.0]])}
    zero = [np.zeros_like(output) for output in word.outputs]
    sizes = {o.feature.name: len(o.feature.bins) for o in word.observed}
    bins = {name: np.full(size, 1 / size) for name, size in sizes.items()}
    found = estimate_word(word, WordCounts(zero, np.ones(3), moves), Prior(1.0, bins, 0.5))
    assert found.seconds is not None

    def log_probability(rate: float, state: int) -> float:
        told = math.log(rate) - rate * 0.5
        for d, (stays, leaves) in moves.items():
            told += -stays[state] * d * rate + leaves[state] * math.log(1 - math.exp(-d * rate))
        return told

    for state in (0, 1):
        best = 1 / found.seconds[state]
        for other in (best * 0.99, best * 1.01):
            assert log_probability(best, state) > log_probability(other, state)
    assert all((output.sum(axis=1) == pytest.approx(1)) for output in found.outputs)


def test_the_classes_of_a_noun_have_a_frame_of_the_usual_ones_as_prior() -> None:
    assert estimate_noun(np.array([8.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx([0.85, 0.15])
