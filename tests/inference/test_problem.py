"""What makes a Problem, what is refused and how, and the oracle that the other tests trust."""

import dataclasses
import math
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.errors import SentrackError
from sentrack.inference.errors import ProblemError, ProblemTooLarge
from sentrack.inference.problem import Problem, TrackTerms, WordTerms
from tests.inference import oracle
from tests.inference.strategies import Lazy, assemble, lazily, problems

# Two tracks over three frames, a word of two states for track 0 and one of three for (1, 0).
SIZES = np.array([[2, 3, 1], [1, 2, 2]])
LINKS = [(0,), (1, 0)]
STATES = [2, 3]

NAN, INF = float("nan"), float("inf")


def sound() -> Problem:
    rng = np.random.default_rng(1)
    return assemble(SIZES, STATES, LINKS, lambda shape, _: rng.normal(size=shape))


@dataclasses.dataclass(frozen=True)
class Fault:
    """One field of a sound problem, or the array of one frame of it, replaced by a wrong value."""

    kind: str
    index: int
    field: str
    t: int | None
    value: object
    message: str

    def terms(self) -> tuple[list[TrackTerms], list[WordTerms]]:
        problem = sound()
        tracks, words = list(problem.tracks), list(problem.words)
        group: list[Any] = tracks if self.kind == "track" else words
        value = self.value
        if self.t is not None:
            arrays = list(getattr(group[self.index], self.field))
            arrays[self.t - (self.field == "pairwise")] = value
            value = arrays
        group[self.index] = dataclasses.replace(group[self.index], **{self.field: value})
        return tracks, words

    def explains(self, error: ProblemError) -> bool:
        """Whether a message names the track or word, the frame and the fault."""
        where = f"{self.kind} {self.index}"
        frame = "" if self.t is None else rf", frames? (\d+ to )?{self.t}"
        return bool(re.match(f"{where}{frame}: {re.escape(self.message)}", str(error)))

    def __str__(self) -> str:
        where = "" if self.t is None else f", frame {self.t}"
        return f"{self.kind} {self.index}{where}: {self.message}"


def unary(track: int, t: int, value: object, message: str) -> Fault:
    return Fault("track", track, "unary", t, value, f"unary {message}")


def pairwise(track: int, t: int, value: object, message: str) -> Fault:
    return Fault("track", track, "pairwise", t, value, f"pairwise {message}")


def emission(word: int, t: int, value: object, message: str) -> Fault:
    return Fault("word", word, "emission", t, value, f"emission {message}")


def whole(kind: str, index: int, field: str, value: object, message: str) -> Fault:
    return Fault(kind, index, field, None, value, message)


ARRAY_FAULTS = [
    unary(1, 2, [NAN, 0.0], "holds NaN"),
    unary(1, 2, [0.0, INF], "holds +inf"),
    unary(1, 1, ["low", "high"], "is not an array of numbers"),
    unary(0, 0, [[1.0, 2.0], [3.0]], "is not an array of numbers"),
    unary(0, 0, np.array([1j, 2j]), "is not an array of numbers"),
    unary(0, 1, [], "has shape (0,)"),
    unary(0, 1, 3.0, "has shape ()"),
    unary(0, 1, [[1.0, 2.0, 3.0]], "has shape (1, 3)"),
    pairwise(0, 2, [[NAN], [0.0], [0.0]], "holds NaN"),
    pairwise(0, 2, [[INF], [0.0], [0.0]], "holds +inf"),
    pairwise(0, 1, "near", "is not an array of numbers"),
    pairwise(1, 2, np.zeros((2, 3)), "has shape (2, 3); it must be (2, 2)"),
    pairwise(0, 1, np.zeros((3, 2)), "has shape (3, 2); it must be (2, 3)"),
    emission(0, 2, [[NAN], [0.0]], "holds NaN"),
    emission(0, 2, [[0.0], [INF]], "holds +inf"),
    emission(1, 1, [["x"]], "is not an array of numbers"),
    # a state too few, the participants in the wrong order, a participant too few
    emission(1, 1, np.zeros((2, 2, 3)), "has shape (2, 2, 3); it must be (3, 2, 3)"),
    emission(1, 1, np.zeros((3, 3, 2)), "has shape (3, 3, 2); it must be (3, 2, 3)"),
    emission(1, 1, np.zeros((3, 2)), "has shape (3, 2); it must be (3, 2, 3)"),
]

