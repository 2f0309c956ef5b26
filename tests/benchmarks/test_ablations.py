"""Parts are switched off one at a time, and are back afterwards."""

from contextlib import ExitStack

import numpy as np
import pytest

import sentrack
from benchmarks.ablations import COLUMNS, PARTS
from sentrack.lexicon import Lexicon
from sentrack.objective import interval_problem
from sentrack.scene import identity, measurements
from sentrack.vision import Clip, clip_from_arrays


def walker() -> Clip:
    """One who is missed for half a second, and is gone in the end."""
    seen = [t for t in range(40) if not 15 <= t < 20]
    boxes = [[50 + 8 * t, 100, 110 + 8 * t, 260] for t in seen]
    people = ["person"] * len(seen)
    return clip_from_arrays(
        "walker", (640, 480), 10, seen, people, boxes, np.full(len(seen), 0.9), frames=np.arange(50)
    )


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_is_switched_off_is_back_afterwards(name: str) -> None:
    names = (identity, "_births"), (measurements, "presence_scores"), (interval_problem, "lasting")
    parts = [*names, (Lexicon, "load"), (sentrack, "load_clip")]
    before = [getattr(*part) for part in parts]
    with ExitStack() as stack:
        PARTS[name](stack)
        changed = sum(getattr(*part) != old for part, old in zip(parts, before, strict=True))
        assert changed == (name != "everything")
    assert [getattr(*part) for part in parts] == before


def test_what_is_switched_off_makes_a_difference() -> None:
    def answer(name: str) -> sentrack.Tracking:
        with ExitStack() as stack:
            PARTS[name](stack)
            return sentrack.track(walker(), "The person walked to the right.", whole=True)

    usual = answer("everything")
    assert usual.participants[0].boxes.shape[1] == 4
    assert answer("without identity").score != pytest.approx(usual.score)
    with pytest.raises(sentrack.SentrackError):
        answer("without absence")
    assert len(COLUMNS) == 6
