"""Answers that can be trusted: problems that try to break bounds, certificates and limits."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from benchmarks import trust
from sentrack.inference import limits as resource_limits
from sentrack.inference import message_passing
from sentrack.inference.intervals import best_interval
from sentrack.inference.kernels import sweeps
from tests.inference import oracle
from tests.inference.strategies import assemble, problems

LIMITS = st.builds(trust.Limits, st.sampled_from(trust.TIME), st.sampled_from(trust.MEMORY))


@settings(max_examples=500)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(list(trust.METHODS)), limits=LIMITS)
def test_no_method_says_more_than_it_knows(seed: int, name: str, limits: trust.Limits) -> None:
    problem = trust.random_problem(np.random.default_rng(seed))
    assert list(trust.faults(problem, name, limits, trust.optimum(problem))) == []


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(list(trust.METHODS)), limits=LIMITS)
def test_no_interval_says_more_than_is_known(seed: int, name: str, limits: trust.Limits) -> None:
    problem = trust.random_problem(np.random.default_rng(seed))
    best = trust.best_span(problem)
    assert list(trust.faults(problem, name, limits, best, span=True)) == []


@settings(max_examples=100)
@given(problem=problems())
def test_the_joint_table_is_brute_force(problem: sentrack.Problem) -> None:
    if not problem.L:
        return
    best, tracks, states = oracle.best(problem)
    assert trust.optimum(problem) == pytest.approx(best, rel=1e-12, abs=1e-12)
    assert trust.worth(problem, tracks, states) == pytest.approx(best, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("memory", [0, 1000])
def test_tracks_that_share_terms_are_bounded_where_memory_is_short(memory: int) -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        T, J = 4, 5
        terms = sentrack.TrackTerms(
            list(rng.normal(size=(T, J))), list(rng.normal(size=(T - 1, J, J)))
        )
        word = sentrack.WordTerms([0.0], [[0.0]], list(rng.normal(size=(T, 1, J, J))), (0, 1))
        problem = sentrack.Problem([terms, terms], [word])
        best = trust.optimum(problem)
        for name in trust.METHODS:
            limits = trust.Limits(None, memory)
            assert list(trust.faults(problem, name, limits, best)) == [], (seed, name)


@pytest.mark.parametrize("ties", [2, 5, 24])
def test_candidates_that_stand_many_times_change_nothing(ties: int) -> None:
    rng = np.random.default_rng(ties)
    once = assemble(
        np.full((2, 6), 4), [3], [(0, 1)], lambda shape, _: rng.normal(size=shape).round(1)
    )
    rows = np.repeat(np.arange(4), ties)
    tracks = [
        sentrack.TrackTerms(
            [np.asarray(f)[rows] for f in track.unary],
            [np.asarray(g)[np.ix_(rows, rows)] for g in track.pairwise],
        )
        for track in once.tracks
    ]
    words = [
        sentrack.WordTerms(
            word.initial,
            word.transition,
            [np.asarray(h)[:, rows][:, :, rows] for h in word.emission],
            word.participants,
        )
        for word in once.words
    ]
    many = sentrack.Problem(tracks, words)
    best = sentrack.solve(once, "viterbi").score
    for name in ("auto", "auto, nothing exact at once", "auto, with a first look"):
        assert list(trust.faults(many, name, trust.Limits(None, None), best)) == []


@pytest.mark.parametrize("scale", [1e9, 1e15, 1e100])
@pytest.mark.parametrize("name", list(trust.METHODS))
def test_what_rounding_hides_is_not_certified(name: str, scale: float) -> None:
    rng = np.random.default_rng(0)
    problem = assemble(
        np.full((2, 4), 4), [3], [(0, 1)], lambda shape, _: scale * rng.normal(size=shape)
    )
    best = trust.optimum(problem)
    assert list(trust.faults(problem, name, trust.Limits(None, None), best)) == []


def test_large_terms_that_cancel_are_not_certified() -> None:
    # The score is about 1, but the terms are of a size at which sums are exact to 0.1 only.
    f = [np.array([1e15, 1e15]), np.array([-1e15, 1.0 - 1e15])]
    problem = sentrack.Problem([sentrack.TrackTerms(f, [np.zeros((2, 2))])])
    solution = sentrack.solve(problem)
    assert not solution.certified
    assert solution.upper_bound >= 1.0


def test_terms_whose_sums_overflow_are_refused() -> None:
    f = [np.full(2, 1.5e308)] * 3
    with pytest.raises(sentrack.ProblemError, match="too large"):
        sentrack.solve(sentrack.Problem([sentrack.TrackTerms(f, [np.zeros((2, 2))] * 2)]))


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that only sweeps move: a second for every frame that one passes.

    Gives the times at which frames were passed.
    """
    now = [0.0]
    passed: list[float] = []

    def counted(*arguments: Any) -> None:
        begin, end = arguments[-2:]
        sweeps.sweep_frames(*arguments)
        for _ in range(begin, end):
            now[0] += 1
            passed.append(now[0])

    monkeypatch.setattr(message_passing, "sweep_frames", counted)
    monkeypatch.setattr(message_passing, "announce", lambda _: None)
    monkeypatch.setattr(message_passing, "CHUNK", 1.0)
    monkeypatch.setattr(resource_limits, "TIMED", 0.0)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return passed


