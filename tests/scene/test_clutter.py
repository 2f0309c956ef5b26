"""Clutter is known by what was seen but once."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.scene.candidates import detection_scores
from sentrack.scene.clutter import MOST, genuine
from sentrack.scene.identity import _alone, identified
from sentrack.scene.measurements import Measurements
from sentrack.vision import Clip, Floats, clip_from_arrays

T, SIDE = 60, 40.0
TRUE, LASTING = 1000, 2000  # identities of a thing and of clutter that lasts


def cluttered(seed: int, score: tuple[float, float]) -> Clip:
    """A thing that walks, clutter that lasts, and three boxes a frame that do not; 0.1 s apart.

    Args:
        seed: of all that is random.
        score: mean of true and of false boxes.
    """
    rng = np.random.default_rng(seed)
    frame, place = np.arange(T), rng.uniform(0, 400, (3 * T, 2))
    walk = np.stack([50 + 4.0 * frame, np.full(T, 100.0)], axis=1) + rng.normal(0, 0.5, (T, 2))
    rest = np.tile([300.0, 300.0], (T, 1)) + rng.normal(0, 0.5, (T, 2))
    low = np.concatenate([walk, rest, place])
    mean = np.repeat([score[0], score[1], score[1]], [T, T, 3 * T])
    return clip_from_arrays(
        "clutter",
        (640, 480),
        10.0,
        np.concatenate([frame, frame, np.repeat(frame, 3)]),
        ("dog",),
        np.concatenate([low, low + SIDE], axis=1),
        np.clip(mean + rng.normal(0, 0.1, len(mean)), 0.05, 0.95),
        id=np.concatenate([np.full(T, TRUE), np.full(T, LASTING), np.arange(3 * T)]),
        label=np.zeros(len(mean), np.int64),
        frames=frame,
    )


def of(clip: Clip, thing: int) -> Floats:
    return np.unique(genuine(clip)[clip.id == thing])


def test_what_scores_as_clutter_does_is_clutter_however_long_it_lasts() -> None:
    clip = cluttered(0, (0.7, 0.3))
    assert of(clip, TRUE) == pytest.approx([0.0], abs=0.05)
    assert of(clip, LASTING) == pytest.approx([-MOST])
    scores = Measurements(clip, identity=True).scores()
    np.testing.assert_allclose(scores, detection_scores(clip) + genuine(clip))
    np.testing.assert_array_equal(Measurements(clip, identity=False).scores(), np.log(clip.score))


def test_where_all_score_alike_nothing_is_told_by_scores() -> None:
    clip = cluttered(0, (0.5, 0.5))
    assert of(clip, TRUE) == pytest.approx(of(clip, LASTING), abs=0.5)


def test_where_nothing_was_seen_but_once_or_nobody_was_followed_there_is_no_clutter() -> None:
    clip = cluttered(0, (0.7, 0.3))
    assert not genuine(clip.only(clip.id >= TRUE)).any()
    assert not genuine(_without_identities(clip)).any()


@pytest.mark.parametrize("seed", range(3))
def test_who_is_missed_among_false_boxes_does_not_go_astray(seed: int) -> None:
    clip = cluttered(seed, (0.7, 0.3))
    missed = (clip.id == TRUE) & (clip.frame_of % 15 >= 11)
    seen = clip.only(~missed)
    blind = identified(_without_identities(seen), np.array([0]))
    own, count = np.unique(blind.id[seen.id == TRUE], return_counts=True)
    best = own[count.argmax()]
    assert count.max() >= 0.95 * count.sum()
    assert (seen.id[blind.id == best] == TRUE).mean() >= 0.95


@given(seed=st.integers(0, 2**32), frames=st.integers(1, 12), things=st.integers(1, 4))
def test_a_box_that_nothing_follows_is_rather_of_another(
    seed: int, frames: int, things: int
) -> None:
    rng = np.random.default_rng(seed)
    there = rng.random((frames, things)) < 0.6
    there[0] = True
    frame, id = np.nonzero(there)
    once = rng.uniform(0, 1, len(id))
    links = gaps = 0
    for thing in range(things):
        seen = np.flatnonzero(there[:, thing])
        links += len(seen) - 1
        gaps += sum(int(b - a > 1) for a, b in pairwise(seen))
    lost = (gaps + 1) / (links + 2)
    expected = [
        min(0.0, float(np.log(lost / c))) if t + 1 < frames and not there[t + 1, i] else 0.0
        for t, i, c in zip(frame, id, once, strict=True)
    ]
    np.testing.assert_allclose(_alone(frame, id, once, frames), expected)


def test_who_is_lost_for_a_while_is_not_continued_by_boxes_that_nothing_follows() -> None:
    kept, own = np.mean([_kept_and_own(seed) for seed in range(20)], axis=0)
    assert kept >= 0.77
    assert own >= 0.97


@pytest.mark.parametrize("score", [-1e300, 1e154, 1e308])
def test_margins_as_large_as_numbers_get_are_followed_all_the_same(score: float) -> None:
    clip = cluttered(0, (0.9, 0.3))
    scores = clip.score.copy()
    scores[:T] = score
    wild = _without_identities(replace(clip, score=scores))
    found = identified(wild, np.array([0]))
    assert (found.id >= 0).all()


def _kept_and_own(seed: int) -> tuple[float, float]:
    """Of one who walks and is lost three times: the part of its boxes in one thing, and theirs."""
    rng = np.random.default_rng(seed)
    frames, false = 100, 8
    frame = np.arange(frames)
    walk = np.stack([50 + 4.0 * frame, np.full(frames, 200.0)], axis=1)
    walk += rng.normal(0, 1.0, walk.shape)
    seen = frame[(frame % 25 < 15) | (frame % 25 > 23)]
    low = np.concatenate([walk[seen], rng.uniform(0, 440, (false * frames, 2))])
    true = np.arange(len(low)) < len(seen)
    clip = clip_from_arrays(
        "gaps",
        (640, 480),
        30.0,
        np.concatenate([seen, np.repeat(frame, false)]),
        ("dog",),
        np.concatenate([low, low + SIDE], axis=1),
        np.where(true, rng.beta(4, 2, len(low)), rng.beta(2, 4, len(low))),
        label=np.zeros(len(low), np.int64),
        frames=frame,
    )
    walked = np.abs(clip.boxes[:, :2] - walk[clip.frame_of]).max(axis=1) < 1e-6
    found = identified(clip, np.array([0])).id
    things, count = np.unique(found[walked], return_counts=True)
    return float(count.max() / count.sum()), float(walked[found == things[count.argmax()]].mean())


def _without_identities(clip: Clip) -> Clip:

    return replace(clip, id=np.full(len(clip.id), -1))
