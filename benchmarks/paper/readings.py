"""The paper's objective of a clip and a sentence, and the choices that the paper does not state."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchmarks.paper.stories import STEP
from sentrack.inference import Problem, TrackTerms, WordTerms
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
    """

    floor: float = RELEASE
    forbid: bool = False
    nouns: Literal["floor", "own class"] = "floor"
    ends: bool = True


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
    return Objective(scene, Problem([tracks[players] for players in own], words), tuple(chains))


def _candidates(clip: Clip, noun: str, reading: Reading) -> CandidateSet:
    own = clip.label == clip.classes.index(noun)
    allowed = own if reading.nouns == "own class" else np.ones(len(clip.label), np.bool_)
    return candidate_set(clip, allowed, things(clip, identity=False))


def _track(terms: TrackTerms, bottom: float) -> TrackTerms:
    coherence = [np.where(np.equal(g, -np.inf), bottom, g) for g in terms.pairwise]
    return TrackTerms(terms.unary, coherence)


def _model(model: WordModel, K: int, reading: Reading) -> WordModel:
    """A word of the paper with K states, its zeros replaced by the floor of a reading."""
    if model.transitions is None:
        return replace(model, outputs=tuple(_floored(p, reading.floor) for p in model.outputs))
    model = split(model, K // 3, RELEASE)
    assert model.transitions is not None
    onwards = np.triu(np.maximum(model.transitions, reading.floor))
    back = 0.0 if reading.forbid else reading.floor
    return replace(
        model,
        outputs=tuple(_floored(p, reading.floor) for p in model.outputs),
        initial=_floored(model.initial, reading.floor),
        transitions=_floored(onwards, back),
    )


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
