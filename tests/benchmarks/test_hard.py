"""Harder instances: they are what their maker says, and certificates on them are toulbar2's."""

import numpy as np
import pytest

import sentrack
from benchmarks import hard
from benchmarks.peers import toulbar2

pytestmark = pytest.mark.skipif(not hard.INSTANCES.exists(), reason="the instances are not here")


def test_an_instance_scores_what_its_maker_says() -> None:
    problem = hard.instance("8", 3, False, 5, 2)
    made = hard.instances()
    with pytest.MonkeyPatch.context() as patch:
        T, _, *rest = made.ROWS["8"]
        patch.setitem(made.ROWS, "8", (T, 2, *rest))
        f, g, words, _ = made.build("8", 3, False, 5)
    rng = np.random.default_rng(0)
    tracks = rng.integers(problem.sizes)
    states = np.array([rng.integers(problem.states(w), size=problem.T) for w in range(problem.W)])
    score = made.evaluate(f, g, words, tracks, states)
    assert problem.score(tracks, states) == pytest.approx(score, rel=1e-12)


@pytest.mark.parametrize("nouns_are_hard", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_certificates_are_those_of_toulbar2(seed: int, nouns_are_hard: bool) -> None:
    problem = hard.instance("8", seed, nouns_are_hard, 4, 2)
    peer = toulbar2(problem, 60)
    solution = sentrack.solve(problem, sentrack.Auto(0, 0))
    assert peer.proved
    assert solution.certified
    assert solution.score == pytest.approx(peer.score, rel=1e-6, abs=1e-4)


def test_sections_tell_what_they_measure() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hard, "EIGHT", ((True, 4, 2), (False, 4, 2)))
        size = hard.Size(1, 10, lambda: 0.0)
        lines = [*hard.eight(size), *hard.soon(size)]
    assert "| hard | 4 | 12 | 1/1 | 0.0 | 0.0 | 0 |" in lines
    assert sum(line.startswith("| soft | 4 | 12 |") for line in lines) == 2
