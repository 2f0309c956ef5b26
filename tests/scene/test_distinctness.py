"""Different things: the rule against plain loops, and what it does to the best answer."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.things import all_differ, doubtful, one_thing
from sentrack.inference import Infeasible, Problem, solve
from sentrack.language import Meaning, Participant, Word
from sentrack.lexicon.lexicon import read
from sentrack.objective import Objective, build, shortage, whole
from sentrack.scene import Measurements, measure, scene_of
from sentrack.scene.candidates import candidate_set
from sentrack.scene.things import things
from sentrack.vision import Clip, clip_from_arrays
from tests.inference.oracle import LIMIT, assignments

LEXICON = read(
    """
noise = 0.1
[words.object]
part = "noun"
classes = "any"
[words.vehicle]
part = "noun"
classes = ["car", "truck"]
[words.near]
part = "verb"
roles = ["agent", "patient"]
[[words.near.states]]
name = "near"
"gap(patient, agent)" = { touching = 0.7, near = 0.1, apart = 0.1, far = 0.1 }
"speed(agent)" = { still = 0.4, slow = 0.3, moderate = 0.2, fast = 0.1 }
""",
    "test.toml",
)
NOUNS = [
    ("person", "object"),
    ("person", "person"),
    ("vehicle", "car"),
    ("object", "object"),
    ("person", "person", "person"),
    ("vehicle", "car", "vehicle"),
]


def meaning(*nouns: str) -> Meaning:
    """Things near the first, all of them different."""
    words = [Word(noun, (i,), "noun") for i, noun in enumerate(nouns)]
    words += [Word("near", (0, i), "verb") for i in range(1, len(nouns))]
    pairs = [(i, j) for j in range(len(nouns)) for i in range(j)]
    return Meaning("", tuple(map(Participant, nouns)), tuple(words), tuple(sorted(pairs)))


def classes_of(nouns: tuple[str, ...]) -> tuple[str, ...]:
    return ("person", "cup") if "person" in nouns or "object" in nouns else ("car", "truck")


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_what_shows_one_thing_is_what_loops_find(seed: int, T: int, identity: bool) -> None:
    clip = doubtful(seed, T, ("car", "truck"), 4, 3)
    for name in clip.classes:
        assume((clip.label == clip.classes.index(name)).any())
    things = measure(clip, frozenset(clip.classes), identity)
    clip = things.clip
    everything, cars = things.candidates(("car", "truck")), things.candidates(("car",))
    for first, second in product((everything, cars), repeat=2):
        assert first is not None
        assert second is not None
        found = things.one(first, second)
        for t in range(clip.T):
            for i, j in product(range(first.counts[t]), range(second.counts[t])):
                expected = one_thing(clip, int(first.rows[t, i]), int(second.rows[t, j]))
                assert found[t, i, j] == expected


@settings(max_examples=120)
@given(st.integers(0, 10**6), st.sampled_from(NOUNS), st.sampled_from([1, 2, 6]))
def test_the_best_answer_is_the_best_of_those_in_which_things_differ(
    seed: int, nouns: tuple[str, ...], repeats: int
) -> None:
    T = 2 if repeats > 2 or len(nouns) > 2 else 3
    clip = doubtful(seed, T, classes_of(nouns), 3, repeats)
    assume("car" not in nouns or (clip.label == clip.classes.index("car")).any())
    assume("person" not in nouns or (clip.label == clip.classes.index("person")).any())
    objective = build(clip, meaning(*nouns), LEXICON)
    assume(math.prod(int(n) for c in objective.candidates for n in c.counts) <= LIMIT)
    best = by_brute_force(objective)
    if best == -math.inf:
        with pytest.raises(Infeasible):
            solve(objective.problem)
        assert "different" in str(shortage(objective))
    else:
        solution = solve(objective.problem)
        assert solution.certified
        assert solution.score == pytest.approx(best)
        assert all_differ(objective, solution.tracks)


def by_brute_force(objective: Objective) -> float:
    """The score of the best answer in which participants that must differ do, by the rule."""
    words = objective.problem.words[: len(objective.models)]
    tracks, _, scores = assignments(Problem(objective.problem.tracks, words))
    clip = objective.clip
    for i, j in objective.meaning.distinct:
        for t in range(clip.T):
            rows = [objective.candidates[n].rows[t] for n in (i, j)]
            same = np.array([[one_thing(clip, int(a), int(b)) for b in rows[1]] for a in rows[0]])
            scores = np.where(same[tracks[i, t], tracks[j, t]], -np.inf, scores)
    return float(scores.max())


def people(*paths: dict[int, float], extra: float | None = None) -> Clip:
    """People by their left edges per frame; of the first one a second box, so far to the right."""
    rows = [(t, x) for path in paths for t, x in path.items()]
    rows += [(t, x + extra) for t, x in paths[0].items()] if extra is not None else []
    boxes = [[x, 100, x + 60, 260] for _, x in rows]
    names = ["person"] * len(rows)
    T = max(t for t, _ in rows) + 1
    return clip_from_arrays(
        "people.csv", (640, 480), 10, [t for t, _ in rows], names, boxes, frames=np.arange(T)
    )


def passing() -> tuple[dict[int, float], dict[int, float]]:
    """Two who pass each other in frames 5 and 6, and are apart in the first and the last ones."""
    return {t: 100.0 + 8 * t for t in range(12)}, {t: 192.0 - 8 * t for t in range(12)}


def test_two_people_who_pass_are_two() -> None:
    clip = people(*passing())
    players = candidate_set(clip, np.ones(len(clip.label), dtype=np.bool_), things(clip, False))
    np.testing.assert_array_equal(
        Measurements(clip, identity=False).one(players, players), np.tile(np.eye(2), (12, 1, 1))
    )


def test_two_boxes_of_one_thing_are_one_but_where_nobody_could_tell_who_is_who() -> None:
    clip = people(*passing(), extra=8)
    players = candidate_set(clip, np.ones(len(clip.label), dtype=np.bool_), things(clip, False))
    one = Measurements(clip, identity=False).one(players, players)[[0, 1, 2, 3, 4, 7, 8, 9, 10, 11]]
    assert one[:, 0, 2].all()
    assert not one[:, 0, 1].any()
    objective = build(clip, meaning("person", "person"), LEXICON)
    assert all_differ(objective, solve(objective.problem).tracks)


def test_a_line_says_what_is_missing() -> None:
    clip = people(dict.fromkeys(range(4), 300.0), extra=4)
    objective = build(clip, meaning("person", "person"), LEXICON)
    said = "people.csv: the sentence needs 2 different people; no frame shows more than 1"
    assert shortage(objective) == said
    objective = build(clip, meaning("person", "object"), LEXICON)
    said = "needs 2 different things, person and object; no frame shows more than 1"
    assert said in str(shortage(objective))
    two = people(dict.fromkeys(range(4), 300.0), dict.fromkeys(range(2), 20.0))
    assert shortage(build(two, meaning("person", "person"), LEXICON)) is None


def test_a_cut_knows_what_comes_before_and_after() -> None:
    walk, come = passing()
    clip = people(walk, come)
    scene = scene_of(clip, meaning("person", "person"), LEXICON)
    # Where they pass, frames 5 and 6, nothing but the others tells that they are two.
    part = whole(scene.cut(5, 7))
    assert math.isfinite(solve(part.problem).score)
    alone = build(clip.cut(5, 7), meaning("person", "person"), LEXICON)
    with pytest.raises(Infeasible):
        solve(alone.problem)
    for mine, other in zip(part.problem.tracks, alone.problem.tracks, strict=True):
        for a, b in zip(mine.unary, other.unary, strict=True):
            # The two that are last stand for being away, which is for all of the clip.
            np.testing.assert_allclose(np.asarray(a)[:-2], np.asarray(b)[:-2])
