"""The terms of Eq. 4, against the same computed one candidate at a time."""

import math

import numpy as np
import pytest

import sentrack
from benchmarks.things import one_thing
from sentrack.language import Meaning, Participant, Word
from sentrack.lexicon.lexicon import Lexicon, read
from sentrack.objective import build
from sentrack.scene import detection_scores, is_away
from sentrack.vision import Clip, clip_from_arrays

TOML = """
identity = false
noise = 0.1
[words.hold]
part = "verb"
roles = ["agent", "patient"]
initial = [0.8, 0.2]
final = ["held"]
[[words.hold.states]]
name = "free"
seconds = 0.5
"gap(patient, agent)" = { touching = 0.1, near = 0.2, apart = 0.3, far = 0.4 }
"speed(patient)" = { still = 0.7, slow = 0.1, moderate = 0.1, fast = 0.1 }
[[words.hold.states]]
name = "held"
"gap(patient, agent)" = { touching = 0.7, near = 0.1, apart = 0.1, far = 0.1 }
"speed(agent)" = { still = 0.4, slow = 0.3, moderate = 0.2, fast = 0.1 }
"""
GAPS, SPEEDS = (0.0, 0.06, 0.24), (0.06, 0.2, 0.6)  # frame heights, of 2.5 metres
FREE = {"gap": (0.1, 0.2, 0.3, 0.4), "patient": (0.7, 0.1, 0.1, 0.1), "agent": (0.25,) * 4}
HELD = {"gap": (0.7, 0.1, 0.1, 0.1), "patient": (0.25,) * 4, "agent": (0.4, 0.3, 0.2, 0.1)}


def clip(seed: int = 0, classes: tuple[str, ...] = ("hand", "cup")) -> Clip:
    rng = np.random.default_rng(seed)
    frame, names, boxes = [], [], []
    for t in range(5):
        for name in classes:
            for _ in range(int(rng.integers(1, 4))):
                x, y = rng.uniform(0, 300, 2)
                w, h = rng.uniform(20, 120, 2)
                frame.append(t)
                names.append(name)
                boxes.append([x, y, x + w, y + h])
    velocity = rng.normal(0, 0.4, (len(frame), 2))
    score = rng.uniform(0, 1, len(frame))
    return clip_from_arrays("c", (640, 400), 20, frame, names, boxes, score, velocity=velocity)


def meaning(*nouns: str, distinct: tuple[tuple[int, int], ...] = ()) -> Meaning:
    words = [Word(noun, (i,), "noun") for i, noun in enumerate(nouns)]
    return Meaning(
        "", tuple(Participant(n) for n in nouns), (*words, Word("hold", (0, 1), "verb")), distinct
    )


def lexicon() -> Lexicon:
    return read(TOML, "test.toml")


def place(value: float, edges: tuple[float, ...]) -> int:
    return sum(value > edge for edge in edges)


@pytest.mark.parametrize("seed", range(5))
def test_emissions_are_those_of_one_pair_at_a_time(seed: int) -> None:
    objective = build(clip(seed), meaning("hand", "cup"), lexicon())
    seen = objective.clip
    for t in range(seen.T):
        table = objective.problem.emission(2, t)
        hands, cups = (own.rows[t, : own.counts[t]] for own in objective.candidates)
        assert table.shape == (2, len(hands), len(cups))
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
                    expected = math.log(0.9 * likely + 0.1 / 64)
                    if seen.projected[[hand, cup]].any():
                        expected = -math.log(64)
                    if t == seen.T - 1 and k == 0:
                        expected = -math.inf
                    assert table[k, a, b] == pytest.approx(expected, rel=1e-4)


def test_the_chain_of_a_word() -> None:
    problem = build(clip(), meaning("hand", "cup"), lexicon()).problem
    stay = math.exp(-0.05 / 0.5)
    expected = np.array([[stay, 1 - stay], [0.0, 1.0]])
    np.testing.assert_allclose(np.exp(problem.transition(2)), expected)
    np.testing.assert_allclose(np.exp(problem.initial(2)), [0.8, 0.2])


def test_detection_scores_of_probabilities_and_of_margins() -> None:
    probabilities = clip()
    expected = np.log(np.maximum(probabilities.score, 0.01))
    np.testing.assert_allclose(detection_scores(probabilities), expected)
    margins = sentrack.Clip(**{**probabilities.__dict__, "score": probabilities.score * 4 - 2})
    sigmoid = 1 / (1 + np.exp(-6 * margins.score))
    np.testing.assert_allclose(detection_scores(margins), np.log(sigmoid))


def test_the_papers_coherence_is_that_of_one_pair_at_a_time() -> None:
    objective = build(clip(1), meaning("hand", "cup"), lexicon())
    seen, cast = objective.clip, objective.candidates[0]
    slack = math.sqrt(1.5)  # frames 1/20 s apart
    for t in range(1, seen.T):
        g = objective.problem.pairwise(0, t)
        for a, before in enumerate(cast.rows[t - 1, : cast.counts[t - 1]]):
            for b, after in enumerate(cast.rows[t, : cast.counts[t]]):
                c0 = (seen.boxes[before, :2] + seen.boxes[before, 2:]) / 800
                c1 = (seen.boxes[after, :2] + seen.boxes[after, 2:]) / 800
                d = math.dist(c0 + seen.velocity[before] * 0.05, c1)
                x = (d - 50 / 960 * slack) / (11 / 960 * slack)
                assert g[a, b] == pytest.approx(-math.log1p(math.exp(x)), rel=1e-3, abs=1e-3)


def test_participants_of_one_predicate_are_never_one_thing() -> None:
    objective = build(clip(2), meaning("cup", "cup", distinct=((0, 1),)), lexicon())
    for t in range(objective.clip.T):
        table = objective.problem.emission(3, t)[0]
        rows = objective.candidates[0].rows[t, : len(table)]
        away = is_away(objective.clip)
        same = [
            [not away[a] and one_thing(objective.clip, int(a), int(b)) for b in rows] for a in rows
        ]
        np.testing.assert_array_equal(table, np.where(same, -np.inf, 0.0))


def test_what_is_projected_says_nothing() -> None:
    seen = clip(3)
    keep = ~((seen.frame_of == 2) & (seen.label == seen.classes.index("cup")))
    gappy = clip_from_arrays(
        "gap",
        seen.size,
        seen.fps,
        seen.frames[seen.frame_of[keep]],
        seen.classes,
        seen.boxes[keep],
        label=seen.label[keep],
        frames=seen.frames,
    )
    objective = build(gappy, meaning("hand", "cup"), lexicon())
    assert objective.clip.projected.any()
    np.testing.assert_allclose(objective.problem.emission(2, 2), -3 * math.log(4))
