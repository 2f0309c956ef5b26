"""Sentences tracked in the made-up clip, once for all tests of what is shown."""

from dataclasses import dataclass

import pytest

from sentrack.tasks import Tracking, track
from sentrack.vision import Clip, Truth, two_activities


@dataclass(frozen=True, eq=False)
class Shown:
    clip: Clip
    truth: Truth
    trackings: tuple[Tracking, ...]


@pytest.fixture(scope="session")
def shown() -> Shown:
    """Five frames a second, where words take their time and boxes have to be interpolated."""
    clip, truth = two_activities(fps=5)
    return Shown(clip, truth, tuple(track(clip, s) for s in truth.sentences[:2]))
