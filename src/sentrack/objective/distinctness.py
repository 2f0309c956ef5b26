"""Participants that must differ are different things: what shows one thing, and what forbids it."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sentrack.boxes import iou
from sentrack.inference import WordTerms
from sentrack.objective.candidates import TWINS, Bools, Cast, Floats, Ints, continued, frames
from sentrack.vision.clip import Clip

# Intersection over union of boxes that show one thing, unless they come apart: of one class; of two
# classes, for a van is seen as car and as truck, but a rider and the bicycle are two.
SAME, SAME_OF_TWO = 0.5, TWINS
# Below this they are apart.
APART, APART_OF_TWO = 0.3, 0.5


class Things:
    """Which candidates of a clip show one thing, found once for every two casts.

    Args:
        clip: what was seen, with gaps bridged.
    """

    def __init__(self, clip: Clip) -> None:
        self._clip = clip
        self._steps: dict[Cast, tuple[Ints, Ints]] = {}
        self._one: dict[tuple[Cast, Cast], Bools] = {}

    def one(self, first: Cast, second: Cast) -> Bools:
        """(T, J1, J2): whether two candidates of a frame show one thing.

        They do if they are the same detection; or if their boxes overlap much and do not come apart
        when both are followed, forwards and backwards, until one of them is lost or both become the
        same. Two people who pass each other were apart before or will be; two boxes of one car
        never are. What pads a frame tells nothing.
        """
        if (first, second) not in self._one:
            self._one[first, second] = self._measured(first, second)
        return self._one[first, second]

    def _measured(self, first: Cast, second: Cast) -> Bools:
        itself = first.rows[:, :, None] == second.rows[:, None, :]
        part, alike = overlaps(self._clip, first.rows, second.rows)
        same: Bools = itself | (part > SAME_OF_TWO) | (alike & (part > SAME))
        if not (same & ~itself).any():
            return same
        apart = clear(part, alike) & ~itself
        one, other = self._followed(first), self._followed(second)
        told = np.zeros_like(same[0])
        for t in range(self._clip.T - 2, -1, -1):
            told = _before(apart[t + 1] | told, one[0][t], other[0][t])
            same[t] &= ~told
        told = np.zeros_like(same[0])
        for t in range(1, self._clip.T):
            told = _before(apart[t - 1] | told, one[1][t - 1], other[1][t - 1])
            same[t] &= ~told
        return same

    def _followed(self, players: Cast) -> tuple[Ints, Ints]:
        if players not in self._steps:
            self._steps[players] = continued(self._clip, players)
        return self._steps[players]


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


def forbidden(
    clip: Clip, casts: Sequence[Cast], pairs: Iterable[tuple[int, int]]
) -> list[WordTerms]:
    """Words of one state that say nothing but that pairs of participants are different things.

    A pair that no candidates of any frame could show as one thing needs none.
    """
    things = Things(clip)
    words = []
    for a, b in pairs:
        one = (
            things.one(casts[a], casts[b]) & _real(casts[a])[:, :, None] & _real(casts[b])[:, None]
        )
        if one.any():
            never = np.where(one, -np.inf, 0.0)[:, None]
            emission = frames(never, 1, [casts[a].counts, casts[b].counts])
            words.append(WordTerms([0.0], [[0.0]], emission, (a, b)))
    return words


def _real(players: Cast) -> Bools:
    """(T, J): whether a candidate is no padding."""
    return np.asarray(np.arange(players.rows.shape[1]) < players.counts[:, None])
