"""What is measured within a limit of time, and that bounds allow for the rest."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.things import doubtful
from benchmarks.trust import SENTENCES
from sentrack.lexicon import Lexicon
from sentrack.objective import affordable, budget, loosest_bound
from sentrack.tasks.tracker import track, understand
from sentrack.vision import ClipError

LEXICON = Lexicon.load("everyday")


def test_a_clip_that_can_be_measured_in_time_is_measured_whole() -> None:
    clip = doubtful(1, 5, ("person", "cup"), 3, 6)
    meaning = understand("The person approached another person.", LEXICON, clip)
    assert affordable(clip, meaning, LEXICON, 60.0) is clip


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), asked=st.sampled_from(SENTENCES), whole=st.booleans())
def test_what_is_left_out_is_in_the_bound(
    seed: int, asked: tuple[tuple[str, ...], str], whole: bool
) -> None:
    classes, sentence = asked
    clip = doubtful(seed, 4, classes, 3, 3)
    try:
        found = track(clip, sentence, whole=whole)
    except ClipError:
        return
    assert loosest_bound(clip, found.objective.meaning, LEXICON, whole) >= found.score
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "FEWEST", 1)
        patch.setattr(budget, "PAIR", 1e9)
        try:
            part = track(clip, sentence, time_limit=3600.0, whole=whole)
        except ClipError:  # the surest are not enough
            return
    assert part.upper_bound >= found.score - 1e-9
    assert not part.certified or part.score >= found.score - 1e-6


def test_what_is_left_out_is_said(caplog: pytest.LogCaptureFixture) -> None:
    clip = doubtful(3, 5, ("person",), 3, 40)
    meaning = understand("The person walked.", LEXICON, clip)
    with caplog.at_level(logging.WARNING, "sentrack"):
        fewer = affordable(clip, meaning, LEXICON, 0.0)
    assert np.diff(fewer.start).max() <= budget.FEWEST
    assert "too many boxes for the time limit" in caplog.text
