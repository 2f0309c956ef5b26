"""Sums made again with other words, against sums over all assignments."""

import contextlib

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.inference import RepeatedSums, Said
from tests.inference import oracle
from tests.inference.strategies import problems

INF = float("inf")


def said(problem: sentrack.Problem, w: int) -> Said:
    K = problem.states(w)
    frames = [problem.emission(w, t).reshape(K, -1) for t in range(problem.T)]
    return Said(problem.initial(w), problem.transition(w), np.concatenate(frames, axis=1))


def same(found: oracle.Array, expected: oracle.Array) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def repeated(problem: sentrack.Problem, changing: int) -> RepeatedSums:
    return RepeatedSums(
        problem.tracks,
        [problem.states(w) for w in range(changing)],
        [problem.link(w) for w in range(changing)],
        problem.words[changing:],
    )


@settings(max_examples=150)
@given(problem=problems(drop=800.0), data=st.data())
def test_what_is_expected_is_brute_force(problem: sentrack.Problem, data: st.DataObject) -> None:
    """The words are other ones when the problem is reduced, and one track gains something."""
    assume(problem.L)
    changing = data.draw(st.integers(0, problem.W))
    seed = data.draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    more = [rng.normal(size=int(n)) for n in problem.sizes[0]]
    first = sentrack.TrackTerms(
        [problem.unary(0, t) + more[t] for t in range(problem.T)], problem.tracks[0].pairwise
    )
    truth = oracle.partition(sentrack.Problem([first, *problem.tracks[1:]], problem.words))
    words = [said(problem, w) for w in range(changing)]
    other = [Said(*(rng.normal(size=part.shape) for part in word)) for word in words]
    try:
        sums = repeated(problem, changing)
    except sentrack.Infeasible:
        assert truth.log_partition == -INF
        return
    with contextlib.suppress(sentrack.Infeasible):
        sums.expect(other)
    if truth.log_partition == -INF:
        with pytest.raises(sentrack.Infeasible):
            sums.expect(words, {0: np.concatenate(more)})
        return
    found = sums.expect(words, {0: np.concatenate(more)})
    assert found.log_partition == pytest.approx(truth.log_partition, rel=1e-10, abs=1e-9)
    same(found.candidates[0], np.concatenate(truth.tracks[0]))
    for w, word in enumerate(words):
        same(found.states[w], truth.states[w])
        same(found.transitions[w], truth.transitions[w])
        frames = [frame.reshape(len(frame), -1) for frame in truth.emissions[w]]
        same(found.tables[w], np.concatenate(frames, axis=1))
        assert found.tables[w].shape == word.table.shape


def test_the_infeasible_is_explained() -> None:
    track = sentrack.TrackTerms([[0.0], [0.0]], [[[0.0]]])
    sums = RepeatedSums([track], [2], [(0,)])
    impossible = Said(np.zeros(2), np.full((2, 2), -INF), np.zeros((2, 2)))
    with pytest.raises(sentrack.Infeasible, match=r"frame 1: .*word 0"):
        sums.expect([impossible])
