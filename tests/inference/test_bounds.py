"""Bounds of labels, by the first look and by message passing, drop nothing that matters."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.inference.kernels import plain, score_labels
from sentrack.inference.lattices import sweep_operations
from sentrack.inference.limits import Limits
from sentrack.inference.methods import auto, first_answers
from sentrack.inference.methods.coarse import CoarseRelaxation
from sentrack.inference.methods.first_look import first_look, nearest
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Bools, Floats, Terms
from sentrack.inference.terms import TOGETHER, assignment_score, kept_sizes, problem_labels, reduce
from sentrack.inference.terms import _largest as largest
from tests.inference import oracle
from tests.inference.strategies import assemble, problems

UNLIMITED = Limits.of(None, None)


def check_bounds(problem: sentrack.Problem, parts: list[tuple[Terms, Floats, float]]) -> None:
    """Every label's bound, with the bounds of the other components, is above all that uses it.

    Args:
        problem: the problem.
        parts: per component the terms, the bounds of their labels, and a bound of all of it.
    """
    everything = oracle.assignments(problem)
    chosen = np.concatenate([everything.tracks, everything.states])
    for terms, bounds, own in parts:
        others = sum(bound for _, _, bound in parts) - own
        for row, chain in enumerate(terms.chain):
            for t in range(problem.T):
                at = terms.node_at[row, t]
                for p in range(at, at + terms.sizes[row, t]):
                    best = everything.scores[chosen[chain, t] == terms.label[p]].max()
                    assert bounds[p] + others >= best - 1e-7 * (1 + abs(best))


@settings(max_examples=100)
@given(problem=problems(feasible=True))
def test_no_assignment_beats_the_bounds_of_the_first_look(problem: sentrack.Problem) -> None:
    parts = []
    for terms in reduce(problem).components:
        apart = first_look(terms, UNLIMITED)
        every: Bools = np.ones(terms.node.size, dtype=np.bool_)
        words = CoarseRelaxation(apart, every, every, UNLIMITED)
        assert words.upper_bound <= apart.upper_bound + 1e-9 * (1 + abs(apart.upper_bound))
        parts.append((terms, apart.bounds, apart.upper_bound))
    check_bounds(problem, parts)


@settings(max_examples=150)
@given(problem=problems(feasible=True), seed=st.integers(0, 99))
def test_no_assignment_beats_the_bounds_of_labels_taken_together(
    problem: sentrack.Problem, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    parts = []
    for terms in reduce(problem).components:
        apart = first_look(terms, UNLIMITED)
        every: Bools = np.ones(terms.node.size, dtype=np.bool_)
        coarse = CoarseRelaxation(apart, every, rng.random(terms.node.size) < 0.5, UNLIMITED)
        for _ in range(3):
            coarse.sweep()
            labels = problem_labels(coarse.terms, coarse.decode())
            if (labels != TOGETHER).all():
                # Every label is among those of the component, in the same order.
                places = np.array(
                    [
                        [
                            np.flatnonzero(terms.label[at : at + size] == label)[0]
                            for at, size, label in zip(*row, strict=True)
                        ]
                        for row in zip(terms.node_at, terms.sizes, labels, strict=True)
                    ]
                )
                assert assignment_score(coarse.terms, coarse.decode()) == pytest.approx(
                    assignment_score(terms, places), rel=1e-9, abs=1e-9
                )
            coarse.take_apart(rng.random(coarse.terms.sizes.shape) < 0.5)
            if (N := coarse.lattices.first.size - 1) > 1 and rng.random() < 0.5:
                after = coarse.upper_bound - coarse.gain(0, 1)
                coarse.merge([[0, 1], *([n] for n in range(2, N))])
                assert coarse.upper_bound == pytest.approx(after, rel=1e-9, abs=1e-9)
        coarse.sweep()
        # A bound of labels that are taken together is one of each.
        parts.append((terms, coarse.bounds[coarse.unit], coarse.upper_bound))
    check_bounds(problem, parts)


@settings(max_examples=60)
@given(problem=problems(), most=st.integers(1, 3), seed=st.integers(0, 99))
def test_some_label_of_every_frame_is_among_the_nearest(
    problem: sentrack.Problem, most: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    try:
        components = reduce(problem, feasible=False).components
    except sentrack.ProblemError:
        return
    for terms in components:
        values = np.where(rng.random(terms.node.size) < 0.5, terms.node, -np.inf)
        assert kept_sizes(terms, nearest(terms, values, most)).all()


@settings(max_examples=60)
@given(problem=problems(feasible=True))
def test_labels_taken_apart_are_those_of_the_component(problem: sentrack.Problem) -> None:
    for terms in reduce(problem).components:
        apart = first_look(terms, UNLIMITED)
        every: Bools = np.ones(terms.node.size, dtype=np.bool_)
        coarse = CoarseRelaxation(apart, every, ~every, UNLIMITED)
        assert coarse.terms.sizes.max() == 1
        while coarse.take_apart(np.ones(terms.sizes.shape, dtype=np.bool_)):
            pass
        assert coarse.alone.all()
        assert (coarse.terms.label == terms.label).all()
        labels = np.random.default_rng(0).integers(terms.sizes)
        assert assignment_score(coarse.terms, labels) == pytest.approx(
            assignment_score(terms, labels), rel=1e-9, abs=1e-9
        )


@settings(max_examples=100)
@given(problem=problems(feasible=True))
def test_no_assignment_beats_the_bounds_of_message_passing(problem: sentrack.Problem) -> None:
    parts = []
    for terms in reduce(problem).components:
        relaxation = Relaxation(terms, UNLIMITED)
        bounds = [relaxation.upper_bound]
        for _ in range(4):
            relaxation.sweep()
            bounds.append(relaxation.upper_bound)
        assert bounds == sorted(bounds, reverse=True)
        parts.append((terms, relaxation.bounds, relaxation.upper_bound))
    check_bounds(problem, parts)


@settings(max_examples=50)
@given(problem=problems(feasible=True))
def test_an_answer_that_comes_first_for_want_of_time_is_not_the_last(
    problem: sentrack.Problem,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "SMALL", 0.0)
        patch.setattr(auto, "LOOK", 0.0)
        patch.setattr(auto, "LARGE", 0.0)
        # There is no time for a first look at all labels at first, and later there is.
        operations = itertools.cycle([np.inf, 0.0])
        patch.setattr(auto, "first_look_operations", lambda _: next(operations))
        solution = sentrack.solve(
            problem, sentrack.Auto(exact_operations=0, exact_sweeps=0), time_limit=1e6
        )
    assert solution.score == pytest.approx(oracle.best(problem)[0], rel=1e-9, abs=1e-9)
    assert solution.certified


@settings(max_examples=100)
@given(problem=problems(feasible=True))
def test_merged_lattices_are_no_looser_and_all_together_exact(problem: sentrack.Problem) -> None:
    total = 0.0
    for terms in reduce(problem).components:
        relaxation = Relaxation(terms, UNLIMITED)
        relaxation.sweep()
        while (N := relaxation.lattices.first.size - 1) > 1:
            before = relaxation.upper_bound
            relaxation.merge([[0, 1], *([n] for n in range(2, N))])
            assert relaxation.upper_bound <= before + 1e-9 * (1 + abs(before))
        total += relaxation.upper_bound
    assert total == pytest.approx(oracle.best(problem)[0], rel=1e-9, abs=1e-9)


@settings(max_examples=120)
@given(problem=problems())
def test_auto_with_a_first_look_is_brute_force(problem: sentrack.Problem) -> None:
    method = sentrack.Auto(0, 0)
    optimum = oracle.best(problem)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "LOOK", 0)
        patch.setattr(auto, "LARGE", 0)
        patch.setattr(auto, "ALONE", 1)
        patch.setattr(auto, "CROWDED", 2.0)
        patch.setattr(first_answers, "FEW", 1)
        if optimum == -np.inf:
            with pytest.raises(sentrack.Infeasible):
                sentrack.solve(problem, method)
            return
        solution = sentrack.solve(problem, method)
    assert solution.certified
    assert solution.score == pytest.approx(optimum, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_auto_with_a_first_look_is_viterbi_where_many_labels_are_taken_together(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    problem = assemble(
        np.full((3, 8), 12), [3, 2], [(0, 1), (1, 2)], lambda shape, _: rng.normal(0, 3, shape)
    )
    exact = sentrack.solve(problem, "viterbi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "LOOK", 0)
        patch.setattr(auto, "LARGE", 0)
        patch.setattr(auto, "ALONE", 1)
        patch.setattr(auto, "CROWDED", 2.0)
        patch.setattr(first_answers, "FEW", 1)
        solution = sentrack.solve(problem, sentrack.Auto(0, 0))
    assert solution.certified
    assert solution.score == pytest.approx(exact.score, rel=1e-9)


@settings(max_examples=60)
@given(problem=problems(feasible=True), seed=st.integers(0, 99))
def test_an_assignment_scores_the_same_compiled_or_not(
    problem: sentrack.Problem, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    total = 0.0
    tracks = np.zeros((problem.L, problem.T), dtype=np.int64)
    states = np.zeros((problem.W, problem.T), dtype=np.int64)
    for terms in reduce(problem).components:
        labels = rng.integers(terms.sizes)
        score = score_labels(terms, labels, -np.inf)
        assert plain(score_labels)(terms, labels, -np.inf) == score
        total += score
        for c, row in zip(terms.chain, problem_labels(terms, labels), strict=True):
            if c < problem.L:
                tracks[c] = row
            else:
                states[c - problem.L] = row
    assert total == pytest.approx(problem.score(tracks, states), rel=1e-9, abs=1e-9)


@given(values=st.lists(st.floats(-1e300, 1e300) | st.just(-np.inf), max_size=40))
def test_the_largest_term_is_that_of_a_list(values: list[float]) -> None:
    array = np.array(values, dtype=np.float64)
    expected = max((abs(value) for value in values if value > -np.inf), default=0.0)
    assert largest(array) == expected


def test_operations_of_a_sweep_are_counted_by_frames() -> None:
    problem = assemble(
        np.array([[2, 3, 1], [4, 1, 1]]), [2], [(0, 1)], lambda shape, _: np.zeros(shape)
    )
    (terms,) = reduce(problem).components
    whole = Relaxation(terms, UNLIMITED)
    # Joint states times the lengths of the axes that have a choice, and two for the frame's terms.
    assert sweep_operations(terms.sizes, whole.lattices).tolist() == [16 * 10, 6 * 7, 2 * 4]
    # Chains by themselves, and the table: two per axis and two.
    apart = sweep_operations(terms.sizes, first_look(terms, UNLIMITED).lattices)
    assert apart.tolist() == [8 + 24 + 8 + 16 * 8, 15 + 2 + 8 + 6 * 8, 2 + 2 + 8 + 2 * 8]
