"""Sentences about clips, and what `match` sees of them under the words as they are.

A question is measured once. Under given words it is answered as `track` answers it with
`whole=True`, and its fit is the one that `match` depends on: that of all things that the
participants could be (`sentrack.tasks.alternatives`), each of them a cast. With the states of the
words held in every cast, it is a smooth function of the words' outputs
(`sentrack.tasks.learning.choices`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sentrack.inference import Infeasible, Problem, Solution, best_states, solve
from sentrack.lexicon import WordModel
from sentrack.objective import Objective, least_told, over_all, whole
from sentrack.scene import PRESENCE, Scene
from sentrack.tasks.alternatives import SUBJECT, all_things, of_any_other
from sentrack.tasks.learning.examples import Bools, Floats, Ints, Key, restricted
from sentrack.tasks.match import ROUNDING, SHARPNESS, relative, soft_least
from sentrack.tasks.result import UNKNOWN
from sentrack.workers import Executor

CHUNK = 8  # questions that a worker is given at once, at most
SMALL = 0.01  # of the share of the best cast: what has less is not differentiated


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
    """What one word shows in N casts.

    Attributes:
        key: of the word.
        state: (N, T) the state of its model in each frame; their number K where it says nothing.
        bins: (N, T, F) the bin of every feature.
        seen: (N, T, F) whether the feature tells: of what is not there, only presence does.
        moves: (N,) nats of its initial state and its transitions.
        frames: that it is judged by.
        seconds: between frames.
    """

    key: Key
    state: Ints
    bins: Ints
    seen: Bools
    moves: Floats
    frames: int
    seconds: float

    def of(self, casts: Ints) -> "Told":
        """The same of some casts."""
        parts = self.state[casts], self.bins[casts], self.seen[casts], self.moves[casts]
        return Told(self.key, *parts, self.frames, self.seconds)


@dataclass(frozen=True, eq=False)
class Answer:
    """What the fit of a question depends on, with states held.

    Attributes:
        words: that tell something, in the casts that count most, the best of them first.
        casts: the number of all of them.
        rest: Σ exp(SHARPNESS fit) of those that count little.
        more: that is added to the soft greatest fit.
    """

    words: tuple[Told, ...]
    casts: int
    rest: float
    more: float


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
    """What the words show in all casts, each in its best states; None if there are no tracks.

    Clauses in order are looked at in the best tracks alone, as by `match`.

    Args:
        question: what is asked.
        models: of the words that have changed since the scene was made.
    """
    scene = question.scene
    own = [models.get(key, model) for key, model in zip(question.keys, scene.models, strict=True)]
    scene = replace(scene, models=tuple(own))
    try:
        if scene.meaning.order:
            objective = whole(scene)
            solution = _solved(objective, question.allowed)
            found = [(w, _of_solution(objective, w, solution)) for w in _telling(scene)]
            places = [track[:, None] for track in solution.tracks]
            subject, subjects = np.zeros(1, np.int64), 1
        else:
            places, subject, subjects = _casts(scene, question.allowed)
            found = [(w, _of_casts(scene, w, places)) for w in _telling(scene)]
    except Infeasible:
        return None
    fits = np.zeros((0, places[0].shape[1]))
    possible = np.ones(places[0].shape[1], dtype=np.bool_)
    words = []
    for w, (told, nats) in found:
        model, word = scene.models[w], scene.meaning.words[w]
        if _unknown(model, told):
            continue
        words.append(told)
        if model.information > ROUNDING:
            fit = relative(nats / told.frames, model)
            fits = np.concatenate((fits, fit[None]))
            if word.part == "adjective" and word.participants == (SUBJECT,):
                possible &= fit > 0
    possible |= not possible.any()
    shares = np.where(possible, np.exp(SHARPNESS * soft_least(fits)), 0.0)
    order = np.argsort(-shares, kind="stable")
    kept = order[shares[order] >= SMALL * shares.max()]
    casts = int(possible.sum())
    return Answer(
        tuple(told.of(kept) for told in words),
        casts,
        float(shares.sum() - shares[kept].sum()),
        of_any_other(casts, subjects - len(np.unique(subject[~possible]))),
    )


def _telling(scene: Scene) -> list[int]:
    """The words that look at something."""
    return [w for w, model in enumerate(scene.models) if model.observed]


def _unknown(model: WordModel, told: Told) -> bool:
    """Whether nothing is known of all that a word looks at, as of colours where no pixels are."""
    last = [(o.feature.bins[-1], len(o.feature.bins) - 1) for o in model.observed]
    return all(name == UNKNOWN for name, _ in last) and bool(
        (told.bins == [place for _, place in last]).all()
    )


def _solved(objective: Objective, allowed: Sequence[Bools | None]) -> Solution:
    """The best tracks and states.

    Raises:
        Infeasible: there are no tracks.
    """
    return solve(Problem(restricted(objective, allowed), objective.problem.words))


def _casts(scene: Scene, allowed: Sequence[Bools | None]) -> tuple[list[Ints], Ints, int]:
    """Per participant, (T, N) its candidates in all casts; (N,) which subject they have, of all.

    Raises:
        Infeasible: there are no tracks.
    """
    things, possible = all_things(scene, lambda: _solved(whole(scene), allowed).tracks)
    for p, own in enumerate(allowed):
        if own is not None:
            rows, shown = scene.candidates[p].rows, things[p][1]
            may = own[np.take_along_axis(rows, shown, axis=1)].all(axis=0)
            possible = possible & np.expand_dims(may, [n for n in range(possible.ndim) if n != p])
    if not possible.any():
        tracks = _solved(whole(scene), allowed).tracks
        return [track[:, None] for track in tracks], np.zeros(1, np.int64), 1
    chosen = np.nonzero(possible)
    places = [shown[:, n] for (_, shown), n in zip(things, chosen, strict=True)]
    return places, chosen[SUBJECT], len(possible)


def _of_casts(scene: Scene, w: int, places: Sequence[Ints]) -> tuple[Told, Floats]:
    """What a word shows in all casts, in its best states, and (N,) nats over the background."""
    model, clip = scene.models[w], scene.clip
    chain = over_all(model, clip, scene.measured.identity)
    own = [places[p] for p in scene.meaning.words[w].participants]
    h = np.moveaxis(scene.emission(w, against_background=True), 1, -1)
    told = np.swapaxes(h[(np.arange(clip.T)[:, None], *own)], 0, 1)
    told = np.pad(told, [(0, 0), (0, 0), (0, 1)])  # (N, T, K + 1), 0 where it says nothing
    nats, state = best_states(chain.initial, chain.transition, chain.state, chain.final, told)
    shown = np.take_along_axis(told, state[:, :, None], axis=2).sum(axis=(1, 2))
    bins, seen = _looked_at(scene, w, own)
    frames = least_told(model, clip.seconds, clip.T)
    key = scene.meaning.words[w].part, scene.meaning.words[w].word
    return Told(key, state, bins, seen, nats - shown, frames, clip.seconds), nats


def _of_solution(objective: Objective, w: int, solution: Solution) -> tuple[Told, Floats]:
    """What a word shows along the best tracks; see `_of_casts`."""
    scene, model, chain = objective.scene, objective.models[w], objective.chains[w]
    states = solution.states[objective.row(w)]
    word, every = scene.meaning.words[w], np.arange(scene.clip.T)
    own = [solution.tracks[p][:, None] for p in word.participants]
    h = np.moveaxis(scene.emission(w, against_background=True), 1, -1)
    told = np.append(h[(every[:, None], *own)][:, 0], np.zeros((len(every), 1)), axis=1)
    state = chain.state[states]
    moves = chain.initial[states[:1]] + chain.transition[states[:-1], states[1:]].sum()
    bins, seen = _looked_at(scene, w, own)
    frames = chain.frames_told(model, scene.clip.seconds, states)
    found = Told((word.part, word.word), state[None], bins, seen, moves, frames, scene.clip.seconds)
    return found, moves + told[every, state].sum()


def _looked_at(scene: Scene, w: int, places: Sequence[Ints]) -> tuple[Ints, Bools]:
    """(N, T, F) the bins of a word's features in all casts, and whether they tell."""
    model, players, clip = scene.models[w], scene.players(w), scene.clip
    every = np.arange(clip.T)[:, None]
    bins = [
        scene.measured.bins(o.feature, [players[r] for r in o.roles])[
            (every, *(places[r] for r in o.roles))
        ]
        for o in model.observed
    ]
    hidden = [
        scene.measured.untold(each)[every, own] for each, own in zip(players, places, strict=True)
    ]
    there = ~np.any(hidden, axis=0)
    always = np.array([o.feature.name == PRESENCE for o in model.observed])
    return np.stack(bins, axis=-1).swapaxes(0, 1), (there[:, :, None] | always).swapaxes(0, 1)
