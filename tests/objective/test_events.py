"""Events: words that happen at some time in a clip, against all paths of a few frames."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from sentrack.lexicon import Lexicon
from sentrack.objective import SILENT, least_told, over_all
from sentrack.objective.chain import Chain
from sentrack.objective.whole_problem import at_some_time
from sentrack.tasks import track
from tests.scene.test_identity import straight, walkers

EVERYDAY = Lexicon.load("everyday")
# Two states of one or two frames each, and of one.
CHAIN = Chain(
    np.array([0, 0, 1]),
    np.log([0.75, 1e-300, 0.25]),
    np.log([[1e-300, 0.5, 0.5], [1e-300, 1e-300, 1.0], [1e-300, 1e-300, 1e-300]]),
    np.array([False, False, True]),
)


@pytest.mark.parametrize("T", range(1, 6))
def test_an_event_happens_once_at_any_time(T: int) -> None:
    whole = at_some_time(CHAIN, 2)
    assert whole.state.tolist() == [2, 0, 0, 1, 2]
    found = {}
    for path in itertools.product(range(5), repeat=T):
        score = whole.initial[path[0]] + whole.transition[path[:-1], path[1:]].sum()
        if score > -600 and whole.final[path[-1]]:
            found[path] = score
    expected = {}
    for path in itertools.product(range(3), repeat=T):
        for first, last in itertools.combinations(range(T + 1), 2):
            inner = path[first:last]
            score = CHAIN.initial[inner[0]] + CHAIN.transition[inner[:-1], inner[1:]].sum()
            if score > -600 and CHAIN.final[inner[-1]]:
                outer = [0] * first + [1 + k for k in inner] + [4] * (T - last)
                expected[tuple(outer)] = score
    assert found == pytest.approx(expected)


def test_what_states_tell_is_spread_over_the_chain_with_nothing_around_it() -> None:
    whole, told = at_some_time(CHAIN, 2), np.arange(12.0).reshape(2, 2, 3)
    spread = whole.spread(told, -7.0)
    for state, model in enumerate(whole.state):
        expected = told[:, model] if model < 2 else np.full((2, 3), -7.0)
        np.testing.assert_array_equal(spread[:, state], expected)
    np.testing.assert_array_equal(CHAIN.spread(told, -7.0), told[:, CHAIN.state])


def test_frames_of_which_a_word_tells() -> None:
    model = replace(EVERYDAY.model("pick-up", "verb"), seconds=np.array([0.2, 0.3]))
    whole = at_some_time(CHAIN, 2)
    # It usually lasts for five frames.
    assert whole.frames_told(model, 0.1, np.array([0, 1, 3, 4, 4, 4, 4])) == 5
    assert whole.frames_told(model, 0.1, np.array([0, 1, 3, 4])) == 4
    assert whole.frames_told(model, 0.1, np.array([1, 1, 1, 1, 1, 1, 3, 4])) == 7
    assert least_told(EVERYDAY.model("walk", "verb"), 0.1, 30) == 30


def test_in_the_papers_reading_a_word_takes_all_of_the_clip() -> None:
    clip, model = walkers(straight(20, 20, range(30))), EVERYDAY.model("pick-up", "verb")
    assert over_all(model, clip, identity=False).state.tolist() == [0, 1]
    assert over_all(model, clip, identity=True).state.max() == 2


def test_before_and_after_an_event_a_word_has_no_state_and_no_evidence() -> None:
    stops = {t: (20.0 + 20 * min(t, 30), 100.0) for t in range(80)}
    found = track(walkers(stops), "The person stopped.", whole=True)
    verb = found.words[1]
    assert set(verb.states) == {"moving", "at rest", SILENT}
    silent = np.array([state == SILENT for state in verb.states])
    assert silent.sum() > 40
    assert not verb.evidence[silent].any()
    assert verb.evidence[~silent].min() > 0
    (change,) = np.flatnonzero([a == "moving" != b for a, b in itertools.pairwise(verb.states)])
    assert abs(change - 30) <= 5
