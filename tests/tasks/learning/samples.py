"""Small examples to learn from."""

from dataclasses import replace

import numpy as np

from benchmarks.sampled import sampled, sharp_word
from sentrack.lexicon import WordModel
from sentrack.tasks.learning.e_step import Parameters, measure_background
from sentrack.tasks.learning.examples import Example
from sentrack.tasks.learning.m_step import Prior


def known(models: list[WordModel], examples: list[Example]) -> tuple[Parameters, Prior]:
    words = {(m.part, m.name): m for m in models}
    background = measure_background(examples, words)
    parameters = Parameters(words, {}, background, np.zeros(0), frozenset(words))
    return parameters, Prior(5.0, background, 1.0)


def small(seed: int) -> tuple[WordModel, Example]:
    """Three frames, two candidates for each of two participants, two states."""
    rng = np.random.default_rng(seed)
    word = sharp_word("dax", rng)
    keep = [0, 2, 3]  # a feature of one participant and two of both
    word = replace(
        word,
        observed=tuple(word.observed[n] for n in keep),
        outputs=tuple(word.outputs[n][:2] for n in keep),
        states=word.states[:2],
        initial=np.array([0.7, 0.3]),
        seconds=np.array([0.3, 1.0]),
        final=np.array([False, True]),
    )
    return word, sampled(word, 3, 2, rng)
