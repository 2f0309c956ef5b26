"""Harder problems: eight and twelve participants, thousands of frames, hundreds of boxes.

    python -m benchmarks.hard [--seeds 10] [--first 0] [--only eight,six,...] [--boxes 198]
        [--processor] [--peer-limit 60]

Prints Markdown. False boxes lie beside true ones of other classes and move with them; the word
models are the paper's (../shared/tools/instances.py). toulbar2 runs beside on problems that it can
take. With `--processor` limits and seconds are of the processor, for a machine that is busy.
"""

import argparse
import importlib.util
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np

import sentrack
from benchmarks.peers import PeerResult, toulbar2
from benchmarks.telling import Lines, tell
from sentrack.inference import best_interval
from sentrack.inference.methods import auto, first_look
from sentrack.inference.methods.frontier import Reached
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Lattices, Terms

INSTANCES = Path(__file__).parents[2] / "shared" / "tools" / "instances.py"

# Row 8 at its sizes: nouns are hard, frames, boxes of a class.
EIGHT = (
    (False, 300, 10),
    (False, 300, 20),
    (True, 1000, 33),
    (True, 3000, 20),
)
LIMIT = 60.0
AWAY = 3.0  # nats that a frame costs in which a participant is away, as in `track`
READINGS = (
    "all frames",
    "the best interval",
    "the best interval, with away",
    "the best interval, frames not shared among lattices",
)
WORDS = ("carried", "left-of", "towards", "right-of", "away-from", "approached")
# Nouns are hard, and frames of the problems of row 8 with parts switched off.
PARTED = ((False, 100), (True, 300))
# What can be switched off, and what is put in place of names of a module or class for that.
PARTS: dict[str, dict[tuple[object, str], object]] = {
    "all of it": {},
    "no steps between sweeps": {(Relaxation, "descended"): lambda *_: False},
    "no guesses": {(auto, "GUESS"): 1.0},
    "no lists of joint states": {
        (auto, "search_frontier"): lambda *_: Reached(None, -np.inf, np.inf)
    },
    "no unions of lattices": {(auto, "tighten"): lambda *_: False},
    "no labels taken together": {(auto, "ALONE"): 10**6},
    "no answers put together": {(auto.Auto, "_mix"): lambda *_: None},
    "no first look": {(auto, "LOOK"): np.inf},
    "no windows": {(auto, "LONG"): np.inf},
}


@dataclass(frozen=True)
class Size:
    """How much to run.

    Attributes:
        seeds: instances of every kind.
        peer_limit: seconds that toulbar2 may take for one of them.
        clock: of all seconds.
        first: seed of the first instance.
        boxes: of row 8, only what has so many boxes a frame; 0 is all.
    """

    seeds: int
    peer_limit: int
    clock: Callable[[], float]
    first: int = 0
    boxes: int = 0

    @property
    def eight(self) -> list[tuple[bool, int, int]]:
        """Row 8: whether nouns are hard, frames, boxes of a class."""
        return [size for size in EIGHT if self.boxes in (0, 6 * size[2])]

    @property
    def numbers(self) -> range:
        """The seeds of the instances."""
        return range(self.first, self.first + self.seeds)


