"""Sentences about clips, and what `match` sees of them under the words as they are.

A question is measured once. Under given words it is answered as `track` answers it with
`whole=True`: by the best tracks and states. What its match mostly depends on, the fit of the word
that fits least, is then a function of the words' outputs that can be computed, and differentiated,
with tracks and states held.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sentrack.inference import Infeasible, Problem, solve
from sentrack.lexicon import WordModel
from sentrack.objective import Objective, whole
from sentrack.scene import PRESENCE, Scene
from sentrack.tasks.learning.examples import Bools, Ints, Key, restricted
from sentrack.workers import Executor

CHUNK = 8  # questions that a worker is given at once, at most


@dataclass(frozen=True, eq=False)
class Question:
    """A sentence about all of a clip.

    Attributes:
        scene: the clip, measured for the sentence.
        allowed: per participant, (N,) the detections of the scene's clip that it may be; None for
            all.
    """

    scene: Scene
    allowed: tuple[Bools | None, ...] = ()

    @property
    def keys(self) -> tuple[Key, ...]:
        """Of its words, in order."""
        return tuple((word.part, word.word) for word in self.scene.meaning.words)


@dataclass(frozen=True, eq=False)
class Told:
    """What the best tracks and states show of one word.

    Attributes:
        state: (M,) the state of its model in each frame in which it tells something.
        bins: (M, F) the bin of every feature.
        seen: (M, F) whether the feature tells: of what is not there, only presence does.
        moves: nats of its initial state and its transitions.
        frames: that it is judged by.
        seconds: between frames.
    """

    state: Ints
    bins: Ints
    seen: Bools
    moves: float
    frames: int
    seconds: float


Answer = tuple[tuple[Key, Told], ...]  # per word that tells something, of one question


class Questions:
    """Questions to learn from. Workers get them once, and then only words.

    Attributes:
        asked: all of them, in order.
    """

    def __init__(self, asked: Sequence[Question], executor: Executor) -> None:
        self.asked, self._executor = asked, executor
        size = min(CHUNK, 1 + len(asked) // (2 * executor.size))
        self._chunks = executor.scatter(asked[i : i + size] for i in range(0, len(asked), size))

    def answers(self, models: Mapping[Key, WordModel]) -> list[Answer | None]:
        """What `answer` gives for each question, in order, however many workers there are."""
        parts = self._executor.map(partial(_chunk_answers, dict(models)), self._chunks)
        return [each for part in parts for each in part]


def _chunk_answers(
    models: Mapping[Key, WordModel], asked: Sequence[Question]
) -> list[Answer | None]:
    return [answer(question, models) for question in asked]


def answer(question: Question, models: Mapping[Key, WordModel]) -> Answer | None:
    """What the best tracks and states show of every word; None if there are no tracks.

    Args:
        question: what is asked.
        models: of the words that have changed since the scene was made.
    """
    scene = question.scene
    own = [models.get(key, model) for key, model in zip(question.keys, scene.models, strict=True)]
    objective = whole(replace(scene, models=tuple(own)))
    try:
        tracks = restricted(objective, question.allowed)
        solution = solve(Problem(tracks, objective.problem.words))
    except Infeasible:
        return None
    return tuple(
        (key, _told(objective, w, solution.tracks, solution.states))
        for w, key in enumerate(question.keys)
        if objective.models[w].observed
    )


def _told(objective: Objective, w: int, tracks: Ints, found: Ints) -> Told:
    """What a word shows along tracks (L, T), given the states (W, T) of the problem's words."""
    scene, model, chain = objective.scene, objective.models[w], objective.chains[w]
    states = found[objective.row(w)]
    state = chain.state[states]
    on = np.flatnonzero(state < model.K)
    participants = scene.meaning.words[w].participants
    players, chosen = scene.players(w), tracks[list(participants)]
    bins = np.empty((len(on), len(model.observed)), dtype=np.int64)
    for f, observed in enumerate(model.observed):
        of_feature = scene.measured.bins(observed.feature, [players[r] for r in observed.roles])
        bins[:, f] = of_feature[(on, *(chosen[role, on] for role in observed.roles))]
    there = np.ones(len(on), dtype=np.bool_)
    for each, track in zip(players, chosen, strict=True):
        there &= ~scene.clip.projected[each.rows[on, track[on]]]
    always = np.array([o.feature.name == PRESENCE for o in model.observed])
    return Told(
        state[on],
        bins,
        there[:, None] | always,
        float(chain.initial[states[0]] + chain.transition[states[:-1], states[1:]].sum()),
        chain.frames_told(model, scene.clip.seconds, states),
        scene.clip.seconds,
    )
