"""What a sentence can reach at most is never less than what it reaches."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.inference import Infeasible, Problem
from sentrack.inference.intervals import best_interval
from sentrack.lexicon import Lexicon
from sentrack.objective import Objective, build, collapsed, optimistic
from sentrack.objective.candidates import usual_scores
from sentrack.tasks.track import understand
from sentrack.vision import Clip, ClipError, clip_from_arrays, two_activities
from tests.objective.test_building import FREE, GAPS, HELD, SPEEDS, lexicon, meaning, place
from tests.objective.test_building import clip as hands_and_cups

EVERYDAY = Lexicon.load("everyday")
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


def best(problem: Problem, objective: Objective) -> float:
    final = [model.final for model in objective.models]
    final += [np.ones(1, dtype=np.bool_)] * (problem.W - len(final))
    try:
        return best_interval(problem, final, "viterbi").solution.score
    except Infeasible:
        return -np.inf


def assert_bounds(clip: Clip, sentence: str) -> None:
    """Term by term and for the best interval."""
    said = understand(sentence, EVERYDAY, clip)
    exact = build(clip, said, EVERYDAY, against_background=True)
    quick = optimistic(clip, said, EVERYDAY)
    loose, tight = quick.problem, collapsed(exact.problem)
    assert (tight.T, tight.L, len(said.words)) == (loose.T, loose.L, loose.W)
    assert (loose.sizes == 1).all()
    assert (tight.sizes == 1).all()
    for i in range(loose.L):
        for t in range(loose.T):
            assert loose.unary(i, t)[0] == tight.unary(i, t)[0] == exact.problem.unary(i, t).max()
            if t > 0:
                highest = exact.problem.pairwise(i, t).max()
                assert loose.pairwise(i, t)[0, 0] >= tight.pairwise(i, t)[0, 0] == highest
    for w in range(tight.W):
        for t in range(loose.T):
            table = exact.problem.emission(w, t)
            highest = table.reshape(len(table), -1).max(axis=1)
            np.testing.assert_array_equal(tight.emission(w, t).ravel(), highest)
            if w < loose.W:
                assert (loose.emission(w, t).ravel() >= highest - 1e-9).all()
            else:  # a constraint never adds anything
                assert (highest <= 0).all()
    scores = best(loose, exact), best(tight, exact), best(exact.problem, exact)
    assert scores[0] >= scores[1] - 1e-9
    assert scores[1] >= scores[2] - 1e-9


@pytest.mark.parametrize("sentence", SENTENCES[:5])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_for_several_activities(sentence: str, seed: int) -> None:
    assert_bounds(two_activities(seed, fps=10)[0], sentence)


@pytest.mark.parametrize("sentence", SENTENCES)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), T=st.integers(1, 6), most=st.integers(1, 2))
def test_bounds_hold_for_anything(sentence: str, seed: int, T: int, most: int) -> None:
    assert_bounds(scattered(seed, T, most), sentence)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 8))
def test_nothing_is_lost_where_words_speak_of_one_and_there_is_one(seed: int, T: int) -> None:
    rng = np.random.default_rng(seed)
    low = np.cumsum(rng.normal(0, 20, (T, 2)), axis=0) + 300
    boxes = np.concatenate([low, low + 60], axis=1)
    clip = clip_from_arrays("one", (640, 480), 10, np.arange(T), ["person"] * T, boxes)
    said = understand("The person walked to the left quickly.", EVERYDAY, clip)
    exact = build(clip, said, EVERYDAY, against_background=True).problem
    quick = optimistic(clip, said, EVERYDAY).problem
    for w in range(quick.W):
        for t in range(T):
            loose, tight = quick.emission(w, t), exact.emission(w, t)
            told = np.maximum(tight, 0.0)  # what is not detected says nothing
            np.testing.assert_allclose(loose, told, atol=1e-9)


def test_a_bound_says_that_a_noun_is_not_there() -> None:
    clip = scattered(0, 4, 1)
    clip = replace(clip, classes=("person", "cup", "chair", "sofa"))
    with pytest.raises(ClipError, match="no dining-table was detected"):
        optimistic(clip, understand("The cup was on the table.", EVERYDAY), EVERYDAY)


@pytest.mark.parametrize("seed", range(4))
def test_terms_against_the_background_are_those_of_one_pair_at_a_time(seed: int) -> None:
    """Three features of four bins: what means nothing has a probability of 1 / 64."""
    objective = build(hands_and_cups(seed), meaning("hand", "cup"), lexicon(), True)
    seen, problem = objective.clip, objective.problem
    for t in range(seen.T):
        hands, cups = (cast.rows[t, : cast.counts[t]] for cast in objective.casts)
        assert [problem.emission(w, t).any() for w in (0, 1)] == [False, False]
        table = problem.emission(2, t)
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
    objective = build(replace(clip, score=score), meaning("hand", "cup"), lexicon(), True)
    seen = objective.clip
    for i, name in enumerate(("hand", "cup")):
        normal = usual(seen, name, margins)
        for t in range(seen.T):
            for j, n in enumerate(objective.casts[i].rows[t, : objective.casts[i].counts[t]]):
                value = seen.score[n]
                f = -math.log1p(math.exp(-6 * value)) if margins else math.log(value)
                expected = min(f - normal, 0.0)
                assert objective.problem.unary(i, t)[j] == pytest.approx(expected, abs=1e-9)


def test_a_class_that_is_never_seen_has_nothing_usual() -> None:
    clip = replace(hands_and_cups(0), classes=("cup", "hand", "sofa"))
    scores = np.log(clip.score)
    found = usual_scores(clip, scores)
    np.testing.assert_allclose(found[:2], [usual(clip, name, False) for name in ("cup", "hand")])
    assert found[2] == 0.0
    nothing = replace(clip, projected=np.ones(len(scores), dtype=np.bool_))
    np.testing.assert_array_equal(usual_scores(nothing, scores), np.zeros(3))
