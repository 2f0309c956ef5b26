"""How well a sentence fits all things that its participants could be.

Somebody in a crowd does nearly anything. What most of them do is more probably meant, and less
probably seen by chance, than what one of fifty does.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sentrack.inference import WordTerms, best_paths
from sentrack.lexicon import aligned
from sentrack.objective import Objective, least_told
from sentrack.scene import AFTER, BEFORE, Scene
from sentrack.tasks.match import ROUNDING, SHARPNESS, relative, soft_greatest, soft_least
from sentrack.vision import Bools, Floats, Ints

if TYPE_CHECKING:
    from sentrack.tasks.result import TrackedWord

SUBJECT = 0  # the participant that is named first
NOTHING = np.iinfo(np.int64).min  # the identity of what is no candidate
PRESENT = 0.5  # part of the frames in which a thing is seen that could be meant
CASTS = 256  # ways to choose things for all participants, up to which all of them are looked at
# What is done to one of many others is less probable than what is done to the only one, and more
# probable than what is done to one drawn at random: 0 and 1 would be just as probable as these.
ANY_OTHER = 0.5

Things = tuple[Ints, Ints]  # (N,) identities, and (T, N) the candidate that shows each


def fit_of_all(objective: Objective, tracks: Ints, words: "Sequence[TrackedWord]") -> float:
    """How well a sentence fits all that its participants could be; see `alternative_fits`."""
    fits = alternative_fits(objective, tracks, words)
    known = fits[np.isfinite(fits)]
    return float(soft_greatest(known)) + of_any_other(len(known), len(fits))


def of_any_other(casts: int, subjects: int) -> float:
    """What is added to the soft greatest fit of so many casts, with so many subjects."""
    return (1 - ANY_OTHER) * math.log(casts / subjects) / SHARPNESS


def alternative_fits(objective: Objective, tracks: Ints, words: "Sequence[TrackedWord]") -> Floats:
    """(N1, ..., NL): how well the sentence fits if its L participants are each of so many things.

    -inf where two that must differ are one thing. Where there are more than CASTS of them, only
    the subject is another than in the answer. The red person is one of those who are red, if there
    is any.

    Args:
        objective: what was asked.
        tracks: (L, T) the answer.
        words: what was found of every word.
    """
    L, T = tracks.shape
    things, possible = all_things(objective.scene, lambda: tracks)
    shape = tuple(len(names) for names, _ in things)
    described = np.ones(shape[SUBJECT], dtype=np.bool_)
    fits = [np.zeros((0, *shape))]
    for w, (model, word) in enumerate(zip(objective.models, words, strict=True)):
        if model.information <= ROUNDING or word.unknown:
            continue
        terms = objective.problem.words[objective.row(w)]
        nats = _told(terms, [things[p][1] for p in terms.participants])
        nats -= T * objective.background(w)
        fit = relative(nats / least_told(model, objective.clip.seconds, T), model)
        fits.append(np.broadcast_to(aligned(fit[None], terms.participants, L), (1, *shape)))
        if word.part == "adjective" and word.participants == (SUBJECT,):
            described &= fit > 0
    every = soft_least(np.concatenate(fits))
    every = np.where(possible, every, -np.inf)
    return every[described] if np.isfinite(every[described]).any() else every


def all_things(scene: Scene, answer: Callable[[], Ints]) -> tuple[list[Things], Bools]:
    """Per participant the things that it could be, and (N1, ..., NL) which go together.

    Args:
        scene: what is asked, and of what.
        answer: finds (L, T) the best tracks, which are asked for only where they matter.
    """
    things = [_things(scene, p) for p in range(len(scene.candidates))]
    many = math.prod(len(names) for names, _ in things) > CASTS
    if not many and (possible := _possible(things, scene.meaning.distinct)).any():
        return things, possible
    found = [_answer(scene, p, track) for p, track in enumerate(answer())]
    things = [things[SUBJECT], *found[1:]] if many else found
    possible = _possible(things, scene.meaning.distinct)
    if not possible.any():
        things = found
        possible = _possible(things, scene.meaning.distinct)
    return things, possible


def _possible(things: Sequence[Things], distinct: Sequence[tuple[int, int]]) -> Bools:
    """(N1, ..., NL): where no two participants that must differ are one thing, as far as known."""
    found = np.ones([len(names) for names, _ in things], dtype=np.bool_)
    for pair in distinct:
        ones, others = (things[p][0] for p in pair)
        one = np.equal.outer(ones, others) & (ones >= 0)[:, None]
        found &= ~aligned(one[None], pair, len(things))[0]
    return found


def _told(terms: WordTerms, places: Sequence[Ints]) -> Floats:
    """(N1, ..., NI): the best sum of a word's terms, for all that its participants could be.

    Args:
        terms: of the word.
        places: per participant, (T, N) the candidates that show each thing.
    """
    initial = np.asarray(terms.initial)
    states = np.arange(len(initial))
    emission = np.stack(
        [
            np.asarray(terms.emission[t], dtype=np.float64)[np.ix_(states, *here)]
            for t, here in enumerate(zip(*places, strict=True))
        ]
    )
    flat = emission.reshape(*emission.shape[:2], -1)
    nats = best_paths(initial, np.asarray(terms.transition), flat)
    return nats.reshape(emission.shape[2:])


def _answer(scene: Scene, participant: int, track: Ints) -> Things:
    """The one thing that a participant is in the answer."""
    clip, rows = scene.clip, scene.candidates[participant].rows
    shown = clip.id[rows[np.arange(clip.T), track]]
    return shown.max(keepdims=True), track[:, None]


def _things(scene: Scene, participant: int) -> Things:
    """The things that a participant could be: those that are seen in PRESENT of the frames.

    Where one is not seen, it is said to be away.
    """
    players, clip = scene.candidates[participant], scene.clip
    id = np.where(players.real, clip.id[players.rows], NOTHING)
    every = np.arange(clip.T)
    names, count = np.unique(id[(id >= 0) & ~clip.projected[players.rows]], return_counts=True)
    names = names[count >= PRESENT * clip.T]
    found = np.empty((clip.T, len(names)), dtype=np.int64)
    away = [(id == which).argmax(axis=1) for which in (BEFORE, AFTER)]
    for n, name in enumerate(names):
        own = id == name
        there = own.any(axis=1)
        found[:, n] = np.where(every < there.argmax(), *away)
        found[there, n] = own[there].argmax(axis=1)
    return names, found
