"""Bridging: boxes where the detector missed what it found in frames before or after.

A track needs a box in every frame. Where a thing is lost for a moment, boxes between where it was
last seen and where it is seen again stand in for what was missed. Where a class was seen in some
frames but not in this one, the boxes of the nearest frame that has it are moved along.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sentrack.boxes import iou, moved
from sentrack.vision.clip import ROWS, Bools, Clip, Floats, Ints, class_name

MOVING = 0.5  # seconds after which a projected box rests: motion tells little about a later place
PERCENTILE = 10.0  # of the scores of a class: a projected box is no better than a poor detection
LOST = 0.4  # seconds for which a thing may be lost between two boxes of it
SAME_THING_IOU = 0.3  # IoU of a box, moved along, and a later one that shows the same thing


def bridge(clip: Clip, classes: Iterable[str]) -> Clip:
    """Give every frame boxes of each of some classes that occur in the clip.

    First, things that are lost for up to LOST seconds get boxes in between (see `_lost`). Then a
    frame without any box of a class gets those of the nearest earlier frame that has some, or of
    the nearest later one before the first, moved by their velocity for up to MOVING seconds. Boxes
    made here keep class, identity, colour and, while they move, velocity, and are marked as
    projected; their score is lowered to the tenth percentile of the scores of the class in the
    clip. Detected boxes do not change, and a class that does not occur at all stays absent.

    Args:
        clip: the clip.
        classes: names of classes.

    Returns:
        A clip of the same frames; the projected boxes of a frame follow the detected ones.
    """
    for name in sorted({class_name(word) for word in classes} & set(clip.classes)):
        label = clip.classes.index(name)
        rows = np.flatnonzero(clip.label == label)
        if len(rows) == 0:
            continue
        clip = add_projected(clip, *_lost(clip, rows))
        rows = np.flatnonzero(clip.label == label)
        row, at = _gaps(rows, clip.frame_of[rows], clip.T)
        clip = add_projected(clip, row, at, moved_along(clip, row, clip.times[at]))
    return clip


def moved_along(clip: Clip, row: Ints, times: Floats | float) -> Floats:
    """(P, 4): where the boxes of (P,) detections are at other times, for up to MOVING seconds."""
    lapse = np.clip(times - clip.times[clip.frame_of[row]], -MOVING, MOVING)
    return moved(clip.boxes[row], _going(clip, row) * lapse[:, None])


def add_projected(clip: Clip, row: Ints, at: Ints, boxes: Floats) -> Clip:
    """Put (P, 4) projected boxes, made of (P,) detections, into (P,) frames.

    Those that rest move no more.
    """
    if len(row) == 0:
        return clip
    rests = np.abs(clip.times[at] - clip.times[clip.frame_of[row]]) >= MOVING
    floor = np.zeros(len(clip.classes))
    for label in np.unique(clip.label[row]):
        own = clip.label == label
        seen = own & ~clip.projected
        floor[label] = np.percentile(clip.score[seen if seen.any() else own], PERCENTILE)
    everything = np.concatenate([clip.frame_of, at])
    order = np.argsort(everything, kind="stable")
    both = np.concatenate([np.arange(len(clip.label)), row])[order]
    score = np.concatenate([clip.score, np.minimum(clip.score[row], floor[clip.label[row]])])
    projected = np.concatenate([clip.projected, np.ones(len(row), dtype=np.bool_)])
    taken = {name: getattr(clip, name)[both] for name in ROWS}
    taken["boxes"] = np.concatenate([clip.boxes, boxes])[order]
    taken["score"], taken["projected"] = score[order], projected[order]
    still = np.concatenate([np.zeros(len(clip.label), dtype=np.bool_), rests])[order]
    taken["velocity"][still], taken["camera"][still] = 0.0, 0.0
    start = np.searchsorted(everything[order], np.arange(clip.T + 1))
    return replace(clip, start=start, **taken)


def _going(clip: Clip, rows: Ints) -> Floats:
    """(..., 2) how detections (...) move in the picture, in pixels per second."""
    return (clip.velocity[rows] + clip.camera[rows]) * clip.size[1]


def _lost(clip: Clip, rows: Ints) -> tuple[Ints, Ints, Floats]:
    """Boxes for things that are seen, lost and seen again within LOST seconds, for one class.

    A detection that nothing continues in the next frame is moved along; the first later one that it
    meets, and that nothing leads to either, shows the same thing, and the boxes between lie on the
    line between the two.

    Returns:
        (P,) the detections before the gap, (P,) frames in it, and (P, 4) boxes.
    """
    places, real = _padded(clip, rows)
    T = len(places)
    most = min(T - 1, round(LOST / clip.seconds))
    open_end, open_start = real.copy(), real.copy()
    found: list[tuple[Ints, Ints, Floats]] = []
    for k in range(1, most + 1):
        # Most boxes are continued in the next frame; only the open ones are compared further on.
        ends, is_end = _front(open_end[:-k])
        starts, is_start = _front(open_start[k:])
        frames = np.flatnonzero(is_end.any(axis=1) & is_start.any(axis=1))
        ends, starts = ends[frames], starts[frames]
        i = np.take_along_axis(places[frames], ends, axis=1)
        j = np.take_along_axis(places[frames + k], starts, axis=1)
        lapse = (clip.times[frames + k] - clip.times[frames])[:, None, None]
        along = moved(clip.boxes[i], _going(clip, i) * lapse)
        meets = iou(along[:, :, None], clip.boxes[j][:, None])
        meets *= is_end[frames][:, :, None] & is_start[frames][:, None, :]
        row, a = np.nonzero(meets.max(axis=2, initial=0.0) >= SAME_THING_IOU)
        before, after = i[row, a], j[row, meets.argmax(axis=2)[row, a]]
        open_end[frames[row], ends[row, a]] = False
        row, b = np.nonzero(meets.max(axis=1, initial=0.0) >= SAME_THING_IOU)
        open_start[frames[row] + k, starts[row, b]] = False
        t = clip.frame_of[before]
        for step in range(1, k):
            at = t + step
            span = clip.times[t + k] - clip.times[t]
            part = ((clip.times[at] - clip.times[t]) / span)[:, None]
            boxes = (1 - part) * clip.boxes[before] + part * clip.boxes[after]
            found.append((before, at, boxes))
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 4))
    row, at, boxes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return row, at, boxes


def _front(marked: Bools) -> tuple[Ints, Bools]:
    """(T, n) the places of the marked ones of (T, J), first, and which of the n are marked."""
    most = max(1, int(marked.sum(axis=1).max(initial=0)))
    order = np.argsort(~marked, axis=1, kind="stable")[:, :most]
    return order, np.take_along_axis(marked, order, axis=1)


def _padded(clip: Clip, rows: Ints) -> tuple[Ints, Bools]:
    """(T, J) the rows of every frame, padded with row 0, and which of them are real."""
    frame = clip.frame_of[rows]
    counts = np.bincount(frame, minlength=clip.T)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    places = np.zeros((clip.T, counts.max()), dtype=np.int64)
    real = np.zeros(places.shape, dtype=np.bool_)
    places[frame, place], real[frame, place] = rows, True
    return places, real


def _gaps(rows: Ints, frame: Ints, T: int) -> tuple[Ints, Ints]:
    """The rows to copy and the frames to copy them to, for one class.

    Args:
        rows: (M,) the detections of the class.
        frame: (M,) their frames, ascending.
        T: number of frames.

    Returns:
        (P,) rows and (P,) frames without the class.
    """
    present, first, count = np.unique(frame, return_index=True, return_counts=True)
    missed = np.setdiff1d(np.arange(T), present)
    near = np.maximum(np.searchsorted(present, missed) - 1, 0)  # before the first: the first
    copies = count[near]
    within = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
    return rows[np.repeat(first[near], copies) + within], np.repeat(missed, copies)
