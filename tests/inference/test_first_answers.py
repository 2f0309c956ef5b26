"""First answers: what is found among few labels, with a first look and without."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.inference.limits import Limits
from sentrack.inference.methods import first_answers
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.methods.first_answers import seek_among_few, seek_answers
from sentrack.inference.methods.first_look import first_look
from sentrack.inference.methods.viterbi import exact
from sentrack.inference.terms import reduce
from tests.inference.strategies import problems

UNLIMITED = Limits(1 << 40)


def nothing_put_together(*_: object) -> None:
    """In place of putting answers together."""


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
