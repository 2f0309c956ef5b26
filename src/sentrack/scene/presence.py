"""Presence: things come and go, so that a participant may be away before and after it is seen.

Two more candidates of every frame stand for a participant that has not come yet and for one that
has gone. A track begins with the first box of a thing, or before it; it keeps to that thing; and it
ends with its last box, or after it.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.boxes import area, shared
from sentrack.scene.candidates import Bools, CandidateSet, Floats, Ints
from sentrack.scene.trajectories import TIME_TOLERANCE
from sentrack.vision import ROWS, Clip

Codes = npt.NDArray[np.int16]

AWAY = ""  # the class of what is not there; no detector's class has this name
BEFORE, AFTER = -2, -3  # stand in for identities
# Nats that it costs a thing to come or go: at the border of the picture, or beside what can hide
# it; and in the open.
AT_BORDER, IN_THE_OPEN = 1.0, 4.0
BORDER = 0.02  # frame heights
HIDES = 0.1  # part of a box that another one, no smaller, covers if it can have hidden it
# Seconds for which something has just appeared, or is about to vanish, and was away or will be.
SOON = 0.5
SEEN, APPEARS, VANISHES, GONE = range(4)  # bins of the feature
# Nats that a frame costs in which a participant is away, before anything is known of the detector,
# and how many missed frames that is worth.
NOT_SEEN, SUPPOSED = -3.0, 10.0
# Seconds between two boxes of a thing in between which it was where it is interpolated.
BRIEFLY = 0.5


def with_away(clip: Clip) -> Clip:
    """The clip with two candidates more in every frame, for what has not come yet and has gone."""
    T = clip.T
    at = np.repeat(np.arange(T), 2)
    order = np.argsort(np.concatenate([clip.frame_of, at]), kind="stable")
    more: dict[str, Any] = {
        "boxes": np.zeros((2 * T, 4)),
        "label": np.full(2 * T, len(clip.classes)),
        "score": np.ones(2 * T),
        "velocity": np.zeros((2 * T, 2)),
        "camera": np.zeros((2 * T, 2)),
        "colour": np.full((2 * T, 3), np.nan),
        "looks": np.zeros((2 * T, clip.looks.shape[1]), dtype=np.uint8),
        "id": np.tile([BEFORE, AFTER], T),
        "projected": np.ones(2 * T, dtype=np.bool_),
    }
    rows: dict[str, Any] = {
        name: np.concatenate([getattr(clip, name), more[name]])[order] for name in ROWS
    }
    start = clip.start + 2 * np.arange(T + 1)
    return replace(clip, classes=(*clip.classes, AWAY), start=start, **rows)


def without_away(clip: Clip) -> Clip:
    """What was seen alone, of a clip with candidates for what is away."""
    seen = clip.only(~clip.projected)
    return replace(seen, classes=tuple(name for name in clip.classes if name != AWAY))


def is_away(clip: Clip) -> Bools:
    """(N,): which candidates stand for what is not there."""
    return np.asarray(clip.id <= BEFORE)


def lives(clip: Clip) -> tuple[Ints, Ints]:
    """(N,) twice: the first and the last frame of the thing that each detection shows."""
    frame, thing = clip.frame_of, np.unique(clip.id, return_inverse=True)[1]
    first, last = np.full(thing.max() + 1, clip.T), np.full(thing.max() + 1, -1)
    np.minimum.at(first, thing, frame)
    np.maximum.at(last, thing, frame)
    return first[thing], last[thing]


def presence(clip: Clip) -> Codes:
    """(N,): whether things are there, as bins of the feature of this name.

    What is missing for less than SOON at the beginning or at the end need not have been away: it
    was not detected, or its first box is that of the frame after.

    Args:
        clip: with an identity for every detection, and candidates for what is away.
    """
    frame, time = clip.frame_of, clip.times
    first, last = lives(clip)
    new, old = time[frame] - time[first] <= SOON, time[last] - time[frame] <= SOON
    came, went = time[first] - time[0] >= SOON, time[-1] - time[last] >= SOON
    code = np.where(came & new, APPEARS, SEEN)
    code = np.where(went & old, VANISHES, code)
    return np.where(is_away(clip), GONE, code).astype(np.int16)


def untold(clip: Clip) -> Bools:
    """(N,): which boxes tell words nothing: those that are projected, but not between two others.

    A thing that was missed for less than BRIEFLY was where it is interpolated.

    Args:
        clip: with an identity for every detection.
    """
    order = np.lexsort((clip.frame_of, clip.id))
    id, time, hidden = clip.id[order], clip.times[clip.frame_of[order]], clip.projected[order]
    place, end = np.arange(len(order)), len(order) - 1
    before = np.maximum.accumulate(np.where(hidden, 0, place))
    after = np.minimum.accumulate(np.where(hidden, end, place)[::-1])[::-1]
    between = (id[before] == id) & (id[after] == id) & ~hidden[before] & ~hidden[after]
    between &= (id >= 0) & (time[after] - time[before] <= BRIEFLY + TIME_TOLERANCE)
    found = np.empty(len(order), np.bool_)
    found[order] = hidden & ~between
    return found


def not_seen(clip: Clip) -> float:
    """Nats that a frame costs in which a participant is away.

    It is the log of the probability that a thing that is missed is missed in the next frame too, by
    the gaps of all things: where a detector misses much, to have been missed tells little of who is
    meant.

    Args:
        clip: with an identity for every detection, and boxes where things are hidden.
    """
    order = np.lexsort((clip.frame_of, clip.id))
    order = order[clip.id[order] >= 0]
    hidden, same = clip.projected[order], np.diff(clip.id[order]) == 0
    missed = np.count_nonzero(hidden[:-1] & same)
    again = np.count_nonzero(hidden[:-1] & hidden[1:] & same)
    return float(np.log((again + SUPPOSED * np.exp(NOT_SEEN)) / (missed + SUPPOSED)))


def hidden_scores(clip: Clip, scores: Floats) -> Floats:
    """(N,): f of every candidate, where things are hidden that on average of their boxes.

    What is seen before and after was there in between, too. That it was missed tells nothing of
    whether it is meant.

    Args:
        clip: with an identity for every detection, and boxes where things are hidden.
        scores: (N,) f by the detector's scores.
    """
    seen = np.flatnonzero(~clip.projected & (clip.id >= 0))
    things, thing, count = np.unique(clip.id[seen], return_inverse=True, return_counts=True)
    hidden = np.flatnonzero(clip.projected & np.isin(clip.id, things))
    found = scores.copy()
    mean = np.bincount(thing, scores[seen]) / count
    found[hidden] = mean[np.searchsorted(things, clip.id[hidden])]
    return found


def presence_scores(clip: Clip, scores: Floats, away: float) -> Floats:
    """(N,): f of every candidate, given that of detections (N,).

    A participant is seen in one frame at least: it is not still to come in the last frame, nor gone
    in the first.

    Args:
        clip: with candidates for what is away.
        scores: (N,).
        away: nats that a frame is worth in which a participant is away.
    """
    found = np.where(is_away(clip), away, scores)
    frame = clip.frame_of
    found[(clip.id == BEFORE) & (frame == clip.T - 1)] = -np.inf
    found[(clip.id == AFTER) & (frame == 0)] = -np.inf
    return found


def identity_coherence(clip: Clip, players: CandidateSet) -> Floats:
    """(T-1, J, J): 0 where two candidates show one thing, else what it costs to come or to go.

    All else is forbidden.
    """
    first, last = (clip.frame_of == end for end in lives(clip))
    cost = -coming_and_going(clip, first | last)
    id, rows = clip.id[players.rows], players.rows
    come = np.where(first, cost, -np.inf)[rows[1:]][:, None, :]
    go = np.where(last, cost, -np.inf)[rows[:-1]][:, :, None]
    g = np.where(id[:-1, :, None] == id[1:, None, :], 0.0, -np.inf)
    g = np.maximum(g, np.where((id[:-1] == BEFORE)[:, :, None], come, -np.inf))
    g = np.maximum(g, np.where((id[1:] == AFTER)[:, None, :], go, -np.inf))
    # What has not come yet has not gone.
    g[(id[:-1] == BEFORE)[:, :, None] & (id[1:] == AFTER)[:, None, :]] = -np.inf
    return g


def coming_and_going(clip: Clip, which: Bools) -> Floats:
    """(N,): nats that it costs things to appear or vanish where these detections (N,) are."""
    width, height = clip.size
    edge = BORDER * height
    low, high = clip.boxes[:, :2], clip.boxes[:, 2:]
    border = (low <= edge).any(axis=1) | (high >= np.array([width, height]) - edge).any(axis=1)
    cost = np.where(border, AT_BORDER, IN_THE_OPEN)
    rows = np.flatnonzero(which & ~border & ~is_away(clip))
    frame = clip.frame_of
    for part in np.array_split(rows, max(1, len(rows) // 256)):
        others = _others(clip, frame[part])
        own, other = clip.boxes[part][:, None], clip.boxes[others]
        covered = shared(own, other) >= HIDES * area(own)
        hidden = covered & (area(other) >= area(own)) & (others != part[:, None])
        cost[part[hidden.any(axis=1)]] = AT_BORDER
    return cost


def _others(clip: Clip, frames: Ints) -> Ints:
    """(E, J): the detections of some frames (E,), padded by repeating the first."""
    counts = clip.start[frames + 1] - clip.start[frames]
    place = np.arange(counts.max(initial=0))
    return np.asarray(clip.start[frames][:, None] + np.where(place < counts[:, None], place, 0))


def same_after(clip: Clip, players: CandidateSet) -> tuple[Ints, Ints]:
    """(T-1, J) twice: the candidate that shows the same thing in the next frame, and before.

    -1 where there is none.
    """
    id = clip.id[players.rows]
    same = (id[:-1, :, None] == id[1:, None, :]) & (id[:-1, :, None] > BEFORE)
    return (
        np.where(same.any(axis=2), same.argmax(axis=2), -1),
        np.where(same.any(axis=1), same.argmax(axis=1), -1),
    )
