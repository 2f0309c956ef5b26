"""Frame by frame, on threads and from checkpoints, Viterbi finds the same."""

import numpy as np
import pytest
from hypothesis import given, settings

import sentrack
from sentrack.inference import limits
from sentrack.inference.methods import viterbi
from tests.inference import oracle
from tests.inference.strategies import assemble, problems


@settings(max_examples=300)
@given(problem=problems(feasible=True))
def test_frame_by_frame_is_brute_force(problem: sentrack.Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viterbi, "PARALLEL_STATES", 0)
        solution = sentrack.solve(problem, "viterbi")
    assert solution.score == pytest.approx(oracle.best(problem)[0], rel=1e-9, abs=1e-9)
    assert solution.certified


@pytest.mark.parametrize("method", ["viterbi", "auto", "dual", "ascent"])
def test_the_number_of_threads_changes_nothing(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    sizes = rng.integers(9, 14, (3, 6))
    problem = assemble(
        sizes, [3, 3, 4], [(0, 1), (2, 1), (1, 0, 2)], lambda s, _: rng.normal(size=s)
    )
    assert sizes.prod(axis=0).max() * 36 > viterbi.PARALLEL_STATES
    answers = []
    for cores in (1, 2, 3):
        monkeypatch.setattr(limits, "_cores", lambda cores=cores: cores)
        limits._pool.cache_clear()
        answers.append(sentrack.solve(problem, method))
    limits._pool.cache_clear()
    for other in answers[1:]:
        np.testing.assert_array_equal(other.tracks, answers[0].tracks)
        np.testing.assert_array_equal(other.states, answers[0].states)
        assert other.score == answers[0].score
        assert other.upper_bound == answers[0].upper_bound


def test_eqs_1_2_and_3_are_special_cases() -> None:
    rng = np.random.default_rng(3)
    unary, pairwise = rng.normal(size=(9, 5)), rng.normal(size=(8, 5, 5))
    initial, transition = rng.normal(size=3), rng.normal(size=(3, 3))
    emission = rng.normal(size=(9, 3, 5))
    track = sentrack.TrackTerms(list(unary), list(pairwise))
    word = sentrack.WordTerms(initial, transition, list(emission), (0,))
    # Eq. 1: a track alone.
    assert solve(sentrack.Problem([track])) == pytest.approx(chain(unary, pairwise))
    # Eq. 2: a word over a track that is given.
    given_track = sentrack.TrackTerms(list(np.zeros((9, 1))), list(np.zeros((8, 1, 1))))
    alone = sentrack.WordTerms(initial, transition, list(emission[:, :, :1]), (0,))
    steps = np.broadcast_to(transition, (8, 3, 3))
    states = emission[:, :, 0].copy()
    states[0] += initial
    assert solve(sentrack.Problem([given_track], [alone])) == pytest.approx(chain(states, steps))
    # Eq. 3: both at once, here on the product of candidates and states.
    joint = (emission + unary[:, None, :]).copy()
    joint[0] += initial[:, None]
    moves = transition[None, :, None, :, None] + pairwise[:, None, :, None, :]
    expected = chain(joint.reshape(9, 15), moves.reshape(8, 15, 15))
    assert solve(sentrack.Problem([track], [word])) == pytest.approx(expected)


def solve(problem: sentrack.Problem) -> float:
    return sentrack.solve(problem, "viterbi").score


def chain(nodes: np.ndarray, steps: np.ndarray) -> float:
    """The best path through a plain lattice."""
    best = nodes[0]
    for node, step in zip(nodes[1:], steps, strict=True):
        best = (best[:, None] + step).max(axis=0) + node
    return float(best.max())
