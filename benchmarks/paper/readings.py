"""The paper's objective of a clip and a sentence, and the choices that the paper does not state."""

import math
import zlib
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np

from benchmarks.paper.stories import STEP, films
from sentrack.inference import Problem, TrackTerms, WordTerms, solve
from sentrack.lexicon import Lexicon
from sentrack.lexicon.lexicon import split
from sentrack.lexicon.model import WordModel
from sentrack.objective import Objective
from sentrack.objective.interval_problem import plain
from sentrack.objective.joint_chains import joint_chains
from sentrack.scene import CandidateSet, Measurements, Scene
from sentrack.scene.candidates import candidate_set
from sentrack.scene.things import things
from sentrack.tasks import understand
from sentrack.vision import Clip, Floats

RELEASE = 1e-100  # what the authors' release takes for a probability of zero
NOISE = 0.5  # times a number between 0 and 1: what the release adds to outputs before training
FILMS, FEW = 93, 5  # made-up clips, and boxes of a class, that outputs are estimated from


@dataclass(frozen=True)
class Reading:
    """One way to read what the paper leaves open.

    The growth transform needs finite terms, so what the authors' release forbids (a word that goes
    back to an earlier state, or ends in its first; a track that changes its class) cannot stay
    forbidden in the paper. By default it costs the floor, like any probability of zero.

    Attributes:
        floor: what stands for a probability of zero.
        forbid: leave forbidden what the release forbids.
        nouns: whether a wrong class costs the floor, as in the release, or is no candidate at all.
        ends: whether a word must have left its first state in the end.
        smooth: share of every output that is uniform, so that there are no zeros.
        nine: how words have nine states: every phase split into three of the same output that
            follow each other; the same, but any later one may follow; or any at all; the split
            ones with noise added to their outputs, as the release does before it trains; or
            outputs counted in what the split ones explain best in all made-up clips.
        per_frame: whether the objective is divided by the number of frames.
    """

    floor: float = RELEASE
    forbid: bool = False
    nouns: Literal["floor", "own class"] = "floor"
    ends: bool = True
    smooth: float = 0.0
    nine: Literal["split", "skipping", "any order", "perturbed", "estimated"] = "split"
    per_frame: bool = False


def sampled(clip: Clip, n: int) -> Clip:
    """Every STEP-th frame of a clip, with the n best boxes of every class."""
    some = clip.picked(np.arange(0, clip.T, STEP))
    order = np.lexsort((-some.score, some.label, some.frame_of))
    group = (some.frame_of * len(some.classes) + some.label)[order]
    rank = np.arange(len(group)) - np.searchsorted(group, group)
    kept = np.zeros(len(group), np.bool_)
    kept[order[rank < n]] = True
    return some.only(kept)


def objective(clip: Clip, sentence: str, K: int, reading: Reading | None = None) -> Objective:
    """Eq. 4 with all boxes of all classes as candidates of every participant.

    Args:
        clip: with the same number of boxes in every frame.
        sentence: English.
        K: states of a word with phases, a multiple of 3.
        reading: of what the paper leaves open.
    """
    reading = reading or Reading()
    lexicon = Lexicon.load("paper")
    meaning = understand(sentence, lexicon, clip)
    models = tuple(_model(lexicon.model(w.word, w.part), K, reading) for w in meaning.words)
    bottom = -math.inf if reading.forbid else math.log(reading.floor)
    candidates = {p.noun: _candidates(clip, p.noun, reading) for p in meaning.participants}
    own = tuple(candidates[p.noun] for p in meaning.participants)
    scene = Scene(meaning, models, own, Measurements(clip, identity=False))
    words = [
        _noun(scene, w, reading) if word.part == "noun" else _word(scene, w, bottom, reading)
        for w, word in enumerate(meaning.words)
    ]
    terms = dict(zip(own, scene.tracks(), strict=True))
    tracks = {players: _track(track, bottom) for players, track in terms.items()}
    chains = joint_chains(scene, [plain(m, clip.seconds) for m in models], (), around=False)
    share = 1.0 / clip.T if reading.per_frame else 1.0
    problem = Problem([_shared(tracks[each], share) for each in own], _shares(words, share))
    return Objective(scene, problem, tuple(chains))


def _shared(terms: TrackTerms, share: float) -> TrackTerms:
    return TrackTerms(
        [share * np.asarray(f) for f in terms.unary],
        [share * np.asarray(g) for g in terms.pairwise],
    )


def _shares(words: list[WordTerms], share: float) -> list[WordTerms]:
    return [
        replace(
            word,
            initial=share * np.asarray(word.initial),
            transition=share * np.asarray(word.transition),
            emission=[share * np.asarray(h) for h in word.emission],
        )
        for word in words
    ]


