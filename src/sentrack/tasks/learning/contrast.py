"""The second stage: discriminative training, of each sentence against its minimal pairs."""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from sentrack.language import (
    Meaning,
    SentenceError,
    Vocabulary,
    Word,
    parse,
    say,
)
from sentrack.lexicon import WordModel
from sentrack.progress import Report
from sentrack.tasks.learning.e_step import Counts, Parameters, TrainingSet
from sentrack.tasks.learning.examples import Floats, Key
from sentrack.tasks.learning.journal import Journal, Progress

LOG = logging.getLogger("sentrack")

FRAMES = 10.0  # that a clip counts for: adjacent ones tell much the same
ANCHOR = 10.0  # frames of the first stage's outputs, per clip for which a word is considered
HALVINGS = 8  # of a step before it is given up


def minimal_pairs(
    meaning: Meaning, words: Sequence[Key], vocabulary: Vocabulary
) -> Iterator[Meaning]:
    """The minimal pairs of a sentence that the grammar can say: one word, noun or role changed.

    Args:
        meaning: of the sentence.
        words: all that may be put in, nouns among them.
        vocabulary: of the grammar.
    """
    for changed in _changed(meaning, words, vocabulary):
        try:
            yield parse(say(changed, vocabulary), vocabulary)
        except SentenceError:
            continue


def _changed(meaning: Meaning, words: Sequence[Key], vocabulary: Vocabulary) -> Iterator[Meaning]:
    for i, word in enumerate(meaning.words):
        for part, name in words:
            if part != word.part or name == word.word:
                continue
            if part == "noun":
                yield meaning.renamed({word.participants[0]: name})
            elif len(vocabulary.entry(name, part).roles) == len(word.participants):
                other = Word(name, word.participants, part)
                yield replace(meaning, words=(*meaning.words[:i], other, *meaning.words[i + 1 :]))
    nouns = [participant.noun for participant in meaning.participants]
    for a, b in meaning.distinct:
        if nouns[a] != nouns[b]:
            yield meaning.renamed({a: nouns[b], b: nouns[a]})


def maximise_contrast(
    parameters: Parameters,
    data: TrainingSet,
    groups: Sequence[tuple[int, ...]],
    iterations: int,
    tolerance: float,
    journal: Journal,
    report: Report,
) -> Parameters:
    """Raise the log probability that each clip's own sentence is chosen among its minimal pairs.

    A sentence is chosen with a probability in proportion to exp(FRAMES · score per frame). The
    outputs θ of words move to θ·(d + gradient), normalised: a growth transform, known as extended
    Baum-Welch, that raises the objective for d large enough; d doubles until it does. Initial
    states and lasting times stay.

    Args:
        parameters: of the first stage, with a uniform background.
        data: the examples of all sentences and their minimal pairs.
        groups: for every clip, the example of its own sentence, then those of its minimal pairs.
        iterations: at most.
        tolerance: nats per clip; less is no gain.
        journal: where a run that was interrupted goes on.
        report: told the frames that were looked at.
    """
    name = "contrast"
    frames = sum(example.T for example in data.examples)
    anchors = {
        key: [ANCHOR * o for o in parameters.models[key].outputs] for key in parameters.learned
    }
    clips = _clips(data, groups)
    at = journal.read(name, parameters) or Progress(parameters, 0, {}, False)
    objective, gradient = _contrast(at.parameters, data, groups, anchors, clips)
    while not at.done:
        LOG.info("contrast, iteration %d: %.5f nats per clip", at.iteration, objective)
        report(name, frames * (at.iteration + 1), frames * (iterations + 1))
        step = 1.0
        for _ in range(HALVINGS):
            moved = _growth_step(at.parameters, gradient, anchors, clips, step)
            new, slope = _contrast(moved, data, groups, anchors, clips)
            if new > objective:
                break
            step /= 2
        over = new < objective + tolerance or at.iteration + 1 >= iterations
        if new > objective:
            at = Progress(moved, at.iteration + 1, {name: new}, over)
            objective, gradient = new, slope
        else:
            at = replace(at, done=True)
        journal.write(name, at)
    return at.parameters


def _clips(data: TrainingSet, groups: Sequence[tuple[int, ...]]) -> Counter[Key]:
    """For how many clips every word is considered."""
    return Counter(
        key for group in groups for key in {w.key for i in group for w in data.examples[i].words}
    )


def _contrast(
    parameters: Parameters,
    data: TrainingSet,
    groups: Sequence[tuple[int, ...]],
    anchors: dict[Key, list[Floats]],
    clips: Counter[Key],
) -> tuple[float, Counts]:
    """The objective in nats per clip, and the weighted counts that are its gradient."""
    expected = data.e_step(parameters)
    total, gradient = 0.0, Counts()
    for group in groups:
        scale = np.array([FRAMES / data.examples[i].T for i in group])
        scores = scale * np.array([expected[i][0] for i in group])
        chance = np.exp(scores - scores.max())
        chance /= chance.sum()
        total += float(np.log(max(chance[0], 1e-300)))
        weights = -chance
        weights[0] += 1.0
        for i, weight in zip(group, weights * scale, strict=True):
            gradient.add(expected[i][1], float(weight))
    for key, anchor in anchors.items():
        for before, output in zip(anchor, parameters.models[key].outputs, strict=True):
            # No more than nothing, which is where the first stage ended.
            total += clips[key] * float((before * np.log(ANCHOR * output / before)).sum())
    return total / len(groups), gradient


def _growth_step(
    parameters: Parameters,
    gradient: Counts,
    anchors: dict[Key, list[Floats]],
    clips: Counter[Key],
    step: float,
) -> Parameters:
    models = dict(parameters.models)
    for key, slope in gradient.words.items():
        model = models[key]
        outputs = []
        for output, counts, anchor in zip(model.outputs, slope.outputs, anchors[key], strict=True):
            pull = counts + clips[key] * anchor
            # The least d that keeps all probabilities positive, and more for shorter steps.
            least = np.maximum(0.0, (-pull / output).max(axis=1, keepdims=True))
            d = (least + np.abs(pull).sum(axis=1, keepdims=True)) / step
            new = pull + d * output
            outputs.append(new / new.sum(axis=1, keepdims=True))
        models[key] = replace(model, outputs=tuple(outputs))
    return replace(parameters, models=models)


def uniform_background(models: Sequence[WordModel]) -> dict[str, Floats]:
    """Per feature, every bin equally often: what scores of sentences are compared with."""
    sizes = {o.feature.name: len(o.feature.bins) for model in models for o in model.observed}
    return {name: np.full(bins, 1 / bins) for name, bins in sizes.items()}
