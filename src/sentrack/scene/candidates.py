"""The candidates of a participant, and how surely they were detected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sentrack.boxes import centre, extent
from sentrack.lexicon import Candidates
from sentrack.scene.clutter import FAINTEST, log_odds, margins
from sentrack.vision import Clip

if TYPE_CHECKING:
    from sentrack.scene.things import Things

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DOUBTFUL = 0.4  # the least probability of a box that may be called usual for its class


@dataclass(frozen=True, eq=False)
class CandidateSet:
    """The detections that a participant may be, in every frame.

    Attributes:
        rows: (T, J) row in the clip of every candidate, padded by repeating the first of a frame.
        counts: (T,) number of real candidates.
        candidates: their measurements, (T, J, ...).
    """

    rows: Ints
    counts: Ints
    candidates: Candidates

    @property
    def real(self) -> Bools:
        """(T, J): whether a candidate is no padding."""
        return np.asarray(np.arange(self.rows.shape[1]) < self.counts[:, None])


def candidate_set(clip: Clip, allowed: Bools, things: "Things") -> CandidateSet:
    """All detections that are `allowed` (N,), at least one in every frame.

    Args:
        clip: what was seen.
        allowed: (N,).
        things: what is measured of them.
    """
    chosen = np.flatnonzero(allowed)
    frame = clip.frame_of[chosen]
    counts = np.bincount(frame, minlength=clip.T)
    first = np.cumsum(counts) - counts
    place = np.arange(counts.max())
    rows = chosen[first[:, None] + np.where(place < counts[:, None], place, 0)]
    return CandidateSet(rows, counts, measured(clip, rows, things))


def measured(clip: Clip, rows: Ints, things: "Things") -> Candidates:
    """What is measured of detections: (T, J) rows of the clip."""
    height = float(clip.size[1])
    corners = clip.boxes[rows].astype(np.float32) / np.float32(height)
    return Candidates(
        centre=centre(corners),
        extent=extent(corners),
        velocity=things.velocity[rows].astype(np.float32),
        colour=clip.colour[rows].astype(np.float32),
        looks=clip.looks[rows],
        metres=things.metres[rows].astype(np.float32),
        presence=things.presence[rows],
        growth=things.growth[rows].astype(np.float32),
        gain=things.gain[rows].astype(np.float32),
        turn=things.turn[rows].astype(np.float32),
        rise=things.rise[rows].astype(np.float32),
        aspect=clip.size[0] / height,
        fps=clip.fps,
        hands=things.hands[rows].astype(np.float32),
    )


def unpadded(padded: Floats, fixed: int, counts: Sequence[Ints]) -> Any:
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
    if margins(clip):
        return -np.logaddexp(0.0, -log_odds(clip))
    return np.log(np.maximum(clip.score, FAINTEST))


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
    return usual if margins(clip) else np.maximum(usual, np.log(DOUBTFUL))
