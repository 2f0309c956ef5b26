"""How well a sentence fits all things that its subject could be, the other participants given.

Somebody in a crowd does nearly anything. What most of them do is more probably meant, and less
probably seen by chance, than what one of fifty does.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sentrack.inference import best_paths
from sentrack.objective import Objective, least_told
from sentrack.scene import AFTER, BEFORE
from sentrack.tasks.match import ROUNDING, relative, soft_least
from sentrack.vision import Floats, Ints

if TYPE_CHECKING:
    from sentrack.tasks.result import TrackedWord

SUBJECT = 0  # the participant that is named first
NOTHING = np.iinfo(np.int64).min  # the identity of what is no candidate
PRESENT = 0.5  # part of the frames in which a thing is seen that could be meant


def alternative_fits(objective: Objective, tracks: Ints, words: "Sequence[TrackedWord]") -> Floats:
    """(N,): how well the sentence fits if its subject is each of N things, as `match` has it.

    The red person is one of those who are red, if there is any.

    Args:
        objective: what was asked.
        tracks: (L, T) the answer, of which the other participants are kept.
        words: what was found of every word, which stands for those that tell nothing of the
            subject.
    """
    chosen, T = _things(objective, tracks), objective.problem.T
    described = np.ones(chosen.shape[1], dtype=np.bool_)
    fits = []
    for w, (model, word) in enumerate(zip(objective.models, words, strict=True)):
        if model.information <= ROUNDING or word.unknown:
            continue
        if SUBJECT not in word.participants:
            fits.append(np.full(chosen.shape[1], relative(word.margin, model)))
            continue
        terms = objective.problem.words[objective.row(w)]
        seen = (_of_subject(terms.emission[t], terms.participants, tracks[:, t]) for t in range(T))
        emission = np.stack([each[:, own] for each, own in zip(seen, chosen, strict=True)])
        nats = best_paths(np.asarray(terms.initial), np.asarray(terms.transition), emission)
        nats -= T * objective.background(w)
        fits.append(relative(nats / least_told(model, objective.clip.seconds, T), model))
        if word.part == "adjective":
            described &= fits[-1] > 0
    every = soft_least(np.array(fits).reshape(len(fits), chosen.shape[1]))
    return every[described] if described.any() else every


def _of_subject(emission: npt.ArrayLike, participants: tuple[int, ...], chosen: Ints) -> Floats:
    """(S, J): of what a word tells in a frame, the part in which all others are as chosen."""
    place = [slice(None)] + [slice(None) if p == SUBJECT else chosen[p] for p in participants]
    found: Floats = np.asarray(emission, dtype=np.float64)[tuple(place)]
    return found


def _things(objective: Objective, tracks: Ints) -> Ints:
    """(T, N): the candidate of the subject that shows each thing, or says that it is away.

    They are those that are seen in PRESENT of the frames, and are no other participant.
    """
    players, clip = objective.candidates[SUBJECT], objective.clip
    id = np.where(players.real, clip.id[players.rows], NOTHING)
    every = np.arange(clip.T)
    others = [
        clip.id[each.rows[every, track]]
        for each, track in zip(objective.candidates[1:], tracks[1:], strict=True)
    ]
    names, count = np.unique(id[(id >= 0) & ~clip.projected[players.rows]], return_counts=True)
    names = np.setdiff1d(names[count >= PRESENT * clip.T], others)
    found = np.empty((clip.T, len(names)), dtype=np.int64)
    away = [(id == which).argmax(axis=1) for which in (BEFORE, AFTER)]
    for n, name in enumerate(names):
        own = id == name
        there = own.any(axis=1)
        found[:, n] = np.where(every < there.argmax(), *away)
        found[there, n] = own[there].argmax(axis=1)
    return found
