"""Free start and free end, against all intervals by brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.inference import Problem, TrackTerms, WordTerms, solve
from sentrack.inference.intervals import _shares, best_interval, best_intervals, between, opened


def scene(seed: int, T: int, links: list[tuple[int, ...]], L: int, K: int) -> Problem:
    """Random log-ratios, below zero on average, with some moves forbidden."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, (L, T))

    def some(*shape: int) -> np.ndarray:
        values = rng.normal(-0.3, 1.0, shape)
        values[rng.random(shape) < 0.1] = -np.inf
        return values

    tracks = [
        TrackTerms(
            [some(n) for n in sizes[i]],
            [some(sizes[i, t - 1], sizes[i, t]) for t in range(1, T)],
        )
        for i in range(L)
    ]
    words = [
        WordTerms(
            some(K), some(K, K), [some(K, *(sizes[p, t] for p in link)) for t in range(T)], link
        )
        for link in links
    ]
    return Problem(tracks, words)


def brute(problem: Problem, final: list[list[bool]]) -> float:
    """The best score of all tracks and states of all intervals, by trying each."""
    best = -np.inf
    for first, last in itertools.combinations(range(problem.T + 1), 2):
        part = between(problem, first, last)
        choices = [range(part.sizes[i, t]) for i in range(part.L) for t in range(part.T)]
        choices += [range(part.states(w)) for w in range(part.W) for _ in range(part.T)]
        for choice in itertools.product(*choices):
            labels = np.array(choice).reshape(-1, part.T)
            tracks, states = labels[: part.L], labels[part.L :]
            if all(final[w][states[w, -1]] for w in range(part.W)):
                best = max(best, part.score(tracks, states))
    return best


LINKS: list[tuple[list[tuple[int, ...]], int]] = [
    ([(0,)], 1),
    ([(0, 1)], 2),
    ([(0,)], 2),  # the second track is held by no word
]


@pytest.mark.parametrize("method", ["auto", "viterbi", "dual"])
@pytest.mark.parametrize(("links", "L"), LINKS)
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), T=st.integers(1, 3))
def test_the_best_interval_is_the_best_of_all(
    links: list[tuple[int, ...]], L: int, method: str, seed: int, T: int
) -> None:
    problem = scene(seed, T, links, L, K=2)
    final = [[True, False] if seed % 2 else [True, True]] * len(links)
    expected = brute(problem, final)
    if expected == -np.inf:
        return
    found = best_interval(problem, final, method)
    assert found.solution.upper_bound >= expected - 1e-9
    part = between(problem, found.first, found.last)
    score = part.score(found.solution.tracks, found.solution.states)
    assert found.solution.score == pytest.approx(score)
    assert all(final[w][s[-1]] for w, s in enumerate(found.solution.states))
    if method != "dual" or found.solution.certified:
        assert score == pytest.approx(expected)


def test_further_intervals_do_not_overlap_and_descend() -> None:
    """Three bumps of known worth in a row of losses."""
    worth = np.full(30, -1.0)
    worth[3:6], worth[12:20], worth[25:27] = 2.0, 0.5, 4.0
    track = TrackTerms([np.array([v]) for v in worth], [np.zeros((1, 1))] * 29)
    found = best_intervals(Problem([track]), 5, least=0.0)
    assert [(i.first, i.last) for i in found] == [(25, 27), (3, 6), (12, 20)]
    np.testing.assert_allclose([i.solution.score for i in found], [8.0, 6.0, 4.0])


def row_of_states(seed: int, mean: float, stays: bool, T: int = 60, K: int = 20) -> Problem:
    """Two tracks and a word that goes through K states in order, each for a frame or for any."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, 9, (2, T))
    tracks = [
        TrackTerms(
            [rng.normal(mean, 1, n) for n in sizes[i]],
            [rng.normal(mean, 1, (sizes[i, t - 1], sizes[i, t])) for t in range(1, T)],
        )
        for i in range(2)
    ]
    step = np.full((K, K), -np.inf)
    step[np.arange(K - 1), np.arange(1, K)] = np.log(0.3)
    if stays:
        np.fill_diagonal(step, np.log(0.7))
    initial = np.where(np.arange(K) == 0, 0.0, -np.inf)
    emission = [rng.normal(mean, 1, (K, *sizes[:, t])) for t in range(T)]
    return Problem(tracks, [WordTerms(initial, step, emission, (0, 1))])


@pytest.mark.parametrize("mean", [-0.3, -1.0, -2.0])
@pytest.mark.parametrize("stays", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_bounds_agree_with_the_whole_lattice_where_few_candidates_go_together(
    mean: float, stays: bool, whole: bool
) -> None:
    """What is best by itself in every frame is no interval: the phases do not fit."""
    for seed in range(5):
        problem = row_of_states(seed, mean, stays)
        final = [[False] * 19 + [True]] if whole else None
        larger = opened(problem, final)
        exact, found = solve(larger, "viterbi"), solve(larger, "auto")
        assert found.certified
        assert found.score == pytest.approx(exact.score, abs=1e-6)
        assert found.score == pytest.approx(larger.score(found.tracks, found.states))


@pytest.mark.parametrize("seed", range(5))
def test_what_tracks_share_changes_no_score(seed: int) -> None:
    problem = scene(seed, 5, [(0, 1), (1, 2)], 3, 2)
    shares = _shares(problem)
    assert shares.shape == (3, 5)
    assert np.abs(shares).max() > 0.1
    assert shares.sum(axis=0) == pytest.approx(np.zeros(5), abs=1e-12)


def test_participants_of_one_noun_share_their_coherence_with_free_ends_too() -> None:
    problem = scene(0, 4, [], 1, 1)
    (track,) = problem.tracks
    twins = Problem([track, TrackTerms(track.unary, track.pairwise)])
    first, second = opened(twins).tracks
    assert first.pairwise is second.pairwise
