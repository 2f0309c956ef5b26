"""Whether certificates can be trusted: many small problems, every method, against a joint table.

    python -m benchmarks.trust [--problems 20000] [--clips 2000] [--first 0] [--workers 2]

Problems share terms between tracks, have ties by the dozen, forbidden labels, frames that differ in
their numbers of candidates, words of up to three participants and words of one state; limits of
memory and time go from 0 up. A fault is a bound below the optimum, a certificate on less than the
best, a score that the tracks are not worth, or an exception that is not documented.

The same of whole clips, in which rows are repeated, nouns name classes of each other, and there are
fewer things than participants; there a fault is also two participants that must differ and are one
thing, by plain loops over the detections.
"""

import argparse
import itertools
import logging
import math
import multiprocessing
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track as progress

import sentrack
from benchmarks.things import doubtful, shown_apart
from sentrack.inference import Method, message_passing, relaxation
from sentrack.inference.intervals import best_interval
from sentrack.inference.methods import auto, close_windows, first_answers, window_search
from sentrack.objective import affordable, interval
from sentrack.objective import whole as whole_clip
from sentrack.scene import Scene, scene_of
from sentrack.tasks import RATE
from sentrack.vision import Clip, ClipError

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

JOINT = 300  # joint states of a frame at most, for the table of all pairs of them
JOINT_OF_CLIPS = 1000  # the same of clips, whose states are a row of states each
TOLERANCE = 1e-6  # of the certificate, relative to the score
EXACT = 1e-11  # of sums of the same numbers in another order, relative to the largest partial sum

Constants = dict[tuple[ModuleType, str], float]

# With these, every problem gets a first look, and most candidates are taken together.
LOOKING: Constants = {
    (auto, "LOOK"): 0.0,
    (auto, "LARGE"): 0.0,
    (auto, "ALONE"): 1,
    (first_answers, "FEW"): 2,
    (first_answers, "CLIMB"): 0.0,
    (auto, "CROWDED"): 2.0,
}
# With these, sweeps go through both halves of every problem at once.
IN_HALVES: Constants = {(message_passing, "HALVED"): 0.0}
# With these, every problem of more than two frames is cut into windows.
IN_WINDOWS: Constants = {
    (auto, "LONG"): 2,
    (auto, "COSTLY"): 0.0,
    (close_windows, "WIDTH"): 2,
    (close_windows, "SHIFT"): 0,
    (window_search, "RADIUS"): 1,
    (window_search, "LONGEST"): 3,
    (close_windows, "SWEEPS"): 1,
    (relaxation, "STEPS"): 1,
    (relaxation, "ENOUGH"): math.inf,
}
# With these, there are steps against the subgradient however little a sweep takes.
BY_STEPS: Constants = {(auto, "LOOK"): math.inf, (auto, "LARGE"): 0.0}

METHODS: dict[str, tuple[str | Method, Constants]] = {
    # a name, the method, and what is put in place of constants
    "auto": ("auto", {}),
    "auto, nothing exact at once": (sentrack.Auto(0, 0), {}),
    "auto, with a first look": (sentrack.Auto(0, 0), LOOKING),
    "auto, with a first look, in halves": (sentrack.Auto(0, 0), LOOKING | IN_HALVES),
    "auto, in halves": (sentrack.Auto(0, 0), IN_HALVES),
    "auto, in windows": (sentrack.Auto(0, 0), IN_WINDOWS),
    "auto, by steps": (sentrack.Auto(0, 0), BY_STEPS),
    "viterbi": ("viterbi", {}),
    "dual": ("dual", {}),
    "ascent": (sentrack.Ascent(restarts=2), {}),
    "growth": (sentrack.Growth(starts=4, iterations=20, final_iterations=40), {}),
}
SENTENCES = (
    (("person", "cup"), "The person carried the object to the right."),
    (("person", "cup"), "The person approached another person."),
    (("person", "cup"), "The person gave the person to another person."),
    (("person", "cup"), "The object followed the person."),
    (("car", "truck"), "The vehicle carried the car."),
    (("car", "truck"), "The red car passed another car."),
)
MEMORY = (None, 0, 1, 50, 300, 1000, 3000, 10_000, 100_000)  # bytes
TIME = (None, 0.0, 1e-4, 1e-3, 0.02)  # seconds


@dataclass(frozen=True)
class Limits:
    """What `solve` is given."""

    time: float | None
    memory: int | None


