"""Identity: which boxes of successive frames show one thing.

Things are followed frame by frame. A box is expected where the thing was going, by its motion of
about the last second and by how the whole picture moved, about as large as it was and of its
colour. All boxes of a frame and all things compete at once: who continues whom is the assignment
of least cost, in nats, in which a thing may also be lost, and a box be the first of another.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from sentrack.boxes import centre, extent
from sentrack.scene.candidates import DOUBTFUL, Floats, Ints, detection_scores
from sentrack.vision import Clip, add_projected

# Where a box is off from where it was expected: own sizes at once, and per second in between.
OFF, OFF_PER_SECOND = 0.02, 1.2
STRAY_PER_SECOND = 0.05  # frame heights per second, by which even small things may be off
GROWTH = 0.1  # how width and height differ between frames, as logarithms ...
GROWTH_PER_SECOND = 0.2  # ... and more after a second
COLOUR = 0.15  # how saturation and value of its colour differ
MEMORY = 0.5  # seconds over which motion is averaged
MOVING = 0.5  # seconds for which a thing that is lost goes on as it went
LOST = 1.0  # seconds for which a thing may be lost
OFTEN = 0.02  # of the boxes of a thing that a detector misses, before that is known of it ...
KNOWN = 1.5  # ... and the factor by which it must be wrong to matter
UNLIKELY = 8.0  # nats: a box that is less likely than this is that of another thing
SEVERAL = 3  # things, seen as often, that must agree on how the picture moved


def identified(clip: Clip, labels: Ints) -> Clip:
    """The clip with an identity for every detection of some classes.

    Identities that the clip has are believed, and what has none is followed by itself.

    Args:
        clip: what was seen.
        labels: the classes.
    """
    rows = np.flatnonzero(np.isin(clip.label, labels) & (clip.id < 0))
    fresh = int(clip.id.max(initial=-1)) + 1
    found = _followed(clip, rows, fresh, OFTEN)
    # How often a thing is missed while it is there is known when things have been followed.
    missed = _missed(clip.frame_of[rows], found, detection_scores(clip)[rows])
    if not OFTEN / KNOWN < missed < OFTEN * KNOWN:
        found = _followed(clip, rows, fresh, missed)
    id = clip.id.copy()
    id[rows] = found
    return replace(clip, id=id)


def without_gaps(clip: Clip) -> Clip:
    """The clip with boxes where things are not seen between two detections of them.

    They lie on the line between the two, and are marked as projected.
    """
    return add_projected(clip, *_between(clip, np.flatnonzero(clip.id >= 0)))


@dataclass(eq=False)
class _Things:
    """Things that are followed: where each was last seen, and how it moved there.

    Attributes:
        id: (A,) their identities.
        label: (A,) their classes.
        time: (A,) seconds, when they were last seen.
        centre: (A, 2) in frame heights.
        extent: (A, 2) in frame heights.
        motion: (A, 2) frame heights per second, without that of the picture.
        colour: (A, 2) saturation and value, NaN where unknown.
        doubt: (A,) nats by which what is there falls short of a sure detection.
        age: (A,) number of boxes.
    """

    id: Ints
    label: Ints
    time: Floats
    centre: Floats
    extent: Floats
    motion: Floats
    colour: Floats
    doubt: Floats
    age: Ints

    def only(self, which: Any) -> "_Things":
        """Some of them."""
        return _Things(*(getattr(self, field.name)[which] for field in fields(self)))

    def and_also(self, others: "_Things") -> "_Things":
        """These and others."""
        both = ((getattr(each, field.name) for each in (self, others)) for field in fields(self))
        return _Things(*map(np.concatenate, map(list, both)))


def _all_seen(clip: Clip, rows: Ints) -> _Things:
    """Boxes, each as a thing of its own that moves as was measured."""
    corners = clip.boxes[rows] / clip.size[1]
    return _Things(
        np.full(len(rows), -1),
        clip.label[rows],
        clip.times[clip.frame_of[rows]],
        centre(corners),
        np.maximum(extent(corners), 1e-6),
        clip.velocity[rows],
        clip.colour[rows, 1:],
        -detection_scores(clip)[rows],
        np.ones(len(rows), dtype=np.int64),
    )


def _missed(frame: Ints, id: Ints, score: Floats) -> float:
    """How often things are there and not detected, given frames, things and scores (M,).

    It is the part of the frames of each, from its first to its last, that show none of it; of
    things that are surely there, and a little less sure where there are few of them.
    """
    _, thing, count = np.unique(id, return_inverse=True, return_counts=True)
    first, last = np.full(len(count), np.iinfo(np.int64).max), np.zeros(len(count), np.int64)
    np.minimum.at(first, thing, frame)
    np.maximum.at(last, thing, frame)
    sure = np.bincount(thing, score) / count >= np.log(DOUBTFUL)
    life = int((last - first + 1)[sure].sum())
    return (life - int(count[sure].sum()) + 1) / (life + 2)


def _followed(clip: Clip, rows: Ints, fresh: int, missed: float) -> Ints:
    """(M,): identities from `fresh` on of detections (M,).

    Args:
        clip: what was seen.
        rows: the detections.
        fresh: the first identity.
        missed: how often things are there and not detected.
    """
    begin = np.searchsorted(clip.frame_of[rows], np.arange(clip.T + 1))
    every, found = _all_seen(clip, rows), [clip.id[:0]]
    things = every.only(slice(0))
    before = clip.times[0] - clip.seconds
    for t, now in enumerate(clip.times):
        seen = every.only(slice(begin[t], begin[t + 1]))
        # What was seen but once, and not again at once, was seen by mistake.
        lasting = (now - things.time <= LOST) & ((things.age > 1) | (things.time >= before))
        things = things.only(lasting)
        i, j, shift = _assigned(things, seen, -np.log(missed), now - before)
        seen.id[j] = things.id[i]
        new = np.flatnonzero(seen.id < 0)
        seen.id[new] = fresh + np.arange(len(new))
        fresh += len(new)
        lapse = (now - things.time[i])[:, None]
        moved = (seen.centre[j] - things.centre[i] - shift) / lapse
        share = np.maximum(1 / things.age[i][:, None], 1 - np.exp(-lapse / MEMORY))
        seen.motion[j] = things.motion[i] + share * (moved - things.motion[i])
        seen.age[j] += things.age[i]
        found.append(seen.id)
        lost = np.setdiff1d(np.arange(len(things.id)), i)
        things.centre += shift
        things, before = things.only(lost).and_also(seen), now
    return np.concatenate(found)


def _assigned(
    things: _Things, seen: _Things, lost: float, step: float
) -> tuple[Ints, Ints, Floats]:
    """Which things (P,) are which boxes (P,) of a frame, and how the picture moved, (2,).

    Args:
        things: what is followed.
        seen: the boxes.
        lost: nats that it costs a thing not to have been detected in the frame before.
        step: seconds since the frame before.
    """
    shift = np.zeros(2)
    if not (len(things.id) and len(seen.id)):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), shift
    lapse = seen.time[0] - things.time
    going = things.centre + things.motion * np.minimum(lapse, MOVING)[:, None]
    size = np.sqrt(things.extent.prod(axis=1))
    reach = size * OFF + (size * OFF_PER_SECOND + STRAY_PER_SECOND) * lapse
    grown = np.abs(np.log(seen.extent / things.extent[:, None])).sum(axis=2)
    paler = np.abs(seen.colour - things.colour[:, None]).sum(axis=2)
    alike = grown / (GROWTH + GROWTH_PER_SECOND * lapse)[:, None] + np.nan_to_num(paler) / COLOUR
    # A box that comes later is expected in a larger place, where it is less likely at each point.
    soonest = size * OFF + (size * OFF_PER_SECOND + STRAY_PER_SECOND) * step
    alike += 2 * np.log(reach / soonest)[:, None]
    alike += np.where(things.label[:, None] == seen.label, seen.doubt, np.inf)
    alike[lapse > 1.5 * step] += lost
    apart = seen.centre - going[:, None]
    still = alike + _length(apart) / reach[:, None]
    i, j = _matching(still)
    known = np.flatnonzero(things.age >= SEVERAL)
    if np.isin(known[lapse[known] <= 1.5 * step], i, invert=True).sum() < SEVERAL:
        return i, j, shift
    # Several are lost at once: perhaps the picture moved, if that makes more of what is seen.
    moved = shift
    for wide in (4.0, 1.0):
        off = _length(apart[known] - moved) / (wide * reach[known])[:, None]
        a, b = _matching(alike[known] + off)
        moved = np.median(apart[known[a], b], axis=0) if len(a) >= SEVERAL else moved
    panned = alike + _length(apart - moved) / reach[:, None]
    found = _matching(panned)
    if _worth(panned, *found) < _worth(still, i, j):
        (i, j), shift = found, moved
    return i, j, shift


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.hypot(vectors[..., 0], vectors[..., 1]))


def _worth(cost: Floats, i: Ints, j: Ints) -> float:
    """What an assignment costs, less what its boxes would cost as other things."""
    return float((cost[i, j] - UNLIKELY).sum())


def _matching(cost: Floats) -> tuple[Ints, Ints]:
    """The assignment of least cost of rows to columns, of pairs that are not unlikely."""
    from scipy.optimize import linear_sum_assignment  # it takes a while to load

    i, j = linear_sum_assignment(np.minimum(cost, UNLIKELY))
    likely = cost[i, j] < UNLIKELY
    return i[likely], j[likely]


def _between(clip: Clip, rows: Ints) -> tuple[Ints, Ints, Floats]:
    """Boxes of things between two detections of them: (P,) rows before, (P,) frames, (P, 4)."""
    order = rows[np.lexsort((clip.frame_of[rows], clip.id[rows]))]
    frame, id = clip.frame_of[order], clip.id[order]
    gap = np.where(id[1:] == id[:-1], np.diff(frame) - 1, 0)
    before, after = (np.repeat(each, gap) for each in (order[:-1], order[1:]))
    at = clip.frame_of[before] + 1 + np.arange(gap.sum()) - np.repeat(np.cumsum(gap) - gap, gap)
    start, end = (clip.times[clip.frame_of[each]] for each in (before, after))
    part = ((clip.times[at] - start) / (end - start))[:, None]
    return before, at, (1 - part) * clip.boxes[before] + part * clip.boxes[after]
