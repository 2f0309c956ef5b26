"""Coherence: how well boxes of successive frames go together, and which continue which."""

from typing import Any

import numpy as np

from sentrack.boxes import around, iou, over_union, shared
from sentrack.lexicon import Candidates
from sentrack.scene.candidates import Bools, CandidateSet, Floats, Ints
from sentrack.vision import Clip

# Coherence: half of its strength is lost at this distance (frame heights) between a box and where
# the box before was going, for frames 1/30 s apart; the paper's 50 of 1280 pixels, in a 4:3 frame.
REACH_HEIGHTS = 50 / 960
SLOPE = 11 / 960
# Intersection over union from which on a box meets the one before, where that was going to be.
KEPT = 0.3
DIGITS = 3  # of an overlap that count where overlaps are compared
TWINS = 0.8  # intersection over union of boxes that are nearly the same


def coherence(clip: Clip, players: CandidateSet) -> Floats:
    """(T-1, J, J): g of every two candidates of adjacent frames."""
    seen = players.candidates
    going = _going(clip, players)
    missed = going[:, :, None, :] - seen.centre[1:, None, :, :]
    # What is not known of the motion adds up with time, like a random walk.
    slack = np.sqrt(np.maximum(30.0 * _steps(clip), 1.0))
    x = (np.hypot(missed[..., 0], missed[..., 1]) - REACH_HEIGHTS * slack) / (SLOPE * slack)
    # The log of a sigmoid, written so that vector instructions do it.
    g = -(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))
    return np.asarray(np.where(_same_class(clip, players), g, -np.inf).astype(np.float64))


def continuations(clip: Clip, players: CandidateSet) -> tuple[Ints, Ints]:
    """(T-1, J) twice: the candidate after each of a frame, and the one before each of the next.

    It is the one of its class that meets most of it, moved along; -1 where none does, or where that
    is met more by one of this frame that is not nearly the same: it is something else, then.
    """
    seen = players.candidates
    met = _overlap(_going(clip, players), seen)
    # Where several are met equally, the first is taken, whatever the last digits say.
    met = np.round(np.where(_same_class(clip, players), met, 0.0), DIGITS)
    after, before = met.argmax(axis=2), met.argmax(axis=1)
    corners = clip.boxes[players.rows]
    own = _twins(corners[:-1], np.take_along_axis(before, after, axis=1))
    back = _twins(corners[1:], np.take_along_axis(after, before, axis=1))
    return (
        np.where(own & (met.max(axis=2) >= KEPT), after, -1),
        np.where(back & (met.max(axis=1) >= KEPT), before, -1),
    )


def _twins(corners: Floats, other: Ints) -> Bools:
    """(T, J): whether boxes (T, J, 4) are nearly those of other candidates (T, J)."""
    others = np.take_along_axis(corners, other[:, :, None], axis=1)
    return np.asarray(iou(corners, others) > TWINS)


def _steps(clip: Clip) -> Any:
    """(T-1, 1, 1): seconds from every frame to the next."""
    return np.diff(clip.times).astype(np.float32)[:, None, None]


def _going(clip: Clip, players: CandidateSet) -> Any:
    """(T-1, J, 2): where boxes are going in the picture, which the camera moves too."""
    motion = (clip.velocity + clip.camera)[players.rows[:-1]].astype(np.float32)
    return players.candidates.centre[:-1] + motion * _steps(clip)


def _same_class(clip: Clip, players: CandidateSet) -> Bools:
    """(T-1, J, J): whether candidates of a frame and of the next are of one class."""
    label = clip.label[players.rows]
    return np.asarray(label[:-1, :, None] == label[1:, None, :])


def _overlap(going: Any, seen: Candidates) -> Any:
    """(T-1, J, J): intersection over union of boxes moved to (T-1, J, 2) with the next ones."""
    before = around(going, seen.extent[:-1])[:, :, None]
    after = around(seen.centre[1:], seen.extent[1:])[:, None]
    area = seen.extent.prod(axis=-1)
    return over_union(shared(before, after), area[:-1, :, None], area[1:, None])
