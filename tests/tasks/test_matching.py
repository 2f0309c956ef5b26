"""The match: a probability, whatever words tell, that rises with all that it depends on."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sentrack
from sentrack.lexicon import Lexicon, WordModel
from sentrack.tasks.alternatives import fit_of_all
from sentrack.tasks.match import (
    LONGEST,
    SATURATED,
    SHARPNESS,
    SHORTEST,
    SURE_SCORE,
    Depiction,
    depiction,
    soft_greatest,
    soft_least,
)
from sentrack.tasks.result import TrackedWord
from sentrack.vision import two_activities

VERB = Lexicon.load().words["verb", "pick-up"]
FIRST, SECOND = VERB.states
FITTING = Depiction(fit=1.0, seconds=2.0, sureness=0.9)
FLOATS = st.floats(allow_nan=False)
NATS = st.floats(max_value=1e300, allow_nan=False)  # no evidence is beyond all bounds


def diluted(model: WordModel, share: float) -> WordModel:
    """The word, mixed with one that means nothing."""
    outputs = [share * o + (1 - share) / o.shape[1] for o in model.outputs]
    return replace(model, outputs=tuple(outputs))


def told(evidence: Sequence[float], states: Sequence[str] | None = None) -> TrackedWord:
    """What is found of the verb, given what its frames tell, in nats."""
    T = len(evidence)
    names = tuple(states or [FIRST] * (T // 2) + [SECOND] * (T - T // 2))
    total = float(np.sum(evidence))
    return TrackedWord("pick-up", "verb", (0, 1), names, total, np.array(evidence), total / T)


def typical(*frames: float, states: Sequence[str] | None = None) -> TrackedWord:
    """The same in units of what the verb tells at best."""
    return told([VERB.most * each for each in frames], states)


def of(*words: TrackedWord, seconds: float = 1.0, sure: float = 1.0) -> Depiction:
    return depiction(((VERB, word) for word in words), seconds, [np.array([sure])])


@given(
    st.lists(st.tuples(st.lists(NATS, min_size=1, max_size=6), st.floats(-300, 0)), max_size=4),
    st.floats(0, 1e6),
    st.lists(st.lists(st.floats(0, 1), max_size=3), max_size=3),
)
def test_a_match_is_from_0_to_1(
    words: list[tuple[list[float], float]], seconds: float, scores: list[list[float]]
) -> None:
    found = depiction(
        ((diluted(VERB, 10**power), told(nats)) for nats, power in words),
        seconds,
        (np.array(each) for each in scores),
    )
    assert 0.0 <= found.match <= 1.0
    assert abs(found.fit) <= SATURATED


@pytest.mark.parametrize("name", ["fit", "seconds", "sureness"])
@given(low=st.floats(0, 1), high=st.floats(0, 1))
def test_it_rises_with_all_that_it_depends_on(name: str, low: float, high: float) -> None:
    """Between the least and the most that counts, which are these."""
    least, most = {
        "fit": (-SATURATED, SATURATED),
        "seconds": (SHORTEST, LONGEST),
        "sureness": (0.0, SURE_SCORE),
    }[name]
    low, high = sorted((low, high))
    values: list[Any] = [least + (most - least) * part for part in (0.0, low, high, 1.0)]
    found = [replace(FITTING, **{name: value}).match for value in values]
    assert found == sorted(found)
    assert found[0] < found[-1]
    if high > low + 1e-6:
        assert found[1] < found[2]


@given(FLOATS.filter(lambda s: s >= 0))
def test_what_lasts_longer_than_five_seconds_or_is_surely_there_is_no_more_probable(
    more: float,
) -> None:
    assert LONGEST == 5.0
    most = replace(FITTING, seconds=LONGEST).match
    assert replace(FITTING, seconds=LONGEST + more).match == most
    assert replace(FITTING, seconds=0.0).match == replace(FITTING, seconds=SHORTEST).match
    assert (
        replace(FITTING, sureness=SURE_SCORE + more).match
        == replace(FITTING, sureness=SURE_SCORE).match
    )
    assert replace(FITTING, sureness=0.0).match == 0.0


@given(st.floats(-2, 2), st.floats(-2, 2))
def test_a_sentence_is_as_true_as_each_of_its_words(a: float, b: float) -> None:
    one, other = typical(a, a, b, b), typical(1.0, 1.0, 1.0, 1.0)
    assert of(one, other) == of(other, one)
    least = min((a + b) / 2, 1.0)
    sums = math.exp(-SHARPNESS * (a + b) / 2) + math.exp(-SHARPNESS)
    assert of(one, other).fit == pytest.approx(-math.log(sums / 2) / SHARPNESS)
    assert least - 1e-9 <= of(one, other).fit <= least + math.log(2) / SHARPNESS + 1e-9
    # Words that tell nothing do not count.
    silent = diluted(VERB, 0.0), told([-9.0, -9.0])
    assert depiction([(VERB, one), silent], 1.0, [np.ones(1)]) == of(one)


def test_who_is_least_surely_detected_counts() -> None:
    def sureness(*scores: list[float]) -> float:
        return depiction([], 1.0, (np.array(each) for each in scores)).sureness

    assert sureness([0.9, 0.7], [0.2, 0.4]) == pytest.approx(0.3)
    assert sureness([0.9], []) == 0.0  # never seen
    assert sureness() == 1.0


def test_infinite_evidence_and_words_that_tell_nothing() -> None:
    never = of(told([-math.inf, 1.0]))
    assert never.fit == -SATURATED
    assert 0 < never.match < 0.5
    sure = of(replace(told([1e300, 1e300]), margin=math.inf))
    assert sure.fit == SATURATED
    assert 0.5 < sure.match < 1
    nothing = of()
    assert nothing.fit == 0.0
    assert depiction([(diluted(VERB, 0.0), told([-3.0]))], 1.0, [np.ones(1)]) == nothing


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("sentence", two_activities()[1].sentences)
def test_the_match_of_an_answer_is_that_of_what_was_found(sentence: str, whole: bool) -> None:
    found = sentrack.track(two_activities()[0], sentence, whole=whole)
    scores = (participant.scores[participant.seen] for participant in found.participants)
    words = zip(found.objective.models, found.words, strict=True)
    expected = depiction(words, found.end - found.start, scores)
    fit = fit_of_all(found.objective, found.solution.tracks, found.words)
    expected = replace(expected, fit=fit)
    assert found.match == pytest.approx(expected.match)
    assert found.depicted == (found.match >= 0.5)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6))
def test_the_soft_greatest_is_about_the_greatest_and_grows_with_each(x: list[float]) -> None:
    found = float(soft_greatest(x))
    mean = sum(math.exp(SHARPNESS * each) for each in x) / len(x)
    assert found == pytest.approx(math.log(mean) / SHARPNESS, abs=1e-9)
    assert max(x) - math.log(len(x)) / SHARPNESS - 1e-9 <= found <= max(x) + 1e-9
    assert float(soft_greatest([x[0] + 0.5, *x[1:]])) > found
    assert float(soft_least(x)) == pytest.approx(-float(soft_greatest([-each for each in x])))


@pytest.mark.parametrize("share", [0.0, 1e-6, 1e-3])
def test_a_clip_is_tracked_by_a_word_with_little_information(share: float) -> None:
    lexicon = Lexicon.load()
    words = lexicon.words | {("verb", "pick-up"): diluted(VERB, share)}
    few = two_activities(0)[0].cut(0, 10)
    for whole in (False, True):
        found = sentrack.track(
            few, "The person picked up the cup.", replace(lexicon, words=words), whole=whole
        )
        assert 0.0 <= found.match <= 1.0
        assert np.isfinite(found.score)


def test_who_does_not_act_is_twenty_times_less_probable() -> None:
    odd = replace(FITTING, unusual=1)
    odds = [each.match / (1 - each.match) for each in (FITTING, odd)]
    assert odds[0] / odds[1] == pytest.approx(20)


def test_the_bag_hardly_ever_carries_the_person() -> None:
    frame = np.arange(30)
    left, top = 50 + 5.0 * frame, np.full(30, 100.0)
    people = np.stack([left, top, left + 40, top + 100], axis=1)
    bags = np.stack([left + 10, top + 40, left + 30, top + 60], axis=1)
    clip = sentrack.vision.clip_from_arrays(
        "street",
        (320, 240),
        10.0,
        np.concatenate([frame, frame]),
        ["person"] * 30 + ["bag"] * 30,
        np.concatenate([people, bags]),
    )
    usual, odd = (
        sentrack.track(clip, f"The {a} carried the {b}.")
        for a, b in (("person", "bag"), ("bag", "person"))
    )
    assert usual.depicted
    assert not odd.depicted
    assert odd.shown.fit == pytest.approx(usual.shown.fit)
    assert odd.reason == "not depicted; the bag is of no kind that does what 'carry' says"
    # What names anything may be somebody who acts.
    assert sentrack.track(clip, "The thing carried the bag.").shown.unusual == 0
