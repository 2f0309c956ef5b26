"""Expectation and maximisation in turn, from several starts."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentrack.progress import Report
from sentrack.tasks.learning.e_step import Belief, Counts
from sentrack.tasks.learning.initial_models import drawn
from sentrack.tasks.learning.journal import Entry, Journal
from sentrack.tasks.learning.m_step import Prior, estimate, log_share_prior, share_out
from sentrack.tasks.learning.parallel import Readers
from sentrack.tasks.learning.scenes import Key, Scene

LOG = logging.getLogger("sentrack")

# Iterations after which the starts are compared: where a start leads shows early, and many short
# climbs find a high place sooner than few long ones.
SHORT = 5


@dataclass(frozen=True)
class Patience:
    """When a climb is over.

    Attributes:
        iterations: at most.
        tolerance: nats per frame; less is no gain.
    """

    iterations: int
    tolerance: float


def climb(
    name: str,
    belief: Belief,
    readers: Readers,
    prior: Prior,
    patience: Patience,
    journal: Journal,
    report: Report,
) -> Entry:
    """Raise the objective until it gains no more; it never falls.

    The objective is the log probability of the clips and of the models: the sum over clips of ln Z,
    less that of the tracks alone and relative to usual bins, and the log prior of every word.

    Args:
        name: of the climb, in messages and in the journal.
        belief: to start from.
        readers: the scenes.
        prior: of the words.
        patience: when to stop.
        journal: where a climb that was interrupted goes on.
        report: told the frames that were looked at.
    """
    frames = sum(scene.T for scene in readers.scenes)
    groups = related(readers.scenes, belief)
    at = journal.read(name, belief) or Entry(belief, 0, {}, False)
    while not at.done:
        answers = readers.expected(at.belief)
        objective = _objective(at.belief, prior, readers.scenes, answers, groups)
        gain = sum(objective.values()) - (sum(at.objective.values()) if at.objective else -np.inf)
        over = gain < patience.tolerance * frames or at.iteration >= patience.iterations
        LOG.info(
            "%s, iteration %d: objective %.5f nats per frame",
            name,
            at.iteration,
            sum(objective.values()) / frames,
        )
        report(name, frames * (at.iteration + 1), frames * (patience.iterations + 1))
        if over:
            at = replace(at, objective=objective, done=True)
        else:
            total = Counts()
            for _, counts in answers:
                total.add(counts)
            at = Entry(_improved(at.belief, total, prior), at.iteration + 1, objective, False)
        journal.write(name, at)
    return at


def best_of(
    title: str,
    belief: Belief,
    readers: Readers,
    prior: Prior,
    patience: Patience,
    restarts: int,
    seed: int,
    journal: Journal,
    report: Report,
) -> Belief:
    """Climb a little way from several random starts, and all the way from the best.

    Words that no sentence ties together do not touch each other's objective: each group of related
    words goes on from the start that was best for it.
    """
    groups = related(readers.scenes, belief)
    short = replace(patience, iterations=min(SHORT, patience.iterations))
    found = []
    for start in range(restarts):
        rng = np.random.default_rng([seed, start])
        name = f"{title}, start {start + 1} of {restarts}"
        begun = begin(belief, prior, rng)
        found.append(climb(name, begun, readers, prior, short, journal, report))
    models, shares = dict(belief.models), dict(belief.shares)
    for key, group in groups.items():
        first = max(found, key=lambda entry: entry.objective[group]).belief
        if key[0] == "noun":
            shares[key[1]] = first.shares[key[1]]
        else:
            models[key] = first.models[key]
    best = replace(belief, models=models, shares=shares)
    return climb(f"{title}, best start", best, readers, prior, patience, journal, report).belief


def begin(belief: Belief, prior: Prior, rng: np.random.Generator) -> Belief:
    """A belief with words other than nouns drawn at random."""
    models = dict(belief.models)
    for key in sorted(belief.learned):
        model = models[key]
        models[key] = drawn(model, prior.bins, prior.initial(model.K), prior.seconds, rng)
    return replace(belief, models=models)


def related(scenes: Sequence[Scene], belief: Belief) -> dict[Key, str]:
    """For every word that is learned, a name of the group of words that sentences tie it to."""
    group: dict[Key, str] = {}
    for scene in scenes:
        own = _own(scene, belief)
        names = {group.get(key, "/".join(key)) for key in own}
        for key in [*own, *(key for key, name in group.items() if name in names)]:
            group[key] = min(names)
    return group


def _own(scene: Scene, belief: Belief) -> list[Key]:
    """The words of a scene that are learned."""
    words = [word.key for word in scene.words if word.key in belief.learned]
    return words + [("noun", noun) for noun, _ in scene.nouns if noun in belief.shares]


def _objective(
    belief: Belief,
    prior: Prior,
    scenes: Sequence[Scene],
    answers: Sequence[tuple[float, Counts]],
    groups: dict[Key, str],
) -> dict[str, float]:
    """The objective of every group of related words; scenes without any are left out."""
    total = dict.fromkeys(sorted(set(groups.values())), 0.0)
    for key in sorted(groups):
        if key[0] == "noun":
            total[groups[key]] += log_share_prior(belief.shares[key[1]], belief.classes)
        else:
            total[groups[key]] += prior.log(belief.models[key])
    for scene, (log_likelihood, _) in zip(scenes, answers, strict=True):
        for key in _own(scene, belief)[:1]:
            total[groups[key]] += log_likelihood
    return total


def _improved(belief: Belief, counts: Counts, prior: Prior) -> Belief:
    models = dict(belief.models)
    for key, tally in counts.words.items():
        models[key] = estimate(models[key], tally, prior)
    shares = {noun: share_out(counts.shares[noun], belief.classes) for noun in belief.shares}
    return replace(belief, models=models, shares=shares)
