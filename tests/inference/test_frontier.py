"""Lists of joint states and guesses: exact where nothing is left out, and bounded where it is."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.inference.errors import Infeasible
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.methods import auto, first_answers, viterbi
from sentrack.inference.methods.frontier import search_frontier
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.terms import reduce
from tests.inference import oracle
from tests.inference.strategies import assemble, problems

UNLIMITED = Limits.of(None, None)


@settings(max_examples=80)
@given(problem=problems(feasible=True), sweeps=st.integers(0, 3))
def test_all_joint_states_are_brute_force(problem: sentrack.Problem, sweeps: int) -> None:
    total = 0.0
    for terms in reduce(problem).components:
        relaxation = Relaxation(terms, UNLIMITED)
        for _ in range(sweeps):
            relaxation.sweep()
        reached = search_frontier(relaxation, -math.inf, 10**6, UNLIMITED)
        assert reached.labels is not None
        assert reached.upper_bound == reached.score
        total += reached.score
    assert total == pytest.approx(oracle.best(problem)[0], rel=1e-9, abs=1e-9)


@settings(max_examples=80)
@given(problem=problems(feasible=True), most=st.integers(1, 4), below=st.sampled_from([0.5, 9.0]))
def test_few_joint_states_bound_what_they_leave_out(
    problem: sentrack.Problem, most: int, below: float
) -> None:
    components = reduce(problem).components
    exact = [viterbi.exact(t, UNLIMITED).score for t in components]
    for terms, best in zip(components, exact, strict=True):
        relaxation = Relaxation(terms, UNLIMITED)
        relaxation.sweep()
        reached = search_frontier(relaxation, best - below, most, UNLIMITED)
        assert reached.upper_bound >= best - 1e-9 * (1 + abs(best))
        assert reached.score <= best + 1e-9 * (1 + abs(best))
        above = search_frontier(relaxation, best + 1.0, 10**6, UNLIMITED)
        assert above.upper_bound == best + 1.0
        assert above.score <= best + 1e-9 * (1 + abs(best))


@settings(max_examples=100)
@given(problem=problems(), share=st.sampled_from([1 / 16, 0.3, 0.9]))
def test_guesses_are_brute_force(problem: sentrack.Problem, share: float) -> None:
    method = sentrack.Auto(0, 0)
    optimum = oracle.best(problem)[0]
    with pytest.MonkeyPatch.context() as patch:
        # No product of all chains, and lists of joint states however short.
        patch.setattr(auto, "DENSE", math.inf)
        patch.setattr(auto, "FEWEST", 1)
        patch.setattr(auto, "GUESS", share)
        if optimum == -np.inf:
            with pytest.raises(Infeasible):
                sentrack.solve(problem, method)
            return
        solution = sentrack.solve(problem, method)
    assert solution.certified
    assert solution.score == pytest.approx(optimum, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_guesses_are_viterbi_where_words_go_round_in_a_ring(seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = [(0, 1), (1, 2), (2, 3), (3, 0)]
    problem = assemble(np.full((4, 9), 5), [2] * 4, links, lambda shape, _: rng.normal(0, 2, shape))
    exact = sentrack.solve(problem, "viterbi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "DENSE", math.inf)
        patch.setattr(auto, "FEWEST", 1)
        solution = sentrack.solve(problem, sentrack.Auto(0, 0))
    assert solution.certified
    assert solution.score == pytest.approx(exact.score, rel=1e-9)


def test_what_is_left_out_for_a_guess_is_not_above_its_threshold() -> None:
    rng = np.random.default_rng(3)
    problem = assemble(
        np.full((3, 8), 12), [3, 2], [(0, 1), (1, 2)], lambda shape, _: rng.normal(0, 3, shape)
    )
    (terms,) = reduce(problem).components
    relaxation = Relaxation(terms, UNLIMITED)
    relaxation.sweep()
    threshold = relaxation.threshold(-math.inf, 0.1)
    keep = relaxation.promising(threshold)
    assert (
        relaxation.cost_of(
            sizes := np.add.reduceat(keep, terms.node_at.ravel()).reshape(terms.sizes.shape)
        )
        <= 0.1 * relaxation.cost
    )
    assert sizes.min() >= 1
    best = np.repeat(
        np.maximum.reduceat(relaxation.bounds, terms.node_at.ravel()), terms.sizes.ravel()
    )
    assert (
        keep == ((relaxation.bounds >= threshold - terms.rounding) | (relaxation.bounds == best))
    ).all()


def test_time_that_is_over_stops_a_search() -> None:
    rng = np.random.default_rng(0)
    problem = assemble(np.full((2, 4), 3), [2], [(0, 1)], lambda shape, _: rng.normal(size=shape))
    (terms,) = reduce(problem).components
    relaxation = Relaxation(terms, UNLIMITED)
    with pytest.raises(OutOfTime):
        search_frontier(relaxation, -math.inf, 10, Limits(10**9, deadline=0.0))


def affords(looks: int) -> Callable[[Limits, float], bool]:
    """Time that is over after so many looks at the clock, for those who have a limit."""
    left = iter(range(looks))
    return lambda limits, _: limits.deadline == math.inf or next(left, None) is not None


@pytest.mark.parametrize("seed", range(3))
def test_whenever_time_is_over_the_bound_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = [(0, 1), (1, 2), (2, 0)]
    problem = assemble(np.full((3, 6), 6), [2] * 3, links, lambda shape, _: rng.normal(0, 2, shape))
    best = sentrack.solve(problem, "viterbi").score
    certified = 0
    for looks in range(150):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(auto, "LOOK", 0)
            patch.setattr(auto, "LARGE", 0)
            patch.setattr(auto, "ALONE", 1)
            patch.setattr(auto, "CROWDED", 2.0)
            patch.setattr(first_answers, "FEW", 1)
            patch.setattr(auto, "DENSE", math.inf)
            patch.setattr(auto, "FEWEST", 1)
            patch.setattr(Limits, "affords", affords(looks))
            solution = sentrack.solve(problem, sentrack.Auto(0, 0), time_limit=1e9)
        assert solution.score <= best + 1e-9
        assert solution.upper_bound >= best - 1e-9
        certified += solution.certified
    assert 0 < certified < 150
