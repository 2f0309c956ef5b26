"""The E-step: expected counts of every word, by exact sums over tracks and states."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np

from sentrack.inference import Said
from sentrack.lexicon import WordModel
from sentrack.tasks.learning.examples import AWAY, Example, Floats, Ints, Key, Spoken
from sentrack.workers import Executor

Background = Mapping[str, Floats]  # per feature, (bins,) how often any candidates show each bin

CHUNK = 8  # examples that a worker is given at once, at most


@dataclass(frozen=True, eq=False)
class Parameters:
    """What is estimated, and what it is measured against.

    Attributes:
        models: of all words, except for nouns that are learned.
        nouns: for each noun that is learned, (C,) the probability of every class of the corpus.
        background: what outputs are compared with.
        classes: (C,) how often a class is there at all, with which `nouns` are compared.
        learned: the words to estimate, except for nouns.
    """

    models: Mapping[Key, WordModel]
    nouns: Mapping[str, Floats]
    background: Background
    classes: Floats
    learned: frozenset[Key]


@dataclass(eq=False)
class WordCounts:
    """Expected counts of one word.

    Attributes:
        outputs: per feature, (K, bins) frames.
        initial: (K,) clips.
        transitions: per seconds between frames, (2, K - 1) how often a state is kept and left.
    """

    outputs: list[Floats]
    initial: Floats
    transitions: dict[float, Floats]

    def add(self, other: "WordCounts", weight: float = 1.0) -> None:
        """Add other counts of the same word to these."""
        for own, more in zip(self.outputs, other.outputs, strict=True):
            own += weight * more
        self.initial += weight * other.initial
        for seconds, more in other.transitions.items():
            self.transitions[seconds] = self.transitions.get(seconds, 0.0) + weight * more


@dataclass(eq=False)
class Counts:
    """Expected counts in one example or several.

    Attributes:
        words: of each word that is learned, except for nouns.
        nouns: of each noun that is learned, (C,) frames.
    """

    words: dict[Key, WordCounts] = field(default_factory=dict)
    nouns: dict[str, Floats] = field(default_factory=dict)

    def add(self, other: "Counts", weight: float = 1.0) -> None:
        """Add the counts of other examples to these."""
        for key, counts in other.words.items():
            if key not in self.words:
                zero = [np.zeros_like(output) for output in counts.outputs]
                self.words[key] = WordCounts(zero, np.zeros_like(counts.initial), {})
            self.words[key].add(counts, weight)
        for noun, frames in other.nouns.items():
            self.nouns[noun] = self.nouns.get(noun, 0.0) + weight * frames


class TrainingSet:
    """Scenes to learn from. Workers get them once, and then only parameters.

    Attributes:
        examples: all of them, in order.
    """

    def __init__(self, examples: Sequence[Example], executor: Executor) -> None:
        self.examples, self._executor = examples, executor
        # Two chunks for each worker if there are enough examples, so that none waits long.
        size = min(CHUNK, 1 + len(examples) // (2 * executor.size))
        self._chunks = executor.scatter(
            examples[i : i + size] for i in range(0, len(examples), size)
        )

    def e_step(self, parameters: Parameters) -> list[tuple[float, Counts]]:
        """What `expectations` gives for each example, in order, however many workers there are."""
        parts = self._executor.map(partial(_chunk_expectations, parameters), self._chunks)
        return [each for part in parts for each in part]


def _chunk_expectations(
    parameters: Parameters, examples: Sequence[Example]
) -> list[tuple[float, Counts]]:
    return [expectations(example, parameters) for example in examples]


def expectations(example: Example, parameters: Parameters) -> tuple[float, Counts]:
    """The log-likelihood of an example, ln Z less that of its tracks alone, and expected counts."""
    told = {
        p: _told(parameters.nouns[noun], labels, parameters)
        for p, (noun, labels) in enumerate(example.nouns)
        if noun in parameters.nouns
    }
    emissions = [_Emission(word, word.key, parameters) for word in example.words]
    again = example.sums(tuple(e.model.K for e in emissions))
    sums = again.expect([e.said(example) for e in emissions], told)
    counts = Counts()
    for w, (word, emission) in enumerate(zip(example.words, emissions, strict=True)):
        if word.key in parameters.learned:
            moves = sums.transitions[w]
            K = moves.shape[1]
            stays, leaves = moves.diagonal(axis1=1, axis2=2), moves.diagonal(1, axis1=1, axis2=2)
            own = WordCounts(
                emission.counts(sums.tables[w]),
                sums.states[w][0].copy(),
                {round(example.seconds, 4): np.stack([stays.sum(0)[: K - 1], leaves.sum(0)])},
            )
            counts.add(Counts({word.key: own}))
    for p, (noun, labels) in enumerate(example.nouns):
        if noun in parameters.nouns:
            every, weights = np.concatenate(labels), sums.candidates[p]
            there = every != AWAY
            C = len(parameters.classes)
            frames = np.bincount(every[there], weights[there], minlength=C)
            counts.add(Counts(nouns={noun: np.asarray(frames, np.float64)}))
    return sums.log_partition - example.alone, counts


def _told(noun: Floats, labels: Sequence[Ints], parameters: Parameters) -> Floats:
    """(N,): by how much a noun that is learned names the class of each box, of all frames.

    The class is seen in every frame, like all features; what is not there shows none.
    """
    told = np.append(np.log(noun) - np.log(parameters.classes), 0.0)  # the last is that of AWAY
    return np.asarray(told[np.concatenate(labels)])


@lru_cache(maxsize=64)
def _tables(parameters: Parameters, key: Key) -> list[tuple[Floats, Floats]]:
    """Per group of a word's features, (K, combinations) what it says and (...,) what is usual.

    Where there is but one group, that is all there is to tell of a combination: what `_with_noise`
    gives.
    """
    model, found = parameters.models[key], []
    for members in model.groups():
        table, usual = np.zeros((model.K, 1)), np.zeros(1)
        for n in members:
            with np.errstate(divide="ignore"):
                output = np.log(model.outputs[n])
            table = (table[:, :, None] + output[:, None, :]).reshape(model.K, -1)
            seen = np.log(parameters.background[model.observed[n].feature.name])
            usual = (usual[:, None] + seen).ravel()
        found.append((table, usual))
    return found if len(found) > 1 else [_with_noise(model, *each) for each in found]


def _with_noise(model: WordModel, own: Floats, usual: Floats) -> tuple[Floats, Floats]:
    """(K, M) what a word says relative to what is usual; and how probably it shows, no noise."""
    total = model.noisy(own)
    # What is impossible shows neither.
    certain = np.where(total > -np.inf, own - np.maximum(total, -1e300), -np.inf)
    return total - usual, (1 - model.noise) * np.exp(certain)


class _Emission:
    """What a word says of every tuple of candidates, relative to the background."""

    def __init__(self, word: Spoken, key: Key, parameters: Parameters) -> None:
        self.word, self.model = word, parameters.models[key]
        tables = _tables(parameters, key)
        if len(tables) == 1:
            ((_, code),) = word.groups
            log, real = (table.take(code, axis=1) for table in tables[0])
        else:
            parts = list(zip(tables, word.groups, strict=True))
            own = np.sum([said.take(code, axis=1) for (said, _), (_, code) in parts], axis=0)
            usual = np.sum([seen.take(code) for (_, seen), (_, code) in parts], axis=0)
            log, real = _with_noise(self.model, own, usual)
        self.log = np.where(word.unseen, 0.0, log)
        self.real = np.where(word.unseen, 0.0, real)

    def said(self, example: Example) -> Said:
        """What the word says in a problem."""
        table = self.log.copy()
        table[~self.model.final, -math.prod(self.word.shapes[-1]) :] = -np.inf
        return Said(self.model.log_initial(), self.model.log_transitions(example.seconds), table)

    def counts(self, posterior: Floats) -> list[Floats]:
        """Per feature, (K, bins) the frames in which the word is expected to show a bin.

        Args:
            posterior: (K, M) the probability of every state and tuple.
        """
        model, weights = self.model, posterior * self.real
        outputs = [np.zeros(0)] * len(model.observed)
        for members, code in self.word.groups:
            sizes = [len(model.observed[n].feature.bins) for n in members]
            joint = np.stack([np.bincount(code, w, minlength=np.prod(sizes)) for w in weights])
            joint = joint.reshape(model.K, *sizes)
            for i, n in enumerate(members):
                others = tuple(1 + j for j in range(len(members)) if j != i)
                outputs[n] = joint.sum(axis=others)
        return outputs


def measure_background(examples: Sequence[Example], models: Mapping[Key, WordModel]) -> Background:
    """How often candidates show each bin of the features, whether they are spoken of or not."""
    total: dict[str, Floats] = {}
    for example in examples:
        for word in example.words:
            model = models[word.key]
            for members, code in word.groups:
                sizes = [len(model.observed[n].feature.bins) for n in members]
                joint = np.bincount(code[word.usual], minlength=np.prod(sizes)).reshape(sizes)
                for i, n in enumerate(members):
                    others = tuple(j for j in range(len(members)) if j != i)
                    name = model.observed[n].feature.name
                    total[name] = total.get(name, 1.0) + joint.sum(axis=others)
    return {name: count / count.sum() for name, count in total.items()}
