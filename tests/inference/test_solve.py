"""The contract of sentrack.solve, for every method, against brute force and known answers."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

import sentrack
from tests.inference import oracle
from tests.inference.strategies import Lazy, assemble, lazily, plant, problems

INF = float("inf")
AUTOS: dict[str, Any] = {
    "auto": "auto",
    "auto, nothing exact at once": sentrack.Auto(0, 0),
}
EXACT: dict[str, Any] = {"viterbi": "viterbi", **AUTOS}
EVERY: dict[str, Any] = {
    **EXACT,
    "dual": "dual",
    "ascent": "ascent",
    "growth": sentrack.Growth(starts=4, iterations=20, final_iterations=50),
}


def each(methods: dict[str, Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("method", methods.values(), ids=methods.keys())


def check(problem: sentrack.Problem, solution: sentrack.Solution, optimum: float) -> None:
    """What holds of every answer to a feasible problem."""
    assert solution.tracks.shape == (problem.L, problem.T)
    assert solution.states.shape == (problem.W, problem.T)
    assert np.issubdtype(solution.tracks.dtype, np.integer)
    assert np.issubdtype(solution.states.dtype, np.integer)
    assert (solution.tracks >= 0).all()
    assert (solution.tracks < problem.sizes).all()
    assert (solution.states >= 0).all()
    for w in range(problem.W):
        assert (solution.states[w] < problem.states(w)).all()
    score = problem.score(solution.tracks, solution.states)
    assert solution.score == pytest.approx(score, rel=1e-9, abs=1e-9)
    slack = 1e-7 * (1 + abs(optimum))
    assert solution.score <= optimum + slack
    assert solution.upper_bound >= optimum - slack
    if solution.certified:
        assert solution.score == pytest.approx(optimum, rel=2e-6, abs=2e-6)
    assert solution.method
    assert solution.seconds >= 0


def noise(
    seed: int,
    sizes: npt.ArrayLike,
    states: Sequence[int],
    links: Sequence[tuple[int, ...]],
    scale: float = 1.0,
) -> sentrack.Problem:
    """A problem whose every value is drawn from a normal distribution: no ties, no -inf."""
    rng = np.random.default_rng(seed)
    return assemble(sizes, states, links, lambda shape, _: rng.normal(scale=scale, size=shape))


def cycle(seed: int, scale: float = 3.0) -> sentrack.Problem:
    """Three tracks, and three words that tie each to the next."""
    return noise(seed, np.full((3, 6), 4), [3, 3, 3], [(0, 1), (1, 2), (2, 0)], scale)


def rivals(seed: int) -> sentrack.Problem:
    """Four tracks that keep to one of two candidates, each shunning those of all others."""
    pairs = list(itertools.combinations(range(4), 2))
    problem = noise(seed, np.full((4, 4), 2), [1] * 6, pairs, scale=0.5)
    alike = 3 * np.eye(2)
    return sentrack.Problem(
        [
            replace(track, pairwise=[np.asarray(table) + alike for table in track.pairwise])
            for track in problem.tracks
        ],
        [
            replace(word, emission=[np.asarray(table) - alike for table in word.emission])
            for word in problem.words
        ],
    )


# Beyond brute force. Relaxations are seldom tight on these, searches often miss the best, and in
# the weak ones the second best comes close: a false bound or a false elimination shows.
HARD: dict[str, Callable[[int], sentrack.Problem]] = {
    "strong cycle": cycle,
    "weak cycle": lambda seed: cycle(seed, scale=0.3),
    "rivals": rivals,
    "pairs": lambda seed: noise(
        seed, np.full((5, 4), 3), [1] * 10, list(itertools.combinations(range(5), 2)), scale=0.3
    ),
    "triples": lambda seed: noise(
        seed, np.full((4, 6), 3), [1] * 4, list(itertools.combinations(range(4), 3)), scale=2.0
    ),
}
hard = pytest.mark.parametrize("make", HARD.values(), ids=HARD.keys())


def conflict(T: int) -> sentrack.Problem:
    """Three tracks of two candidates that all want to differ: in each frame one pair cannot.

    A relaxation that splits the words believes all three content, so its bound lies above; the
    best score is 2 T.
    """
    differ = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    tracks = [sentrack.TrackTerms([[0.0, 0.0]] * T, [np.zeros((2, 2))] * (T - 1))] * 3
    words = [
        sentrack.WordTerms([0.0], [[0.0]], [differ] * T, pair) for pair in [(0, 1), (1, 2), (2, 0)]
    ]
    return sentrack.Problem(tracks, words)


@settings(max_examples=120)
@given(problem=problems())
def test_viterbi_is_brute_force(problem: sentrack.Problem) -> None:
    optimum, _, _ = oracle.best(problem)
    if optimum == -INF:
        with pytest.raises(sentrack.Infeasible):
            sentrack.solve(problem, method="viterbi")
        return
    solution = sentrack.solve(problem, method="viterbi")
    check(problem, solution, optimum)
    assert solution.score == pytest.approx(optimum, rel=1e-9, abs=1e-9)
    assert solution.certified


@each(AUTOS)
@settings(max_examples=120)
@given(problem=problems())
def test_auto_is_brute_force_and_proves_it(method: Any, problem: sentrack.Problem) -> None:
    optimum, _, _ = oracle.best(problem)
    if optimum == -INF:
        with pytest.raises(sentrack.Infeasible):
            sentrack.solve(problem, method=method)
        return
    solution = sentrack.solve(problem, method=method)
    check(problem, solution, optimum)
    assert solution.certified


@each(EVERY)
@settings(max_examples=100)
@given(problem=problems(feasible=True))
def test_every_answer_is_what_it_says(method: Any, problem: sentrack.Problem) -> None:
    optimum, _, _ = oracle.best(problem)
    check(problem, sentrack.solve(problem, method=method), optimum)


@each(EVERY)
@settings(max_examples=50)
@given(problem=problems(forbid=(0.0,), repeats=False))
def test_where_nothing_is_forbidden_every_method_has_an_answer(
    method: Any, problem: sentrack.Problem
) -> None:
    optimum, _, _ = oracle.best(problem)
    solution = sentrack.solve(problem, method=method)
    check(problem, solution, optimum)
    assert np.isfinite(solution.score)


def test_auto_is_the_default() -> None:
    problem = cycle(0)
    default, auto = sentrack.solve(problem), sentrack.solve(problem, method="auto", seed=0)
    assert (default.method, default.score) == (auto.method, auto.score)


@each(EVERY)
@hard
def test_beyond_brute_force(make: Callable[[int], sentrack.Problem], method: Any) -> None:
    for seed in range(6):
        problem = make(seed)
        optimum = sentrack.solve(problem, method="viterbi").score
        solution = sentrack.solve(problem, method=method)
        check(problem, solution, optimum)
        if method in EXACT.values():
            assert solution.certified


@each(EVERY)
def test_no_false_certificate_where_relaxations_are_not_tight(method: Any) -> None:
    problem = conflict(4)
    solution = sentrack.solve(problem, method=method)
    check(problem, solution, 8.0)


@each(EXACT)
def test_the_best_of_a_conflict_is_proven(method: Any) -> None:
    solution = sentrack.solve(conflict(6), method=method)
    assert solution.score == pytest.approx(12.0)
    assert solution.certified


@each(EXACT)
def test_a_planted_answer_is_found_in_a_long_clip(method: Any) -> None:
    # Every term of the planted answer is worth at least 1, and every other term at most 0.
    rng = np.random.default_rng(3)
    sizes, states = rng.integers(1, 5, (2, 300)), [2, 3]
    tracks, chains = plant(rng, sizes, states)
    # A transition serves all frames, so a chain that stays in its state leaves only one choice.
    chains = np.broadcast_to(chains[:, :1], chains.shape)

    def values(shape: tuple[int, ...], cells: tuple[Any, ...]) -> npt.NDArray[np.float64]:
        table = rng.uniform(-1, 0, shape)
        table[cells] += 2
        return table

    problem = assemble(sizes, states, [(0, 1), (1,)], values, (tracks, chains))
    solution = sentrack.solve(problem, method=method)
    np.testing.assert_array_equal(solution.tracks, tracks)
    np.testing.assert_array_equal(solution.states, chains)
    assert solution.certified


@each(EVERY)
def test_the_empty_problem(method: Any) -> None:
    problem = sentrack.Problem([], [])
    solution = sentrack.solve(problem, method=method)
    check(problem, solution, 0.0)
    assert solution.score == 0.0


@each(EVERY)
def test_one_frame_one_candidate(method: Any) -> None:
    problem = sentrack.Problem(
        [sentrack.TrackTerms([[-1.5]], [])],
        [sentrack.WordTerms([-0.5], [[-INF]], [[[-2.0]]], (0,))],
    )
    solution = sentrack.solve(problem, method=method)
    check(problem, solution, -4.0)
    assert solution.score == pytest.approx(-4.0)


# What is infeasible, by its cause. Each takes the terms of a sound problem of two tracks of two
# candidates, and one word (0, 1) of two states, over four frames.

Terms = tuple[list[sentrack.TrackTerms], list[sentrack.WordTerms]]
NEVER = np.full((2, 2), -INF)
STAY = np.where(np.eye(2) > 0, 0.0, -INF)


def terms() -> Terms:
    problem = noise(0, np.full((2, 4), 2), [2], [(0, 1)])
    return list(problem.tracks), list(problem.words)


def changed(arrays: Sequence[npt.ArrayLike], *changes: tuple[int, Any]) -> list[npt.ArrayLike]:
    arrays = list(arrays)
    for position, array in changes:
        arrays[position] = array
    return arrays


def no_candidate() -> Terms:
    tracks, words = terms()
    tracks[1] = replace(tracks[1], unary=changed(tracks[1].unary, (2, [-INF, -INF])))
    return tracks, words


def no_emission() -> Terms:
    tracks, words = terms()
    nothing = np.full((2, 2, 2), -INF)
    words[0] = replace(words[0], emission=changed(words[0].emission, (1, nothing)))
    return tracks, words


def no_passage() -> Terms:
    tracks, words = terms()
    tracks[0] = replace(tracks[0], pairwise=changed(tracks[0].pairwise, (2, NEVER)))
    return tracks, words


def no_start() -> Terms:
    tracks, words = terms()
    return tracks, [replace(words[0], initial=[-INF, -INF])]


def no_transition() -> Terms:
    tracks, words = terms()
    return tracks, [replace(words[0], transition=NEVER)]


def frames_apart_disagree() -> Terms:
    """The track must keep its candidate, but begins with one and ends with the other."""
    tracks, words = terms()
    tracks[0] = sentrack.TrackTerms(
        changed(tracks[0].unary, (0, [0.0, -INF]), (3, [-INF, 0.0])), [STAY] * 3
    )
    return tracks, words


def words_disagree() -> Terms:
    """In frame 2 one word wants the two candidates alike and the other unlike."""
    tracks, words = terms()
    alike, unlike = np.stack([STAY, STAY]), np.stack([STAY[::-1], STAY[::-1]])
    emission = words[0].emission
    return tracks, [
        replace(words[0], emission=changed(emission, (2, alike))),
        replace(words[0], emission=changed(emission, (2, unlike))),
    ]


def states_apart_disagree() -> Terms:
    """The word needs its second state in frame 3 and can never leave its first."""
    tracks, words = terms()
    late = np.zeros((2, 2, 2))
    late[0] = -INF
    return tracks, [
        replace(
            words[0],
            initial=[0.0, -INF],
            transition=STAY,
            emission=changed(words[0].emission, (3, late)),
        )
    ]


@each(EXACT)
@pytest.mark.parametrize(
    ("cause", "names"),
    [
        (no_candidate, ("track 1", "frame 2")),
        (no_emission, ("word 0", "frame 1")),
        (no_passage, ("track 0",)),
        (no_start, ("word 0",)),
        (no_transition, ("word 0",)),
        (frames_apart_disagree, ()),
        (words_disagree, ()),
        (states_apart_disagree, ()),
    ],
)
def test_the_infeasible_is_explained(method: Any, cause: Any, names: tuple[str, ...]) -> None:
    problem = sentrack.Problem(*cause())
    assert oracle.best(problem)[0] == -INF
    with pytest.raises(sentrack.Infeasible) as caught:
        sentrack.solve(problem, method=method)
    message = str(caught.value)
    assert re.search(r"\bframes? \d", message)
    assert re.search(r"\b(track|word)s? \d", message)
    for part in names:
        assert part in message


def test_an_answer_of_no_finite_score_is_never_certified() -> None:
    labels = np.zeros((1, 1), dtype=np.int64)
    for bound in (-INF, 3.0, INF):
        solution = sentrack.Solution(labels, labels, -INF, bound, "ascent", 0.0)
        assert not solution.certified


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("viterbbi", "viterbi"),
        ("Viterbi", "viterbi"),
        ("dula", "dual"),
        ("acsent", "ascent"),
        ("growht", "growth"),
        ("atuo", "auto"),
    ],
)
def test_an_unknown_method_is_answered_with_the_nearest(wrong: Any, right: str) -> None:
    with pytest.raises(ValueError, match=rf"\b{right}\b"):
        sentrack.solve(conflict(1), method=wrong)


@each(EVERY)
def test_same_seed_same_answer(method: Any) -> None:
    problem = cycle(11)
    one, two = (sentrack.solve(problem, method=method, seed=5) for _ in range(2))
    np.testing.assert_array_equal(one.tracks, two.tracks)
    np.testing.assert_array_equal(one.states, two.states)
    assert (one.score, one.upper_bound, one.method) == (two.score, two.upper_bound, two.method)


@each(EVERY)
@pytest.mark.parametrize("time_limit", [1e-9, 0.02])
def test_out_of_time_the_bound_is_still_true(method: Any, time_limit: float) -> None:
    problem = cycle(12)
    optimum = sentrack.solve(problem, method="viterbi").score
    check(problem, sentrack.solve(problem, method=method, time_limit=time_limit), optimum)


def test_viterbi_says_what_it_would_need_and_keeps_within_it() -> None:
    T, states = 100, 5 * 5 * 3
    problem = noise(13, np.full((2, T), 5), [3], [(0, 1)])
    free = sentrack.solve(problem, method="viterbi")
    with pytest.raises(sentrack.ProblemTooLarge) as caught:
        sentrack.solve(problem, method="viterbi", memory_limit=1)
    need = caught.value
    assert need.states == states
    assert need.operations >= T * states
    assert states * 8 <= need.bytes < T * states * 8  # less than the table of every frame
    with pytest.raises(sentrack.ProblemTooLarge):
        sentrack.solve(problem, method="viterbi", memory_limit=need.bytes - 1)
    for limit in np.linspace(need.bytes, T * states * 16, 8).astype(int).tolist():
        solution = sentrack.solve(problem, method="viterbi", memory_limit=limit)
        np.testing.assert_array_equal(solution.tracks, free.tracks)
        np.testing.assert_array_equal(solution.states, free.states)
        assert solution.score == pytest.approx(free.score, rel=1e-12)
        assert solution.certified


@settings(max_examples=50)
@given(problem=problems(feasible=True))
def test_viterbi_within_the_least_memory_is_brute_force(problem: sentrack.Problem) -> None:
    optimum, _, _ = oracle.best(problem)
    try:
        solution = sentrack.solve(problem, method="viterbi", memory_limit=1)
    except sentrack.ProblemTooLarge as need:
        solution = sentrack.solve(problem, method="viterbi", memory_limit=need.bytes)
    assert solution.score == pytest.approx(optimum, rel=1e-9, abs=1e-9)
    check(problem, solution, optimum)


@each(AUTOS)
@hard
@pytest.mark.parametrize("share", [0.5, 0.2, 0.01])
def test_auto_answers_where_the_lattice_does_not_fit(
    make: Callable[[int], sentrack.Problem], method: Any, share: float
) -> None:
    for seed in range(6):
        problem = make(seed)
        optimum = sentrack.solve(problem, method="viterbi").score
        with pytest.raises(sentrack.ProblemTooLarge, match="auto") as caught:
            sentrack.solve(problem, method="viterbi", memory_limit=1)
        limit = int(share * caught.value.bytes)
        check(problem, sentrack.solve(problem, method=method, memory_limit=limit), optimum)


@each(EVERY)
def test_lazy_terms_give_the_same_answer(method: Any) -> None:
    eager = noise(15, [[2, 3, 1, 3], [3, 1, 2, 2]], [2, 3], [(1, 0), (1,)])
    one = sentrack.solve(eager, method=method)
    two = sentrack.solve(lazily(eager.tracks, eager.words), method=method)
    np.testing.assert_array_equal(one.tracks, two.tracks)
    np.testing.assert_array_equal(one.states, two.states)
    assert (one.score, one.upper_bound) == (two.score, two.upper_bound)


@each(EVERY)
def test_a_fault_in_a_lazy_sequence_is_reported(method: Any) -> None:
    track = sentrack.TrackTerms(
        Lazy(lambda t: [0.0, float("nan") if t == 2 else 1.0], 3), [np.zeros((2, 2))] * 2
    )
    with pytest.raises(sentrack.ProblemError, match="track 0, frame 2: unary holds NaN"):
        sentrack.solve(sentrack.Problem([track]), method=method)


@each(EVERY)
def test_the_terms_are_left_alone(method: Any) -> None:
    rng = np.random.default_rng(16)
    made = []

    def values(shape: tuple[int, ...], _: tuple[Any, ...]) -> npt.NDArray[np.float64]:
        table = rng.normal(size=shape)
        table.setflags(write=False)  # as a memory-mapped file is
        made.append((table, table.copy()))
        return table

    problem = assemble(np.full((2, 4), 3), [2, 1], [(0, 1), (1,)], values)
    check(problem, sentrack.solve(problem, method=method), oracle.best(problem)[0])
    for table, copy in made:
        np.testing.assert_array_equal(table, copy)
