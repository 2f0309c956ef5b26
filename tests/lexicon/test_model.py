"""What word models look at, with an axis for every participant."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.lexicon.features import FEATURES, Candidates
from sentrack.lexicon.model import Observed, aligned
from tests.lexicon.made import candidates

T, WIDTHS = 3, (2, 4, 3)


@given(st.permutations(range(3)), st.integers(1, 3))
def test_every_value_is_found_under_the_candidates_it_tells_of(order: list[int], n: int) -> None:
    roles = order[:n]
    values = np.random.default_rng(0).random((T, *(WIDTHS[role] for role in roles)))
    found = aligned(values, roles, 3)
    assert found.shape == (T, *(J if i in roles else 1 for i, J in enumerate(WIDTHS)))
    everywhere = np.broadcast_to(found, (T, *WIDTHS))
    for t, *place in product(range(T), *map(range, WIDTHS)):
        assert everywhere[(t, *place)] == values[(t, *(place[role] for role in roles))]


def players() -> list[Candidates]:
    rng = np.random.default_rng(1)
    made = []
    for J in WIDTHS:
        centre, extent, velocity = rng.random((3, T, J, 2), dtype=np.float32)
        colour = rng.random((T, J, 3), dtype=np.float32)
        made.append(candidates(centre, extent, velocity, colour))
    return made


@pytest.mark.parametrize("roles", [*permutations(range(3), 1), *permutations(range(3), 2)])
def test_bins_are_those_of_the_candidates_one_by_one(roles: tuple[int, ...]) -> None:
    everybody = players()
    feature = FEATURES["speed" if len(roles) == 1 else "advance"]
    found = np.broadcast_to(Observed(feature, roles).bins(everybody), (T, *WIDTHS))
    for place in product(*map(range, WIDTHS)):
        here = found.reshape(T, -1)[:, np.ravel_multi_index(place, WIDTHS)]
        single = [everybody[role].along(np.full(T, place[role])) for role in roles]
        assert np.array_equal(here, feature.binned(*single).ravel())


def test_a_feature_may_look_at_participants_against_their_order() -> None:
    first, second, _ = players()
    still = replace(second, velocity=np.zeros_like(second.velocity))
    there = Observed(FEATURES["advance"], (0, 1)).bins([first, still])
    back = Observed(FEATURES["advance"], (1, 0)).bins([first, still])
    assert there.shape == back.shape == (T, 2, 4)
    assert (back == FEATURES["advance"].bins.index("neither")).all()
    assert (there != back).any()
