"""Sentences tracked in the made-up clip, once for all tests of what is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from sentrack.tasks import Tracking, track
from sentrack.vision import Clip, Truth, two_activities


@dataclass(frozen=True, eq=False)
class Shown:
    """Sentences about all of the clip, and others about parts of it that are apart."""

    clip: Clip
    truth: Truth
    trackings: tuple[Tracking, ...]
    parts: tuple[Tracking, ...]


@pytest.fixture(scope="session")
def shown() -> Shown:
    """Five frames a second, where words take their time and boxes have to be interpolated."""
    clip, truth = two_activities(fps=5)
    return Shown(
        clip,
        truth,
        tuple(track(clip, sentence, whole=True) for sentence in truth.sentences[:2]),
        (
            track(clip.within(0.4, 2.6), truth.sentences[1]),
            track(clip.within(3.4, 5.4), truth.sentences[3]),
        ),
    )


def hidden(tracking: Tracking, number: int, where: Sequence[int]) -> Tracking:
    """The same answer, with a participant that is not seen in some frames and is in all others."""
    participants = list(tracking.participants)
    own = participants[number]
    t = np.arange(len(own.times))
    seen = ~np.isin(t, where)
    # Where it was not seen before, it is where it was seen last or first.
    known = np.flatnonzero(own.seen)
    nearest = known[np.abs(known - t[:, None]).argmin(axis=1)]
    boxes = np.where(seen[:, None], own.boxes[nearest], np.nan)
    participants[number] = replace(own, boxes=boxes, seen=seen)
    return replace(tracking, participants=tuple(participants))
