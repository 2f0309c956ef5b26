"""Identity: which boxes of successive frames show one thing.

Things are followed frame by frame. A box is expected where the thing was going, by its motion of
about the last second and by how the whole picture moved, about as large as it was, and to look as
it looked in the last second. All boxes of a frame and all things compete at once: who continues
whom is the assignment of least cost, in nats, in which a thing may also be lost, and a box be the
first of another. Then what was missed for a while is linked, for all of the clip at once; see
`linking`. Every class is followed by itself, so that what is found of it does not depend on
which others are looked at.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from sentrack.boxes import centre, extent
from sentrack.colours import CELLS, HALVES
from sentrack.inference.kernels import announce
from sentrack.scene.candidates import DOUBTFUL, Floats, Ints, detection_scores
from sentrack.scene.clutter import MOST, by_scores, kinds_of, log_odds
from sentrack.scene.following import Known, Seen, followed
from sentrack.scene.linking import OFTEN, STAY, linked
from sentrack.vision import Clip, add_projected

OF_BOXES = Seen._fields[2:]  # what is known of every box
USUAL = 10  # steps between boxes that are as far off as that
WINDOW = 0.5  # seconds before and after, over which scores are averaged
PASSES = 5  # over the clip at most, each of which knows what the one before found


def identified(clip: Clip, labels: Ints) -> Clip:
    """The clip with an identity for every detection of some classes.

    Identities that the clip has are believed, and what has none is followed by itself.

    Args:
        clip: what was seen.
        labels: the classes.
    """
    announce(followed)
    id = clip.id.copy()
    rows = np.flatnonzero(np.isin(clip.label, labels) & (id < 0))
    rows = rows[np.argsort(clip.label[rows], kind="stable")]
    frame, seen, fresh = clip.frame_of[rows], _all_seen(clip, rows), int(id.max(initial=-1)) + 1
    odds = log_odds(clip)[rows]
    ends = np.flatnonzero(np.diff(seen.label, append=-1)) + 1
    for first, last in pairwise([0, *ends]):
        own = slice(first, last)
        begin = np.searchsorted(frame[own], np.arange(clip.T + 1))
        alone = seen._replace(begin=begin, **{name: getattr(seen, name)[own] for name in OF_BOXES})
        id[rows[own]] = fresh + _things(clip, frame[own], alone, odds[own])
        fresh = int(id[rows[own]].max()) + 1
    return replace(clip, id=id)


def _things(clip: Clip, frame: Ints, seen: Seen, odds: Floats) -> Ints:
    """(M,): which thing, from 0 on, the boxes of a class are; see `_known`."""
    # How often things are missed while they are there, how often others begin, and what clutter is
    # like, is known when they have been followed.
    found, off, jerked = followed(seen, clip.seconds, _unknown(seen, len(clip.classes)))
    for _ in range(PASSES - 1):
        before = found
        known = _known(clip, frame, seen, odds, found, off)
        found, off, jerked = followed(seen, clip.seconds, known)
        if np.array_equal(found, before):
            break  # so would be all that follow
    known, C = _known(clip, frame, seen, odds, found, off), len(clip.classes)
    kinds, picture = kinds_of(seen.label, odds, found, C), clip.size[0] / clip.size[1]
    near = float(_near(seen, off, known.true, C)[seen.label[0]])
    return linked(seen, frame, found, odds, jerked, kinds, near, picture)


def without_gaps(clip: Clip) -> Clip:
    """The clip with boxes where things are not seen between two detections of them.

    They lie on the line between the two, and are marked as projected.
    """
    return add_projected(clip, *_between(clip, np.flatnonzero(clip.id >= 0)))


def _all_seen(clip: Clip, rows: Ints) -> Seen:
    """Some boxes of a clip; `begin` is right where they are in the order of frames."""
    frame = clip.frame_of[rows]
    corners = clip.boxes[rows] / clip.size[1]
    return Seen(
        clip.times.copy(),  # an array that must not be written to would be compiled for anew
        np.searchsorted(frame, np.arange(clip.T + 1)),
        clip.times[frame],
        clip.label[rows],
        centre(corners),
        np.log(np.maximum(extent(corners), 1e-6)),
        clip.velocity[rows],
        np.ascontiguousarray(clip.colour[rows, 1:]),
        _looks(clip, rows),
        -detection_scores(clip)[rows],
    )


def _looks(clip: Clip, rows: Ints) -> Floats:
    """(M, HALVES, CELLS): what part of each half is of each colour; 0 where unknown."""
    parts = clip.looks[rows].reshape(len(rows), HALVES, CELLS).astype(np.float64)
    return np.asarray(parts / np.maximum(parts.sum(axis=2, keepdims=True), 1.0))


def _unknown(seen: Seen, C: int) -> Known:
    """What is taken for granted before boxes of C classes have been followed."""
    M = len(seen.label)
    own = np.full(C, np.inf), np.zeros(C), np.ones(C)
    return Known(-np.log(OFTEN), *own, np.full(M, 0.5), np.ones(M))


def _known(clip: Clip, frame: Ints, seen: Seen, odds: Floats, id: Ints, off: Floats) -> Known:
    """What is known of a clip when its things have been followed.

    Args:
        clip: what was seen.
        frame: (M,) of the boxes.
        seen: the boxes.
        odds: (M,) log odds that they are true, by their scores.
        id: (M,) which thing they are.
        off: (M,) how far they were from where they were expected; see `followed`.
    """
    C = len(clip.classes)
    once = _once(frame, seen, id, C)
    kinds = kinds_of(seen.label, odds, id, C)
    window = max(round(WINDOW / clip.seconds), 1)
    past, ahead = by_scores(kinds, seen.label, odds, frame, id, window)
    ahead = np.maximum(ahead + _alone(frame, id, once[seen.label], clip.T), -MOST)
    true = 1 / (1 + np.exp(-past))
    # Where boxes may be is wide, for a camera may jerk. In the measure that things are seen but
    # once, it is as wide as it was found to be.
    near = _near(seen, off, true, C) ** once
    missed = _missed(frame, id, -seen.doubt)
    births = _births(clip, frame, seen, id)
    return Known(-np.log(missed), births, -np.log1p(-once), near, true, np.exp(ahead))


def _near(seen: Seen, off: Floats, true: Floats, C: int) -> Floats:
    """(C,): the factor by which boxes were nearer to where they were expected, of C classes.

    Args:
        seen: the boxes.
        off: (M,) how far they were from there; see `followed`.
        true: (M,) the probability that they are no clutter.
        C: number of classes.
    """
    step = np.flatnonzero(~np.isnan(off))
    weight, label = true[step], seen.label[step]
    mean = np.bincount(label, weight * off[step] / 2, C) + USUAL
    return np.asarray(mean / (np.bincount(label, weight, C) + USUAL))


def _once(frame: Ints, seen: Seen, id: Ints, C: int) -> Floats:
    """(C,): the part of the things that begin which is seen but once, of C classes."""
    first = _begins(frame, id)
    sure = np.exp(-seen.doubt[first])
    again = sure * (np.bincount(id)[id[first]] > 1)
    label = seen.label[first]
    return 1 - (np.bincount(label, again, C) + 1) / (np.bincount(label, sure, C) + 1)


def _alone(frame: Ints, id: Ints, once: Floats, T: int) -> Floats:
    """(M,): nats, 0 at most, by which boxes that the next frame does not show are of others.

    Things that are seen are seldom lost in the next frame; of what begins, the part `once` (M,) is
    seen but once. So a box that nothing follows does not continue a thing that was lost before it.

    Args:
        frame: (M,) of the boxes.
        id: (M,) which thing they are.
        once: (M,) the part of those of their class.
        T: number of frames; what follows the last is not known.
    """
    order = np.lexsort((frame, id))
    same, step = np.diff(id[order]) == 0, np.diff(frame[order])
    lost = (np.count_nonzero(same & (step > 1)) + 1) / (np.count_nonzero(same) + 2)
    alone = frame < T - 1
    alone[order[:-1][same & (step == 1)]] = False
    return np.where(alone, np.log(lost / np.maximum(once, lost)), 0.0)


def _begins(frame: Ints, id: Ints) -> Ints:
    """(B,): the first boxes of things (M,), but those of the first frame."""
    return np.flatnonzero((np.diff(np.maximum.accumulate(id), prepend=-1) > 0) & (frame > 0))


def _births(clip: Clip, frame: Ints, seen: Seen, id: Ints) -> Floats:
    """(classes,): how many things begin in a frame, per squared frame height of the picture.

    Those of the first frame may have been there before. Before anything is known of a clip, a
    thing is there for STAY seconds: where there are many, as many begin more often.
    """
    picture = clip.size[0] / clip.size[1]
    first = _begins(frame, id)
    sure, C = np.exp(-seen.doubt), len(clip.classes)
    begun = np.bincount(seen.label[first], sure[first], minlength=C)
    many = np.maximum(np.bincount(seen.label, sure, minlength=C) / clip.T, 1.0)
    return (begun + 1) / (picture * (clip.T + STAY / clip.seconds / many))


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


def _between(clip: Clip, rows: Ints) -> tuple[Ints, Ints, Floats]:
    """Boxes of things between two detections of them: (P,) rows before, (P,) frames, (P, 4)."""
    order = rows[np.lexsort((clip.frame_of[rows], clip.id[rows]))]
    frame, id = clip.frame_of[order], clip.id[order]
    # A file may say that two boxes of a frame show one thing.
    gap = np.where(id[1:] == id[:-1], np.maximum(np.diff(frame) - 1, 0), 0)
    before, after = (np.repeat(each, gap) for each in (order[:-1], order[1:]))
    at = clip.frame_of[before] + 1 + np.arange(gap.sum()) - np.repeat(np.cumsum(gap) - gap, gap)
    start, end = (clip.times[clip.frame_of[each]] for each in (before, after))
    part = ((clip.times[at] - start) / (end - start))[:, None]
    return before, at, (1 - part) * clip.boxes[before] + part * clip.boxes[after]
