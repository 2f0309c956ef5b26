"""The second stage: raise what a sentence scores above its minimal pairs."""

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
from sentrack.tasks.learning.e_step import Belief, Counts
from sentrack.tasks.learning.journal import Entry, Journal
from sentrack.tasks.learning.parallel import Readers
from sentrack.tasks.learning.scenes import Floats, Key

LOG = logging.getLogger("sentrack")

# Frames that a clip counts for: adjacent ones tell much the same.
FRAMES = 10.0
# Frames for which the first stage's outputs speak, per clip for which a word is considered.
ANCHOR = 10.0
# How often a step is halved before it is given up.
HALVINGS = 8


def rivals(meaning: Meaning, words: Sequence[Key], vocabulary: Vocabulary) -> Iterator[Meaning]:
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


def sharpen(
    belief: Belief,
    readers: Readers,
    groups: Sequence[tuple[int, ...]],
    iterations: int,
    tolerance: float,
    journal: Journal,
    report: Report,
) -> Belief:
    """Raise the log probability that each clip's own sentence is chosen among its rivals.

    A sentence is chosen with a probability in proportion to exp(FRAMES · score per frame). The
    outputs θ of words move to θ·(d + gradient), normalised, a growth transform that raises the
    objective for d large enough; d doubles until it does. Initial and lasting times stay.

    Args:
        belief: of the first stage, with even bins in place of the usual ones.
        readers: the scenes of all sentences and rivals.
        groups: for every clip, the scenes of its sentence, which comes first, and of its rivals.
        iterations: at most.
        tolerance: nats per clip; less is no gain.
        journal: where a run that was interrupted goes on.
        report: told the frames that were looked at.
    """
    name = "contrast"
    frames = sum(scene.T for scene in readers.scenes)
    anchors = {key: [ANCHOR * o for o in belief.models[key].outputs] for key in belief.learned}
    clips = _clips(readers, groups)
    at = journal.read(name, belief) or Entry(belief, 0, {}, False)
    objective, gradient = _contrast(at.belief, readers, groups, anchors, clips)
    while not at.done:
        LOG.info("contrast, iteration %d: %.5f nats per clip", at.iteration, objective)
        report(name, frames * (at.iteration + 1), frames * (iterations + 1))
        step = 1.0
        for _ in range(HALVINGS):
            moved = _moved(at.belief, gradient, anchors, clips, step)
            new, slope = _contrast(moved, readers, groups, anchors, clips)
            if new > objective:
                break
            step /= 2
        over = new < objective + tolerance or at.iteration + 1 >= iterations
        if new > objective:
            at = Entry(moved, at.iteration + 1, {name: new}, over)
            objective, gradient = new, slope
        else:
            at = replace(at, done=True)
        journal.write(name, at)
    return at.belief


def _clips(readers: Readers, groups: Sequence[tuple[int, ...]]) -> Counter[Key]:
    """For how many clips every word is considered."""
    return Counter(
        key for group in groups for key in {w.key for i in group for w in readers.scenes[i].words}
    )


def _contrast(
    belief: Belief,
    readers: Readers,
    groups: Sequence[tuple[int, ...]],
    anchors: dict[Key, list[Floats]],
    clips: Counter[Key],
) -> tuple[float, Counts]:
    """The objective in nats per clip, and the weighted counts that are its gradient."""
    answers = readers.expected(belief)
    total, gradient = 0.0, Counts()
    for group in groups:
        scale = np.array([FRAMES / readers.scenes[i].T for i in group])
        scores = scale * np.array([answers[i][0] for i in group])
        chance = np.exp(scores - scores.max())
        chance /= chance.sum()
        total += float(np.log(max(chance[0], 1e-300)))
        weights = -chance
        weights[0] += 1.0
        for i, weight in zip(group, weights * scale, strict=True):
            gradient.add(answers[i][1], float(weight))
    for key, anchor in anchors.items():
        for before, output in zip(anchor, belief.models[key].outputs, strict=True):
            # No more than nothing, which is where the first stage ended.
            total += clips[key] * float((before * np.log(ANCHOR * output / before)).sum())
    return total / len(groups), gradient


def _moved(
    belief: Belief,
    gradient: Counts,
    anchors: dict[Key, list[Floats]],
    clips: Counter[Key],
    step: float,
) -> Belief:
    models = dict(belief.models)
    for key, tally in gradient.words.items():
        model = models[key]
        outputs = []
        for output, counts, anchor in zip(model.outputs, tally.outputs, anchors[key], strict=True):
            pull = counts + clips[key] * anchor
            # The least d that keeps all probabilities positive, and more for shorter steps.
            least = np.maximum(0.0, (-pull / output).max(axis=1, keepdims=True))
            d = (least + np.abs(pull).sum(axis=1, keepdims=True)) / step
            new = pull + d * output
            outputs.append(new / new.sum(axis=1, keepdims=True))
        models[key] = replace(model, outputs=tuple(outputs))
    return replace(belief, models=models)


def even(models: Sequence[WordModel]) -> dict[str, Floats]:
    """Per feature, every bin equally often: what scores of sentences compare with."""
    sizes = {o.feature.name: len(o.feature.bins) for model in models for o in model.observed}
    return {name: np.full(bins, 1 / bins) for name, bins in sizes.items()}
