"""What was surely seen: things that were followed, each under one name."""

import numpy as np

from sentrack.boxes import iou
from sentrack.language import kind_of_class
from sentrack.scene import detection_scores, identified
from sentrack.text import canonical
from sentrack.vision import Bools, Clip, Floats, Ints

SURE = 0.6  # the mean probability of the boxes of a thing that is worth telling of
LASTING = 1.0  # seconds in which such a thing must be detected; a surer one, less long
SHORTEST = 0.3  # seconds in which any thing must be detected
OFTEN = 0.5  # of the frames from its first to its last in which it is detected
TWINS = 0.6  # mean IoU of two things that are one under two names, where both are seen
DISPUTED = 0.5  # of its own probability that boxes of other kinds have, where it is not sure what
PART = 256  # boxes that are compared with those of their frames at a time


def sure_things(clip: Clip) -> Clip:
    """A clip of what was surely seen, with an identity for each thing.

    Nobody asked for these things, so none may be made up. Things are followed among all boxes;
    those are kept whose boxes have a mean probability p of SURE at least, and that are detected
    OFTEN enough and for LASTING · (1 - p) / (1 - SURE) seconds: the less sure its boxes are, the
    longer a thing must be seen. Where one thing has two names or two boxes, the surer one is kept;
    where boxes of another kind show it nearly as surely, it is not known what it is.
    """
    clip = identified(clip, np.arange(len(clip.classes)))
    kept = np.isin(clip.id, _without_twins(clip, _sure(clip)))
    return clip.only(np.asarray(kept))


def _sure(clip: Clip) -> Ints:
    """Identities of things that are surely there, the surest first."""
    id, thing, count = np.unique(clip.id, return_inverse=True, return_counts=True)
    probability = np.exp(detection_scores(clip))
    first, last = np.full(len(id), clip.T), np.zeros(len(id), np.int64)
    np.minimum.at(first, thing, clip.frame_of)
    np.maximum.at(last, thing, clip.frame_of)
    total = np.bincount(thing, probability, len(id))
    doubt = (1 - total / count) / (1 - SURE)
    least = np.maximum(LASTING * doubt, SHORTEST) / clip.seconds
    kept: Bools = (doubt <= 1) & (count >= OFTEN * (last + 1 - first))
    kept &= count >= np.minimum(least, clip.T) - 1e-6
    rows = np.flatnonzero(kept[thing])
    others = np.bincount(thing[rows], _of_other_kinds(clip, probability, rows), len(id))
    kept &= others <= DISPUTED * total
    order = np.argsort(-total, kind="stable")
    return np.asarray(id[order[kept[order]]])


def _of_other_kinds(clip: Clip, probability: Floats, rows: Ints) -> Floats:
    """(R,): the probability of all boxes of other kinds that show the same as some boxes (R,)."""
    names = np.unique(
        [kind_of_class(canonical(name)) for name in clip.classes], return_inverse=True
    )
    kind, found = names[1][clip.label], np.zeros(len(rows))
    counts = np.diff(clip.start)
    for part in np.array_split(np.arange(len(rows)), 1 + len(rows) // PART):
        own = rows[part]
        frame = clip.frame_of[own]
        place = np.arange(counts[frame].max(initial=0))
        there = place < counts[frame][:, None]
        others = clip.start[frame][:, None] + np.where(there, place, 0)
        same = there & (iou(clip.boxes[own][:, None], clip.boxes[others]) > TWINS)
        found[part] = np.where(
            same & (kind[others] != kind[own][:, None]), probability[others], 0
        ).sum(axis=1)
    return found


def _without_twins(clip: Clip, things: Ints) -> list[int]:
    """Identities without those that show the same as a surer one before them."""
    boxes = np.full((len(things), clip.T, 4), np.nan)
    for n, thing in enumerate(things):
        rows = clip.id == thing
        boxes[n, clip.frame_of[rows]] = clip.boxes[rows]
    found: list[int] = []
    for n in range(len(things)):
        if not found or not (_overlap(boxes[found], boxes[n]) > TWINS).any():
            found.append(n)
    return [int(things[n]) for n in found]


def _overlap(boxes: Floats, other: Floats) -> Floats:
    """(N,): the mean IoU of things (N, T, 4) and another (T, 4) where both are seen, NaN if never.

    Things that are seen together for less than half of the shorter time have none.
    """
    both = ~np.isnan(boxes[..., 0]) & ~np.isnan(other[:, 0])
    shorter = np.minimum((~np.isnan(boxes[..., 0])).sum(axis=1), (~np.isnan(other[:, 0])).sum())
    common = both.sum(axis=1)
    total = np.where(both, iou(np.nan_to_num(boxes), np.nan_to_num(other)), 0.0).sum(axis=1)
    return np.where(2 * common >= np.maximum(shorter, 1), total / np.maximum(common, 1), 0.0)
