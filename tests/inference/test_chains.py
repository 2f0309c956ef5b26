"""The best intervals of many cases against `best_interval` of each as a problem of its own."""

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
    best_intervals_of_cases,
)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 4), st.integers(1, 3))
def test_every_case_has_its_best_interval(seed: int, T: int, S: int, K: int) -> None:
    rng = np.random.default_rng(seed)
    state = rng.integers(K, size=S)
    initial = np.where(rng.random(S) < 0.7, rng.normal(size=S), -np.inf)
    transition = np.where(rng.random((S, S)) < 0.6, rng.normal(size=(S, S)) - 0.5, -np.inf)
    final = rng.random(S) < 0.7
    told = rng.normal(size=(3, T, K))
    told[rng.random((3, T)) < 0.2] = -np.inf
    score, first, last = best_intervals_of_cases(initial, transition, state, final, told)
    for n in range(3):
        track = TrackTerms([np.zeros(1)] * T, [np.zeros((1, 1))] * (T - 1))
        word = WordTerms(initial, transition, list(told[n][:, state][:, :, None]), (0,))
        try:
            best = best_interval(Problem([track], [word]), [final])
        except Infeasible:
            assert score[n] == -np.inf
            continue
        assert score[n] == pytest.approx(best.solution.score)
        assert 0 <= first[n] < last[n] <= T
        # Ties apart, it is the same interval: its own score is what was found.
        part = told[n, first[n] : last[n]][None]
        alone, begin, end = best_intervals_of_cases(initial, transition, state, final, part)
        assert alone[0] == pytest.approx(score[n])
        assert (begin[0], end[0]) == (0, last[n] - first[n])


def test_a_case_that_never_is_has_no_interval() -> None:
    score, *_ = best_intervals_of_cases(
        np.zeros(1), np.zeros((1, 1)), np.zeros(1, np.int64), np.ones(1, np.bool_),
        np.full((2, 3, 1), -np.inf),
    )  # fmt: skip
    assert (score == -np.inf).all()
