"""Terms against the background, against the same computed one candidate at a time."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sentrack.scene import scene_of
from sentrack.scene.candidates import usual_scores
from sentrack.scene.presence import BEFORE
from sentrack.vision import Clip, clip_from_arrays
from tests.objective.test_whole import FREE, GAPS, HELD, SPEEDS, lexicon, meaning, place
from tests.objective.test_whole import clip as hands_and_cups

SENTENCES = (
    "The person picked up the cup.",
    "The person walked to the left.",
    "The person approached the chair.",
    "The cup was on the table.",
    "The person approached another person slowly.",
    "The person gave the cup to another person.",
)


def scattered(seed: int, T: int, most: int) -> Clip:
    """Boxes anywhere that move anyhow, none in some frames, some of them projected."""
    rng = np.random.default_rng(seed)
    names = ("person", "cup", "chair", "table")
    counts = rng.integers(0, most + 1, (T, len(names)))
    counts[rng.integers(T), :] += 1  # each is somewhere
    frame, label = (np.repeat(of.ravel(), counts.ravel()) for of in np.indices(counts.shape))
    N = len(frame)
    low = rng.uniform(0, 500, (N, 2))
    return clip_from_arrays(
        "scattered",
        (640, 480),
        10,
        frame,
        names,
        np.concatenate([low, low + rng.uniform(20, 120, (N, 2))], axis=1),
        rng.uniform(0, 1, N),
        label=label,
        frames=np.arange(T),
        velocity=rng.normal(0, 0.3, (N, 2)),
        projected=rng.random(N) < 0.1,
    )


@pytest.mark.parametrize("seed", range(4))
def test_terms_against_the_background_are_those_of_one_pair_at_a_time(seed: int) -> None:
    """Three features of four bins: what means nothing has a probability of 1 / 64."""
    scene = scene_of(hands_and_cups(seed), meaning("hand", "cup"), lexicon())
    seen = scene.clip
    nouns, tables = [scene.emission(w, True) for w in (0, 1)], scene.emission(2, True)
    assert [noun.any() for noun in nouns] == [False, False]
    for t in range(seen.T):
        hands, cups = (own.rows[t, : own.counts[t]] for own in scene.candidates)
        table = tables[t]
        for a, hand in enumerate(hands):
            for b, cup in enumerate(cups):
                x1, y1, x2, y2 = seen.boxes[hand] / 400
                u1, v1, u2, v2 = seen.boxes[cup] / 400
                gap = math.hypot(max(u1 - x2, x1 - u2, 0), max(v1 - y2, y1 - v2, 0))
                bins = {
                    "gap": place(gap, GAPS),
                    "agent": place(math.hypot(*seen.velocity[hand]), SPEEDS),
                    "patient": place(math.hypot(*seen.velocity[cup]), SPEEDS),
                }
                for k, state in enumerate((FREE, HELD)):
                    likely = math.prod(state[f][i] for f, i in bins.items())
                    expected = math.log((0.9 * likely + 0.1 / 64) * 64)
                    if seen.projected[[hand, cup]].any():
                        expected = 0.0
                    # Any state may be the last one: where the word ends is not known.
                    assert table[k, a, b] == pytest.approx(expected, rel=1e-4, abs=1e-9)


def usual(clip: Clip, name: str, margins: bool) -> float:
    """The median over frames of the best box of a class, one box at a time."""
    tops = []
    for t in range(clip.T):
        here = [
            -math.log1p(math.exp(-6 * clip.score[n])) if margins else math.log(clip.score[n])
            for n in range(clip.start[t], clip.start[t + 1])
            if clip.classes[clip.label[n]] == name and not clip.projected[n]
        ]
        if here:
            tops.append(max(here))
    tops.sort()
    middle = tops[(len(tops) - 1) // 2] + tops[len(tops) // 2]
    return middle / 2 if margins else max(middle / 2, math.log(0.4))


@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_detections_are_compared_with_the_usual_one_of_their_class(
    seed: int, margins: bool
) -> None:
    clip = hands_and_cups(seed)
    score = clip.score * 4 - 2 if margins else 0.02 + 0.9 * clip.score
    scene = scene_of(replace(clip, score=score), meaning("hand", "cup"), lexicon())
    seen, tracks = scene.clip, scene.tracks(against_background=True)
    for i, name in enumerate(("hand", "cup")):
        normal = usual(seen, name, margins)
        for t in range(seen.T):
            own = scene.candidates[i]
            for j, n in enumerate(own.rows[t, : own.counts[t]]):
                value = seen.score[n]
                f = -math.log1p(math.exp(-6 * value)) if margins else math.log(value)
                # In an interval everybody is there all the time.
                expected = -math.inf if seen.id[n] <= BEFORE else min(f - normal, 0.0)
                assert np.asarray(tracks[i].unary[t])[j] == pytest.approx(expected, abs=1e-9)


def test_a_class_that_is_never_seen_has_nothing_usual() -> None:
    clip = replace(hands_and_cups(0), classes=("cup", "hand", "sofa"))
    scores = np.log(clip.score)
    found = usual_scores(clip, scores)
    np.testing.assert_allclose(found[:2], [usual(clip, name, False) for name in ("cup", "hand")])
    assert found[2] == 0.0
    nothing = replace(clip, projected=np.ones(len(scores), dtype=np.bool_))
    np.testing.assert_array_equal(usual_scores(nothing, scores), np.zeros(3))