WHOLE_FAULTS = [
    whole("track", 0, "unary", [], "unary has no frame"),
    whole("track", 1, "unary", [[0.0]], "unary has 1 frames, track 0 has 3"),
    whole("track", 1, "pairwise", [], "pairwise has 0 arrays; 3 frames need 2"),
    whole("track", 0, "pairwise", [[[0.0]]] * 3, "pairwise has 3 arrays; 3 frames need 2"),
    whole("word", 1, "emission", [[[[0.0]]]], "emission has 1 arrays for 3 frames"),
    whole("word", 1, "participants", (), "it has no participant"),
    whole("word", 1, "participants", (1, 2), "participant 2 is out of range; there are 2 tracks"),
    whole("word", 1, "participants", (-1, 0), "participant -1 is out of range"),
    whole("word", 1, "participants", ("person", 0), "participant"),
    whole("word", 1, "participants", (1, 0.5), "participant"),
    whole("word", 0, "initial", [0.0, NAN], "initial holds NaN"),
    whole("word", 0, "initial", [0.0, INF], "initial holds +inf"),
    whole("word", 0, "initial", ["first"], "initial is not an array of numbers"),
    whole("word", 0, "initial", [], "initial has shape (0,)"),
    whole("word", 0, "initial", [[0.0, 0.0]], "initial has shape (1, 2)"),
    whole("word", 1, "transition", np.full((3, 3), NAN), "transition holds NaN"),
    whole("word", 1, "transition", np.full((3, 3), INF), "transition holds +inf"),
    whole("word", 1, "transition", "stay", "transition is not an array of numbers"),
    whole("word", 1, "transition", np.zeros((2, 3)), "transition has shape (2, 3); it must be (3"),
]


@pytest.mark.parametrize("fault", ARRAY_FAULTS + WHOLE_FAULTS, ids=str)
def test_a_fault_is_refused_by_name(fault: Fault) -> None:
    tracks, words = fault.terms()
    with pytest.raises(ProblemError) as caught:
        Problem(tracks, words)
    assert fault.explains(caught.value)


@pytest.mark.parametrize("fault", ARRAY_FAULTS, ids=str)
def test_a_fault_in_a_lazy_sequence_is_refused_when_it_is_read(fault: Fault) -> None:
    def read() -> None:
        getattr(lazily(*fault.terms()), fault.field)(fault.index, fault.t)

    with pytest.raises(ProblemError) as caught:
        read()
    assert fault.explains(caught.value)


@pytest.mark.parametrize(
    "fault", [fault for fault in ARRAY_FAULTS if (fault.kind, fault.index) == ("track", 1)], ids=str
)
def test_a_fault_in_a_listed_track_is_refused_at_once_beside_a_lazy_one(fault: Fault) -> None:
    tracks, _ = fault.terms()
    listed = tracks[0].unary
    tracks[0] = dataclasses.replace(tracks[0], unary=Lazy(lambda t: listed[t], len(listed)))
    with pytest.raises(ProblemError) as caught:
        Problem(tracks)
    assert fault.explains(caught.value)


def test_a_word_needs_a_track() -> None:
    word = WordTerms([0.0], [[0.0]], [], (0,))
    with pytest.raises(ProblemError, match="word 0: participant 0 is out of range; there are 0 tr"):
        Problem([], [word])


def test_errors_are_caught_as_what_they_are() -> None:
    assert issubclass(ProblemError, SentrackError)
    assert issubclass(ProblemError, ValueError)
    assert issubclass(ProblemTooLarge, MemoryError)
    too_large = ProblemTooLarge(states=1_000, bytes=2_000, operations=3_000, limit=500)
    assert (too_large.states, too_large.bytes, too_large.operations) == (1_000, 2_000, 3_000)
    for number in ("1,000", "2,000", "3,000", "500"):
        assert number in str(too_large)


def test_what_is_accepted_reads_back() -> None:
    problem = sound()
    assert (problem.L, problem.W, problem.T) == (2, 2, 3)
    assert problem.sizes.tolist() == SIZES.tolist()
    for w, (link, K) in enumerate(zip(LINKS, STATES, strict=True)):
        assert problem.link(w) == link
        assert problem.states(w) == K
        np.testing.assert_array_equal(problem.initial(w), problem.words[w].initial)
        np.testing.assert_array_equal(problem.transition(w), problem.words[w].transition)
        for t in range(3):
            np.testing.assert_array_equal(problem.emission(w, t), problem.words[w].emission[t])
    for i in range(2):
        for t in range(3):
            np.testing.assert_array_equal(problem.unary(i, t), problem.tracks[i].unary[t])
        for t in (1, 2):
            np.testing.assert_array_equal(problem.pairwise(i, t), problem.tracks[i].pairwise[t - 1])


