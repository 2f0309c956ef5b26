"""Steps against a subgradient: bounds that hold, terms that stay, and where the steps lead."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import sentrack
from sentrack.inference import message_passing
from sentrack.inference.lattices import lattice_chains
from sentrack.inference.limits import Limits
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.terms import chain_slice, reduce
from tests.inference.strategies import assemble, problems
from tests.inference.test_bounds import check_bounds

UNLIMITED = Limits(1 << 40)


@settings(max_examples=100)
@given(
    problem=problems(feasible=True),
    halved=st.sampled_from([0.0, np.inf]),
    goal=st.sampled_from([0.0, 1.0, 1e3]),
    sweeps=st.integers(0, 2),
)
def test_no_assignment_beats_the_bounds_after_steps(
    problem: sentrack.Problem, halved: float, goal: float, sweeps: int
) -> None:
    """Whatever the goal; and copies of a chain still add up to it."""
    parts = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_passing, "HALVED", halved)
        for terms in reduce(problem).components:
            relaxation = Relaxation(terms, UNLIMITED)
            for _ in range(2):
                relaxation.descend(relaxation.upper_bound - goal, 3)
                for _ in range(sweeps):
                    relaxation.sweep()
            lattices = relaxation.lattices
            for c in range(terms.chain.size):
                own = terms.node[chain_slice(terms, c)]
                axes = lattices.node_at[lattices.chain == c, 0]
                total = np.sum([lattices.node[at : at + own.size] for at in axes], axis=0)
                scale = 1e-9 * (1 + goal) + terms.rounding
                finite = np.isfinite(own) & np.isfinite(total)
                np.testing.assert_allclose(total[finite], own[finite], atol=scale, rtol=1e-9)
            parts.append((terms, relaxation.bounds, relaxation.upper_bound))
    check_bounds(problem, parts)


def test_without_a_goal_there_are_no_steps() -> None:
    terms = _two_words(0)
    relaxation = Relaxation(reduce(terms).components[0], UNLIMITED)
    before = relaxation.lattices.node.copy()
    relaxation.descend(-np.inf, 3)
    relaxation.descend(relaxation.upper_bound + 1.0, 3)
    np.testing.assert_array_equal(relaxation.lattices.node, before)


@pytest.mark.parametrize("seed", range(6))
def test_steps_and_sweeps_lead_to_the_least_bound_of_all(seed: int) -> None:
    """That is the optimum of a linear program over the assignments of each lattice."""
    terms = reduce(_two_words(seed)).components[0]
    least = least_bound(Relaxation(terms, UNLIMITED))
    relaxation = Relaxation(terms, UNLIMITED)
    start = relaxation.upper_bound
    for _ in range(60):
        relaxation.descend(least, 10)
        for _ in range(4):
            relaxation.sweep()
    assert relaxation.upper_bound >= least - 1e-6
    assert relaxation.upper_bound <= least + 0.02 * (start - least) + 1e-6


def _two_words(seed: int) -> sentrack.Problem:
    """Two words of two states that share a track."""
    rng = np.random.default_rng(seed)
    return assemble(
        np.full((3, 3), 3), [2, 2], [(0, 1), (1, 2)], lambda shape, _: rng.normal(0.0, 2.0, shape)
    )


def least_bound(relaxation: Relaxation) -> float:
    """The least sum of the two lattices' maxima, whatever their copies of the track share."""
    terms, lattices = relaxation.terms, relaxation.lattices
    T, (shared,) = terms.sizes.shape[1], np.flatnonzero(terms.spans.all(axis=0))
    worth, equal = [], []
    for n in range(2):
        chains = lattice_chains(lattices, n)
        every = np.indices(terms.sizes[chains].ravel().tolist()).reshape(len(chains), T, -1)
        score = np.zeros(every.shape[2])
        for c, labels in zip(chains, every, strict=True):
            part = 0.5 if c == shared else 1.0
            for t in range(T):
                score += part * terms.node[terms.node_at[c, t] + labels[t]]
                if t > 0:
                    places = labels[t - 1] * terms.sizes[c, t] + labels[t]
                    score += part * terms.step[terms.step_at[c, t] + places]
        (f,) = lattices.factor[lattices.factor_first[n] : lattices.factor_first[n + 1]]
        for t in range(T):
            places = np.ravel_multi_index(every[:, t], terms.sizes[chains, t])
            score += terms.factor[terms.factor_at[f, t] + places]
        worth.append(score)
        # Each lattice uses one assignment, and both use a label of the track as often.
        own = every[chains.tolist().index(shared)]
        used = [own[t] == label for t in range(T) for label in range(terms.sizes[shared, t])]
        one = [np.full(score.size, float(n == m)) for m in range(2)]
        equal.append(np.stack([*one, *((1.0 - 2.0 * n) * np.stack(used))]))
    right = np.append([1.0, 1.0], np.zeros(len(equal[0]) - 2))
    found = linprog(-np.concatenate(worth), A_eq=np.concatenate(equal, axis=1), b_eq=right)
    assert found.status == 0
    return float(-found.fun)