def main() -> None:
    """Run the sections asked for and print them."""
    sections: dict[str, Callable[[Size], Lines]] = {
        "eight": eight,
        "six": six,
        "twelve": twelve,
        "long": long_track,
        "soon": soon,
        "readings": readings,
        "parts": parts,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seeds", type=int, default=10, help="instances of every kind, below 100")
    parser.add_argument("--first", type=int, default=0, help="seed of the first instance")
    parser.add_argument("--only", default=",".join(sections), help="sections to run")
    parser.add_argument("--boxes", type=int, default=0, help="of row 8, only so many boxes")
    parser.add_argument("--processor", action="store_true", help="count the processor's seconds")
    parser.add_argument("--peer-limit", type=int, default=60, help="seconds of toulbar2")
    options = parser.parse_args()
    clock = time.process_time if options.processor else time.monotonic
    size = Size(options.seeds, options.peer_limit, clock, options.first, options.boxes)
    sentrack.solve(instance("3", 0, False))  # compile before anything is timed
    with patch("time.monotonic", clock):
        tell({name: partial(run, size) for name, run in sections.items()}, options.only)


@cache
def instances() -> ModuleType:
    """The module that makes the instances.

    Raises:
        SystemExit: it is not there.
    """
    if not INSTANCES.exists():
        raise SystemExit(f"there is no {INSTANCES}; it makes the instances")
    spec = importlib.util.spec_from_file_location("instances", INSTANCES)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def instance(
    row: str, seed: int, hard: bool, frames: int | None = None, boxes: int | None = None
) -> sentrack.Problem:
    """One instance of a row, at another length or with another number of boxes of a class."""
    rows = instances().ROWS
    T, n, *rest = rows[row]
    with patch.dict(rows, {row: (T, boxes or n, *rest)}):
        f, g, words, _ = instances().build(row, seed, hard, frames)
    coherence, score = list(g), list(f)
    return sentrack.Problem(
        [sentrack.TrackTerms(score, coherence) for _ in rest[1]],
        [sentrack.WordTerms(b, a, list(h), link) for h, a, b, link in words],
    )


def timed(
    problem: sentrack.Problem, limit: float | None, size: Size
) -> tuple[sentrack.Solution, float]:
    """A solution, and what it took."""
    start = size.clock()
    solution = sentrack.solve(problem, time_limit=limit)
    return solution, size.clock() - start


def best_peer(problem: sentrack.Problem, size: Size) -> tuple[PeerResult, float]:
    """toulbar2 with the better of its two settings, and what that took."""
    runs = []
    for vac in (False, True):
        start = size.clock()
        result = toulbar2(problem, size.peer_limit, vac)
        runs.append((result, size.clock() - start))
    return min(runs, key=lambda run: (not run[0].proved, run[1]))


def gap(solution: sentrack.Solution) -> float:
    """The gap as a part of the score."""
    return solution.gap / abs(solution.score)


def eight(size: Size) -> Lines:
    """Row 8 at four sizes."""
    yield f"## Eight participants, nine words with loops, limit {LIMIT:.0f} s"
    yield ""
    yield "| nouns | T | J | certified | seconds: median | worst | worst gap, of the score |"
    yield "|---|---|---|---|---|---|---|"
    for hard, T, boxes in size.eight:
        runs = [timed(instance("8", seed, hard, T, boxes), LIMIT, size) for seed in size.numbers]
        seconds = [s for _, s in runs]
        certified = sum(solution.certified for solution, _ in runs)
        yield (
            f"| {'hard' if hard else 'soft'} | {T} | {6 * boxes} | {certified}/{size.seeds} "
            f"| {np.median(seconds):.1f} | {max(seconds):.1f} "
            f"| {max(gap(solution) for solution, _ in runs):.2g} |"
        )
    yield ""


def six(size: Size) -> Lines:
    """The paper's six rows, beside toulbar2."""
    yield f"## The paper's six rows, {size.seeds} instances of each, beside toulbar2"
    yield ""
    yield "Seconds are totals; toulbar2's are of the faster of its two settings, building included."
    yield "No bound is below the other's answer, or this stops."
    yield ""
    yield "| nouns | row | certified | auto | toulbar2 | proved |"
    yield "|---|---|---|---|---|---|"
    for hard in (True, False):
        total = np.zeros(2)
        for row in "123456":
            certified, proved, seconds = 0, 0, np.zeros(2)
            for seed in size.numbers:
                problem = instance(row, seed, hard)
                ours, took = timed(problem, None, size)
                peer, took_peer = best_peer(problem, size)
                limit = np.inf if peer.bound is None else peer.bound
                if ours.upper_bound < peer.score - 1e-4 or ours.score > limit + 1e-4:
                    raise AssertionError(f"row {row}, seed {seed}: {ours} and {peer}")
                certified, proved = certified + ours.certified, proved + peer.proved
                seconds += took, took_peer
            total += seconds
            yield (
                f"| {'hard' if hard else 'soft'} | {row} | {certified}/{size.seeds} "
                f"| {seconds[0]:.3f} | {seconds[1]:.3f} | {proved}/{size.seeds} |"
            )
        yield f"| {'hard' if hard else 'soft'} | all | | {total[0]:.3f} | {total[1]:.3f} | |"
        yield f"| | ratio | | {total[0] / total[1]:.3f} | | |"
    yield ""


def twelve(size: Size) -> Lines:
    """Twelve participants, each tied to the next."""
    yield f"## Twelve participants, T=100, J=42, soft nouns, limit {LIMIT:.0f} s"
    yield ""
    yield "| shape | certified | seconds: median | worst | worst gap, of the score |"
    yield "|---|---|---|---|---|"
    for shape, ties in (("chain", 11), ("ring", 12)):
        runs = []
        for seed in size.numbers:
            nouns = [instances().CLASSES[i % 6] for i in range(12)]
            words = [(WORDS[i % 6], (i, (i + 1) % 12)) for i in range(ties)]
            with patch.dict(instances().ROWS, {"12": (100, 7, 3, nouns, words, 0)}):
                problem = instance("12", seed, False)
            runs.append(timed(problem, LIMIT, size))
        seconds = [s for _, s in runs]
        yield (
            f"| {shape} | {sum(s.certified for s, _ in runs)}/{size.seeds} "
            f"| {np.median(seconds):.1f} | {max(seconds):.1f} "
            f"| {max(gap(solution) for solution, _ in runs):.2g} |"
        )
    yield ""


def long_track(size: Size) -> Lines:
    """One participant and one word, up to 100,000 frames."""
    yield "## One participant, one word of three states, J=20, 5 MB for messages"
    yield ""
    yield "| T | certified | seconds |"
    yield "|---|---|---|"
    rng = np.random.default_rng(0)
    left_to_right = np.where(np.triu(np.ones((3, 3))) > 0, np.log(0.5), -np.inf)
    for T in (25_000, 50_000, 100_000):
        track = sentrack.TrackTerms(
            list(rng.normal(size=(T, 20))), list(rng.normal(size=(T - 1, 20, 20)))
        )
        emission = list(rng.normal(size=(T, 3, 20)))
        word = sentrack.WordTerms([0.0, -np.inf, -np.inf], left_to_right, emission, (0,))
        problem = sentrack.Problem([track], [word])
        start = size.clock()
        solution = sentrack.solve(problem, memory_limit=5_000_000)
        yield f"| {T:,} | {solution.certified} | {size.clock() - start:.1f} |"
    yield ""


def soon(size: Size) -> Lines:
    """What a limit of one second gives, against the best answer known."""
    yield "## With a limit of one second"
    yield ""
    yield "The distance is from the answer of a minute, as a part of its score."
    yield ""
    yield "| nouns | T | J | worst distance | worst gap, of the score | seconds, reading included |"
    yield "|---|---|---|---|---|---|"
    for hard, T, boxes in size.eight:
        worst, widest, slowest = 0.0, 0.0, 0.0
        for seed in size.numbers:
            problem = instance("8", seed, hard, T, boxes)
            quick, took = timed(problem, 1.0, size)
            best, _ = timed(problem, LIMIT, size)
            worst = max(worst, (best.score - quick.score) / abs(best.score))
            widest, slowest = max(widest, gap(quick)), max(slowest, took)
        yield (
            f"| {'hard' if hard else 'soft'} | {T} | {6 * boxes} | {worst:.2g} | {widest:.2g} "
            f"| {slowest:.1f} |"
        )
    yield ""


def readings(size: Size) -> Lines:
    """The paper's six rows with free start and end, and with participants that may be away."""
    yield f"## Free start and end, {size.seeds} instances of each of the six rows"
    yield ""
    yield "Every frame is worth so much more that the best of all frames together is worth a fifth"
    yield "of what it cost: the best interval leaves out some. Away is one more candidate before"
    yield f"the first box and one after the last, at {AWAY:.0f} nats a frame. Seconds are totals."
    yield ""
    yield "| nouns | certified | seconds | as the plain problem |"
    yield "|---|---|---|---|"
    for hard in (True, False):
        seconds, certified = np.zeros(4), np.zeros(4, dtype=np.int64)
        for row in "123456":
            for seed in size.numbers:
                problem = instance(row, seed, hard)
                plain, took = timed(problem, LIMIT, size)
                found, spent = [plain], [took]
                worth = -1.2 * plain.score / problem.T
                for other, shared in (
                    (problem, True),
                    (with_away(problem), True),
                    (problem, False),
                ):
                    asked = worth_more(other, worth)
                    with ExitStack() as stack:
                        for module in () if shared else (auto, first_look):
                            stack.enter_context(patch.object(module, "balanced", _as_they_are))
                        start = size.clock()
                        best = best_interval(asked, time_limit=LIMIT)
                        spent.append(size.clock() - start)
                    found.append(best.solution)
                seconds += spent
                certified += [solution.certified for solution in found]
        for name, total, closed in zip(READINGS, seconds, certified, strict=True):
            yield (
                f"| {'hard' if hard else 'soft'}, {name} | {closed}/{6 * size.seeds} "
                f"| {total:.3f} | {total / seconds[0]:.2f} |"
            )
    yield ""


def _as_they_are(terms: Terms, lattices: Lattices | None, *_: object) -> tuple[object, object]:
    """In place of `balanced`."""
    return terms, lattices


def worth_more(problem: sentrack.Problem, nats: float) -> sentrack.Problem:
    """The problem with every frame worth so much more."""
    first, *others = problem.tracks
    unary = [problem.unary(0, t) + nats for t in range(problem.T)]
    return sentrack.Problem([sentrack.TrackTerms(unary, first.pairwise), *others], problem.words)


def with_away(problem: sentrack.Problem) -> sentrack.Problem:
    """The problem with two more candidates: not come yet, and gone; of them words say nothing."""
    every = range(problem.T)
    tracks, words = [], []
    for i in range(problem.L):
        pairwise = []
        for t in every[1:]:
            inside = problem.pairwise(i, t)
            n, m = inside.shape
            table = np.full((n + 2, m + 2), -np.inf)
            table[:n, :m], table[:n, m + 1], table[n, : m + 1] = inside, -1.0, -1.0
            table[n, m] = table[n + 1, m + 1] = 0.0
            pairwise.append(table)
        unary = [np.append(problem.unary(i, t), [-AWAY, -AWAY]) for t in every]
        tracks.append(sentrack.TrackTerms(unary, pairwise))
    for w, word in enumerate(problem.words):
        wide = [
            np.pad(problem.emission(w, t), [(0, 0), *[(0, 2)] * len(problem.link(w))])
            for t in every
        ]
        words.append(replace(word, emission=wide))
    return sentrack.Problem(tracks, words)


def parts(size: Size) -> Lines:
    """Row 8 with each part of the search switched off in turn."""
    yield f"## Each part switched off in turn: row 8, {size.seeds} instances, limit {LIMIT:.0f} s"
    yield ""
    yield "| nouns | T | J | | certified | seconds: total | worst gap, of the score |"
    yield "|---|---|---|---|---|---|---|"
    for hard, T in PARTED:
        problems = [instance("8", seed, hard, T) for seed in size.numbers]
        for name, values in PARTS.items():
            with ExitStack() as stack:
                for (owner, constant), value in values.items():
                    stack.enter_context(patch.object(owner, constant, value))
                runs = [timed(problem, LIMIT, size) for problem in problems]
            yield (
                f"| {'hard' if hard else 'soft'} | {T} | {problems[0].sizes.max()} | {name} "
                f"| {sum(s.certified for s, _ in runs)}/{size.seeds} "
                f"| {sum(seconds for _, seconds in runs):.1f} "
                f"| {max(gap(s) for s, _ in runs):.2g} |"
            )
    yield ""


if __name__ == "__main__":
    main()
