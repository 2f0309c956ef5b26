"""Identity: which boxes of successive frames show one thing.

Things are followed frame by frame. A box is expected where the thing was going, by its motion of
about the last second and by how the whole picture moved, about as large as it was, and to look as
it looked in the last second. All boxes of a frame and all things compete at once: who continues
whom is the assignment of least cost, in nats, in which a thing may also be lost, and a box be the
first of another.
"""

from dataclasses import replace

import numpy as np

from sentrack.boxes import centre, extent
from sentrack.colours import CELLS, HALVES
from sentrack.inference.kernels import announce
from sentrack.scene.candidates import DOUBTFUL, Floats, Ints, detection_scores
from sentrack.scene.following import Seen, followed
from sentrack.vision import Clip, add_projected

OFTEN = 0.02  # of the boxes of a thing that a detector misses, before that is known of it ...
KNOWN = 1.5  # ... and the factor by which it must be wrong to matter


def identified(clip: Clip, labels: Ints) -> Clip:
    """The clip with an identity for every detection of some classes.

    Identities that the clip has are believed, and what has none is followed by itself.

    Args:
        clip: what was seen.
        labels: the classes.
    """
    rows = np.flatnonzero(np.isin(clip.label, labels) & (clip.id < 0))
    fresh = int(clip.id.max(initial=-1)) + 1
    seen = _all_seen(clip, rows)
    announce(followed)
    found = followed(seen, clip.seconds, -np.log(OFTEN))
    # How often a thing is missed while it is there is known when things have been followed.
    missed = _missed(clip.frame_of[rows], found, -seen.doubt)
    if not OFTEN / KNOWN < missed < OFTEN * KNOWN:
        found = followed(seen, clip.seconds, -np.log(missed))
    id = clip.id.copy()
    id[rows] = fresh + found
    return replace(clip, id=id)


def without_gaps(clip: Clip) -> Clip:
    """The clip with boxes where things are not seen between two detections of them.

    They lie on the line between the two, and are marked as projected.
    """
    return add_projected(clip, *_between(clip, np.flatnonzero(clip.id >= 0)))


def _all_seen(clip: Clip, rows: Ints) -> Seen:
    """Some boxes of a clip, by ascending rows."""
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
