"""Discriminative training against minimal pairs."""

from dataclasses import replace

import numpy as np

from benchmarks.sampled import sampled, sharp_word
from sentrack.language import parse
from sentrack.lexicon import Lexicon
from sentrack.progress import silent
from sentrack.tasks.learning.contrast import maximise_contrast, minimal_pairs, uniform_background
from sentrack.tasks.learning.e_step import Parameters, TrainingSet, expectations
from sentrack.tasks.learning.examples import Example
from sentrack.tasks.learning.journal import Journal
from sentrack.workers import Executor
from tests.tasks.learning.samples import known


def test_contrast_raises_the_margin_over_minimal_pairs() -> None:
    rng = np.random.default_rng(1)
    words = [sharp_word(name, rng) for name in ("dax", "wug")]
    # Nearly the same words, so that the first stage alone hardly tells them apart.
    words[1] = replace(
        words[1],
        outputs=tuple(
            0.9 * a + 0.1 * b for a, b in zip(words[0].outputs, words[1].outputs, strict=True)
        ),
    )
    examples: list[Example] = []
    groups = []
    for word in words:
        for _ in range(4):
            own = sampled(word, 15, 2, rng)
            other = next(w for w in words if w is not word)
            swapped = replace(own.words[0], key=("verb", other.name))
            groups.append((len(examples), len(examples) + 1))
            examples += [own, replace(own, words=(swapped,))]
    parameters, _ = known(words, examples)
    parameters = replace(parameters, background=uniform_background(words))

    def margin(each: Parameters) -> float:
        values = [expectations(example, each)[0] for example in examples]
        return float(np.mean([values[a] - values[b] for a, b in groups]))

    data = TrainingSet(examples, Executor())
    after = maximise_contrast(parameters, data, groups, 6, 0.0, Journal(None, ""), silent)
    assert margin(after) > margin(parameters) + 0.1


def test_minimal_pairs_can_be_said() -> None:
    lexicon = Lexicon.load("everyday")
    vocabulary = lexicon.vocabulary()
    meaning = parse("The hand picked up the cup.", vocabulary)
    words = [("verb", "put-down"), ("verb", "walk"), ("verb", "pick-up"), ("noun", "bowl")]
    said = {pair.sentence for pair in minimal_pairs(meaning, words, vocabulary)}
    assert said == {
        "The hand put down the cup.",
        "The bowl picked up the cup.",
        "The hand picked up the bowl.",
        "The cup picked up the hand.",
    }