def random_problem(rng: Rng) -> sentrack.Problem:
    """A problem that tries to break things."""
    T, L = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    W = int(rng.integers(0, 5))
    links = [tuple(rng.integers(L, size=rng.integers(1, 4)).tolist()) for _ in range(W)]
    states = [int(k) for k in rng.choice([1, 1, 2, 3], size=W)]
    base = rng.choice([1, 2, 3, 6, 14], size=L)
    same = rng.random() < 0.5
    if same:
        base[:] = base[0]
    if rng.random() < 0.5:
        sizes = np.repeat(base[:, None], T, axis=1)
    else:
        sizes = np.maximum(1, base[:, None] - rng.integers(0, 3, (L, T)))
    if same:
        sizes[:] = sizes[0]
    _shrink(rng, sizes, states, same)
    values = _values(rng)
    unary = [[values((n,)) for n in row] for row in sizes]
    pairwise = [[values((m, n)) for m, n in itertools.pairwise(row)] for row in sizes]
    tracks = [sentrack.TrackTerms(f, g) for f, g in zip(unary, pairwise, strict=True)]
    if same:
        # Participants of one noun share all terms, or their coherence alone.
        shared = tracks[0]
        alone = rng.random() < 0.5
        tracks = [
            shared if alone else sentrack.TrackTerms(track.unary, shared.pairwise)
            for track in tracks
        ]
    words = [
        sentrack.WordTerms(
            values((K,)),
            values((K, K)),
            [values((K, *(sizes[p, t] for p in link))) for t in range(T)],
            link,
        )
        for K, link in zip(states, links, strict=True)
    ]
    return sentrack.Problem(tracks, words)


def _shrink(rng: Rng, sizes: npt.NDArray[np.int64], states: list[int], same: bool) -> None:
    """Take labels away until the joint states of every frame are few enough."""
    while (sizes.prod(axis=0) * math.prod(states)).max() > JOINT:
        if states and max(states) > 1 and rng.random() < 0.2:
            states[int(np.argmax(states))] -= 1
        elif same:
            sizes -= sizes > 1
        else:
            sizes[rng.integers(len(sizes))] //= 2
            np.maximum(sizes, 1, out=sizes)