def test_lists_arrays_integers_and_strides_become_contiguous_floats() -> None:
    block: Any = np.arange(12, dtype=np.float32).reshape(3, 4)
    bytewise: Any = np.zeros((2, 2, 2), dtype=np.int8)
    zero: Any = np.int64(0)
    problem = Problem(
        [TrackTerms(block[:, ::2], bytewise)],
        [WordTerms([0], [[-INF]], (np.zeros((2, 1)).T, [[1, 2]], [[3, -INF]]), (zero,))],
    )
    assert problem.sizes.tolist() == [[2, 2, 2]]
    for array in (
        problem.unary(0, 1),
        problem.pairwise(0, 1),
        problem.initial(0),
        problem.transition(0),
        problem.emission(0, 2),
    ):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
    assert problem.unary(0, 1).tolist() == [4.0, 6.0]
    assert problem.emission(0, 2).tolist() == [[3.0, -INF]]


def test_lazy_tables_are_not_read_until_asked_for() -> None:
    eager = sound()
    problem = lazily(eager.tracks, eager.words)
    tables = [terms.pairwise for terms in problem.tracks]
    tables += [terms.emission for terms in problem.words]
    assert problem.sizes.tolist() == SIZES.tolist()
    assert [arrays.reads for arrays in tables if isinstance(arrays, Lazy)] == [0, 0, 0, 0]
    np.testing.assert_array_equal(problem.emission(1, 2), eager.emission(1, 2))
    assert [arrays.reads for arrays in tables if isinstance(arrays, Lazy)] == [0, 0, 0, 1]
    labels = SIZES - 1, [[1, 0, 1], [2, 1, 0]]
    assert problem.score(*labels) == eager.score(*labels)


def test_lazy_tables_of_listed_candidates_are_checked_when_read() -> None:
    problem = Problem(
        [TrackTerms([[0.0], [0.0, 0.0]], Lazy(lambda _: [[0.0]], 1))],
        [WordTerms([0.0], [[0.0]], Lazy(lambda t: np.full((1, t + 1), NAN), 2), (0,))],
    )
    assert problem.sizes.tolist() == [[1, 2]]
    with pytest.raises(ProblemError, match=r"track 0.* 1: .*must be \(1, 2\)"):
        problem.pairwise(0, 1)
    with pytest.raises(ProblemError, match="word 0, frame 1: emission holds NaN"):
        problem.emission(0, 1)


@settings(max_examples=100)
@given(problem=problems(), data=st.data())
def test_score_is_that_of_the_enumeration(problem: Problem, data: st.DataObject) -> None:
    tracks, states, scores = oracle.assignments(problem)
    n = data.draw(st.integers(0, len(scores) - 1))
    for i in {0, n, int(np.argmax(scores)), len(scores) - 1}:
        score = problem.score(tracks[..., i], states[..., i])
        assert score == pytest.approx(scores[i], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("tracks", "states", "message"),
    [
        ([[0, 0]], [[0, 0]], r"tracks are int64 \(1, 2\); they must be integers \(2, 3\)"),
        ([[0.0] * 3] * 2, [[0] * 3] * 2, "tracks are float64"),
        ([[0, 0, 9], [0, 0, 0]], [[0] * 3] * 2, r"tracks\[0\], frame 2: 9 is out of range"),
        ([[0] * 3] * 2, [[0, -1, 0], [0] * 3], r"states\[0\], frame 1: -1 is out of range"),
    ],
)
def test_only_labels_can_be_scored(tracks: object, states: object, message: str) -> None:
    problem = sound()
    assert (problem.L, problem.W, problem.T) == (2, 2, 3)
    with pytest.raises(ProblemError, match=message):
        problem.score(tracks, states)  # type: ignore[arg-type]


def test_a_problem_travels_between_processes() -> None:
    problem = sound()
    copy = pickle.loads(pickle.dumps(problem))
    labels = np.zeros((2, 3), dtype=np.int64)
    assert copy.score(labels, labels) == problem.score(labels, labels)
    np.testing.assert_array_equal(copy.sizes, problem.sizes)


def test_the_empty_problem() -> None:
    problem = Problem([], [])
    assert (problem.L, problem.W, problem.T) == (0, 0, 0)
    assert problem.sizes.shape == (0, 0)
    assert problem.score([], []) == 0.0
    assert oracle.best(problem)[0] == 0.0
    assert oracle.partition(problem) == (0.0, [], [], [], [])


