"""Things are followed as a plain and slow program follows them."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.annotated import SETS, clip_of, truths
from sentrack.scene.assignment import cheapest
from sentrack.scene.candidates import Floats, Ints
from sentrack.scene.following import Known, Seen
from sentrack.scene.following import followed as compiled
from sentrack.scene.identity import _all_seen
from sentrack.scene.linking import OFTEN
from sentrack.vision import Clip
from tests.scene import plain
from tests.scene.crowds import crowd

Follow = Callable[[Seen, float, Known], tuple[Ints, Floats, Floats]]


def names(follow: Follow, clip: Clip, known: Known) -> tuple[list[int], Floats, Floats]:
    """Of the thing that every box is, the first box; how far off it was; how the picture jerked."""
    found, off, jerked = follow(_all_seen(clip, np.arange(len(clip.id))), clip.seconds, known)
    _, first, thing = np.unique(found, return_index=True, return_inverse=True)
    return first[thing].tolist(), off, jerked


def known_of(clip: Clip, lost: float, births: float, seed: int) -> Known:
    """What may be known of a clip, at random."""
    rng = np.random.default_rng(seed)
    C, M = len(clip.classes), len(clip.id)
    own = np.full(C, births), rng.uniform(0, 3, C), rng.uniform(0.3, 1.2, C)
    return Known(lost, *own, rng.uniform(0.05, 0.95, M), np.exp(rng.uniform(-3, 3, M)))


def assert_same(clip: Clip, known: Known) -> None:
    (found, *measured), (expected, *plainly) = (
        names(follow, clip, known) for follow in (compiled, plain.followed)
    )
    assert found == expected
    for one, other in zip(measured, plainly, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


@given(
    seed=st.integers(0, 2**32),
    T=st.integers(1, 40),
    things=st.integers(0, 20),
    pan=st.sampled_from([0, 30, 120]),
    lost=st.floats(0.1, 5),
    births=st.sampled_from([np.inf, 10.0, 0.1, 1e-3]),
)
def test_whoever_wanders_is_followed_as_by_a_plain_program(
    seed: int, T: int, things: int, pan: float, lost: float, births: float
) -> None:
    clip = crowd(seed, T, things, pan)
    assert_same(clip, known_of(clip, lost, births, seed))


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", [*SETS, "svag_mot"])
def test_annotated_video_is_followed_as_by_a_plain_program(name: str) -> None:
    clips = [clip for truth in truths(name, 6) if (clip := clip_of(name, truth))]
    assert clips
    for clip in clips:
        for births in (np.inf, 0.01):
            assert_same(clip, known_of(clip, -np.log(OFTEN), births, 0))


@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(0, 30),
    columns=st.integers(0, 30),
    dearest=st.sampled_from([4.0, 10.0, 40.0]),
)
def test_an_assignment_costs_as_little_as_that_of_scipy(
    seed: int, rows: int, columns: int, dearest: float
) -> None:
    rng = np.random.default_rng(seed)
    cost = rng.uniform(-1, dearest, (rows, columns))
    cost[rng.random(cost.shape) < 0.1] = np.inf
    column = cheapest(cost, 8.0)
    (i,) = np.nonzero(column >= 0)
    a, b = plain.matching(cost)
    assert i.tolist() == a.tolist()
    assert column[i].tolist() == b.tolist()


def test_an_assignment_among_equals_costs_least_and_leaves_nobody_out() -> None:
    assert sorted(cheapest(np.ones((4, 4)), 8.0)) == [0, 1, 2, 3]
    assert sorted(cheapest(np.ones((5, 3)), 8.0)) == [-1, -1, 0, 1, 2]
    assert cheapest(np.full((2, 2), 8.0), 8.0).tolist() == [-1, -1]
    assert cheapest(np.full((2, 2), np.nan), 8.0).tolist() == [-1, -1]