@pytest.mark.parametrize("name", list(trust.METHODS))
@pytest.mark.parametrize("limit", [0.5, 4.5, 30.5])
def test_no_sweep_goes_on_after_the_limit(slow: list[float], name: str, limit: float) -> None:
    rng = np.random.default_rng(3)
    problem = assemble(
        np.full((3, 6), 5),
        [3, 2],
        [(0, 1), (1, 2)],
        lambda shape, _: rng.normal(size=shape),
    )
    method, _ = trust.METHODS[name]
    best = trust.optimum(problem)
    if method == "auto":
        method = sentrack.Auto(exact_operations=1e9)
    solution = sentrack.solve(problem, method, time_limit=limit)
    # At the pace of the frame before, each frame is started only if it will end in time; a first
    # answer of each of the five chains by itself, of six frames, comes on top.
    assert len(slow) <= limit + 1 + 5 * 6
    assert solution.score <= best + 1e-9
    assert solution.upper_bound >= best - 1e-9
    assert np.isfinite(solution.score)


def test_an_interval_is_found_whatever_the_time() -> None:
    rng = np.random.default_rng(0)
    problem = assemble(
        np.full((3, 12), 9), [3, 3], [(0, 1), (1, 2)], lambda shape, _: rng.normal(size=shape)
    )
    best = best_interval(problem).solution.score
    for method in ("auto", "viterbi", "dual", sentrack.Auto(exact_operations=1e12)):
        found = best_interval(problem, method=method, time_limit=0.0)
        assert 0 <= found.first < found.last <= problem.T
        assert found.solution.tracks.shape == (3, found.last - found.first)
        assert found.solution.score <= best + 1e-9
        assert found.solution.upper_bound >= best - 1e-9


def test_sums_keep_within_the_memory_that_they_ask_for() -> None:
    rng = np.random.default_rng(0)
    K, J, T = 24, 12, 6
    problem = assemble(np.full((2, T), J), [K], [(0, 1)], lambda shape, _: rng.normal(size=shape))
    states = K * J * J
    need = 8 * (T * states + 8 * states)
    with pytest.raises(sentrack.ProblemTooLarge):
        sentrack.posteriors(problem, memory_limit=need - 1)
    sentrack.posteriors(problem, memory_limit=need)  # compiles
    tracemalloc.start()
    answer = sentrack.posteriors(problem, memory_limit=need)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(e.size for e in answer.emissions[0]) == T * states
    # Terms are read and laid out, and what is answered is not part of the limit.
    terms = 16 * (T * states + 2 * (T - 1) * J * J + 4096)
    assert peak <= need + kept + terms
