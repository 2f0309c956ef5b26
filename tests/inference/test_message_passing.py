"""Sweeps through both halves of a clip at once: scores, bounds, and what is read off."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sentrack
from sentrack.inference import message_passing
from sentrack.inference.lattices import one_lattice
from sentrack.inference.limits import Limits, in_threads
from sentrack.inference.message_passing import MessagePassing, potential
from sentrack.inference.methods.first_look import first_look
from sentrack.inference.methods.viterbi import exact
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.terms import assignment_score, reduce
from tests.inference.strategies import problems
from tests.inference.test_bounds import check_bounds

UNLIMITED = Limits(1 << 40)


@pytest.fixture(autouse=True)
def halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little there is to do, it is done in halves."""
    monkeypatch.setattr(message_passing, "HALVED", 0.0)


@given(problem=problems(feasible=True), sweeps=st.integers(1, 5), apart=st.booleans())
def test_no_assignment_beats_the_bounds_of_halves(
    problem: sentrack.Problem, sweeps: int, apart: bool
) -> None:
    parts = []
    for terms in reduce(problem).components:
        relaxation = first_look(terms, UNLIMITED) if apart else Relaxation(terms, UNLIMITED)
        reached = [relaxation.upper_bound]
        for _ in range(sweeps):
            relaxation.sweep()
            reached.append(relaxation._messages.upper_bound)
        slack = 1e-9 * (1 + abs(reached[0])) + terms.rounding
        assert (np.diff(reached) <= slack).all()
        parts.append((terms, relaxation.bounds, relaxation.upper_bound))
    check_bounds(problem, parts)


@given(problem=problems(feasible=True), sweeps=st.integers(0, 3))
def test_messages_both_ways_are_those_of_the_whole(problem: sentrack.Problem, sweeps: int) -> None:
    """What was moved between lattices is kept; all else is passed anew without halves."""
    for terms in reduce(problem).components:
        relaxation = Relaxation(terms, UNLIMITED)
        for _ in range(sweeps):
            relaxation.sweep()
        forward, backward = relaxation.both_ways()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(message_passing, "HALVED", math.inf)
            plain = MessagePassing(terms, relaxation.lattices, UNLIMITED)
        scale = 1e-9 * (1 + abs(relaxation.upper_bound)) + terms.rounding
        np.testing.assert_allclose(plain.best, relaxation.best, atol=scale)
        np.testing.assert_allclose(plain.both_ways()[0], forward, atol=scale)
        np.testing.assert_allclose(plain.backward(), backward, atol=scale)
        np.testing.assert_allclose(relaxation.backward(), backward, atol=scale)


@given(problem=problems(feasible=True))
def test_of_one_lattice_the_best_of_all_is_read_off(problem: sentrack.Problem) -> None:
    for terms in reduce(problem).components:
        messages = MessagePassing(terms, one_lattice(terms), UNLIMITED)
        best = exact(terms, UNLIMITED).score
        scale = 1e-9 * (1 + abs(best)) + terms.rounding
        assert float(messages.best[0]) == pytest.approx(best, abs=scale)
        for labels in (messages.copies(), messages.read()):
            assert assignment_score(terms, labels) == pytest.approx(best, abs=scale)


def test_work_in_threads_is_not_halved_again() -> None:
    terms = reduce(_chain(8)).components[0]

    def whole_at_once(_: int) -> bool:
        messages = MessagePassing(terms, one_lattice(terms), UNLIMITED)
        messages.sweep()
        return messages.whole

    assert in_threads(whole_at_once, range(2)) == [True, True]
    assert not whole_at_once(0)


def test_either_side_of_a_seam_is_told_half_of_how_far_a_state_is_from_the_best() -> None:
    past, future = np.array([1.0, 5.0, -np.inf]), np.array([4.0, 2.0, 9.0])
    told = potential(past, future)
    np.testing.assert_allclose(past[:2] + told[:2], [6.0, 7.0])
    np.testing.assert_allclose(future[:2] - told[:2], [-1.0, 0.0])
    assert told[2] == -np.inf


def _chain(T: int) -> sentrack.Problem:
    rng = np.random.default_rng(0)
    unary, pairwise = list(rng.normal(size=(T, 3))), list(rng.normal(size=(T - 1, 3, 3)))
    return sentrack.Problem([sentrack.TrackTerms(unary, pairwise)], [])
