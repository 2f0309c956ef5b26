"""Free start and free end, against all intervals by brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.inference import Auto, Growth, Infeasible, Problem, TrackTerms, WordTerms, solve
from sentrack.inference.balance import balanced
from sentrack.inference.intervals import best_interval, best_intervals, between
from sentrack.inference.lattices import decompose, lattices_apart, word_groups
from sentrack.inference.limits import Limits
from sentrack.inference.methods import auto, first_answers
from sentrack.inference.opening import as_problem, inside, opened
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.terms import assignment_score


def scene(
    seed: int, T: int, links: list[tuple[int, ...]], L: int, K: int, forbidden: float = 0.1
) -> Problem:
    """Random log-ratios, below zero on average, with some moves forbidden."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, (L, T))

    def some(*shape: int) -> np.ndarray:
        values = rng.normal(-0.3, 1.0, shape)
        values[rng.random(shape) < forbidden] = -np.inf
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
@given(seed=st.integers(0, 10**6), T=st.integers(1, 3), K=st.integers(1, 2))
def test_the_best_interval_is_the_best_of_all(
    links: list[tuple[int, ...]], L: int, method: str, seed: int, T: int, K: int
) -> None:
    problem = scene(seed, T, links, L, K)
    final = [[True, K == 1] if seed % 2 else [True, True]] * len(links)
    final = [each[:K] for each in final]
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
        exact, best = best_interval(problem, final, "viterbi"), best_interval(problem, final)
        found = best.solution
        assert found.certified
        assert found.score == pytest.approx(exact.solution.score, abs=1e-6)
        part = between(problem, best.first, best.last)
        assert found.score == pytest.approx(part.score(found.tracks, found.states))


@settings(max_examples=100)
@given(seed=st.integers(0, 10**6), T=st.integers(1, 6), look=st.booleans(), ties=st.booleans())
def test_bounds_agree_with_the_whole_lattice_where_nothing_is_solved_at_once(
    seed: int, T: int, look: bool, ties: bool
) -> None:
    links: list[tuple[int, ...]] = [(0, 1), (1, 2), (0,)] if ties else [(0, 1), (2,)]
    problem = scene(seed, T, links, 3, 2)
    try:
        exact = best_interval(problem, method="viterbi")
    except Infeasible:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "SMALL", 0.0)
        if look:
            patch.setattr(auto, "LOOK", 0)
            patch.setattr(auto, "LARGE", 0)
            patch.setattr(auto, "ALONE", 1)
            patch.setattr(auto, "CROWDED", 2.0)
            patch.setattr(first_answers, "FEW", 1)
            patch.setattr(auto, "LARGE", 0.0)
        found = best_interval(problem, method=Auto(0, 0)).solution
    assert found.certified
    assert found.score == pytest.approx(exact.solution.score, abs=1e-6)


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), apart=st.booleans())
def test_what_lattices_are_given_changes_no_score(seed: int, apart: bool) -> None:
    """Of assignments that are inside with all chains in the same frames."""
    problem = scene(seed, 5, [(0, 1), (1, 2)], 3, 2, forbidden=0.0)
    (terms,) = opened(problem).components
    within = inside(problem, terms)
    start = lattices_apart(terms) if apart else decompose(terms, word_groups(terms))
    changed, lattices = balanced(terms, start, within, Limits.of(None, None))
    rng = np.random.default_rng(seed)
    for _ in range(20):
        first, last = np.sort(rng.choice(6, 2, replace=False))
        labels = np.empty_like(terms.sizes)
        for c, t in np.ndindex(*labels.shape):
            own = np.flatnonzero(within[terms.node_at[c, t] :][: terms.sizes[c, t]])
            labels[c, t] = rng.choice(own)
            if not first <= t < last:
                labels[c, t] = own.size + (t >= last and terms.chain[c] < terms.L)
        score = assignment_score(terms, labels)
        assert score > -np.inf
        assert assignment_score(changed, labels) == pytest.approx(score)
    copies = np.zeros_like(terms.node)
    for a, c in enumerate(lattices.chain.tolist()):
        n = int(terms.sizes[c].sum())
        copies[terms.node_at[c, 0] :][:n] += lattices.node[lattices.node_at[a, 0] :][:n]
    np.testing.assert_allclose(copies, changed.node, atol=1e-9)
    finite = start.node > -np.inf
    assert np.abs(lattices.node[finite] - start.node[finite]).max() > 0.01


def test_lattices_that_disagree_on_the_interval_are_bounded_tightly_at_once() -> None:
    """Two words about one track: each by itself would leave out the frames of the other."""
    T, rng = 20, np.random.default_rng(0)
    tracks = [TrackTerms([np.zeros(2)] * T, [np.zeros((2, 2))] * (T - 1)) for _ in range(3)]
    words = [
        WordTerms(
            np.log([0.5, 0.5]),
            np.log([[0.5, 0.5], [0.5, 0.5]]),
            [rng.normal(5 if (t < 10) == first else -4, 0.1, (2, 2, 2)) for t in range(T)],
            link,
        )
        for first, link in ((True, (0, 1)), (False, (1, 2)))
    ]
    problem = Problem(tracks, words)
    (terms,) = opened(problem).components
    limits = Limits.of(None, None)
    best = best_interval(problem, method="viterbi").solution.score
    given = balanced(terms, None, inside(problem, terms), limits)
    before, after = Relaxation(terms, limits), Relaxation(given[0], limits, given[1])
    assert before.upper_bound > best + 50
    assert best - 1e-9 <= after.upper_bound < best + 5


def test_participants_of_one_noun_share_their_coherence_with_free_ends_too() -> None:
    problem = scene(0, 4, [], 1, 1)
    (track,) = problem.tracks
    (terms,) = opened(Problem([track, TrackTerms(track.unary, track.pairwise)])).components
    np.testing.assert_array_equal(*terms.step_at)


@pytest.mark.parametrize(("links", "L"), LINKS)
@pytest.mark.parametrize("K", [1, 2])
def test_opened_terms_are_a_problem_too(links: list[tuple[int, ...]], L: int, K: int) -> None:
    for seed in range(10):
        problem = scene(seed, 4, links, L, K)
        (terms,) = opened(problem).components
        try:
            best = solve(as_problem(terms), "viterbi").score
        except Infeasible:
            with pytest.raises(Infeasible):
                best_interval(problem, method="viterbi")
            continue
        assert best_interval(problem, method="viterbi").solution.score == pytest.approx(best)


def test_growth_finds_intervals_too() -> None:
    for seed in range(5):
        problem = scene(seed, 4, [(0, 1)], 2, 2)
        best = best_interval(problem).solution
        found = best_interval(
            problem, method=Growth(starts=20, iterations=50, final_iterations=200)
        )
        part = between(problem, found.first, found.last)
        score = part.score(found.solution.tracks, found.solution.states)
        assert found.solution.score == pytest.approx(score)
        assert score <= best.score + 1e-9 <= found.solution.upper_bound + 2e-9
