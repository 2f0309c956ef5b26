"""What moments can score at most, against solving the same intervals exactly."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.inference import Infeasible
from sentrack.inference.intervals import best_interval, between
from sentrack.lexicon import Lexicon
from sentrack.objective import Bounds, interval, most_of, thing_bounds, thing_tuples
from sentrack.scene import scene_of
from sentrack.tasks.moment import LEAST_NATS, most
from sentrack.tasks.tracker import understand
from sentrack.vision import Clip, two_activities
from tests.scene.test_background import SENTENCES, scattered

EVERYDAY = Lexicon.load("everyday")


def reach(clip: Clip, sentence: str) -> Bounds:
    return Bounds(scene_of(clip, understand(sentence, EVERYDAY, clip), EVERYDAY))


def exactly(clip: Clip, sentence: str) -> dict[tuple[int, int], float]:
    """The best interval within every pair of frames, by the whole lattice."""
    meaning = understand(sentence, EVERYDAY, clip)
    objective = interval(scene_of(clip, meaning, EVERYDAY))
    found = {}
    for first, last in itertools.combinations(range(0, clip.T + 1, max(1, clip.T // 4)), 2):
        try:
            part = best_interval(
                between(objective.problem, first, last), objective.final, "viterbi"
            )
            found[first, last] = part.solution.score
        except Infeasible:
            found[first, last] = -np.inf
    return found


@pytest.mark.parametrize("sentence", SENTENCES)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), T=st.integers(1, 6), most=st.integers(1, 2))
def test_no_interval_of_anything_scores_more(sentence: str, seed: int, T: int, most: int) -> None:
    clip = scattered(seed, T, most)
    bounds = reach(clip, sentence)
    for (first, last), score in exactly(clip, sentence).items():
        assert bounds.over(first, last) >= score


@pytest.mark.parametrize("sentence", SENTENCES[:4])
def test_no_interval_of_several_activities_scores_more(sentence: str) -> None:
    clip = two_activities(0, fps=10)[0]
    bounds = reach(clip, sentence)
    for (first, last), score in exactly(clip, sentence).items():
        assert bounds.over(first, last) >= score


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), T=st.integers(1, 8), most=st.integers(1, 4))
def test_a_word_about_one_participant_is_bounded_by_what_it_reaches(
    seed: int, T: int, most: int
) -> None:
    """One track and one word are all there is, and the bound of both together is exact."""
    clip = scattered(seed, T, most)
    bounds = reach(clip, "The cup rose.")
    for (first, last), score in exactly(clip, "The cup rose.").items():
        assert bounds.over(first, last) == pytest.approx(score, abs=1e-6)


def test_a_clip_is_bounded_as_the_frames_that_are_looked_at_are() -> None:
    clip = two_activities(0, fps=30)[0]
    meaning = understand(SENTENCES[0], EVERYDAY, clip)
    scene = scene_of(clip, meaning, EVERYDAY, rate=10)
    assert most(clip, meaning, EVERYDAY) == most_of(scene, EVERYDAY, LEAST_NATS) > LEAST_NATS


@pytest.mark.parametrize("sentence", [*SENTENCES, "The person appeared.", "The cup rose."])
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), T=st.integers(1, 8), boxes=st.integers(1, 3))
def test_things_bound_a_clip_from_above_and_never_less_tightly(
    sentence: str, seed: int, T: int, boxes: int
) -> None:
    clip = scattered(seed, T, boxes)
    meaning = understand(sentence, EVERYDAY, clip)
    scene = scene_of(clip, meaning, EVERYDAY)
    bound = most_of(scene, EVERYDAY, -np.inf)
    objective = interval(scene)
    try:
        score = best_interval(objective.problem, objective.final, "viterbi").solution.score
    except Infeasible:
        score = -np.inf
    assert score <= bound <= Bounds(scene).over(0, scene.clip.T) + 1e-6
    if len(scene.candidates) == 1 and sentence == "The cup rose.":
        assert bound == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("sentence", SENTENCES[:4])
def test_what_cannot_be_told_is_no_bound(sentence: str) -> None:
    clip = two_activities(0, fps=10)[0]
    scene = scene_of(clip, understand(sentence, EVERYDAY, clip), EVERYDAY)
    bound = most_of(scene, EVERYDAY, -np.inf)
    assert most_of(scene, EVERYDAY, bound) == bound
    assert most_of(scene, EVERYDAY, bound + 1) == -np.inf


def test_two_boxes_of_one_thing_in_a_frame_are_bounded_frame_by_frame() -> None:
    """A file may say so; things do not decide there."""
    clip = scattered(3, 6, 2)
    clip = replace(clip, id=np.zeros(len(clip.id), dtype=np.int64))
    scene = scene_of(clip, understand(SENTENCES[0], EVERYDAY, clip), EVERYDAY)
    assert most_of(scene, EVERYDAY, -np.inf) == Bounds(scene).over(0, scene.clip.T)


def test_where_there_are_too_many_tuples_they_are_bounded_frame_by_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clip = two_activities(0, fps=10)[0]
    scene = scene_of(clip, understand(SENTENCES[0], EVERYDAY, clip), EVERYDAY)
    tight = most_of(scene, EVERYDAY, -np.inf)
    monkeypatch.setattr(thing_tuples, "AT_ONCE", 50)
    assert most_of(scene, EVERYDAY, -np.inf) == tight
    monkeypatch.setattr(thing_bounds, "MOST", 1)
    loose = most_of(scene, EVERYDAY, -np.inf)
    assert loose == Bounds(scene).over(0, scene.clip.T)
    assert loose >= tight - 1e-5  # of things, scores are kept in single precision, rounded up


def test_a_noun_that_is_not_there_leaves_nothing() -> None:
    assert most(scattered(0, 3, 1), understand("The dog walked.", EVERYDAY), EVERYDAY) == -np.inf


@given(
    ones=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 8)), max_size=12),
    others=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 8)), max_size=12),
)
def test_intervals_that_share_a_frame(
    ones: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    (low, high), (first, last) = (
        np.array([(begin, begin + more) for begin, more in each], dtype=np.int64).reshape(-1, 2).T
        for each in (ones, others)
    )
    expected = [
        (a, b)
        for a, b in itertools.product(range(len(ones)), range(len(others)))
        if {*range(low[a], high[a] + 1)} & {*range(first[b], last[b] + 1)}
    ]
    found = thing_tuples.together(low, high, first, last, len(expected))
    assert found is not None
    assert list(zip(*found, strict=True)) == expected
    if expected:
        assert thing_tuples.together(low, high, first, last, len(expected) - 1) is None


@given(seed=st.integers(0, 2**32), runs=st.integers(1, 6))
def test_what_frames_reach_is_the_best_sum_that_they_are_in(seed: int, runs: int) -> None:
    rng = np.random.default_rng(seed)
    begin = np.concatenate([[0], np.cumsum(rng.integers(1, 9, runs))])
    value = np.where(rng.random(begin[-1]) < 0.1, -np.inf, rng.normal(0, 3, begin[-1]))
    found = thing_bounds._reached(value, begin)
    for first, last in itertools.pairwise(begin.tolist()):
        for t in range(first, last):
            sums = [value[a:b].sum() for a in range(first, t + 1) for b in range(t + 1, last + 1)]
            assert max(sums) <= found[t]
            assert max(sums) < 0 or found[t] <= max(sums) + 1e-6
