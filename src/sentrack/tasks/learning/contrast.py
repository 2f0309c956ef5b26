"""The second stage: discriminative training, of each sentence against others, by `match`."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentrack.lexicon import WordModel
from sentrack.progress import Report
from sentrack.tasks.learning.choices import Choice, Held, log_choice
from sentrack.tasks.learning.e_step import Parameters
from sentrack.tasks.learning.examples import Floats, Key
from sentrack.tasks.learning.journal import Journal, StageProgress
from sentrack.tasks.learning.questions import Answer, Questions

LOG = logging.getLogger("sentrack")

STEPS = 25  # of the outputs while the answers are held
HALVINGS = 6  # of a step before it is given up
# Parts of the way to the outputs that are best for held answers, which are tried in turn.
PARTS = (1.0, 0.3, 0.1, 0.03)
BEST = 0  # the cast of an answer that fits best
STAYS = 10.0  # for how many stays in a state its usual time is held

Models = Mapping[Key, WordModel]


@dataclass(frozen=True, eq=False)
class Belief:
    """What a word is held to, and how firmly: conjugate priors, as counts.

    Attributes:
        model: the word as it was.
        frames: for which every state has shown its outputs, before any clip is seen.
    """

    model: WordModel
    frames: float

    def log_density(self, model: WordModel) -> float:
        """The log prior of a model, relative to that of the word as it was, which is the most."""
        total = 0.0
        for before, output in zip(self.model.outputs, model.outputs, strict=True):
            total += self.frames * float((before * np.log(output / before)).sum())
        if self.model.seconds is not None and model.seconds is not None:
            ratio = self.model.seconds / model.seconds
            total += STAYS * float((1 + np.log(ratio) - ratio).sum())
        return total


@dataclass(frozen=True, eq=False)
class Contrast:
    """What is maximised: how probably clips choose their own sentences, and the prior.

    Attributes:
        choices: of the clips.
        beliefs: of the words that are learned.
    """

    choices: Sequence[Choice]
    beliefs: Mapping[Key, Belief]

    def value(self, models: Models, held: Held) -> float:
        """The log probability of all own sentences, weighted, and of the words."""
        log, _ = log_choice(held.fits(models), self.choices)
        weights = np.array([choice.weight for choice in self.choices])
        prior = sum(belief.log_density(models[key]) for key, belief in self.beliefs.items())
        return float(log @ weights) + prior

    def outputs(self, models: Models, held: Held) -> Models:
        """Better outputs for answers that are held.

        Outputs θ move to θ·(d + slope in ln θ), normalised: a growth transform, known as extended
        Baum-Welch, that raises the value for d large enough; d doubles until it does.
        """
        value, step = self.value(models, held), 1.0
        for _ in range(STEPS):
            _, weights = log_choice(held.fits(models), self.choices)
            slopes = held.slopes(models, sorted(self.beliefs), weights)
            for _ in range(HALVINGS):
                moved = dict(models) | {
                    key: _grown(models[key], slope, self.beliefs[key], step)
                    for key, slope in slopes.items()
                }
                new = self.value(moved, held)
                if new > value:
                    break
                step /= 2
            else:
                break
            models, value, step = moved, new, min(1.0, 2 * step)
        return models

    def durations(self, models: Models, answers: Sequence[Answer | None]) -> Models:
        """The usual times of states, by how long they last in the answers to own sentences."""
        moved = dict(models)
        for key, belief in self.beliefs.items():
            if belief.model.seconds is None:
                continue
            stays = [
                np.bincount(told.state[BEST], minlength=belief.model.K + 1)[:-1] * told.seconds
                for choice in self.choices
                if (own := answers[choice.own]) is not None
                for told in own.words
                if told.key == key
            ]
            total = np.sum([STAYS * belief.model.seconds, *stays], axis=0)
            moved[key] = replace(models[key], seconds=total / (STAYS + len(stays)))
        return moved


def maximise_contrast(
    parameters: Parameters,
    questions: Questions,
    contrast: Contrast,
    iterations: int,
    tolerance: float,
    journal: Journal,
    report: Report,
) -> Parameters:
    """Raise the log probability that each clip chooses its own sentence, by `match`.

    An iteration answers all questions; finds the best outputs with the answers held, and goes as
    far towards them as helps when the questions are answered anew; and does the same with the times
    that states last. What does not raise the objective is not done.

    Args:
        parameters: of the first stage.
        questions: all sentences about clips.
        contrast: what is maximised.
        iterations: at most.
        tolerance: nats per clip; less is no gain.
        journal: where a run that was interrupted goes on.
        report: told the questions that were asked.
    """
    name = "contrast"
    at = journal.read(name, parameters) or StageProgress(parameters, 0, {}, False)
    models = at.parameters.models
    answers = [] if at.done else questions.answers(models)
    held = Held(answers)
    # What has no tracks at all can be no answer, whatever words mean.
    shown = [choice for choice in contrast.choices if at.done or answers[choice.own] is not None]
    contrast, clips = replace(contrast, choices=shown), len(shown)
    while not at.done:
        before = value = contrast.value(models, held)
        LOG.info("contrast, iteration %d: %.5f nats per clip", at.iteration, value / clips)
        report(name, clips * (at.iteration + 1), clips * (iterations + 1))
        wanted = contrast.outputs(models, held)
        trials = [_between(models, wanted, contrast.beliefs, part) for part in PARTS]
        for timed in (False, True):
            for moved in [contrast.durations(models, answers)] if timed else trials:
                told = questions.answers(moved)
                after = Held(told)
                new = contrast.value(moved, after)
                if new > value:
                    models, answers, held, value = moved, told, after, new
                    break
        over = value < before + tolerance * clips or at.iteration + 1 >= iterations
        reached = replace(at.parameters, models=models)
        at = StageProgress(reached, at.iteration + 1, {name: value / clips}, over)
        journal.write(name, at)
    return at.parameters


def _grown(model: WordModel, slopes: Sequence[Floats], belief: Belief, step: float) -> WordModel:
    outputs = []
    for output, slope, before in zip(model.outputs, slopes, belief.model.outputs, strict=True):
        pull = slope + belief.frames * before
        # The least d that keeps all probabilities positive, and more for shorter steps.
        least = np.maximum(0.0, (-pull / output).max(axis=1, keepdims=True))
        d = (least + np.abs(pull).sum(axis=1, keepdims=True)) / step
        new = pull + d * output
        outputs.append(new / new.sum(axis=1, keepdims=True))
    return replace(model, outputs=tuple(outputs))


def _between(one: Models, other: Models, keys: Mapping[Key, Belief], part: float) -> Models:
    """Outputs part of the way from one to the other, in their logarithms."""
    found = dict(one)
    for key in keys:
        pairs = zip(one[key].outputs, other[key].outputs, strict=True)
        means = [a ** (1 - part) * b**part for a, b in pairs]
        outputs = tuple(mean / mean.sum(axis=1, keepdims=True) for mean in means)
        found[key] = replace(one[key], outputs=outputs)
    return found
