import itertools
import math

import numpy as np
import pytest

from benchmarks.peers import autograd_growth, naive_viterbi, toulbar2
from sentrack.inference.problem import Problem, TrackTerms, WordTerms
from tests.inference import oracle


def random_problem(seed: int, links: list[tuple[int, ...]], zeros: float = 0.15) -> Problem:
    """Two or three tracks over three frames, words of one to three states, some of it forbidden."""
    rng = np.random.default_rng(seed)
    L, T = 1 + max(p for link in links for p in link), 3
    sizes = rng.integers(1, 3, (L, T))

    def values(*shape: int) -> np.ndarray:
        drawn = rng.normal(0, 3, shape)
        return np.where(rng.random(shape) < zeros, -np.inf, drawn)

    tracks = [
        TrackTerms(
            [values(n) for n in size],
            [values(m, n) for m, n in itertools.pairwise(size)],
        )
        for size in sizes
    ]
    words = []
    for link in links:
        K = int(rng.integers(1, 4))
        emission = [values(K, *(int(sizes[p, t]) for p in link)) for t in range(T)]
        words.append(WordTerms(values(K), values(K, K), emission, link))
    return Problem(tracks, words)


def brute_force(problem: Problem) -> float:
    return oracle.best(problem)[0]


LINKS: list[list[tuple[int, ...]]] = [
    [(0,), (0, 1)],
    [(1,), (1, 0)],
    [(0, 1), (0,)],
    [(0, 1, 2)],
    [(0, 0)],
]


@pytest.mark.parametrize("links", LINKS)
@pytest.mark.parametrize("seed", range(6))
def test_exact_peers_find_what_brute_force_finds(seed: int, links: list[tuple[int, ...]]) -> None:
    problem = random_problem(seed, links)
    best = brute_force(problem)
    peers = (naive_viterbi(problem), toulbar2(problem, 5), toulbar2(problem, 5, vac=True))
    for peer in peers:
        assert peer is not None
        assert peer.proved
        assert peer.score == pytest.approx(best, abs=1e-6)
        assert peer.bound == pytest.approx(best, abs=1e-5)


def test_naive_viterbi_declines_what_is_too_large() -> None:
    problem = random_problem(0, [(0, 1)], zeros=0)
    assert naive_viterbi(problem, max_operations=1) is None


def hard_problem() -> Problem:
    rng = np.random.default_rng(0)
    T, J, L = 10, 15, 5
    tracks = [
        TrackTerms(list(rng.normal(size=(T, J))), list(rng.normal(size=(T - 1, J, J))))
        for _ in range(L)
    ]
    pairs = itertools.combinations(range(L), 2)
    words = [WordTerms([0.0], [[0.0]], list(rng.normal(size=(T, 1, J, J))), p) for p in pairs]
    return Problem(tracks, words)


def test_toulbar2_stops_at_the_time_limit_with_a_bound() -> None:
    peer = toulbar2(hard_problem(), 1)
    assert not peer.proved
    assert peer.bound is not None
    assert -math.inf < peer.score < peer.bound


@pytest.mark.parametrize("links", LINKS)
def test_growth_batched_or_not_is_the_same_and_climbs(links: list[tuple[int, ...]]) -> None:
    problem = random_problem(3, links, zeros=0)
    alone = autograd_growth(problem, starts=3, iterations=5, final_iterations=20, seed=0)
    batch = autograd_growth(problem, 3, 5, 20, seed=0, batched=True)
    start = autograd_growth(problem, 3, 0, 0, seed=0)
    assert alone.relaxed == pytest.approx(batch.relaxed)
    assert alone.score == batch.score
    assert alone.relaxed > start.relaxed
    assert alone.score <= brute_force(problem) + 1e-9


def test_growth_converges_to_a_labelling() -> None:
    problem = random_problem(3, [(0,), (0, 1)], zeros=0)
    grown = autograd_growth(problem, starts=10, iterations=20, final_iterations=2000, seed=0)
    assert grown.relaxed == pytest.approx(grown.score, abs=1e-3)
    assert grown.score == pytest.approx(brute_force(problem))
