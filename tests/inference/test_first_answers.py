"""First answers: ascent by one track and by two, and what is found after a first look."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.inference.limits import Limits
from sentrack.inference.methods import first_answers
from sentrack.inference.methods.ascent import ascend
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.methods.first_answers import seek_among_few, seek_answers
from sentrack.inference.methods.first_look import first_look
from sentrack.inference.methods.viterbi import exact
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.terms import assignment_score, reduce, restrict
from tests.inference.strategies import assemble, problems

UNLIMITED = Limits(1 << 40)


def nothing_put_together(*_: object) -> None:
    """In place of putting answers together."""


@given(problem=problems(feasible=True), seed=st.integers(0, 99))
def test_two_tracks_at_a_time_are_never_worse_than_one(
    problem: sentrack.Problem, seed: int
) -> None:
    for terms in reduce(problem).components:
        start = np.random.default_rng(seed).integers(terms.sizes)
        _, alone = ascend(terms, start, UNLIMITED)
        labels, together = ascend(terms, start, UNLIMITED, pairs=True)
        best = exact(terms, UNLIMITED).score
        slack = terms.rounding + 1e-9 * (1 + abs(best))
        assert alone - slack <= together <= best + slack
        assert assignment_score(terms, labels) == together


@pytest.mark.parametrize("seed", range(20))
def test_of_two_tracks_with_a_word_the_best_of_all_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = assemble(
        np.full((2, 6), 5), [3, 2], [(0, 1), (1, 0)], lambda shape, _: rng.normal(0, 3, shape)
    )
    (terms,) = reduce(problem).components
    _, together = ascend(terms, rng.integers(terms.sizes), UNLIMITED, pairs=True)
    assert together == pytest.approx(exact(terms, UNLIMITED).score)


@settings(max_examples=60)
@given(problem=problems(feasible=True), few=st.integers(1, 3), many=st.integers(2, 9))
@pytest.mark.parametrize("looked", [True, False])
def test_first_answers_are_answers(
    looked: bool, problem: sentrack.Problem, few: int, many: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_answers, "FEW", few)
        patch.setattr(first_answers, "MANY", many)
        patch.setattr(first_answers, "CLIMB", 0.0)
        for terms in reduce(problem).components:
            search = ComponentSearch(terms, UNLIMITED)
            if looked:
                apart = first_look(terms, UNLIMITED)
                seek_answers(apart, search, UNLIMITED, nothing_put_together)
            else:
                seek_among_few(terms, search, UNLIMITED, nothing_put_together)
            best = exact(terms, UNLIMITED).score
            assert search.score <= best + terms.rounding + 1e-9 * (1 + abs(best))
            if search.score > -np.inf:
                again = ComponentSearch(terms, UNLIMITED)
                again.offer_known(search.labels)
                assert again.score == pytest.approx(search.score, rel=1e-9, abs=1e-9)


@given(problem=problems(feasible=True), seed=st.integers(0, 99))
def test_what_is_improved_among_some_labels_and_its_own_is_no_worse(
    problem: sentrack.Problem, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    for terms in reduce(problem).components:
        search = ComponentSearch(terms, UNLIMITED)
        search.try_answer(Relaxation(terms, UNLIMITED), climb=False)
        if search.score == -np.inf:
            continue
        before, keep = search.score, rng.random(terms.node.size) < 0.5
        keep[terms.node_at] = True
        search.climb_among(restrict(terms, keep)[0])
        assert search.score >= before
