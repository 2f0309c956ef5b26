"""Participants that must differ are different things: which candidates show one thing."""

from typing import Any

import numpy as np

from sentrack.boxes import iou
from sentrack.scene.candidates import Bools, CandidateSet, Floats, Ints
from sentrack.scene.coherence import TWINS
from sentrack.scene.presence import is_away
from sentrack.vision import Clip

# Intersection over union of boxes that show one thing, unless they come apart: of one class; of two
# classes, for a van is seen as car and as truck, but a rider and the bicycle are two.
SAME_CLASS_IOU, TWO_CLASSES_IOU = 0.5, TWINS
# Below this they are apart.
APART, APART_OF_TWO = 0.3, 0.5


def one_thing(
    clip: Clip,
    first: CandidateSet,
    second: CandidateSet,
    followed: tuple[tuple[Ints, Ints], tuple[Ints, Ints]],
) -> Bools:
    """(T, J1, J2): whether two candidates of a frame show one thing.

    They do if they are the same detection; or if their boxes overlap much and do not come apart
    when both are followed, forwards and backwards, until one of them is lost or both become the
    same. Two people who pass each other were apart before or will be; two boxes of one car never
    are. What pads a frame tells nothing.

    Args:
        clip: what was seen, with gaps bridged.
        first: candidates.
        second: candidates.
        followed: the continuations of both; see `coherence.continuations`.
    """
    itself = (first.rows[:, :, None] == second.rows[:, None, :]) & ~is_away(clip)[second.rows][
        :, None
    ]
    part, alike = overlaps(clip, first.rows, second.rows)
    same: Bools = itself | (part > TWO_CLASSES_IOU) | (alike & (part > SAME_CLASS_IOU))
    if not (same & ~itself).any():
        return same
    apart = clear(part, alike) & ~itself
    one, other = followed
    told = np.zeros_like(same[0])
    for t in range(clip.T - 2, -1, -1):
        told = _before(apart[t + 1] | told, one[0][t], other[0][t])
        same[t] &= ~told
    told = np.zeros_like(same[0])
    for t in range(1, clip.T):
        told = _before(apart[t - 1] | told, one[1][t - 1], other[1][t - 1])
        same[t] &= ~told
    return same


def _before(told: Bools, first: Ints, second: Ints) -> Bools:
    """(J1, J2): what is told of the pairs that candidates become, given who they are; -1: lost."""
    kept = (first >= 0)[:, None] & (second >= 0)
    return np.asarray(told.take(first, axis=0).take(second, axis=1) & kept)


def overlaps(clip: Clip, first: Ints, second: Ints) -> tuple[Floats, Bools]:
    """(T, J1, J2): intersection over union of detections, and whether they are of one class."""
    boxes: Any = clip.boxes.astype(np.float32)
    alike = clip.label[first][:, :, None] == clip.label[second][:, None, :]
    return iou(boxes[first][:, :, None], boxes[second][:, None]), alike


def clear(part: Floats, alike: Bools) -> Bools:
    """Which pairs are apart, given their overlaps."""
    return np.asarray((part < APART) | (~alike & (part < APART_OF_TWO)))


def different(one: Bools, there: Bools) -> list[int]:
    """Those of the candidates (J,) of a frame that show different things.

    Args:
        one: (J, J) which of them show one thing.
        there: (J,) which of them count.
    """
    left, found = there.copy(), list[int]()
    while left.any():
        found.append(int(left.argmax()))
        left &= ~one[found[-1]]
        left[found[-1]] = False
    return found