def _values(rng: Rng) -> Callable[[tuple[int, ...]], Array]:
    """Tables of one kind: how large, how many ties, how much is forbidden."""
    scale = float(rng.choice([1.0, 1.0, 30.0, 1e6, 1e-7]))
    kind = rng.choice(["real", "few", "constant", "repeated"])
    share = float(rng.choice([0.0, 0.0, 0.1, 0.4, 0.8]))

    def table(shape: tuple[int, ...]) -> Array:
        if kind == "constant":
            values = np.full(shape, 0.1)
        elif kind == "few":
            values = rng.integers(-2, 2, shape) / 10
        else:
            values = rng.normal(size=shape)
            if kind == "repeated":
                # Rows of a file that stand several times.
                for axis, n in enumerate(shape):
                    values = values.take(np.arange(n) // 6, axis=axis)
        return np.where(rng.random(shape) < share, -np.inf, scale * values)

    return table


def optimum(problem: sentrack.Problem, first: int = 0, last: int | None = None) -> float:
    """Eq. 4 of the best assignment of some frames, by a table of all joint states and steps.

    Read off the raw arrays that the problem was made of.
    """
    last = _frames(problem) if last is None else last
    here = np.zeros(0)
    for t in range(first, last):
        terms = _joint(problem, t, t == first)
        here = terms if t == first else (here[:, None] + _steps(problem, t)).max(axis=0) + terms
    return float(here.max()) if here.size else 0.0


def best_span(problem: sentrack.Problem) -> float:
    """The best optimum of any interval of frames."""
    T = _frames(problem)
    return max(optimum(problem, i, j) for i in range(T) for j in range(i + 1, T + 1))


def worth(problem: sentrack.Problem, tracks: Any, states: Any, first: int = 0) -> float:
    """Eq. 4 of one assignment (L, T) and (W, T) of the frames from `first` on, added exactly."""
    terms: list[float] = []
    for i, track in enumerate(problem.tracks):
        for t, j in enumerate(tracks[i]):
            terms.append(float(np.asarray(track.unary[first + t])[j]))
            if t:
                terms.append(float(np.asarray(track.pairwise[first + t - 1])[tracks[i][t - 1], j]))
    for w, word in enumerate(problem.words):
        for t, k in enumerate(states[w]):
            chosen = tuple(tracks[p][t] for p in word.participants)
            terms.append(float(np.asarray(word.emission[first + t])[(k, *chosen)]))
            if t:
                terms.append(float(np.asarray(word.transition)[states[w][t - 1], k]))
            else:
                terms.append(float(np.asarray(word.initial)[k]))
    return -math.inf if -math.inf in terms else math.fsum(terms)


def _frames(problem: sentrack.Problem) -> int:
    return len(problem.tracks[0].unary)


def _labels(problem: sentrack.Problem, t: int) -> list[npt.NDArray[np.int64]]:
    """For every track, then every word, its label in each joint state of frame t."""
    sizes = [len(np.asarray(track.unary[t])) for track in problem.tracks]
    sizes += [len(np.asarray(word.initial)) for word in problem.words]
    return [axis.ravel() for axis in np.indices(sizes)]


def _joint(problem: sentrack.Problem, t: int, initial: bool) -> Array:
    """(S,) all terms of frame t alone."""
    labels, L = _labels(problem, t), len(problem.tracks)
    total = np.zeros(labels[0].size)
    for j, track in zip(labels, problem.tracks, strict=False):
        total += np.asarray(track.unary[t])[j]
    for k, word in zip(labels[L:], problem.words, strict=True):
        total += np.asarray(word.emission[t])[(k, *(labels[p] for p in word.participants))]
        if initial:
            total += np.asarray(word.initial)[k]
    return total


def _steps(problem: sentrack.Problem, t: int) -> Array:
    """(S, S') all transitions into frame t."""
    before, after, L = _labels(problem, t - 1), _labels(problem, t), len(problem.tracks)
    total = np.zeros((before[0].size, after[0].size))
    tables = [track.pairwise[t - 1] for track in problem.tracks]
    tables += [word.transition for word in problem.words]
    assert len(tables) == L + len(problem.words)
    for i, j, table in zip(before, after, tables, strict=True):
        total += np.asarray(table)[np.ix_(i, j)]
    return total


def faults(
    problem: sentrack.Problem, name: str, limits: Limits, best: float, span: bool = False
) -> Iterator[str]:
    """What is wrong with the answer of a method, under limits, to a problem whose best is known.

    Args:
        problem: the problem.
        name: of the method.
        limits: of time and memory.
        best: the optimum, -inf if there is none; of any interval if `span` is set.
        span: ask for the best interval of frames instead of all of them.
    """
    method, constants = METHODS[name]
    first = 0
    try:
        with ExitStack() as stack:
            for (module, constant), value in constants.items():
                stack.enter_context(patch.object(module, constant, value))
            if span:
                found = best_interval(
                    problem, None, method, time_limit=limits.time, memory_limit=limits.memory
                )
                first, solution = found.first, found.solution
            else:
                solution = sentrack.solve(
                    problem, method, time_limit=limits.time, memory_limit=limits.memory
                )
    except sentrack.Infeasible:
        if best > -math.inf:
            yield "called infeasible"
        return
    except sentrack.ProblemTooLarge:
        if name != "viterbi" or limits.memory is None:
            yield "ProblemTooLarge"
        return
    except Exception:
        yield traceback.format_exc().strip().splitlines()[-1]
        return
    slack = EXACT * _magnitude(problem)
    score, bound = solution.score, solution.upper_bound
    try:
        own = worth(problem, solution.tracks, solution.states, first)
    except IndexError:
        yield "labels that there are not"
        return
    if not (own == score or abs(own - score) <= slack):
        yield f"score {score!r}, but its tracks are worth {own!r}"
    if score > best + slack:
        yield f"score {score!r} above the optimum {best!r}"
    if math.isnan(bound) or bound < best - slack or bound < score:
        yield f"bound {bound!r}, score {score!r}, optimum {best!r}"
    if solution.certified and not score >= best - TOLERANCE * max(1.0, abs(score)) - slack:
        yield f"certified {score!r}, but the optimum is {best!r}"
    free = limits.time is None and limits.memory is None
    sure = name == "viterbi" or name.startswith("auto")
    if free and sure and not solution.certified and slack < TOLERANCE:
        yield f"not certified: {score!r} of {bound!r}"


def _magnitude(problem: sentrack.Problem) -> float:
    """The sum of the largest finite values of all tables, and 1."""
    tables: list[Any] = []
    for track in problem.tracks:
        tables += [*track.unary, *track.pairwise]
    for word in problem.words:
        tables += [word.initial, *[word.transition] * _frames(problem), *word.emission]
    finite = [np.abs(np.asarray(table)[np.isfinite(table)]) for table in tables]
    return 1.0 + sum(float(values.max(initial=0.0)) for values in finite)


@dataclass(frozen=True)
class Case:
    """One question that was asked, and what was wrong with the answer."""

    name: str
    question: str
    faults: tuple[str, ...]
    late: bool


def examine(seed: int) -> list[Case]:
    """Ask every method for one problem, each under limits of its own."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    span = bool(rng.random() < 0.2)
    best = best_span(problem) if span else optimum(problem)
    cases = []
    for name in METHODS:
        limits = Limits(_one_of(rng, TIME), _one_of(rng, MEMORY))
        question = f"problem {seed}, {'best interval, ' if span else ''}{name}, {limits}"
        ask = partial(faults, problem, name, limits, best, span)
        cases.append(_case(name, question, limits.time, ask))
    return cases


def examine_clip(seed: int) -> list[Case]:
    """Ask for one sentence on one clip in which little is sure."""
    rng = np.random.default_rng(seed)
    classes, sentence = _one_of(rng, SENTENCES)
    clip = doubtful(seed, int(rng.integers(2, 6)), classes, 3, int(rng.integers(1, 7)))
    limit = _one_of(rng, TIME)
    question = f"clip {seed}, {sentence!r}, {limit} s"
    whole = bool(rng.random() < 0.5)
    question += ", all of it" if whole else ""
    return [_case("track", question, limit, lambda: clip_faults(clip, sentence, limit, whole))]


def clip_faults(clip: Clip, sentence: str, limit: float | None, whole: bool) -> Iterator[str]:
    """What is wrong with the tracks of a clip, or of its best interval."""
    try:
        tracking = sentrack.track(clip, sentence, time_limit=limit, whole=whole)
    except ClipError:
        return
    except sentrack.SentrackError as error:
        if limit is None:
            yield str(error)
        return
    except Exception:
        yield traceback.format_exc().strip().splitlines()[-1]
        return
    if limit is None and not tracking.certified:
        yield f"not certified: {tracking.score!r} of {tracking.upper_bound!r}"
    lexicon, meaning = sentrack.Lexicon.load(), tracking.objective.meaning
    seen = clip if limit is None else affordable(clip, meaning, lexicon, limit)
    if not shown_apart(tracking, seen, lexicon):
        yield "participants that must differ are one thing"
    scene = scene_of(seen, meaning, lexicon, None if whole else RATE)
    problem = (whole_clip(scene) if whole else interval(scene)).problem
    joint = problem.sizes.prod(axis=0) * math.prod(map(problem.states, range(problem.W)))
    if joint.max() <= JOINT_OF_CLIPS:
        best = optimum(problem) if whole else _best_moment(scene)
        slack = EXACT * _magnitude(problem)
        if tracking.upper_bound < best - slack or tracking.score > best + slack:
            yield f"score {tracking.score!r}, bound {tracking.upper_bound!r}, optimum {best!r}"
        if tracking.certified and tracking.score < best - TOLERANCE * max(1.0, abs(best)) - slack:
            yield f"certified {tracking.score!r}, but the optimum is {best!r}"


def _best_moment(scene: Scene) -> float:
    """The best optimum of any interval that lasts as long as moments do, or else of any at all."""
    for objective in (interval(scene), interval(scene, room=1)):
        spans = itertools.combinations(range(objective.problem.T + 1), 2)
        best = max(optimum(objective.cut(first, last).problem) for first, last in spans)
        if best > -math.inf:
            return best
    return -math.inf


def _case(name: str, question: str, limit: float | None, ask: Callable[[], Iterator[str]]) -> Case:
    """Ask, and look at the clock: a tenth of a limit and half a second are allowed on top."""
    start = time.perf_counter()
    found = tuple(ask())
    late = limit is not None and time.perf_counter() - start > 1.1 * limit + 0.5
    return Case(name, question, found, late)


def _one_of(rng: Rng, choices: Sequence[Any]) -> Any:
    return choices[int(rng.integers(len(choices)))]


def _load() -> None:
    """Have everything loaded before the clock is looked at."""
    logging.getLogger("sentrack").setLevel(logging.ERROR)
    for seed in range(5):
        examine(seed)
        examine_clip(seed)


def main() -> None:
    """Examine problems and clips on several processes and print what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--problems", type=int, default=20_000)
    parser.add_argument("--clips", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    _load()  # compiles what there is to compile, once
    wrong = 0
    context = multiprocessing.get_context("spawn")
    with context.Pool(arguments.workers, _load) as pool:
        print("| method | questions | faults | limits of time broken |\n|---|---|---|---|")
        for work, count in ((examine, arguments.problems), (examine_clip, arguments.clips)):
            seeds = range(arguments.first, arguments.first + count)
            answers = pool.imap(work, seeds, chunksize=20)
            asked = progress(answers, work.__name__, total=count, console=Console(stderr=True))
            cases = [case for several in asked for case in several]
            for name in dict.fromkeys(case.name for case in cases):
                own = [case for case in cases if case.name == name]
                faulty = sum(bool(case.faults) for case in own)
                late = sum(case.late for case in own)
                print(f"| {name} | {len(own)} | {faulty} | {late} |")
                wrong += faulty
            for case in cases:
                for fault in case.faults:
                    print(f"{case.question}: {fault}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
