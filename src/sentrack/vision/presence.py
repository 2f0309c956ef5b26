"""What was surely there: candidates are over-generated, and most of their classes are noise."""

import math
from collections.abc import Iterable

import numpy as np

from sentrack.vision.clip import Bools, Clip, Floats

SURE = 0.5  # probability from which on a detection is more probably right than wrong
LASTS = 0.5  # seconds in which a class must be seen so, as long as a moment lasts at least


def surely(score: Floats) -> Bools:
    """(N,) which detections are more probably right than wrong, by their (N,) scores.

    Scores within 0..1 are probabilities; others are margins, of which 0 is the border.
    """
    margins = score.size and (score.min() < 0 or score.max() > 1)
    return np.asarray(score >= (0.0 if margins else SURE))


def lasting(frames: int, T: int, seconds: float) -> bool:
    """Whether so many of the T frames of a clip of so many seconds are enough for a class."""
    return frames >= min(T, max(1, math.ceil(LASTS * T / seconds - 1e-6)))


def seen_classes(clip: Clip) -> dict[str, int]:
    """The classes that are surely there, with their number of frames, the most frequent first.

    A class is, if it was detected with a probability of `SURE` at least in `LASTS` seconds of
    frames at least, or in all of a clip that is shorter.
    """
    sure = surely(clip.score) & ~clip.projected
    shown = np.zeros((len(clip.classes), clip.T), np.bool_)
    shown[clip.label[sure], clip.frame_of[sure]] = True
    counts = zip(clip.classes, shown.sum(axis=1).tolist(), strict=True)
    return most_seen(counts, clip.T, clip.T * clip.seconds)


def most_seen(counts: Iterable[tuple[str, int]], T: int, seconds: float) -> dict[str, int]:
    """Of classes with the frames in which they are surely detected, those that are there."""
    kept = [(name, frames) for name, frames in counts if lasting(frames, T, seconds)]
    return dict(sorted(kept, key=lambda each: (-each[1], each[0])))
