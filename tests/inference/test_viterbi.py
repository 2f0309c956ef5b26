"""Frame by frame, on threads and from checkpoints, Viterbi finds the same."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.inference import limits
from sentrack.inference.kernels import jit
from sentrack.inference.methods import viterbi
from tests.inference import oracle
from tests.inference.strategies import assemble, problems


@settings(max_examples=120)
@given(problem=problems(feasible=True))
def test_frame_by_frame_is_brute_force(problem: sentrack.Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viterbi, "PARALLEL_STATES", 0)
        solution = sentrack.solve(problem, "viterbi")
    assert solution.score == pytest.approx(oracle.best(problem)[0], rel=1e-9, abs=1e-9)
    assert solution.certified


@settings(max_examples=100)
@given(problem=problems(feasible=True), stride=st.integers(1, 3))
def test_segments_are_brute_force(problem: sentrack.Problem, stride: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viterbi, "worthwhile", lambda *_: True)
        whole = sentrack.solve(problem, "viterbi")
        patch.setattr(viterbi, "checkpoint_stride", lambda *_: stride)
        solution = sentrack.solve(problem, "viterbi")
    assert solution.score == pytest.approx(oracle.best(problem)[0], rel=1e-9, abs=1e-9)
    assert solution.certified
    np.testing.assert_array_equal(solution.tracks, whole.tracks)
    np.testing.assert_array_equal(solution.states, whole.states)
    assert (solution.score, solution.upper_bound) == (whole.score, whole.upper_bound)


def solved(problem: sentrack.Problem, compiled: bool) -> sentrack.Solution:
    """The answer by kernels, or by plain NumPy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viterbi, "worthwhile", lambda *_: compiled)
        return sentrack.solve(problem, "viterbi")


@settings(max_examples=120)
@given(problem=problems(feasible=True))
def test_plain_numpy_finds_the_same_to_the_last_bit(problem: sentrack.Problem) -> None:
    kernels, plain = (solved(problem, compiled) for compiled in (True, False))
    np.testing.assert_array_equal(plain.tracks, kernels.tracks)
    np.testing.assert_array_equal(plain.states, kernels.states)
    assert (plain.score, plain.upper_bound) == (kernels.score, kernels.upper_bound)
    assert plain.score == pytest.approx(oracle.best(problem)[0], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("sizes", [(20, 7), (70, 3), (3, 66), (9, 5, 6), (12, 1, 4)])
def test_axes_of_any_length_are_the_same_in_plain_numpy(sizes: tuple[int, ...]) -> None:
    """Short axes are brought to the front by the kernels, long ones are not."""
    rng = np.random.default_rng(len(sizes))

    def values(shape: tuple[int, ...], planted: tuple[Any, ...]) -> Any:
        table = np.where(rng.random(shape) < 0.1, -np.inf, rng.normal(size=shape))
        table[planted] = 0.0
        return table

    ragged = np.array(sizes)[:, None] - (rng.random((len(sizes), 5)) < 0.5)
    problem = assemble(np.maximum(ragged, 1), [3], [(0, len(sizes) - 1)], values)
    kernels, plain = (solved(problem, compiled) for compiled in (True, False))
    np.testing.assert_array_equal(plain.tracks, kernels.tracks)
    assert (plain.score, plain.upper_bound) == (kernels.score, kernels.upper_bound)
    assert problem.score(kernels.tracks, kernels.states) == pytest.approx(kernels.score)


def test_plain_numpy_keeps_the_deadline_and_says_when_nothing_is_finite(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(viterbi, "worthwhile", lambda *_: False)
    values = np.random.default_rng(0)
    problem = assemble(np.full((2, 3), 3), [2], [(0, 1)], lambda s, _: values.normal(size=s))
    late = sentrack.solve(problem, "viterbi", time_limit=0.0)
    assert late.score <= oracle.best(problem)[0] <= late.upper_bound + 1e-9
    assert not late.certified
    never = sentrack.TrackTerms([[0.0], [0.0]], [[[-np.inf]]])
    with pytest.raises(sentrack.Infeasible):
        sentrack.solve(sentrack.Problem([never]), "viterbi")


def test_a_kernel_is_compiled_once_numpy_has_done_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kernel:
        signatures: tuple[str, ...] = ()

    monkeypatch.setattr(jit, "ready", lambda kernel: kernel is None)
    monkeypatch.setattr(jit._Plain, "operations", 0.0)
    kernel: Any = Kernel()
    some = 0.4 * jit.WORTH_COMPILING
    assert [jit.worthwhile(kernel, some) for _ in range(3)] == [False, False, True]
    kernel.signatures = ("compiled",)
    assert jit.worthwhile(kernel, 0.0)
    never: Any = None
    assert jit.worthwhile(never, 0.0)


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
