"""Clauses that happen in order, against every interval, every division of it and every track."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.things import doubtful
from sentrack.inference import Infeasible, solve
from sentrack.inference.intervals import best_interval
from sentrack.lexicon import Lexicon, WordModel
from sentrack.objective import Bounds, Objective, interval, whole
from sentrack.scene import Scene, scene_of
from sentrack.tasks import Tracking
from sentrack.tasks.tracker import understand
from sentrack.vision import ClipError

EVERYDAY = Lexicon.load("everyday")
# Events of a few frames, so that all limits of their durations count in clips of five.
QUICK = replace(
    EVERYDAY,
    words={
        key: model if model.seconds is None else replace(model, seconds=0.2 * model.seconds)
        for key, model in EVERYDAY.words.items()
    },
)
SENTENCES = (
    "The person picked up the cup and then put it down.",
    "The person walked, then stopped.",
    "The person walked to the right before he ran to the left.",
    "After the person approached the cup slowly, he left it.",
    "The red person walked, then stopped, then walked.",
)


def scenes(seed: int, T: int, sentence: str) -> Scene | None:
    clip = doubtful(seed, T, ("person", "cup"), 2, 1)
    try:
        return scene_of(clip, understand(sentence, QUICK), QUICK)
    except ClipError:
        return None


def paths(
    model: WordModel, seconds: float, T: int, room: int, counts: bool, n: int
) -> Iterator[tuple[tuple[int, ...], float]]:
    """All ways of a word through its states in n frames, with what they are worth."""
    initial, a = model.log_initial(), model.log_transitions(seconds)
    for path in itertools.product(range(model.K), repeat=n):
        if not model.final[path[-1]]:
            continue
        if counts and model.seconds is not None:
            runs = [(k, len(list(run))) for k, run in itertools.groupby(path)]
            usual = model.seconds / seconds
            if any(
                not min(round(0.25 * usual[k]), room // model.K)
                <= length
                <= min(max(round(1.25 * usual[k]), 1), T)
                for k, length in runs
            ):
                continue
        moves = sum(a[k, following] for k, following in itertools.pairwise(path))
        yield path, initial[path[0]] + moves


def clause_worth(
    scene: Scene, tracks: np.ndarray, clause: int, a: int, b: int, against: bool
) -> float:
    """What the words of a clause are worth at best in the frames a to b - 1."""
    order, T, seconds = scene.meaning.order, scene.clip.T, scene.clip.seconds
    models = [scene.models[w] for w in order[clause]]
    room = T // len(order)
    if all(model.K == 1 for model in models) and b - a < min(round(1 / seconds), room):
        return -math.inf
    events = [w for w, model in enumerate(models) if model.K > 1]
    total = 0.0
    for n, (w, model) in enumerate(zip(order[clause], models, strict=True)):
        h, link = scene.emission(w, against), scene.meaning.words[w].participants
        best = -math.inf
        for path, worth in paths(model, seconds, T, room, events[:1] == [n], b - a):
            told = sum(h[(t, path[t - a], *(tracks[p, t] for p in link))] for t in range(a, b))
            best = max(best, worth + told)
        total += best
    return total


def brute(scene: Scene, objective: Objective) -> float:
    """The best score by trying everything."""
    against, T = objective.against_background, scene.clip.T
    order, C = scene.meaning.order, len(scene.meaning.order)
    always = [w for w in range(len(scene.models)) if all(w not in clause for clause in order)]
    best = -math.inf
    every = [(first, last) for first, last in itertools.combinations(range(T + 1), 2)]
    for first, last in every if against else [(0, T)]:
        for tracks in all_tracks(scene, objective, first, last):
            base = track_worth(scene, objective, tracks, first, last)
            if base == -math.inf:
                continue
            for w in always:
                h, link = scene.emission(w, against), scene.meaning.words[w].participants
                base += sum(h[(t, 0, *(tracks[p, t] for p in link))] for t in range(first, last))
            for edges in itertools.combinations_with_replacement(range(first, last + 1), 2 * C):
                begin, end = edges[::2], edges[1::2]
                if any(a == b for a, b in zip(begin, end, strict=True)):
                    continue
                if against and (begin[0] != first or end[-1] != last):
                    continue
                total = base
                for c, (a, b) in enumerate(zip(begin, end, strict=True)):
                    total += clause_worth(scene, tracks, c, a, b, against)
                    if not against:
                        silent = sum(scene.models[w].background for w in order[c])
                        total += silent * (last - first - (b - a))
                best = max(best, total)
    return best


def all_tracks(scene: Scene, objective: Objective, first: int, last: int) -> Iterator[np.ndarray]:
    """Every choice of candidates whose tracks are not forbidden."""
    problem, single = objective.problem, []
    for i in range(problem.L):
        own = []
        for j in itertools.product(*(range(problem.sizes[i, t]) for t in range(first, last))):
            moves = enumerate(itertools.pairwise(j), first + 1)
            if all(problem.pairwise(i, t)[pair] > -math.inf for t, pair in moves):
                own.append([0] * first + list(j) + [0] * (scene.clip.T - last))
        single.append(own)
    yield from (np.array(chosen) for chosen in itertools.product(*single))


def track_worth(
    scene: Scene, objective: Objective, tracks: np.ndarray, first: int, last: int
) -> float:
    """Detections and coherence, less what frames cost, of participants that are not one thing."""
    problem, total = objective.problem, 0.0
    for i, j in enumerate(tracks):
        total += sum(problem.unary(i, t)[j[t]] for t in range(first, last))
        total += sum(problem.pairwise(i, t)[j[t - 1], j[t]] for t in range(first + 1, last))
    for a, b in scene.meaning.distinct:
        one = scene.measured.one(scene.candidates[a], scene.candidates[b])
        if any(one[t, tracks[a, t], tracks[b, t]] for t in range(first, last)):
            return -math.inf
    return total


@pytest.mark.parametrize("sentence", SENTENCES)
@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), T=st.integers(2, 5), against=st.booleans())
def test_order_is_that_of_brute_force(sentence: str, seed: int, T: int, against: bool) -> None:
    scene = scenes(seed, T, sentence)
    if scene is None:
        return
    objective = interval(scene) if against else whole(scene)
    expected = brute(scene, objective)
    try:
        if against:
            found = best_interval(objective.problem, objective.final)
            solution = found.solution
            answer = Tracking.of_part(objective, found.first, found.last, solution)
        else:
            solution = solve(objective.problem)
            answer = Tracking.of(objective, solution)
    except Infeasible:
        assert expected == -math.inf
        return
    assert solution.certified
    assert solution.score == pytest.approx(expected)
    assert answer.ledger.total == pytest.approx(solution.score)
    if against:
        assert Bounds(scene).over(0, T) >= solution.score
    told = [
        {t for w in clause for t, state in enumerate(answer.words[w].states) if state}
        for clause in scene.meaning.order
    ]
    assert all(told)
    for before, after in itertools.pairwise(told):
        assert max(before) < min(after)
