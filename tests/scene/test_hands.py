"""Whose hands are whose, beside a search through all of them; and words that look at them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sentrack
from sentrack.lexicon.pair_features import gap, reach
from sentrack.scene.candidates import candidate_set
from sentrack.scene.hands import BESIDE, SURE, hands
from sentrack.scene.scale import FRAME
from sentrack.scene.things import things
from sentrack.vision import Clip, Floats, clip_from_arrays

SIZE = 640, 480
NAMES = ("person", "hand", "cup")

corners = st.tuples(st.integers(0, 500), st.integers(0, 300))
rows = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(NAMES), corners, st.integers(1, 99)),
    min_size=1,
    max_size=25,
)


def clip_of(found: list[Any], T: int) -> Clip:
    """A clip of rows of frame, class, corner and score in hundredths."""
    sides = {"person": (100, 180), "hand": (20, 20), "cup": (15, 25)}
    boxes = [[*low, low[0] + sides[c][0], low[1] + sides[c][1]] for _, c, low, _ in found]
    return clip_from_arrays(
        "made",
        SIZE,
        10,
        [frame for frame, *_ in found],
        NAMES,
        np.array(boxes, dtype=float),
        [score / 100 for *_, score in found],
        label=[NAMES.index(name) for _, name, *_ in found],
        frames=range(T),
    )


def by_search(clip: Clip) -> dict[int, list[int]]:
    """Per row of a person, the rows of its hands, the surest first."""
    owned: dict[int, list[tuple[float, int]]] = {}
    for h in range(len(clip.boxes)):
        if NAMES[clip.label[h]] != "hand" or clip.score[h] < SURE:
            continue
        x, y = (clip.boxes[h, :2] + clip.boxes[h, 2:]) / 2
        near = []
        for p in range(len(clip.boxes)):
            if NAMES[clip.label[p]] != "person" or clip.frame_of[p] != clip.frame_of[h]:
                continue
            x1, y1, x2, y2 = clip.boxes[p]
            beside = BESIDE * (y2 - y1)
            if x1 - beside <= x <= x2 + beside and y1 - beside <= y <= y2 + beside:
                away = np.hypot(x - (x1 + x2) / 2, y - (y1 + y2) / 2) / (y2 - y1)
                near.append((away, p))
        if near:
            owned.setdefault(min(near)[1], []).append((-clip.score[h], h))
    return {p: [h for _, h in sorted(found)] for p, found in owned.items()}


@given(rows)
def test_hands_have_one_owner(found: list[Any]) -> None:
    clip = clip_of(found, 3)
    told, expected = hands(clip), by_search(clip)
    if not told.shape[1]:
        assert not expected
        return
    for row in range(len(clip.boxes)):
        seen = told[row][~np.isnan(told[row][:, 0])] * SIZE[1]
        own = clip.boxes[expected.get(row, [])[:2]].reshape(-1, 4)
        middles = (own[:, :2] + own[:, 2:]) / 2
        # Hands of one score may come in any order, and of three of them any two.
        scores = clip.score[expected.get(row, [])]
        if len(set(scores)) == len(scores):
            np.testing.assert_allclose(seen[:, :2], middles)
            np.testing.assert_allclose(seen[:, 2:], own[:, 2:] - own[:, :2])
        else:
            assert len(seen) == len(own)


def reached(found: list[Any]) -> tuple[Floats, Floats]:
    """Gap and reach of a person and a cup."""
    clip = clip_of(found, 1)
    sets = [
        candidate_set(clip, clip.label == NAMES.index(name), things(clip, False)).candidates
        for name in ("person", "cup")
    ]
    return gap(*sets)[0, 0], reach(*sets)[0, 0]


def test_reach_is_from_the_nearest_hand_if_both_are_seen() -> None:
    person, cup = (0, "person", (100, 100), 90), (0, "cup", (140, 250), 90)
    left, right = (0, "hand", (100, 180), 80), (0, "hand", (180, 190), 80)
    plain, found = reached([person, cup])
    assert plain == found == 0
    plain, found = reached([person, cup, left])
    assert plain == found == 0
    plain, found = reached([person, cup, left, right])
    assert plain == 0
    # The cup's upper right corner is at 155, 250, the right hand's lower left one at 180, 210.
    assert found == pytest.approx(FRAME * np.hypot(180 - 155, 250 - 210) / SIZE[1])
    near = (0, "hand", (145, 245), 80)
    assert reached([person, cup, left, near])[1] == 0


@pytest.mark.parametrize("seen", [True, False])
def test_the_hand_that_holds_the_cup(seen: bool) -> None:
    """Two people side by side before a cup that rises; the hands of one are at it."""
    found = []
    for t in range(20):
        high = 240 - max(0, t - 8) * 8
        found += [(t, "person", (100, 120), 90), (t, "person", (150, 121), 91)]
        found += [(t, "cup", (175, high), 90)]
        if seen:
            reaching = [(172, high + 5), (180, high + 8)]
            found += [(t, "hand", low, 90) for low in [(105, 130), (112, 135), *reaching]]
    clip = clip_of(found, 20)
    told = sentrack.track(clip, "The person lifted the cup.")
    lefts = told.participants[0].boxes[told.participants[0].seen][:, 0]
    if seen:
        assert (lefts > 140).all()
    assert told.match > 0.5
