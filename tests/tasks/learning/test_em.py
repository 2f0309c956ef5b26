"""EM as a whole: the objective rises, and known words are found again."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.learn import recovered
from benchmarks.sampled import sampled, sharp_word
from sentrack.progress import silent
from sentrack.tasks.learning.e_step import Parameters, TrainingSet
from sentrack.tasks.learning.em import (
    StoppingRule,
    connected_words,
    random_start,
    run_em,
    run_em_with_restarts,
)
from sentrack.tasks.learning.journal import Journal, StageProgress
from sentrack.workers import Executor
from tests.tasks.learning.samples import known

NONE = Journal(None, "")


@settings(max_examples=5)
@given(st.integers(0, 10**6))
def test_the_objective_never_falls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = [sharp_word(name, rng) for name in ("dax", "wug")]
    examples = [sampled(word, 12, 2, rng) for word in words for _ in range(3)]
    parameters, prior = known(words, examples)
    told: list[float] = []

    class Told(Journal):
        def write(self, stage: str, progress: StageProgress) -> None:  # noqa: ARG002
            told.append(sum(progress.objective.values()))

    start, data = random_start(parameters, prior, rng), TrainingSet(examples, Executor())
    end = run_em("start", start, data, prior, StoppingRule(12, -1.0), Told(None, ""), silent)
    assert end.iteration == 12
    assert len(told) == 13
    assert (np.diff(told) >= -1e-9).all()
    assert told[-1] > told[0] + 1


def test_known_words_are_recovered_from_random_starts() -> None:
    truth, learned = recovered(0, clips=25, restarts=3, frames=24)
    assert truth > 1
    assert learned > 0.98 * truth


def test_each_word_goes_on_from_the_start_that_was_best_for_it() -> None:
    rng = np.random.default_rng(3)
    words = [sharp_word(name, rng) for name in ("dax", "wug")]
    examples = [sampled(word, 15, 2, rng) for word in words for _ in range(3)]
    parameters, prior = known(words, examples)
    assert set(connected_words(examples, parameters).values()) == {"verb/dax", "verb/wug"}
    rule, data = StoppingRule(5, 0.0), TrainingSet(examples, Executor())

    def run(start: Parameters) -> StageProgress:
        return run_em("x", start, data, prior, rule, NONE, silent)

    found = run_em_with_restarts("words", parameters, data, prior, rule, 3, 0, NONE, silent)
    generators = [np.random.default_rng([0, n]) for n in range(3)]
    ends = [run(random_start(parameters, prior, rng)) for rng in generators]
    for key in parameters.learned:
        best = max(ends, key=lambda end: end.objective["/".join(key)])
        own, other = (each.models[key] for each in (found, run(best.parameters).parameters))
        assert all(map(np.array_equal, own.outputs, other.outputs))


def test_words_that_share_a_sentence_are_connected() -> None:
    rng = np.random.default_rng(0)
    words = [sharp_word(name, rng) for name in ("dax", "wug", "frib")]
    examples = [sampled(word, 4, 2, rng) for word in words]
    parameters, _ = known(words, examples)
    both = replace(examples[0], words=(examples[0].words[0], examples[1].words[0]))
    assert len(set(connected_words([*examples, both], parameters).values())) == 2
