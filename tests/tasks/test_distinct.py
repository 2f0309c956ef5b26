"""Participants that must differ are different things, in whole clips and whatever is asked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.things import all_differ, doubtful, shown_apart
from benchmarks.trust import SENTENCES
from sentrack.lexicon import Lexicon
from sentrack.tasks.description.describer import describe
from sentrack.tasks.learning.examples import prepare
from sentrack.tasks.moment import moments
from sentrack.tasks.runner_up import rivals
from sentrack.tasks.tracker import track, understand
from sentrack.vision import Clip, ClipError, clip_from_arrays, two_activities

LEXICON = Lexicon.load("everyday")
PEOPLE, CARS = ("person", "cup"), ("car", "truck")


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(SENTENCES), st.integers(1, 6), st.booleans())
def test_tracks_show_different_things_or_there_are_none(
    seed: int, asked: tuple[tuple[str, ...], str], repeats: int, whole: bool
) -> None:
    classes, sentence = asked
    clip = doubtful(seed, 5, classes, 3, repeats)
    try:
        tracking = track(clip, sentence, whole=whole)
    except ClipError as error:
        said = str(error)
    else:
        assert tracking.certified
        assert shown_apart(tracking, clip, LEXICON)
        distinct = [term.values for term in tracking.ledger.terms if term.term == "distinct"]
        assert all((values == 0).all() for values in distinct)
        runner_up = rivals(tracking, LEXICON).runner_up
        assert runner_up is None or shown_apart(runner_up.tracking, clip, LEXICON)
        return
    assert "different" in said or "was detected" in said
    assert "\n" not in said


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(SENTENCES), st.integers(1, 3))
def test_moments_show_different_things(
    seed: int, asked: tuple[tuple[str, ...], str], repeats: int
) -> None:
    classes, sentence = asked
    clip = doubtful(seed, 8, classes, 3, repeats)
    meaning = understand(sentence, LEXICON, clip)
    for moment in moments(clip, meaning, LEXICON, count=2, least=-100.0).moments:
        assert shown_apart(moment.tracking, clip, LEXICON)


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([PEOPLE, CARS]), st.integers(1, 3))
def test_descriptions_tell_of_different_things(
    seed: int, classes: tuple[str, ...], repeats: int
) -> None:
    clip = doubtful(seed, 10, classes, 3, repeats)
    for told in describe(clip, 3):
        # Of what was seen, only what is surely there takes part.
        assert all_differ(told.tracking.objective, told.tracking.solution.tracks)


@pytest.mark.parametrize("whole", [False, True])
def test_nobody_carries_himself(whole: bool) -> None:
    clip, _ = two_activities()
    tracking = track(clip, "The person carried the object to the right.", whole=whole)
    assert tracking.certified
    assert shown_apart(tracking, clip, LEXICON)


def traffic(*cars: tuple[float, float], extra: bool = False) -> Clip:
    """Cars by their left edge and their step to the right; of the first one a further box."""
    boxes = []
    for t in range(20):
        boxes += [[begin + step * t, 200, begin + step * t + 120, 270] for begin, step in cars]
        if extra:
            boxes.append([boxes[-len(cars)][0] + 15, 210, boxes[-len(cars)][2] + 15, 270])
    frame = np.repeat(np.arange(20), len(boxes) // 20)
    return clip_from_arrays("cars.csv", (1280, 720), 10, frame, ["car"] * len(frame), boxes)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    "sentence", ["The vehicle carried the car.", "The red car passed another car."]
)
def test_a_car_is_not_two(sentence: str, whole: bool) -> None:
    with pytest.raises(ClipError, match=r"^cars.csv: .*no frame shows more than 1$"):
        track(traffic((100, 20), extra=True), sentence, whole=whole)
    clip = traffic((100, 20), (400, 0), extra=True)
    tracking = track(clip, sentence, whole=whole)
    assert tracking.certified
    assert shown_apart(tracking, clip, LEXICON)


def test_every_row_many_times_changes_nothing() -> None:
    clip = traffic((100, 20), (400, 0))
    rows = np.repeat(np.arange(len(clip.label)), 3)
    many = clip_from_arrays(
        "many.csv", clip.size, 10, clip.frame_of[rows], ["car"] * len(rows), clip.boxes[rows]
    )
    once, often = (track(each, "The car passed another car.") for each in (clip, many))
    assert often.score == pytest.approx(once.score)
    for mine, other in zip(once.participants, often.participants, strict=True):
        np.testing.assert_allclose(mine.boxes, other.boxes)


def test_a_clip_with_too_few_things_has_no_moment_and_is_not_learned_from() -> None:
    clip = traffic((100, 20), extra=True)
    meaning = understand("The car passed another car.", LEXICON, clip)
    assert moments(clip, meaning, LEXICON, least=-1000.0).moments == ()
    with pytest.raises(ClipError, match="needs 2 different cars"):
        prepare(clip, meaning, LEXICON, ["car"], 3)
    assert all("another" not in told.sentence for told in describe(clip))
