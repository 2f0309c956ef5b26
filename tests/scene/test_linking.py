"""Pieces of things are linked so that all of it is most probable."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.scene.candidates import Floats
from sentrack.scene.identity import identified
from sentrack.scene.linking import Linked, Pairs, Pieces, _assigned, _Chances, _late
from sentrack.vision import clip_from_arrays

T = 20


def pieces_of(begin: list[int], many: list[int]) -> Pieces:
    """Pieces of which nothing is known but when they are there."""
    first, count = np.array(begin), np.array(many)
    ends = np.stack([first, first + count - 1], axis=1)
    none: Floats = np.zeros((len(begin), 2, 2))
    return Pieces(
        np.zeros(0, np.int64), count, none[:, 0, 0], none[:, 0, 0], ends, ends / 10.0,
        none, none, none, none[:, 0], none, none,
    )  # fmt: skip


def ways(P: int, pairs: Pairs) -> Iterator[Linked]:
    """All that pieces can be: things of one or more of them, or clutter."""
    own = [[-2, -1, *pairs.second[pairs.first == p].tolist()] for p in range(P)]  # -2: clutter
    for choice in product(*own):
        after = np.array(choice)
        followers = after[after >= 0]
        if len(set(followers)) == len(followers) and (after[followers] != -2).all():
            yield Linked(np.maximum(after, -1), (after == -2).astype(np.float64))


def probability(
    pieces: Pieces, pairs: Pairs, known: _Chances, told: Floats, found: Linked
) -> float:
    """The logarithm of it, piece by piece and link by link."""
    total, more = 0.0, math.log(1 - known.lost - known.ended)
    continued = set(found.after[found.after >= 0].tolist())
    for p, (begin, end) in enumerate(pieces.ends.tolist()):
        n, q = int(pieces.many[p]), int(found.after[p])
        if found.clutter[p]:
            lasts = (1 - known.once) * known.over * (1 - known.over) ** (n - 2)
            total += math.log(known.clutter * (known.once if n == 1 else lasts))
            continue
        total += told[p] + (n - 1) * more
        if p not in continued:
            total += math.log(known.begun if begin else known.there)
        if q < 0:
            total += math.log(known.ended) if end < T - 1 else 0.0
            continue
        gap = int(pieces.ends[q, 0]) - end - 1
        total += float(pairs.fit[(pairs.first == p) & (pairs.second == q)][0])
        total += math.log(known.lost) + _late(known.gaps, gap)[-1] if gap else more
    return total


@given(seed=st.integers(0, 2**32), P=st.integers(1, 5))
def test_nothing_else_is_more_probable(seed: int, P: int) -> None:
    rng = np.random.default_rng(seed)
    many = rng.integers(1, 5, P)
    begin = np.sort(rng.integers(0, T - many + 1))
    pieces = pieces_of(begin.tolist(), many.tolist())
    first, second = np.nonzero(pieces.ends[:, 1][:, None] < pieces.ends[:, 0])
    pairs = Pairs(first, second, rng.uniform(-6, 6, len(first)))
    lost, ended = rng.uniform(0.01, 0.3, 2).tolist()
    begun, there, clutter = np.exp(rng.uniform(-6, 2, 3)).tolist()
    once, over = rng.uniform(0.1, 0.9, 2).tolist()
    gaps = rng.integers(1, 6, 3)
    chances = _Chances(lost, ended, gaps, begun, there, clutter, once, over)
    told = rng.normal(0, 4, P)
    found = _assigned(pieces, pairs, chances, told, T)
    best = max(probability(pieces, pairs, chances, told, each) for each in ways(P, pairs))
    assert probability(pieces, pairs, chances, told, found) == pytest.approx(best)


@given(gaps=st.lists(st.integers(1, 8), max_size=6))
def test_how_long_things_are_lost_is_what_other_gaps_make_probable(gaps: list[int]) -> None:
    chance = (np.arange(200_000) + 0.5) / 200_000
    weight = chance ** len(gaps) * (1 - chance) ** (sum(gaps) - len(gaps))
    expected = [(weight @ (chance * (1 - chance) ** (n - 1))) / weight.sum() for n in range(1, 7)]
    np.testing.assert_allclose(np.exp(_late(np.array(gaps, np.int64), 6)), expected, rtol=1e-4)
    assert len(_late(np.array(gaps, np.int64), 0)) == 0


@pytest.mark.parametrize("seed", range(4))
def test_who_is_missed_again_and_again_among_false_boxes_is_one(seed: int) -> None:
    """Half of the frames show it, in runs of five; eight false boxes are in each."""
    rng = np.random.default_rng(seed)
    frames = 150
    seen = np.flatnonzero((np.arange(frames) // 5 + seed) % 2 == 0)
    path = np.stack([60 + 2.5 * np.arange(frames), 120 + 40 * np.sin(np.arange(frames) / 30)], 1)
    low = np.concatenate([path[seen], rng.uniform([0, 0], [580, 400], (8 * frames, 2))])
    low += rng.normal(0, 1, low.shape)
    frame = np.concatenate([seen, np.repeat(np.arange(frames), 8)])
    score = np.concatenate([rng.beta(4, 2, len(seen)), rng.beta(2, 4, 8 * frames)])
    order = np.lexsort((rng.random(len(frame)), frame))
    boxes = np.concatenate([low, low + np.array([60, 80])], axis=1)[order]
    clip = clip_from_arrays("one", (640, 480), 30, frame[order], ["cat"] * len(frame), boxes,
                            score[order])  # fmt: skip
    own = identified(clip, np.array([0])).id[np.flatnonzero(order < len(seen))]
    assert np.bincount(own).max() >= 0.9 * len(own)
