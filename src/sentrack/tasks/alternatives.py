"""How well a sentence fits all things that its subject could be, the other participants given.

Somebody in a crowd does nearly anything. What most of them do is more probably meant, and less
probably seen by chance, than what one of fifty does.
"""

import numpy as np

from sentrack.objective import Objective, least_told
from sentrack.scene import AFTER, BEFORE
from sentrack.tasks.match import ROUNDING, relative, soft_least
from sentrack.vision import Floats, Ints

SUBJECT = 0  # the participant that is named first
PRESENT = 0.5  # part of the frames in which a thing is seen that could be meant


def typical_fit(objective: Objective, tracks: Ints, fit: float) -> float:
    """The mean fit of all things that the subject could be; `fit` where there is no other.

    Args:
        objective: what was asked.
        tracks: (L, T) the answer.
        fit: of the answer.
    """
    chosen = _things(objective)
    if chosen.shape[1] < 2:
        return fit
    told = []
    for joint, word in zip(objective.joint, objective.problem.words, strict=False):
        if len(joint.words) > 1 or SUBJECT not in joint.participants:
            continue
        model = objective.models[joint.words[0]]
        if model.information <= ROUNDING:
            continue
        emission = np.stack(
            [_of_subject(word.emission[t], joint.participants, tracks[:, t])[:, chosen[t]]
             for t in range(objective.problem.T)]
        )
        nats = best_paths(word.initial, word.transition, emission)
        w = joint.words[0]
        nats -= objective.problem.T * objective.background(w)
        frames = least_told(model, objective.clip.seconds, objective.problem.T)
        told.append(np.array([relative(each / frames, model) for each in nats]))
    if not told:
        return fit
    return float(np.mean([soft_least(each) for each in np.array(told).T]))


def _of_subject(emission, participants, chosen) -> Floats:
    """(S, J): of what a word tells in a frame, the part in which all others are as chosen."""
    place = [slice(None)] + [slice(None) if p == SUBJECT else chosen[p] for p in participants]
    return np.asarray(emission)[tuple(place)]


def _things(objective: Objective) -> Ints:
    """(T, N): the candidate of the subject that shows each thing, or says that it is away."""
    players, clip = objective.candidates[SUBJECT], objective.clip
    id = np.where(players.real, clip.id[players.rows], np.iinfo(np.int64).min)
    seen = players.real & ~clip.projected[players.rows]
    names, count = np.unique(id[seen], return_counts=True)
    names = names[count >= PRESENT * clip.T]
    found = np.empty((clip.T, len(names)), dtype=np.int64)
    before, after = (id == BEFORE).argmax(axis=1), (id == AFTER).argmax(axis=1)
    for n, name in enumerate(names):
        own = id == name
        there = own.any(axis=1)
        first = there.argmax()
        found[:, n] = np.where(there, own.argmax(axis=1), np.where(np.arange(clip.T) < first, before, after))
    return found


def best_paths(initial, transition, emission) -> Floats:
    """(N,): the best sum of a chain's terms, for each of N sequences of emissions (T, S, N)."""
    target, source = np.nonzero(np.isfinite(np.asarray(transition)).T)
    cost = np.asarray(transition)[source, target][:, None]
    begin = np.flatnonzero(np.diff(target, prepend=-1))
    reached = target[begin]
    best = np.asarray(initial)[:, None] + emission[0]
    for frame in emission[1:]:
        step = np.full_like(best, -np.inf)
        step[reached] = np.maximum.reduceat(best[source] + cost, begin, axis=0)
        best = step + frame
    return best.max(axis=0)
