"""The best intervals of many runs against `best_interval` of each as a problem of its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.inference import (
    Infeasible,
    Problem,
    TrackTerms,
    WordTerms,
    best_interval,
    best_intervals_of_runs,
    best_paths,
    best_states,
    solve,
)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 4), st.integers(1, 3))
def test_every_run_has_its_best_interval(seed: int, T: int, S: int, K: int) -> None:
    rng = np.random.default_rng(seed)
    state = rng.integers(K, size=S)
    initial = np.where(rng.random(S) < 0.7, rng.normal(size=S), -np.inf)
    transition = np.where(rng.random((S, S)) < 0.6, rng.normal(size=(S, S)) - 0.5, -np.inf)
    final = rng.random(S) < 0.7
    length = rng.integers(1, T + 1, size=4)
    begin = np.concatenate([[0], np.cumsum(length)])
    told = rng.normal(size=(begin[-1], K))
    told[rng.random(len(told)) < 0.2] = -np.inf
    wanted = np.array([True, True, False, True])
    chain = initial, transition, state, final
    score, first, last = best_intervals_of_runs(*chain, told, begin, wanted)
    assert score[2] == -np.inf
    for n in np.flatnonzero(wanted):
        run = told[begin[n] : begin[n + 1]]
        track = TrackTerms([np.zeros(1)] * length[n], [np.zeros((1, 1))] * (length[n] - 1))
        word = WordTerms(initial, transition, list(run[:, state][:, :, None]), (0,))
        try:
            best = best_interval(Problem([track], [word]), [final])
        except Infeasible:
            assert score[n] == -np.inf
            continue
        assert score[n] == pytest.approx(best.solution.score)
        assert 0 <= first[n] < last[n] <= length[n]
        # Ties apart, it is the same interval: its own score is what was found.
        part = run[first[n] : last[n]]
        alone, start, end = best_intervals_of_runs(*chain, part, np.array([0, len(part)]))
        assert alone[0] == pytest.approx(score[n])
        assert (start[0], end[0]) == (0, len(part))


def test_a_run_of_nothing_has_no_interval() -> None:
    chain = np.zeros(1), np.zeros((1, 1)), np.zeros(1, np.int64), np.ones(1, np.bool_)
    score, *_ = best_intervals_of_runs(*chain, np.full((6, 1), -np.inf), np.array([0, 3, 6]))
    assert (score == -np.inf).all()


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4), st.integers(1, 3))
def test_every_sequence_has_its_best_states(seed: int, T: int, S: int, K: int) -> None:
    rng = np.random.default_rng(seed)
    state = rng.integers(K, size=S)
    initial = np.where(rng.random(S) < 0.8, rng.normal(size=S), -np.inf)
    transition = np.where(rng.random((S, S)) < 0.7, rng.normal(size=(S, S)), -np.inf)
    final = rng.random(S) < 0.8
    told = rng.normal(size=(3, T, K))
    nats, looks = best_states(initial, transition, state, final, told)
    emission = np.moveaxis(told[:, :, state], 0, 2).copy()
    emission[-1, ~final] = -np.inf
    assert nats == pytest.approx(best_paths(initial, transition, emission))
    track = TrackTerms([np.zeros(1)] * T, [np.zeros((1, 1))] * (T - 1))
    for n in np.flatnonzero(nats > -np.inf):
        word = WordTerms(initial, transition, list(emission[:, :, n : n + 1]), (0,))
        found = solve(Problem([track], [word]))
        assert nats[n] == pytest.approx(found.score)
        assert np.array_equal(looks[n], state[found.states[0]])
