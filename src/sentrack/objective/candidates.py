"""The candidates of a participant, and the terms of its track."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.boxes import around, centre, extent, iou, over_union, shared
from sentrack.inference import TrackTerms
from sentrack.lexicon.features import Candidates
from sentrack.lexicon.lexicon import LEAP
from sentrack.vision.clip import Clip

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# Coherence: half of its strength is lost at this distance (frame heights) between a box and where
# the box before was going, for frames 1/30 s apart; the paper's 50 of 1280 pixels, in a 4:3 frame.
REACH = 50 / 960
SLOPE = 11 / 960
# Intersection over union from which on a box meets the one before, where that was going to be. The
# distance alone, of which the paper's reach is half a person, lets a track change over to whoever
# is near; so what meets less of it pays up to `Lexicon.leap`.
KEPT = 0.3
TWINS = 0.8  # intersection over union of boxes that are nearly the same
# A probability below this is taken for this: a missed detection costs no more than a few nats.
FAINTEST = 0.01
DOUBTFUL = 0.4  # the least probability of a box that may be called usual for its class


@dataclass(frozen=True, eq=False)
class Cast:
    """Who can play a participant.

    Attributes:
        rows: (T, J) row in the clip of every candidate, padded by repeating the first of a frame.
        counts: (T,) number of real candidates.
        candidates: their measurements, (T, J, ...).
    """

    rows: Ints
    counts: Ints
    candidates: Candidates


def cast(clip: Clip, allowed: Bools) -> Cast:
    """All detections that are `allowed` (N,), at least one in every frame."""
    chosen = np.flatnonzero(allowed)
    frame = clip.frame_of[chosen]
    counts = np.bincount(frame, minlength=clip.T)
    first = np.cumsum(counts) - counts
    place = np.arange(counts.max())
    rows = chosen[first[:, None] + np.where(place < counts[:, None], place, 0)]
    height = float(clip.size[1])
    corners = clip.boxes[rows].astype(np.float32) / np.float32(height)
    return Cast(
        rows,
        counts,
        Candidates(
            centre=centre(corners),
            extent=extent(corners),
            velocity=clip.velocity[rows].astype(np.float32),
            colour=clip.colour[rows].astype(np.float32),
            aspect=clip.size[0] / height,
            fps=clip.fps,
        ),
    )


def track_terms(clip: Clip, players: Cast, scores: Floats, leap: float = LEAP) -> TrackTerms:
    """Detection scores f and coherence g of a participant's candidates."""
    rows, counts, seen = players.rows, players.counts, players.candidates
    f = scores[rows]
    going = _going(clip, players)
    missed = going[:, :, None, :] - seen.centre[1:, None, :, :]
    # What is not known of the motion adds up with time, like a random walk.
    slack = np.sqrt(np.maximum(30.0 * _steps(clip), 1.0))
    x = (np.hypot(missed[..., 0], missed[..., 1]) - REACH * slack) / (SLOPE * slack)
    # The log of a sigmoid, written so that vector instructions do it.
    g = -(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))
    g -= leap * np.maximum(1 - _overlap(going, seen) / KEPT, 0)
    g = np.where(_same_class(clip, players), g, -np.inf).astype(np.float64)
    return TrackTerms(frames(f, 0, [counts]), frames(g, 0, [counts[:-1], counts[1:]]))


def continued(clip: Clip, players: Cast) -> tuple[Ints, Ints]:
    """(T-1, J) twice: the candidate after each of a frame, and the one before each of the next.

    It is the one of its class that meets most of it, moved along; -1 where none does, or where that
    is met more by one of this frame that is not nearly the same: it is something else, then.
    """
    seen = players.candidates
    met = _overlap(_going(clip, players), seen)
    met = np.where(_same_class(clip, players), met, 0.0)
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


def _going(clip: Clip, players: Cast) -> Any:
    """(T-1, J, 2): where boxes are going in the picture, which the camera moves too."""
    motion = (clip.velocity + clip.camera)[players.rows[:-1]].astype(np.float32)
    return players.candidates.centre[:-1] + motion * _steps(clip)


def _same_class(clip: Clip, players: Cast) -> Bools:
    """(T-1, J, J): whether candidates of a frame and of the next are of one class."""
    label = clip.label[players.rows]
    return np.asarray(label[:-1, :, None] == label[1:, None, :])


def _overlap(going: Any, seen: Candidates) -> Any:
    """(T-1, J, J): intersection over union of boxes moved to (T-1, J, 2) with the next ones."""
    before = around(going, seen.extent[:-1])[:, :, None]
    after = around(seen.centre[1:], seen.extent[1:])[:, None]
    area = seen.extent.prod(axis=-1)
    return over_union(shared(before, after), area[:-1, :, None], area[1:, None])


def frames(padded: Floats, fixed: int, counts: Sequence[Ints]) -> Any:
    """The arrays of every frame without their padding; one array of all where there is none.

    Args:
        padded: (T, fixed axes ..., J1, ..., JI).
        fixed: number of axes without padding.
        counts: per further axis, (T,) the real length.
    """
    if all((n == J).all() for n, J in zip(counts, padded.shape[1 + fixed :], strict=True)):
        return padded
    real: list[Any] = [
        [slice(None)] * fixed + [slice(int(n[t])) for n in counts] for t in range(len(padded))
    ]
    return [array[tuple(part)] for array, part in zip(padded, real, strict=True)]


def detection_scores(clip: Clip) -> Floats:
    """(N,): f of every detection.

    Scores within 0..1 are taken for probabilities: f is their logarithm. Others are raw margins, of
    which the paper takes the log of a sigmoid with slope 6.
    """
    if _margins(clip):
        return -np.logaddexp(0.0, -6.0 * clip.score)
    return np.log(np.maximum(clip.score, FAINTEST))


def _margins(clip: Clip) -> bool:
    return bool(clip.score.size and (clip.score.min() < 0 or clip.score.max() > 1))


def usual_scores(clip: Clip, scores: Floats) -> Floats:
    """(C,): per class, the median over frames that show it of the best of its (N,) scores.

    Where scores are probabilities, it is that of DOUBTFUL at least, for a class of which there are
    mostly false boxes has none that are usual.
    """
    best = np.full((clip.T, len(clip.classes)), -np.inf)
    seen = np.flatnonzero(~clip.projected)
    np.maximum.at(best, (clip.frame_of[seen], clip.label[seen]), scores[seen])
    best[best == -np.inf] = np.nan
    usual = np.zeros(len(clip.classes))
    shown = np.isfinite(best).any(axis=0)
    usual[shown] = np.nanmedian(best[:, shown], axis=0)
    return usual if _margins(clip) else np.maximum(usual, np.log(DOUBTFUL))
