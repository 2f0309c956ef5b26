"""What moments can score at most, against solving the same intervals exactly."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.inference import Infeasible
from sentrack.inference.intervals import best_interval, between
from sentrack.lexicon import Lexicon
from sentrack.objective import Bounds, interval
from sentrack.scene import scene_of
from sentrack.tasks.moment import most
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
    bounds = Bounds(scene_of(clip, meaning, EVERYDAY, rate=10))
    assert most(clip, meaning, EVERYDAY) == bounds.over(0, 60)


def test_a_noun_that_is_not_there_leaves_nothing() -> None:
    assert most(scattered(0, 3, 1), understand("The dog walked.", EVERYDAY), EVERYDAY) == -np.inf
