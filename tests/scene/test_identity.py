"""Things are followed: one thing keeps one identity, and another gets another."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.colours import BLACK, CELLS, HALVES, NAMES, RED
from sentrack.scene.assignment import cheapest
from sentrack.scene.candidates import Floats, Ints
from sentrack.scene.identity import identified, without_gaps
from sentrack.vision import Clip, clip_from_arrays

BLUE = NAMES.index("blue")


def walkers(
    *paths: dict[int, tuple[float, float]],
    id: list[int] | None = None,
    shirts: list[int] | None = None,
) -> Clip:
    """People of 60 x 160 pixels by the left upper corners of their boxes, ten frames a second."""
    looks = np.zeros((len(paths), HALVES, CELLS))
    for path, colour in enumerate(shirts or []):
        looks[path, 0, colour] = looks[path, 1, BLACK] = 255
    rows = [(t, *at) for path in paths for t, at in path.items()]
    return clip_from_arrays(
        "people",
        (640, 480),
        10,
        [t for t, _, _ in rows],
        ["person"] * len(rows),
        [[x, y, x + 60, y + 160] for _, x, y in rows],
        np.full(len(rows), 0.9),
        None if id is None else np.repeat(id, [len(path) for path in paths]),
        looks=np.repeat(looks.reshape(len(paths), -1), [len(path) for path in paths], axis=0),
        frames=np.arange(max(t for t, _, _ in rows) + 1),
    )


def followed(clip: Clip) -> Clip:
    return identified(clip, np.arange(len(clip.classes)))


def identities(clip: Clip, x: float, t: int) -> int:
    """The identity of the box of a frame whose left edge is there."""
    rows = np.arange(clip.start[t], clip.start[t + 1])
    return int(clip.id[rows[np.abs(clip.boxes[rows, 0] - x).argmin()]])


def straight(
    x: float, step: float, frames: range, y: float = 100
) -> dict[int, tuple[float, float]]:
    return {t: (x + step * t, y) for t in frames}


def test_two_who_pass_keep_their_identities() -> None:
    clip = followed(walkers(straight(50, 12, range(40)), straight(530, -12, range(40), 106)))
    assert len(np.unique(clip.id)) == 2
    assert identities(clip, 50, 0) == identities(clip, 50 + 12 * 39, 39)
    assert identities(clip, 530, 0) == identities(clip, 530 - 12 * 39, 39)


def test_two_who_meet_and_turn_round_are_told_by_what_they_wear() -> None:
    there, back = straight(50, 12, range(20)), straight(530, -12, range(20))
    there |= {t: (there[39 - t][0] - 12, 100.0) for t in range(20, 40)}
    back |= {t: (back[39 - t][0] + 12, 100.0) for t in range(20, 40)}
    for path in (there, back):
        del path[19], path[20]  # where one hides the other
    naked = followed(walkers(there, back))
    assert identities(naked, 50, 0) != identities(naked, there[39][0], 39)
    clip = followed(walkers(there, back, shirts=[RED, BLUE]))
    assert len(np.unique(clip.id)) == 2
    assert identities(clip, 50, 0) == identities(clip, there[39][0], 39)
    assert identities(clip, 530, 0) == identities(clip, back[39][0], 39)


def test_who_is_hidden_for_a_moment_is_the_same_and_where_it_was_going() -> None:
    path = straight(50, 10, range(40))
    for t in (18, 19, 20):
        del path[t]
    clip = followed(walkers(path, straight(50, 10, range(40), 290)))
    assert len(np.unique(clip.id)) == 2
    whole = without_gaps(clip)
    added = np.flatnonzero(whole.projected)
    assert whole.frame_of[added].tolist() == [18, 19, 20]
    np.testing.assert_allclose(whole.boxes[added, 0], [230, 240, 250])
    np.testing.assert_array_equal(whole.id[added], identities(clip, 50, 0))


def test_who_comes_where_another_left_is_somebody_else() -> None:
    clip = followed(walkers(straight(100, 0, range(10)), straight(400, 0, range(12, 30))))
    assert identities(clip, 100, 0) != identities(clip, 400, 20)
    late = followed(walkers(straight(100, 0, range(10)), straight(100, 0, range(25, 40))))
    assert identities(late, 100, 0) != identities(late, 100, 30)


def test_who_is_seen_again_where_nobody_else_comes_is_the_same() -> None:
    """One who is missed for half a second, again and again, in a room where little happens."""
    seen = [t for t in range(60) if t % 15 < 10]
    clip = followed(walkers({t: (100.0 + 3 * t, 100.0) for t in seen}))
    assert len(set(clip.id)) == 1


def test_where_many_come_and_go_who_is_seen_again_further_on_is_another() -> None:
    """One who is lost for half a second and seen again, alone or among many for a moment each."""
    rng = np.random.default_rng(0)
    seen = straight(100, 0, range(20)) | straight(190, 0, range(25, 45))
    others = [{t: tuple(rng.uniform([0, 0], [580, 320]))} for t in range(45) for _ in range(4)]
    alone, among = (followed(walkers(seen, *more)) for more in ([], others))
    assert identities(alone, 100, 0) == identities(alone, 190, 40)
    assert identities(among, 100, 0) != identities(among, 190, 40)


@pytest.mark.parametrize("pan", [-40, 25, 40])
def test_a_camera_that_moves_changes_nobody(pan: float) -> None:
    still = [straight(90 * n - 200 * (pan > 0), 0, range(12)) for n in range(8)]
    moving = [{t: (x + pan * t, y) for t, (x, y) in path.items()} for path in still]
    clip = followed(walkers(*moving))
    assert len(np.unique(clip.id)) == 8


def test_identities_that_are_given_are_believed() -> None:
    crossing = straight(50, 12, range(40)), straight(530, -12, range(40), 106)
    given_ids = followed(walkers(*crossing, id=[7, 3]))
    assert sorted(np.unique(given_ids.id)) == [3, 7]
    swapped = walkers(straight(100, 0, range(6)), straight(300, 0, range(6)), id=[5, -1])
    assert identities(followed(swapped), 100, 3) == 5
    assert identities(followed(swapped), 300, 3) > 5


@given(seed=st.integers(0, 2**32), T=st.integers(1, 12), most=st.integers(0, 6))
def test_a_thing_is_in_one_place_at_a_time_and_of_one_class(seed: int, T: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, most + 1, T)
    frame = np.repeat(np.arange(T), counts)
    corner = rng.uniform(0, 300, (len(frame), 2))
    boxes = np.concatenate([corner, corner + rng.uniform(1, 90, (len(frame), 2))], axis=1)
    label = rng.integers(0, 2, len(frame))
    clip = clip_from_arrays(
        "any", (640, 480), 10, frame, ("cat", "dog"), boxes, label=label, frames=np.arange(T)
    )
    found = followed(clip)
    assert (found.id >= 0).all()
    places = list(zip(found.frame_of, found.id, strict=True))
    assert len(set(places)) == len(places)
    assert all(len(set(found.label[found.id == each])) == 1 for each in np.unique(found.id))
    np.testing.assert_array_equal(found.boxes, clip.boxes)
    np.testing.assert_array_equal(followed(found).id, found.id)


@given(seed=st.integers(0, 2**32), rows=st.integers(1, 5), columns=st.integers(1, 5))
def test_who_continues_whom_costs_least(seed: int, rows: int, columns: int) -> None:
    cost = np.random.default_rng(seed).uniform(0, 16, (rows, columns))

    def total(i: Ints, j: Ints) -> float:
        return float((cost[i, j] - 8.0).sum())

    best = 0.0
    wide: Floats = np.minimum(cost - 8.0, 0.0)
    square = np.zeros((max(rows, columns),) * 2)
    square[:rows, :columns] = wide
    for order in permutations(range(len(square))):
        best = min(best, float(square[np.arange(len(square)), list(order)].sum()))
    column = cheapest(cost, 8.0)
    i = np.flatnonzero(column >= 0)
    j = column[i]
    assert total(i, j) == pytest.approx(best)
    assert len(set(i)) == len(i) == len(set(j))