def _candidates(clip: Clip, noun: str, reading: Reading) -> CandidateSet:
    own = clip.label == clip.classes.index(noun)
    allowed = own if reading.nouns == "own class" else np.ones(len(clip.label), np.bool_)
    return candidate_set(clip, allowed, things(clip, identity=False))


def _track(terms: TrackTerms, bottom: float) -> TrackTerms:
    coherence = [np.where(np.equal(g, -np.inf), bottom, g) for g in terms.pairwise]
    return TrackTerms(terms.unary, coherence)


def _model(model: WordModel, K: int, reading: Reading) -> WordModel:
    """A word of the paper with K states, its zeros replaced by the floor of a reading."""
    outputs = tuple((1 - reading.smooth) * p + reading.smooth / p.shape[-1] for p in model.outputs)
    if model.transitions is None:
        return replace(model, outputs=tuple(_floored(p, reading.floor) for p in outputs))
    model = split(replace(model, outputs=outputs), K // 3, RELEASE)
    transitions, outputs = model.transitions, model.outputs
    assert transitions is not None
    if K > 3 and reading.nine in ("skipping", "any order"):
        # What is left of staying is for all others alike.
        others = np.ones((K, K)) - np.eye(K)
        others = np.triu(others) if reading.nine == "skipping" else others
        leave = (1 - np.diag(transitions))[:, None]
        leave = np.maximum(leave, leave[0] if reading.nine == "any order" else 0.0)
        others /= np.maximum(others.sum(axis=1, keepdims=True), 1.0)
        transitions = np.eye(K) * (1 - leave * others.sum(axis=1, keepdims=True)) + leave * others
    if K > 3 and reading.nine == "perturbed":
        rng = np.random.default_rng(zlib.crc32(model.name.encode()))
        outputs = tuple(_floored(p + NOISE * rng.random(p.shape), 0.0) for p in outputs)
    if K > 3 and reading.nine == "estimated":
        outputs = _estimated(model.name, model.part, K)
    onwards = np.maximum(transitions, reading.floor)
    if reading.nine != "any order" or K == 3:
        onwards = np.triu(onwards)
    back = 0.0 if reading.forbid else reading.floor
    return replace(
        model,
        outputs=tuple(_floored(p, reading.floor) for p in outputs),
        initial=_floored(model.initial, reading.floor),
        transitions=_floored(onwards, back),
    )


@cache
def _estimated(name: str, part: str, K: int) -> tuple[Floats, ...]:
    """Outputs of a word counted in the best tracks and states of the made-up clips that say it."""
    counts: list[Floats] = []
    for film in films(FILMS, 0):
        made = objective(sampled(film.clip, FEW), film.sentence, K)
        best = solve(made.problem)
        for w, word in enumerate(made.scene.meaning.words):
            if (word.word, word.part) != (name, part):
                continue
            observed, every = made.scene.models[w].observed, np.arange(made.problem.T)
            players = [
                made.scene.measured.chosen(made.candidates[p].rows[every, best.tracks[p]])
                for p in word.participants
            ]
            if not counts:
                counts = [np.zeros((K, len(o.feature.bins))) for o in observed]
            for count, o in zip(counts, observed, strict=True):
                bins = o.feature.binned(*(players[role].candidates for role in o.roles))
                np.add.at(count, (best.states[w], bins.reshape(-1)), 1.0)
    return tuple(_floored(count, 1e-300) for count in counts)


def _floored(probabilities: Floats, floor: float) -> Floats:
    raised = np.maximum(probabilities, floor)
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def _noun(scene: Scene, w: int, reading: Reading) -> WordTerms:
    """A noun's own class is certain, and the floor is left for others."""
    clip, link = scene.clip, scene.meaning.words[w].participants
    own = np.array([float(name in scene.models[w].classes) for name in clip.classes])
    (players,) = scene.players(w)
    emission = np.log(_floored(own, reading.floor))[clip.label[players.rows]]
    return WordTerms([0.0], [[0.0]], list(emission[:, None]), link)


def _word(scene: Scene, w: int, bottom: float, reading: Reading) -> WordTerms:
    """The terms of any other word; to end in its first phase costs as much as what is forbidden."""
    model = scene.models[w]
    emission = scene.emission(w)
    if reading.ends:
        emission[-1, ~model.final] += bottom
    chain = model.log_initial(), model.log_transitions(scene.clip.seconds)
    return WordTerms(*chain, list(emission), scene.meaning.words[w].participants)
