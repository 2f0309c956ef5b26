from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.inference import Problem, TrackTerms, solve
from sentrack.language import Meaning, parse
from sentrack.lexicon import Lexicon
from sentrack.scene.distinctness import SAME_CLASS_IOU
from sentrack.tasks import track
from sentrack.tasks.runner_up import rivals, swapped
from sentrack.vision import Clip, clip_from_arrays, two_activities

LEXICON = Lexicon.load("everyday")


def meaning(sentence: str) -> Meaning:
    return parse(sentence, LEXICON.vocabulary().with_nouns(["person", "chair", "cup"]))


def strollers(paths: list[float], T: int = 12) -> Clip:
    """People who walk to the right, each at a height of his own and so many times as fast."""
    t = np.arange(T)
    x = np.array([[100 + 10 * speed * u for speed in paths] for u in t])
    y = np.broadcast_to(80.0 + 100 * np.arange(len(paths)), x.shape)
    boxes = np.stack([x, y, x + 40, y + 80], axis=-1).reshape(-1, 4)
    frame = np.repeat(t, len(paths))
    return clip_from_arrays(
        "strollers", (640, 480), 10, frame, ["person"] * len(boxes), boxes, np.full(len(boxes), 0.9)
    )


def iou(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    shared = np.prod(
        np.clip(np.minimum(a[:, 2:], b[:, 2:]) - np.maximum(a[:, :2], b[:, :2]), 0, None), axis=1
    )
    areas = [np.prod(c[:, 2:] - c[:, :2], axis=1) for c in (a, b)]
    return np.asarray(shared / (areas[0] + areas[1] - shared))


@settings(max_examples=20)
@given(st.lists(st.floats(-1.5, 1.5), min_size=2, max_size=4))
def test_the_runner_up_is_what_is_found_where_the_answer_was_never_detected(
    speeds: list[float],
) -> None:
    clip = strollers(speeds)
    answer = track(clip, "The person walked to the right.", whole=True)
    found = rivals(answer, LEXICON).runner_up
    assert found is not None
    same = iou(clip.boxes, answer.participants[0].boxes[clip.frame_of]) > SAME_CLASS_IOU
    oracle = track(clip.only(~same), answer.sentence, whole=True)
    assert found.frames == clip.T
    assert found.participant == 0
    assert found.tracking.score == pytest.approx(oracle.score)
    assert found.tracking.certified
    assert found.tracking.score <= answer.score + 1e-9
    assert found.tracking.ledger.total == pytest.approx(found.tracking.score)


def alone(problem: Problem, place: int) -> Problem:
    """A problem of one track, with one of the candidates of every frame."""
    (own,) = problem.tracks
    one = slice(place, place + 1)
    words = [
        replace(word, emission=[np.asarray(h)[:, one] for h in word.emission])
        for word in problem.words
    ]
    unary = [np.asarray(f)[one] for f in own.unary]
    return Problem([TrackTerms(unary, [np.asarray(g)[one, one] for g in own.pairwise])], words)


@settings(max_examples=20)
@given(st.lists(st.floats(-1.5, 1.5), min_size=2, max_size=4))
def test_the_runner_up_of_a_moment_is_the_best_of_the_others_in_the_same_frames(
    speeds: list[float],
) -> None:
    answer = track(strollers(speeds), "The person walked to the right.")
    found = rivals(answer, LEXICON).runner_up
    assert found is not None
    problem, frames = answer.objective.problem, answer.participants[0].frames
    (chosen,) = answer.solution.tracks
    # Strollers are in one order in all frames, before the two candidates of what is not there.
    assert set(problem.sizes.ravel()) == {len(speeds) + 2}
    assert len(set(chosen)) == 1
    others = [alone(problem, n) for n in range(len(speeds)) if n != chosen[0]]
    assert found.tracking.score == pytest.approx(max(solve(other).score for other in others))
    assert found.tracking.certified
    assert found.frames == len(frames)
    np.testing.assert_array_equal(found.tracking.participants[0].frames, frames)
    assert (found.tracking.start, found.tracking.end) == (answer.start, answer.end)


def test_of_two_participants_the_better_replacement_is_the_runner_up() -> None:
    clip, _ = two_activities(0, fps=10)
    answer = track(clip, "The person approached the chair.")
    found = rivals(answer, LEXICON).runner_up
    assert found is not None
    noun = answer.participants[found.participant].noun
    assert noun in ("person", "chair")
    other, own = (each.participants[found.participant] for each in (found.tracking, answer))
    both = other.seen & own.seen
    assert both.sum() > 1
    assert (iou(other.boxes[both], own.boxes[both]) <= SAME_CLASS_IOU).all()
    assert found.frames == len(own.frames)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("frames", [(0, 12), (3, 12), (0, 9), (3, 9)])
def test_nobody_else_there_means_no_runner_up(frames: tuple[int, int], whole: bool) -> None:
    """Also if he is there for a while only."""
    clip = strollers([1.0])
    first, last = frames
    clip = clip.only((clip.frame_of >= first) & (clip.frame_of < last))
    answer = track(clip, "The person walked to the right.", whole=whole)
    assert answer.participants[0].seen.sum() == last - first
    assert rivals(answer, LEXICON).runner_up is None


def test_somebody_else_who_is_there_for_a_while_is_the_runner_up_for_that_while() -> None:
    clip = strollers([1.0, -1.0])
    second = np.arange(len(clip.label)) % 2 == 1
    clip = clip.only(~(second & (clip.frame_of < 3)))
    found = rivals(track(clip, "The person walked to the right.", whole=True), LEXICON).runner_up
    assert found is not None
    assert found.frames == clip.T - 3
    assert found.tracking.participants[0].seen.tolist() == [False] * 3 + [True] * 9
    # Those of a moment are there all the time.
    moment = track(clip, "The person walked to the right.")
    assert moment.start == 0
    assert rivals(moment, LEXICON).runner_up is None


def test_roles_are_swapped_by_their_nouns() -> None:
    said = meaning("The person approached the chair slowly.")
    other = swapped(said)
    assert other == meaning("The chair approached the person slowly.")
    assert swapped(meaning("The cup was to the left of the chair.")) == meaning(
        "The chair was to the left of the cup."
    )


@pytest.mark.parametrize("sentence", ["The person walked.", "The person approached the person."])
def test_some_sentences_have_no_roles_to_swap(sentence: str) -> None:
    assert swapped(meaning(sentence)) is None


def test_the_swapped_sentence_is_said_and_matches_less_where_it_is_not_depicted() -> None:
    clip, _ = two_activities(0, fps=10)
    sentence, backwards = "The person approached the chair.", "The chair approached the person."
    answer = track(clip, sentence, whole=True)
    other = rivals(answer, LEXICON).swapped
    assert other is not None
    assert other.sentence == backwards
    assert other.match < answer.match
    assert other.score < answer.score - 10
    expected = track(clip, backwards, whole=True)
    assert (other.score, other.match) == pytest.approx((expected.score, expected.match))


def test_the_swapped_sentence_is_looked_for_in_the_moment_of_the_answer() -> None:
    clip, _ = two_activities(0, fps=10)
    answer = track(clip, "The person approached the chair.")
    other = rivals(answer, LEXICON).swapped
    assert other is not None
    assert other.sentence == "The chair approached the person."
    assert answer.start <= other.start < other.end <= answer.end + 1e-9
    assert other.match < answer.match - 0.1
    assert other.score < answer.score


def test_what_takes_two_clauses_to_say_has_no_swapped_reading() -> None:
    clip, _ = two_activities(0, fps=5)
    sentence = "The person who carried the backpack approached the chair."
    assert rivals(track(clip, sentence), LEXICON).swapped is None
