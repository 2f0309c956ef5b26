"""sentrack.posteriors against sums over all assignments, and against closed forms."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings

import sentrack
from tests.inference import oracle
from tests.inference.strategies import assemble, lazily, problems

INF = float("inf")


def check(problem: sentrack.Problem, answer: sentrack.Posteriors, tolerance: float = 1e-8) -> None:
    truth = oracle.partition(problem)
    assert answer.log_partition == pytest.approx(truth.log_partition, rel=1e-10, abs=1e-9)
    assert (len(answer.tracks), len(answer.states)) == (problem.L, problem.W)
    assert (len(answer.transitions), len(answer.emissions)) == (problem.W, problem.W)

    def same(found: object, expected: oracle.Array) -> None:
        found = np.asarray(found)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)

    for i in range(problem.L):
        assert len(answer.tracks[i]) == problem.T
        for t in range(problem.T):
            same(answer.tracks[i][t], truth.tracks[i][t])
    for w in range(problem.W):
        same(answer.states[w], truth.states[w])
        same(answer.transitions[w], truth.transitions[w])
        assert len(answer.emissions[w]) == problem.T
        for t in range(problem.T):
            same(answer.emissions[w][t], truth.emissions[w][t])


def check_sums(problem: sentrack.Problem, answer: sentrack.Posteriors) -> None:
    """Every distribution is one, to the last digits."""
    tables = [table for track in answer.tracks for table in track]
    for w in range(problem.W):
        tables += [*answer.states[w], *answer.transitions[w], *answer.emissions[w]]
    for table in tables:
        assert (np.asarray(table) >= 0).all()
        assert np.sum(table) == pytest.approx(1.0, abs=1e-9)


@settings(max_examples=120)
@given(problem=problems())
def test_posteriors_are_brute_force(problem: sentrack.Problem) -> None:
    if oracle.best(problem)[0] == -INF:
        with pytest.raises(sentrack.Infeasible):
            sentrack.posteriors(problem)
        return
    answer = sentrack.posteriors(problem)
    check(problem, answer)
    check_sums(problem, answer)


@settings(max_examples=100)
@given(problem=problems(feasible=True, drop=800.0, forbid=(0.0, 0.3)))
def test_extreme_magnitudes_do_not_underflow(problem: sentrack.Problem) -> None:
    answer = sentrack.posteriors(problem)
    check(problem, answer)
    check_sums(problem, answer)


def test_the_only_way_through_lies_far_below_the_best_beginning() -> None:
    # Forwards, candidate 0 is 800 nats better in every frame but the last, which forbids it;
    # scaled by its best entry, a table of plain probabilities has forgotten candidate 1.
    T = 6
    stay = np.where(np.eye(2) > 0, 0.0, -INF)
    unary = [[0.0, -800.0]] * (T - 1) + [[-INF, 0.0]]
    word = sentrack.WordTerms(
        [0.0, -800.0], np.array([[0.0, -800.0], [-800.0, 0.0]]), [np.zeros((2, 2))] * T, (0,)
    )
    problem = sentrack.Problem([sentrack.TrackTerms(unary, [stay] * (T - 1))], [word])
    answer = sentrack.posteriors(problem)
    assert answer.log_partition == pytest.approx(-800.0 * (T - 1))
    check(problem, answer)


def test_two_equal_ways_far_below_zero() -> None:
    # Both words pull the two tracks apart by 800 nats: two mirror images share the weight.
    pull = np.array([[[-800.0, 0.0], [0.0, -800.0]]])
    tracks = [sentrack.TrackTerms([[-5000.0, -5000.0]] * 2, [np.zeros((2, 2))])] * 2
    words = [sentrack.WordTerms([-900.0], [[-1.0]], [pull, pull], (0, 1))] * 2
    problem = sentrack.Problem(tracks, words)
    answer = sentrack.posteriors(problem)
    assert answer.log_partition == pytest.approx(-4 * 5000.0 - 2 * 901.0 + math.log(4))
    check(problem, answer)
    np.testing.assert_allclose(answer.emissions[0][1], [[[0.0, 0.5], [0.5, 0.0]]], atol=1e-12)


def test_all_alike_in_closed_form() -> None:
    # log Z = T (sum of log J + sum of log K) and everything is uniform, in a long clip too.
    T, J, K = 500, [3, 2], [2, 3]
    sizes = np.repeat(np.reshape(J, (2, 1)), T, axis=1)
    problem = assemble(sizes, K, [(0, 1), (1,)], lambda shape, _: np.zeros(shape))
    answer = sentrack.posteriors(problem)
    assert answer.log_partition == pytest.approx(T * math.log(math.prod(J) * math.prod(K)))
    for i, size in enumerate(J):
        np.testing.assert_allclose(np.stack(answer.tracks[i]), np.full((T, size), 1 / size))
    for w, size in enumerate(K):
        np.testing.assert_allclose(answer.states[w], np.full((T, size), 1 / size))
        uniform = np.full((T - 1, size, size), size**-2.0)
        np.testing.assert_allclose(answer.transitions[w], uniform)
    np.testing.assert_allclose(np.stack(answer.emissions[0]), np.full((T, 2, 3, 2), 1 / 12))


def test_a_bare_markov_chain_in_closed_form() -> None:
    start, step, T = np.array([0.2, 0.8]), np.array([[0.9, 0.1], [0.4, 0.6]]), 40
    problem = sentrack.Problem(
        [sentrack.TrackTerms([[0.0]] * T, [[[0.0]]] * (T - 1))],
        [sentrack.WordTerms(np.log(start), np.log(step), [[[0.0], [0.0]]] * T, (0,))],
    )
    answer = sentrack.posteriors(problem)
    assert answer.log_partition == pytest.approx(0.0, abs=1e-9)
    for t in range(T):
        occupied = start @ np.linalg.matrix_power(step, t)
        np.testing.assert_allclose(answer.states[0][t], occupied)
        if t < T - 1:
            np.testing.assert_allclose(answer.transitions[0][t], occupied[:, None] * step)


def test_a_repeated_participant_has_only_the_diagonal() -> None:
    rng = np.random.default_rng(0)
    problem = assemble([[2, 3]], [2], [(0, 0)], lambda shape, _: rng.normal(size=shape))
    answer = sentrack.posteriors(problem)
    check(problem, answer)
    assert (answer.emissions[0][1][:, ~np.eye(3, dtype=bool)] == 0).all()


def test_lazy_terms_give_the_same_sums() -> None:
    rng = np.random.default_rng(1)
    sizes, links = [[2, 3, 1], [1, 2, 2]], [(0,), (1, 0)]
    eager = assemble(sizes, [2, 3], links, lambda shape, _: rng.normal(size=shape))
    check(eager, sentrack.posteriors(lazily(eager.tracks, eager.words)))


def test_the_empty_problem() -> None:
    answer = sentrack.posteriors(sentrack.Problem([], []))
    assert answer.log_partition == 0.0
    check(sentrack.Problem([], []), answer)


def test_the_infeasible_is_explained() -> None:
    track = sentrack.TrackTerms([[0.0, 0.0], [-INF, -INF]], [np.zeros((2, 2))])
    with pytest.raises(sentrack.Infeasible) as caught:
        sentrack.posteriors(sentrack.Problem([track]))
    assert re.search(r"\btrack 0\b", str(caught.value))
    assert re.search(r"\bframes? 1\b", str(caught.value))


def test_too_large_a_lattice_is_refused_with_its_size() -> None:
    rng = np.random.default_rng(2)
    sizes = np.full((2, 20), 4)
    problem = assemble(sizes, [3], [(0, 1)], lambda shape, _: rng.normal(size=shape))
    with pytest.raises(sentrack.ProblemTooLarge) as caught:
        sentrack.posteriors(problem, memory_limit=1)
    assert caught.value.states == 4 * 4 * 3
    assert caught.value.bytes >= 4 * 4 * 3 * 8
    assert caught.value.operations >= 20 * 4 * 4 * 3
    within = sentrack.posteriors(problem, memory_limit=caught.value.bytes)
    free = sentrack.posteriors(problem)
    assert within.log_partition == pytest.approx(free.log_partition, rel=1e-12)
    np.testing.assert_allclose(within.states[0], free.states[0], atol=1e-12)
