"""Expectation maximisation, from several random starts."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentrack.progress import Report
from sentrack.tasks.learning.e_step import Counts, Parameters, TrainingSet
from sentrack.tasks.learning.examples import Example, Key
from sentrack.tasks.learning.initial_models import random_model
from sentrack.tasks.learning.journal import Journal, StageProgress
from sentrack.tasks.learning.m_step import Prior, m_step, noun_log_density

LOG = logging.getLogger("sentrack")

# Iterations after which the starts are compared: where a start leads shows early, and many short
# runs find a good one sooner than few long ones.
SHORT_RUN = 5


@dataclass(frozen=True)
class StoppingRule:
    """When a run is over.

    Attributes:
        iterations: at most.
        tolerance: nats per frame; less is no gain.
    """

    iterations: int
    tolerance: float


def run_em(
    name: str,
    parameters: Parameters,
    data: TrainingSet,
    prior: Prior,
    rule: StoppingRule,
    journal: Journal,
    report: Report,
) -> StageProgress:
    """Alternate E-steps and M-steps until the objective gains no more; it never falls.

    The objective is the log probability of the clips and of the models: the sum over clips of ln Z,
    less that of the tracks alone and relative to the background, and the log prior of every word.

    Args:
        name: of the run, in messages and in the journal.
        parameters: to start from.
        data: the examples.
        prior: of the words.
        rule: when to stop.
        journal: where a run that was interrupted goes on.
        report: told the frames that were looked at.
    """
    frames = sum(example.T for example in data.examples)
    groups = connected_words(data.examples, parameters)
    at = journal.read(name, parameters) or StageProgress(parameters, 0, {}, False)
    while not at.done:
        expected = data.e_step(at.parameters)
        objective = _objective(at.parameters, prior, data.examples, expected, groups)
        gain = sum(objective.values()) - (sum(at.objective.values()) if at.objective else -np.inf)
        over = gain < rule.tolerance * frames or at.iteration >= rule.iterations
        LOG.info(
            "%s, iteration %d: objective %.5f nats per frame",
            name,
            at.iteration,
            sum(objective.values()) / frames,
        )
        report(name, frames * (at.iteration + 1), frames * (rule.iterations + 1))
        if over:
            at = replace(at, objective=objective, done=True)
        else:
            total = Counts()
            for _, counts in expected:
                total.add(counts)
            better = m_step(at.parameters, total, prior)
            at = StageProgress(better, at.iteration + 1, objective, False)
        journal.write(name, at)
    return at


def run_em_with_restarts(
    title: str,
    parameters: Parameters,
    data: TrainingSet,
    prior: Prior,
    rule: StoppingRule,
    restarts: int,
    seed: int,
    journal: Journal,
    report: Report,
) -> Parameters:
    """Run EM for a few iterations from several random starts, and to the end from the best.

    Words that no sentence connects do not touch each other's objective, so each group of connected
    words goes on from the start that was best for it.
    """
    groups = connected_words(data.examples, parameters)
    short = replace(rule, iterations=min(SHORT_RUN, rule.iterations))
    found = []
    for start in range(restarts):
        rng = np.random.default_rng([seed, start])
        name = f"{title}, start {start + 1} of {restarts}"
        first = random_start(parameters, prior, rng)
        found.append(run_em(name, first, data, prior, short, journal, report))
    models, nouns = dict(parameters.models), dict(parameters.nouns)
    for key, group in groups.items():
        best = max(found, key=lambda progress: progress.objective[group]).parameters
        if key[0] == "noun":
            nouns[key[1]] = best.nouns[key[1]]
        else:
            models[key] = best.models[key]
    joined = replace(parameters, models=models, nouns=nouns)
    return run_em(f"{title}, best start", joined, data, prior, rule, journal, report).parameters


def random_start(parameters: Parameters, prior: Prior, rng: np.random.Generator) -> Parameters:
    """Parameters with random models of the words that are learned; nouns stay as they are."""
    models = dict(parameters.models)
    for key in sorted(parameters.learned):
        model, initial = models[key], prior.initial(models[key].K)
        models[key] = random_model(model, prior.background, initial, prior.seconds, rng)
    return replace(parameters, models=models)


def connected_words(examples: Sequence[Example], parameters: Parameters) -> dict[Key, str]:
    """For every word that is learned, a name of the group of words that sentences connect it to."""
    group: dict[Key, str] = {}
    for example in examples:
        own = _learned(example, parameters)
        names = {group.get(key, "/".join(key)) for key in own}
        for key in [*own, *(key for key, name in group.items() if name in names)]:
            group[key] = min(names)
    return group


def _learned(example: Example, parameters: Parameters) -> list[Key]:
    """The words of an example that are learned."""
    words = [word.key for word in example.words if word.key in parameters.learned]
    return words + [("noun", noun) for noun, _ in example.nouns if noun in parameters.nouns]


def _objective(
    parameters: Parameters,
    prior: Prior,
    examples: Sequence[Example],
    expected: Sequence[tuple[float, Counts]],
    groups: dict[Key, str],
) -> dict[str, float]:
    """The objective of every group of connected words; examples without any are left out."""
    total = dict.fromkeys(sorted(set(groups.values())), 0.0)
    for key in sorted(groups):
        if key[0] == "noun":
            total[groups[key]] += noun_log_density(parameters.nouns[key[1]], parameters.classes)
        else:
            total[groups[key]] += prior.log_density(parameters.models[key])
    for example, (log_likelihood, _) in zip(examples, expected, strict=True):
        for key in _learned(example, parameters)[:1]:
            total[groups[key]] += log_likelihood
    return total
