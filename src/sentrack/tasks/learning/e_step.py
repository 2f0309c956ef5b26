"""The E-step: what is expected of every word in a scene, by exact sums over tracks and states."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sentrack.inference import Problem, TrackTerms, WordTerms, posteriors
from sentrack.lexicon import WordModel
from sentrack.tasks.learning.scenes import Floats, Ints, Key, Scene, Spoken

Backgrounds = Mapping[str, Floats]  # per feature, (bins,) how often each bin is seen at all


@dataclass(frozen=True, eq=False)
class Belief:
    """What is thought of the words.

    Attributes:
        models: of all words but nouns that are learned.
        shares: of a noun that is learned, (C,) the probability of every class of the corpus.
        bins: how often any candidates show a bin, per feature; the measure of what is remarkable.
        classes: (C,) how often a class is there at all.
        learned: the words whose counts are wanted.
    """

    models: Mapping[Key, WordModel]
    shares: Mapping[str, Floats]
    bins: Backgrounds
    classes: Floats
    learned: frozenset[Key]


@dataclass(eq=False)
class Tally:
    """Expected counts of one word.

    Attributes:
        outputs: per feature, (K, bins) frames.
        initial: (K,) clips.
        moves: per seconds between frames, (2, K - 1) how often a state is kept and is left.
    """

    outputs: list[Floats]
    initial: Floats
    moves: dict[float, Floats]

    def add(self, other: "Tally", weight: float = 1.0) -> None:
        """Add the counts of another one to these."""
        for own, more in zip(self.outputs, other.outputs, strict=True):
            own += weight * more
        self.initial += weight * other.initial
        for seconds, moves in other.moves.items():
            self.moves[seconds] = self.moves.get(seconds, 0.0) + weight * moves


@dataclass(eq=False)
class Counts:
    """Expected counts of scenes.

    Attributes:
        words: per word that is learned.
        shares: per noun that is learned, (C,) frames.
    """

    words: dict[Key, Tally] = field(default_factory=dict)
    shares: dict[str, Floats] = field(default_factory=dict)

    def add(self, other: "Counts", weight: float = 1.0) -> None:
        """Add the counts of other scenes to these."""
        for key, tally in other.words.items():
            if key not in self.words:
                zero = [np.zeros_like(output) for output in tally.outputs]
                self.words[key] = Tally(zero, np.zeros_like(tally.initial), {})
            self.words[key].add(tally, weight)
        for noun, share in other.shares.items():
            self.shares[noun] = self.shares.get(noun, 0.0) + weight * share


def expected(scene: Scene, belief: Belief) -> tuple[float, Counts]:
    """The log-likelihood of a scene, ln Z less that of its tracks alone, and expected counts."""
    tracks = [
        _named(track, belief.shares.get(noun), labels, belief)
        for track, (noun, labels) in zip(scene.tracks, scene.nouns, strict=True)
    ]
    emissions = [_Emission(word, belief.models[word.key], belief.bins) for word in scene.words]
    words = [e.terms(scene) for e in emissions]
    sums = posteriors(Problem(tracks, [*words, *scene.apart]))
    counts = Counts()
    for w, (word, emission) in enumerate(zip(scene.words, emissions, strict=True)):
        if word.key in belief.learned:
            moves = sums.transitions[w]
            K = moves.shape[1]
            stays, leaves = moves.diagonal(axis1=1, axis2=2), moves.diagonal(1, axis1=1, axis2=2)
            tally = Tally(
                emission.counts(sums.emissions[w]),
                sums.states[w][0].copy(),
                {round(scene.seconds, 4): np.stack([stays.sum(0)[: K - 1], leaves.sum(0)])},
            )
            counts.add(Counts({word.key: tally}))
    for p, (noun, labels) in enumerate(scene.nouns):
        if noun in belief.shares:
            weights = scene.T * sums.tracks[p][0]
            share = np.asarray(
                np.bincount(labels, weights, minlength=len(belief.classes)), np.float64
            )
            counts.add(Counts(shares={noun: share}))
    return sums.log_partition - scene.alone, counts


def _named(track: TrackTerms, share: Floats | None, labels: Ints, belief: Belief) -> TrackTerms:
    """A track whose noun may be of any class.

    The class is seen in every frame, like all features. A track keeps its class, so the terms of
    all frames can stand in the first.
    """
    if share is None:
        return track
    told = len(track.unary) * (np.log(share[labels]) - np.log(belief.classes[labels]))
    unary = [np.asarray(track.unary[0]) + told, *list(track.unary)[1:]]
    return TrackTerms(unary, track.pairwise)


class _Emission:
    """What a word says of every tuple of candidates, relative to what any tuple shows."""

    def __init__(self, word: Spoken, model: WordModel, bins: Backgrounds) -> None:
        self.word, self.model = word, model
        M = len(word.unseen)
        own, usual = np.zeros((model.K, M)), np.zeros(M)
        for members, code in word.groups:
            table, common = np.zeros((model.K, 1)), np.zeros(1)
            for n in members:
                with np.errstate(divide="ignore"):
                    output = np.log(model.outputs[n])
                table = (table[:, :, None] + output[:, None, :]).reshape(model.K, -1)
                seen = np.log(bins[model.observed[n].feature.name])
                common = (common[:, None] + seen).ravel()
            own += table.take(code, axis=1)
            usual += common.take(code)
        total = model.noisy(own)
        # How probably a frame shows the word and no noise; what is impossible shows neither.
        certain = np.where(total > -np.inf, own - np.maximum(total, -1e300), -np.inf)
        self.real = np.where(word.unseen, 0.0, (1 - model.noise) * np.exp(certain))
        self.log = np.where(word.unseen, 0.0, total - usual)

    def terms(self, scene: Scene) -> WordTerms:
        """The terms of the word in a problem."""
        sizes = [int(np.prod(shape)) for shape in self.word.shapes]
        parts = np.split(self.log, np.cumsum(sizes)[:-1], axis=1)
        h = [part.reshape(-1, *shape) for part, shape in zip(parts, self.word.shapes, strict=True)]
        if not self.model.final.all():
            h[-1] = h[-1].copy()
            h[-1][~self.model.final] = -np.inf
        return WordTerms(
            self.model.log_initial(),
            self.model.log_transitions(scene.seconds),
            h,
            self.word.participants,
        )

    def counts(self, posterior: tuple[Floats, ...]) -> list[Floats]:
        """Per feature, (K, bins) the frames in which the word is expected to show a bin."""
        model = self.model
        weights = np.concatenate([p.reshape(model.K, -1) for p in posterior], axis=1) * self.real
        outputs = [np.zeros(0)] * len(model.observed)
        for members, code in self.word.groups:
            sizes = [len(model.observed[n].feature.bins) for n in members]
            joint = np.stack([np.bincount(code, w, minlength=np.prod(sizes)) for w in weights])
            joint = joint.reshape(model.K, *sizes)
            for i, n in enumerate(members):
                others = tuple(1 + j for j in range(len(members)) if j != i)
                outputs[n] = joint.sum(axis=others)
        return outputs


def backgrounds(scenes: list[Scene], models: Mapping[Key, WordModel]) -> Backgrounds:
    """How often candidates show each bin of the features, whether they are spoken of or not."""
    total: dict[str, Floats] = {}
    for scene in scenes:
        for word in scene.words:
            model = models[word.key]
            for members, code in word.groups:
                sizes = [len(model.observed[n].feature.bins) for n in members]
                joint = np.bincount(code[word.usual], minlength=np.prod(sizes)).reshape(sizes)
                for i, n in enumerate(members):
                    others = tuple(j for j in range(len(members)) if j != i)
                    name = model.observed[n].feature.name
                    total[name] = total.get(name, 1.0) + joint.sum(axis=others)
    return {name: count / count.sum() for name, count in total.items()}
