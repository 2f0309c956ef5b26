"""The match: from 0 to 1, whatever words tell."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sentrack
from sentrack.lexicon import Lexicon, WordModel
from sentrack.tasks.match import match
from sentrack.vision import two_activities

VERB = Lexicon.load().words["verb", "pick-up"]


def diluted(model: WordModel, share: float) -> WordModel:
    """The word, mixed with one that means nothing."""
    outputs = [share * o + (1 - share) / o.shape[1] for o in model.outputs]
    return replace(model, outputs=tuple(outputs))


@given(
    st.lists(st.tuples(st.floats(allow_nan=False), st.floats(-300, 0)), max_size=4),
)
def test_a_match_is_from_0_to_1(told: list[tuple[float, float]]) -> None:
    found = match((diluted(VERB, 10**power), margin) for margin, power in told)
    assert 0.0 <= found <= 1.0


@given(st.floats(-30, 30))
def test_it_is_the_logistic_of_the_margin_over_the_information(x: float) -> None:
    assert match([(VERB, x * VERB.information)]) == pytest.approx(1 / (1 + math.exp(-x)))


def test_infinite_margins_and_words_that_tell_nothing() -> None:
    assert match([(VERB, -math.inf)]) == 0.0
    assert match([(VERB, math.inf)]) == 1.0
    assert match([(VERB, math.inf), (VERB, -math.inf)]) == 0.5
    assert match([(diluted(VERB, 0.0), -3.0)]) == match([]) == 0.5


@pytest.mark.parametrize("share", [0.0, 1e-6, 1e-3])
def test_a_clip_is_tracked_by_a_word_with_little_information(share: float) -> None:
    lexicon = Lexicon.load()
    words = lexicon.words | {("verb", "pick-up"): diluted(VERB, share)}
    few = two_activities(0)[0].cut(0, 10)
    found = sentrack.track(few, "The person picked up the cup.", replace(lexicon, words=words))
    assert 0.0 <= found.match <= 1.0
    assert np.isfinite(found.score)
