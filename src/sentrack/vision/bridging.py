"""Bridging: boxes where the detector missed a class that it found in frames before or after.

A track needs a box in every frame. Where a class was seen in some frames but not in this one, the
boxes of the nearest frame that has it are moved along and stand in for what was missed.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sentrack.vision.clip import Clip, Ints
from sentrack.vision.tables import class_name

MOVING = 0.5  # seconds after which a projected box rests: motion tells little about a later place
PERCENTILE = 10.0  # of the scores of a class: a projected box is no better than a poor detection


def bridge(clip: Clip, classes: Iterable[str]) -> Clip:
    """Give every frame boxes of each of some classes that occur in the clip.

    A frame without one gets those of the nearest earlier frame that has some, or of the nearest
    later one before the first, moved by their velocity for up to MOVING seconds. They keep class,
    identity, colour and velocity and are marked as projected; their score is lowered to the tenth
    percentile of the scores of the class in the clip. Detected boxes do not change, and a class
    that does not occur at all stays absent.

    Args:
        clip: the clip.
        classes: names of classes.

    Returns:
        A clip of the same frames; the projected boxes of a frame follow the detected ones.
    """
    frame = clip.frame_of
    source, target, floor = [], [], []
    for name in sorted({class_name(word) for word in classes} & set(clip.classes)):
        rows = np.flatnonzero(clip.label == clip.classes.index(name))
        if len(rows) == 0:
            continue
        found, missed = _gaps(rows, frame[rows], clip.T)
        source.append(found)
        target.append(missed)
        seen = rows[~clip.projected[rows]] if not clip.projected[rows].all() else rows
        floor.append(np.full(len(found), np.percentile(clip.score[seen], PERCENTILE)))
    if not any(map(len, source)):
        return clip
    row, at = np.concatenate(source), np.concatenate(target)
    lapse = np.clip(clip.times[at] - clip.times[frame[row]], -MOVING, MOVING)
    moved = clip.velocity[row] * lapse[:, None] * clip.size[1]
    everything = np.concatenate([frame, at])
    order = np.argsort(everything, kind="stable")
    both = np.concatenate([np.arange(len(frame)), row])[order]
    boxes = np.concatenate([clip.boxes, clip.boxes[row] + np.tile(moved, 2)])
    score = np.concatenate([clip.score, np.minimum(clip.score[row], np.concatenate(floor))])
    projected = np.concatenate([clip.projected, np.ones(len(row), dtype=np.bool_)])
    return replace(
        clip,
        start=np.searchsorted(everything[order], np.arange(clip.T + 1)),
        boxes=boxes[order],
        label=clip.label[both],
        score=score[order],
        velocity=clip.velocity[both],
        colour=clip.colour[both],
        id=clip.id[both],
        projected=projected[order],
    )


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