# The oracle itself, by hand.


def test_oracle_by_hand() -> None:
    # Candidate 1 then 0 is worth 2 + 1 - 1; the word is in state 1 in both frames.
    problem = Problem(
        [TrackTerms([[0.0, 2.0], [1.0, 0.5]], [[[0.0, 0.0], [-1.0, -9.0]]])],
        [
            WordTerms(
                [-3.0, -1.0],
                [[0.0, 0.0], [-7.0, -0.25]],
                [[[0.0, 0.0], [0.0, 4.0]], [[0.0, 0.0], [8.0, 0.0]]],
                (0,),
            )
        ],
    )
    score, tracks, states = oracle.best(problem)
    assert score == (2.0 + 1.0 - 1.0) + (-1.0 + 4.0 - 0.25 + 8.0)
    assert tracks.tolist() == [[1, 0]]
    assert states.tolist() == [[1, 1]]
    assert len(oracle.assignments(problem).scores) == 16


def test_oracle_marginals_by_hand() -> None:
    # exp(unary) = 1, 3 and exp(emission) = [[1, 2], [3, 0]]: the weights of (k, j) are
    # 1, 6, 3, 0.
    with np.errstate(divide="ignore"):
        emission = np.log([[1.0, 2.0], [3.0, 0.0]])
    problem = Problem(
        [TrackTerms([[0.0, math.log(3)]], [])],
        [WordTerms([0.0, 0.0], np.zeros((2, 2)), [emission], (0,))],
    )
    sums = oracle.partition(problem)
    assert sums.log_partition == pytest.approx(math.log(10))
    np.testing.assert_allclose(sums.tracks[0][0], [0.4, 0.6])
    np.testing.assert_allclose(sums.states[0], [[0.7, 0.3]])
    np.testing.assert_allclose(sums.emissions[0][0], [[0.1, 0.6], [0.3, 0.0]])
    assert sums.transitions[0].shape == (0, 2, 2)


def test_oracle_against_the_closed_form_of_a_markov_chain() -> None:
    # One candidate, no evidence: the word is a bare Markov chain, whose partition is 1.
    start, step = np.array([0.2, 0.8]), np.array([[0.9, 0.1], [0.4, 0.6]])
    T = 4
    problem = Problem(
        [TrackTerms([[0.0]] * T, [[[0.0]]] * (T - 1))],
        [WordTerms(np.log(start), np.log(step), [[[0.0], [0.0]]] * T, (0,))],
    )
    sums = oracle.partition(problem)
    assert sums.log_partition == pytest.approx(0.0, abs=1e-12)
    for t in range(T):
        occupied = start @ np.linalg.matrix_power(step, t)
        np.testing.assert_allclose(sums.states[0][t], occupied)
        np.testing.assert_allclose(sums.emissions[0][t][:, 0], occupied)
        if t < T - 1:
            np.testing.assert_allclose(sums.transitions[0][t], occupied[:, None] * step)


def test_oracle_takes_the_diagonal_for_a_repeated_participant() -> None:
    problem = Problem(
        [TrackTerms([[0.0, 0.0]], [])],
        [WordTerms([0.0], [[0.0]], [[[[1.0, 100.0], [100.0, 2.0]]]], (0, 0))],
    )
    assert oracle.best(problem)[0] == 2.0
    sums = oracle.partition(problem)
    assert sums.log_partition == pytest.approx(np.logaddexp(1.0, 2.0))
    np.testing.assert_allclose(sums.emissions[0][0][0], np.diag(sums.tracks[0][0]))


def test_oracle_keeps_the_order_of_participants() -> None:
    emission = np.zeros((1, 3, 2))
    emission[0, 2, 0] = 1.0
    problem = Problem(
        [TrackTerms([[0.0, 0.0]], []), TrackTerms([[0.0, 0.0, 0.0]], [])],
        [WordTerms([0.0], [[0.0]], [emission], (1, 0))],
    )
    assert oracle.best(problem)[1].tolist() == [[0], [2]]


def test_oracle_on_the_infeasible_and_on_the_too_many() -> None:
    problem = Problem([TrackTerms([[-INF, -INF]], [])])
    assert oracle.best(problem)[0] == -INF
    sums = oracle.partition(problem)
    assert sums.log_partition == -INF
    assert sums.tracks[0][0].tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="assignments are too many"):
        oracle.best(Problem([TrackTerms([np.zeros(10)] * 6, [np.zeros((10, 10))] * 5)]))
