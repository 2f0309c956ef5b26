"""Moments of a clip, against all intervals one by one, and where it is known what happens when."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from sentrack.inference import Problem, WordTerms
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon
from sentrack.objective.interval_problem import (
    DULL,
    LONGEST_STATE,
    MOMENT,
    SHORTEST_STATE,
    at_least,
    lasting,
)
from sentrack.scene import Scene, scene_of, unpadded
from sentrack.tasks.moment import moments
from sentrack.tasks.tracker import RATE, track, understand
from sentrack.vision import Clip, ClipError, clip_from_arrays
from sentrack.vision.clip import ROWS

EVERYDAY = Lexicon.load("everyday")
REST, ACT = 30, 16  # frames
FPS = 10


def said(sentence: str) -> Meaning:
    return understand(sentence, EVERYDAY)


def small(seed: int, T: int = 12, fps: float = 4) -> Clip:
    """One or two of a kind that wander about; words last for a few frames."""
    rng = np.random.default_rng(seed)
    rows = []
    for kind, half in enumerate([(0.05, 0.2), (0.05, 0.05)]):
        for _ in range(rng.integers(1, 3)):
            steps = rng.normal(0, 0.02, (T, 2)) + rng.normal(0, 0.03, 2)
            centre = rng.uniform(0.4, 0.6, 2) + np.cumsum(steps, axis=0)
            seen = rng.random(T) < 0.9
            boxes = np.hstack([centre - half, centre + half])[seen] * 480
            rows.append((np.arange(T)[seen], np.full(T, kind)[seen], boxes))
    frame, label, boxes = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    score = rng.uniform(0.5, 1, len(frame))
    return clip_from_arrays(
        f"small-{seed}",
        (640, 480),
        fps,
        frame,
        ("person", "cup"),
        boxes,
        score,
        label=label,
        frames=np.arange(T),
    )


# Tracks of a frame, and of each word its state and for how many frames it has been in it.
Label = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


def against_background(scene: Scene) -> Problem:
    """The terms of all frames as log-ratios, with words as they are in the lexicon."""
    words = [
        WordTerms(
            model.log_initial(),
            model.log_transitions(scene.clip.seconds),
            unpadded(scene.emission(w, True), 1, [own.counts for own in scene.players(w)]),
            scene.meaning.words[w].participants,
        )
        for w, model in enumerate(scene.models)
    ]
    return Problem(scene.tracks(True), [*words, *scene.apart()])


def intervals(scene: Scene) -> dict[tuple[int, int], float]:
    """The best score of every interval, one label after another: plain dynamic programming."""
    problem, models = against_background(scene), scene.models
    dull = DULL * sum(word.part != "noun" for word in scene.meaning.words)
    lasts: list[Sequence[tuple[float, float]]] = []
    for w in range(problem.W):
        model = models[w] if w < len(models) else None
        if model is None or model.K == 1 or model.seconds is None:
            lasts.append([(0, np.inf)])
        else:
            room, frames = problem.T // model.K, model.seconds / scene.clip.seconds
            lasts.append(
                [
                    (min(round(SHORTEST_STATE * n), room), max(1, round(LONGEST_STATE * n)))
                    for n in frames
                ]
            )

    def emitted(t: int, tracks: tuple[int, ...], states: Sequence[int]) -> float:
        value = sum(problem.unary(i, t)[j] for i, j in enumerate(tracks)) - dull
        for w, k in enumerate(states):
            value += problem.emission(w, t)[(k, *(tracks[p] for p in problem.link(w)))]
        return float(value)

    def long_enough(w: int, k: int, n: int) -> bool:
        return n >= lasts[w][k if len(lasts[w]) > 1 else 0][0]

    def may_end(label: Label) -> bool:
        return all(
            models[w].final[k] and long_enough(w, k, n)
            for w, (k, n) in enumerate(label[1])
            if w < len(models)
        )

    found: dict[tuple[int, int], float] = {}
    for first in range(problem.T):
        now: dict[Label, float] = {}
        for tracks in itertools.product(*map(range, problem.sizes[:, first])):
            for states in itertools.product(*(range(problem.states(w)) for w in range(problem.W))):
                value = sum(problem.initial(w)[k] for w, k in enumerate(states))
                now[tracks, tuple((k, 1) for k in states)] = float(value) + emitted(
                    first, tracks, states
                )
        for t in range(first + 1, problem.T + 1):
            now = {label: value for label, value in now.items() if value > -np.inf}
            found[first, t] = max(
                (v for label, v in now.items() if may_end(label)), default=-np.inf
            )
            if t == problem.T:
                break
            following: dict[Label, float] = defaultdict(lambda: -np.inf)
            for (before, words), value in now.items():
                moves = []
                for w, (k, n) in enumerate(words):
                    options = [(j, 1) for j in range(problem.states(w)) if j != k]
                    options = options if long_enough(w, k, n) else []
                    if n < lasts[w][k if len(lasts[w]) > 1 else 0][1]:
                        options.append((k, n + 1))
                    moves.append([(o, problem.transition(w)[k, o[0]]) for o in options])
                for tracks in itertools.product(*map(range, problem.sizes[:, t])):
                    pairs = zip(before, tracks, strict=True)
                    moved = value + sum(
                        problem.pairwise(i, t)[a, b] for i, (a, b) in enumerate(pairs)
                    )
                    for chosen in itertools.product(*moves):
                        label = tracks, tuple(option for option, _ in chosen)
                        total = moved + sum(a for _, a in chosen)
                        if total > -np.inf:
                            total += emitted(t, tracks, [k for (k, _), _ in chosen])
                            following[label] = max(following[label], total)
            now = following
    moment = min(problem.T, round(MOMENT / scene.clip.seconds))
    least = moment if all(model.K == 1 for model in models) else 1
    return {each: score for each, score in found.items() if each[1] - each[0] >= least}


def ranked(scores: dict[tuple[int, int], float]) -> list[tuple[tuple[int, int], float]]:
    """The best interval, then the best that does not overlap it, and so on."""
    chosen: list[tuple[tuple[int, int], float]] = []
    for (first, last), score in sorted(scores.items(), key=lambda item: -item[1]):
        apart = all(last <= other[0] or other[1] <= first for other, _ in chosen)
        if apart and score > -np.inf:
            chosen.append(((first, last), score))
    return chosen


SENTENCES = (
    "The person picked up the cup.",
    "The person approached the cup.",
    "The person walked to the right slowly.",
    "The cup rose.",
    "The person entered the cup.",
    "The cup was to the left of the person.",
)


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("seed", range(4))
def test_moments_are_the_best_of_all_intervals(sentence: str, seed: int) -> None:
    clip, meaning = small(seed), said(sentence)
    expected = ranked(intervals(scene_of(clip, meaning, EVERYDAY)))
    found = moments(clip, meaning, EVERYDAY, count=3, least=-np.inf)
    assert found.solved
    assert len(found.moments) == min(3, len(expected))
    for moment, ((first, last), score) in zip(found.moments, expected, strict=False):
        assert moment.score == pytest.approx(score, abs=1e-6)
        assert (moment.start, moment.end) == pytest.approx((first / clip.fps, last / clip.fps))
        for participant in moment.tracking.participants:
            assert participant.frames.tolist() == list(range(first, last))
        assert moment.tracking.certified
        assert (moment.video, moment.sentence) == (clip.name, sentence)
        assert moment.match == moment.tracking.match
        assert moment.score == moment.tracking.score
        assert moment.tracking.ledger.total == pytest.approx(score, abs=1e-6)
        assert (moment.tracking.start, moment.tracking.end) == (moment.start, moment.end)


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("seed", range(4))
def test_the_best_moment_is_what_track_answers(sentence: str, seed: int) -> None:
    clip = small(seed)
    (best,) = moments(clip, said(sentence), EVERYDAY, count=1, least=-np.inf).moments
    found = track(clip, sentence, EVERYDAY)
    assert found.certified
    assert found.score == pytest.approx(best.score)
    assert (found.start, found.end, found.match) == (best.start, best.end, best.match)
    for one, other in zip(found.participants, best.tracking.participants, strict=True):
        np.testing.assert_array_equal(one.boxes, other.boxes)
    # A search tells of it as soon as it beats the background.
    told = moments(clip, said(sentence), EVERYDAY, count=1).moments
    assert [moment.score for moment in told] == [best.score] * (best.score >= 0)


@pytest.mark.parametrize("fps", [15, 25, 24, 12.5])
def test_moments_end_before_the_next_ones_begin_however_frames_are_spread(fps: float) -> None:
    """At such rates, some of the frames that are looked at are closer to each other than others."""
    clip = small(7, T=60, fps=fps)
    looked_at = clip.thinned(RATE)
    assert len(set(np.diff(looked_at.frames))) > 1
    found = moments(clip, said("The cup rose."), EVERYDAY, count=100, least=-np.inf).moments
    assert len(found) > 5
    found = tuple(sorted(found, key=lambda moment: moment.start))
    for moment, later in itertools.pairwise(found):
        assert moment.start < moment.end <= later.start
    for moment in found[:-1]:
        last = int(np.searchsorted(looked_at.times, moment.tracking.participants[0].times[-1]))
        assert moment.end == looked_at.times[last + 1]
    assert found[-1].end <= looked_at.times[-1] + looked_at.seconds


def test_what_goes_on_and_on_is_as_long_as_a_word_may_last() -> None:
    """A hand lifts a cup for six seconds, and no state of the word lasts that long."""
    T, fps = 24, 4
    centre = np.stack([np.full(T, 0.5), 0.9 - 0.03 * np.arange(T)], axis=1)
    centre = (centre[:, None] + [(-0.04, 0), (0.04, 0)]).reshape(-1, 2)
    boxes = np.hstack([centre - 0.06, centre + 0.06]) * 480
    frame, label = np.repeat(np.arange(T), 2), np.tile([0, 1], T)
    kinds = ("person", "cup")
    clip = clip_from_arrays("lift", (640, 480), fps, frame, kinds, boxes, label=label)
    meaning = said("The person picked up the cup.")
    scores = intervals(scene_of(clip, meaning, EVERYDAY))
    (found,) = moments(clip, meaning, EVERYDAY, count=1).moments
    assert found.score == pytest.approx(max(scores.values()), abs=1e-6)
    # 0.8 s are usual for both states, so that each may last for 1 s.
    assert found.end - found.start <= 2.0
    (verb,) = (word for word in found.tracking.words if word.part == "verb")
    lasted = {name: len(list(run)) for name, run in itertools.groupby(verb.states)}
    assert list(lasted) == ["reaching", "holding"]
    assert lasted["reaching"] <= lasted["holding"] == 4
    assert scores[0, T] == -np.inf


@pytest.mark.parametrize("sentence", SENTENCES)
def test_only_moments_that_reach_the_least(sentence: str) -> None:
    clip, meaning = small(7, T=30), said(sentence)
    every = moments(clip, meaning, EVERYDAY, count=100, least=-20.0).moments
    assert len(every) >= 3
    scores = [moment.score for moment in every]
    assert scores == sorted(scores, reverse=True)
    for a, b in itertools.combinations(every, 2):
        assert a.end <= b.start + 1e-9 or b.end <= a.start + 1e-9
    for count in (0, 1, 2):
        some = moments(clip, meaning, EVERYDAY, count, least=-20.0).moments
        assert [moment.score for moment in some] == scores[:count]
    for least in (scores[0], scores[2], scores[0] + 1e-6, 1e9):
        answer = moments(clip, meaning, EVERYDAY, 100, least)
        assert [moment.score for moment in answer.moments] == [s for s in scores if s >= least]
    # The last one is above what any term can reach, and a bound is enough to see that.
    assert not answer.solved


def activities(plan: Sequence[str], seed: int = 0) -> tuple[Clip, dict[str, list[float]]]:
    """Scenes of 4.6 s one after another, and the times (start, end) of the acts of each kind.

    A person, of whom one sees a hand, picks up a cup at the end of a scene, or puts it down at its
    beginning; in all other frames the hand is away from the cup, and both rest.
    """
    rng = np.random.default_rng(seed)
    paths, times = [], defaultdict(list)
    for n, act in enumerate(plan):
        away = np.concatenate([np.ones(REST), np.linspace(1, 0, ACT // 2), np.zeros(ACT // 2)])
        lift = np.concatenate([np.zeros(REST + ACT // 2), np.linspace(0, 1, ACT // 2)])
        begin = n * (REST + ACT) / FPS
        if act == "up":
            times[act].append(begin + REST / FPS)
        else:
            away, lift = away[::-1], lift[::-1]
            if act == "rest":
                away, lift = np.ones_like(away), np.zeros_like(lift)
            times[act].append(begin)
        hand = np.stack([0.65 - 0.3 * away, 0.6 - 0.3 * lift], axis=1)
        cup = np.stack([np.full(len(lift), 0.7), 0.6 - 0.3 * lift], axis=1)
        paths.append(np.stack([hand, cup], axis=1))
    centre = np.concatenate(paths)
    centre = centre + rng.normal(0, 0.0005, centre.shape)
    boxes = np.concatenate([centre - 0.05, centre + 0.05], axis=-1).reshape(-1, 4) * 480
    T = len(centre)
    frame, label = np.repeat(np.arange(T), 2), np.tile([0, 1], T)
    clip = clip_from_arrays("scenes", (640, 480), FPS, frame, ("person", "cup"), boxes, label=label)
    return clip, times


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("sentence", "act", "part"),
    [
        ("The person picked up the cup.", "up", (0.0, 1.6)),
        ("The person put down the cup.", "down", (0.0, 1.6)),
        ("The cup rose.", "up", (0.8, 1.6)),
        ("The cup moved downwards.", "down", (0.0, 0.8)),
    ],
)
def test_what_happens_when_is_found(
    sentence: str, act: str, part: tuple[float, float], seed: int
) -> None:
    """Half of a second, mostly of rest, may be taken for a part of it."""
    clip, times = activities(["up", "rest", "down", "rest", "up", "down", "rest", "up"], seed)
    found = moments(clip, said(sentence), EVERYDAY, len(times[act])).moments
    assert len(found) == len(times[act])
    for moment, begin in zip(sorted(found, key=lambda m: m.start), times[act], strict=True):
        assert moment.start == pytest.approx(begin + part[0], abs=0.5)
        assert moment.end == pytest.approx(begin + part[1], abs=0.5)
    # What comes next is not it, and much weaker.
    more = moments(clip, said(sentence), EVERYDAY, len(times[act]) + 1).moments[len(found) :]
    assert all(moment.score < 0.5 * found[-1].score for moment in more)


def test_times_and_frames_are_those_of_the_source() -> None:
    """A clip that starts late."""
    clip, times = activities(["rest", "up", "rest"])
    late = replace(clip, frames=clip.frames + 700, times=clip.times + 70)
    (moment,) = moments(late, said("The person picked up the cup."), EVERYDAY, 1).moments
    assert moment.start == pytest.approx(70 + times["up"][0], abs=0.5)
    inside = late.times[np.isin(late.frames, moment.tracking.participants[0].frames)]
    assert moment.start == inside[0]
    assert moment.end == pytest.approx(inside[-1] + 0.1)


def test_no_more_frames_are_looked_at_than_needed() -> None:
    """The same at three times the rate: frames in between change nothing."""
    clip, _ = activities(["rest", "up", "rest"])
    frame = np.arange(clip.T).repeat(3)
    rows = (np.arange(3 * clip.T)[:, None] // 3 * 2 + [0, 1]).ravel()
    assert clip.start[-1] == 2 * clip.T
    fast = replace(
        clip,
        fps=30.0,
        frames=np.arange(3 * clip.T),
        times=clip.times[frame] + np.tile([0, 1, 2], clip.T) / 30,
        start=np.arange(3 * clip.T + 1) * 2,
        **{name: getattr(clip, name)[rows] for name in ROWS},
    )
    meaning = said("The person picked up the cup.")
    slow, same = (moments(each, meaning, EVERYDAY).moments for each in (clip, fast))
    assert len(same) > 0
    assert [m.score for m in same] == [m.score for m in slow]
    assert [(m.start, m.end) for m in same] == [(m.start, m.end) for m in slow]
    assert (np.diff(same[0].tracking.participants[0].frames) == 3).all()


def test_a_noun_that_is_not_there_and_a_clip_in_which_nothing_happens() -> None:
    clip, _ = activities(["rest"])
    for sentence in ("The dog walked.", "The person picked up the chair."):
        answer = moments(clip, said(sentence), EVERYDAY)
        assert (answer.moments, answer.solved) == ((), False)
    found = moments(clip, said("The cup rose."), EVERYDAY)
    assert (found.moments, found.solved) == ((), False)


def test_states_last_no_longer_than_they_may() -> None:
    """Two states that last two frames, and two to five, over all paths of a few frames."""
    model = replace(EVERYDAY.model("pick-up", "verb"), seconds=np.array([0.2, 0.7]))
    least, most, step = (1, 2), (3, 9), 0.0875
    assert [round(LONGEST_STATE * s / step) for s in (0.2, 0.7)] == [3, 10]
    assert [round(SHORTEST_STATE * s / step) for s in (0.2, 0.7)] == [1, 2]
    chain = lasting(model, step, 9)
    assert chain.state.tolist() == [0] * 3 + [1] * 9  # no longer than the clip
    assert chain.final.tolist() == [False] * 4 + [True] * 8
    initial, transition = model.log_initial(), model.log_transitions(step)
    for T in range(1, 6):
        found: dict[tuple[int, ...], list[float]] = defaultdict(list)
        for path in itertools.product(range(12), repeat=T):
            score = chain.initial[path[0]] + chain.transition[path[:-1], path[1:]].sum()
            if score > -np.inf:
                found[tuple(int(chain.state[place]) for place in path)].append(score)
        for states in itertools.product(range(2), repeat=T):
            score = initial[states[0]] + transition[states[:-1], states[1:]].sum()
            runs = [(k, len(list(run))) for k, run in itertools.groupby(states)]
            allowed = score > -np.inf and all(n <= most[k] for k, n in runs)
            allowed &= all(n >= least[k] for k, n in runs[:-1])
            assert found[states] == pytest.approx([score] if allowed else [])


@pytest.mark.parametrize("frames", [0, 1, 2, 4])
def test_a_word_of_one_state_may_have_to_last(frames: int) -> None:
    chain = at_least(lasting(EVERYDAY.model("walk", "verb"), 0.1, 30), frames)
    for T in range(1, 7):
        paths = itertools.product(range(len(chain.state)), repeat=T)
        scores = [
            chain.initial[path[0]] + chain.transition[path[:-1], path[1:]].sum()
            for path in paths
            if chain.final[path[-1]]
        ]
        finite = [score for score in scores if score > -np.inf]
        assert finite == ([0.0] if max(1, frames) <= T else [])


@pytest.mark.parametrize(("word", "part"), [("person", "noun"), ("near", "preposition")])
def test_what_has_one_state_lasts(word: str, part: str) -> None:
    model = EVERYDAY.model(word, part)
    chain = lasting(model, 0.1, 30)
    assert [chain.state.tolist(), chain.initial.tolist()] == [[0], [0.0]]
    assert [chain.transition.tolist(), chain.final.tolist()] == [[[0.0]], [True]]


def passing(first: int, last: int, person_from: int = 0) -> Clip:
    """Thirty frames, a tenth of a second each; a car is there in those from `first` to `last`."""
    t = np.arange(30)
    alone = 30 - person_from
    person = np.tile([100.0, 200, 140, 320], (alone, 1))
    car = np.array([300.0, 200, 400, 260]) + 20.0 * np.arange(last - first)[:, None] * [1, 0, 1, 0]
    return clip_from_arrays(
        "passing",
        (1280, 480),
        10,
        np.concatenate([t[person_from:], t[first:last]]),
        ("person", "car"),
        np.concatenate([person, car]),
        np.full(alone + last - first, 0.9),
        label=np.repeat([0, 1], [alone, last - first]),
        frames=t,
    )


@pytest.mark.parametrize(
    "sentence", ["The car moved.", "The person left the car.", "The car stopped."]
)
@pytest.mark.parametrize("last", [11, 13])
def test_what_is_there_for_less_than_a_moment_is_tracked_while_it_is(
    sentence: str, last: int
) -> None:
    found = track(passing(10, last), sentence, EVERYDAY)
    assert found.certified
    assert 1.0 <= found.start < found.end <= last / 10 + 1e-9


def test_what_is_never_there_together_or_not_for_long_is_said() -> None:
    with pytest.raises(ClipError, match=r"^passing: .* no frame shows more than 1$"):
        track(passing(10, 13, person_from=20), "The person approached the car.", EVERYDAY)
    with pytest.raises(ClipError, match=r"^passing: the car is not in view for long enough$"):
        track(passing(10, 11), "The car moved and then it stopped.", EVERYDAY)
    with pytest.raises(ClipError, match=r"person and car; they are not in view together for"):
        track(passing(10, 11), "The person approached the car and then left it.", EVERYDAY)
