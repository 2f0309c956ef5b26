"""What inference reaches, beside its peers, in one run.

    python -m benchmarks.inference [--seeds 20] [--only rows,long,...]
        [--output docs/measured/inference.md]

Prints Markdown. Every figure is measured in this run; ratios compare figures of this run only.
"""

import argparse
import itertools
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numba import njit

import sentrack
from benchmarks.peers import PeerResult, autograd_growth, naive_viterbi, toulbar2
from benchmarks.scenes import ROWS, Nouns, Row, eight_participants, scene
from benchmarks.telling import Lines, tell
from sentrack.inference.kernels.jit import ZERO
from sentrack.inference.kernels.large_messages import WHOLE, send_large
from sentrack.inference.lattices import one_lattice, operations
from sentrack.inference.problem import Problem, TrackTerms, WordTerms
from sentrack.inference.terms import reduce


@dataclass(frozen=True)
class Size:
    """How much to run.

    Attributes:
        seeds: scenes per row.
        growth_seeds: scenes per row for growth and Viterbi, which take long.
        lengths: frames of the long clips.
        peer_limit: seconds that toulbar2 may take for one problem.
    """

    seeds: int
    growth_seeds: int
    lengths: tuple[int, ...]
    peer_limit: int = 60


def main() -> None:
    """Run the sections asked for and print them."""
    sections: dict[str, Callable[[Size], Lines]] = {
        "rows": rows,
        "long": long_clips,
        "eight": eight,
        "kernel": kernel,
        "growth": growth_speed,
        "cold": cold_start,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seeds", type=int, default=20, help="scenes per row")
    parser.add_argument("--growth-seeds", type=int, default=3, help="scenes per row for growth")
    parser.add_argument("--lengths", default="115,300,1000", help="frames of the long clips")
    parser.add_argument("--only", default=",".join(sections), help="sections to run")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    options = parser.parse_args()
    lengths = tuple(int(n) for n in options.lengths.split(","))
    size = Size(options.seeds, options.growth_seeds, lengths)
    # Compile before anything is timed: both the kernels of small lattices and of large ones.
    sentrack.solve(scene(ROWS[4], 0))
    sentrack.solve(scene(ROWS[3], 0), "viterbi")
    written = tell({name: partial(run, size) for name, run in sections.items()}, options.only)
    if options.output:
        command = "python -m benchmarks.inference " + " ".join(sys.argv[1:])
        head = f"# Inference, measured\n\nMade by `{command.strip()}` on {machine()}.\n\n"
        options.output.write_text(head + "\n".join(written) + "\n")


def machine() -> str:
    """What the figures were measured on."""
    packages = ", ".join(f"{p} {version(p)}" for p in ("numpy", "numba", "pytoulbar2", "autograd"))
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores ({platform.machine()}), Python {platform.python_version()}, {packages}"


def rows(size: Size) -> Lines:
    """The paper's six long sentences, with hard and with soft nouns."""
    yield f"## The paper's six long sentences, {size.seeds} scenes each"
    yield ""
    yield "Seconds are totals over the scenes. toulbar2 is the faster of two settings (its own, and"
    yield "with virtual arc consistency), building included. Viterbi and growth (the paper's"
    yield f"schedule) are means over {size.growth_seeds} scenes; the error is growth's distance"
    yield "from the certified optimum, relative to it; naive is the paper's T·S² lattice."
    nouns: Nouns
    for nouns in ("hard", "soft"):
        yield ""
        yield f"### Nouns are {nouns}"
        yield ""
        yield (
            "| row | T | J | K | L | W | certified | auto s | toulbar2 s | proved "
            "| viterbi s (mean) | growth s (mean) | growth error | naive |"
        )
        yield "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
        totals = np.zeros(2)
        for row in ROWS:
            line, seconds = _row(row, nouns, size)
            totals += seconds
            yield line
        yield ""
        yield (
            f"Total: auto {totals[0]:.3f} s, toulbar2 {totals[1]:.3f} s; "
            f"auto takes {totals[0] / totals[1]:.3f} of toulbar2's time."
        )
    yield ""


def _row(row: Row, nouns: Nouns, size: Size) -> tuple[str, np.ndarray]:
    certified, proved, seconds = 0, 0, np.zeros(2)
    exact_seconds, growth_seconds, errors, naive = [], [], [], "–"
    for seed in range(size.seeds):
        problem = scene(row, seed, nouns)
        solution = sentrack.solve(problem)
        certified += solution.certified
        peer = best_toulbar2(problem, size.peer_limit)
        proved += peer.proved
        seconds += solution.seconds, peer.build_seconds + peer.solve_seconds
        if peer.proved:
            _same(solution.score, peer.score, row.name)
        if seed < size.growth_seeds:
            exact_seconds.append(_viterbi_seconds(problem, solution.score))
            grown = sentrack.solve(problem, "growth", seed=seed)
            growth_seconds.append(grown.seconds)
            errors.append(abs(solution.score - grown.score) / abs(solution.score))
            if (plain := naive_viterbi(problem)) is not None:
                naive = f"{plain.build_seconds + plain.solve_seconds:.2f} s"
    L, W = len(row.nouns), len(row.words)
    viterbi = "too large" if math.isnan(exact_seconds[0]) else f"{np.mean(exact_seconds):.3f}"
    error = "–inf found" if np.isinf(errors).any() else f"{100 * np.mean(errors):.2f} %"
    line = (
        f"| {row.name} | {row.T} | {row.J} | {row.K} | {L} | {W} | {certified}/{size.seeds} "
        f"| {seconds[0]:.3f} | {seconds[1]:.3f} | {proved}/{size.seeds} | {viterbi} "
        f"| {np.mean(growth_seconds):.2f} | {error} | {naive} |"
    )
    return line, seconds


def best_toulbar2(problem: Problem, limit: int) -> PeerResult:
    """toulbar2 with the better of its two settings for this problem."""
    runs = [toulbar2(problem, limit, vac) for vac in (False, True)]
    return min(runs, key=lambda run: (not run.proved, run.build_seconds + run.solve_seconds))


def _viterbi_seconds(problem: Problem, expected: float) -> float:
    # Beyond this many operations Viterbi would take minutes.
    if sum(_operations(problem)) > 1e11:
        return math.nan
    solution = sentrack.solve(problem, "viterbi")
    _same(solution.score, expected, "viterbi")
    return solution.seconds


def _operations(problem: Problem) -> list[float]:
    components = reduce(problem).components
    return [operations(terms.sizes, np.arange(terms.chain.size)) for terms in components]


def _same(ours: float, theirs: float, what: str) -> None:
    if not math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-4):
        raise AssertionError(f"{what}: {ours} and {theirs} should be the same optimum")


def long_clips(size: Size) -> Lines:
    """Rows 1 and 4 at growing length."""
    seeds = min(5, size.seeds)
    yield f"## Long clips, {seeds} scenes each"
    yield ""
    yield f"Medians; toulbar2 on the first scene with its own settings, limit {size.peer_limit} s."
    yield ""
    yield "| row | nouns | T | certified | auto s | toulbar2 s |"
    yield "|---|---|---|---|---|---|"
    exponents = []
    for row in (ROWS[0], ROWS[3]):
        nouns: Nouns
        for nouns in ("hard", "soft"):
            medians, counts = [], []
            for T in size.lengths:
                solutions = [sentrack.solve(scene(row, seed, nouns, T)) for seed in range(seeds)]
                medians.append(float(np.median([s.seconds for s in solutions])))
                counts.append(sum(s.certified for s in solutions))
            # The peer comes after: it leaves little memory that is still mapped.
            for T, median, certified in zip(size.lengths, medians, counts, strict=True):
                peer = toulbar2(scene(row, 0, nouns, T), size.peer_limit)
                took = f"{peer.build_seconds + peer.solve_seconds:.2f}"
                took += "" if peer.proved else " (not proved)"
                proof = f"{certified}/{seeds}"
                yield f"| {row.name} | {nouns} | {T} | {proof} | {median:.3f} | {took} |"
            slope = np.polyfit(np.log(size.lengths), np.log(medians), 1)[0]
            exponents.append(f"{row.name}, {nouns} nouns: {slope:.2f}")
    yield ""
    yield f"Fitted exponents of auto's time in T: {'; '.join(exponents)}."
    yield ""


def eight(size: Size) -> Lines:
    """Eight participants."""
    seeds = min(10, size.seeds)
    yield f"## Eight participants, 17 words, T=30, J=60: {seeds} scenes, 60 s each"
    yield ""
    yield "| nouns | certified | auto s (mean) | auto s (worst) | worst relative gap |"
    yield "|---|---|---|---|---|"
    nouns: Nouns
    for nouns in ("hard", "soft"):
        solutions = [
            sentrack.solve(eight_participants(seed, nouns), time_limit=60) for seed in range(seeds)
        ]
        seconds = [s.seconds for s in solutions]
        gap = max(s.gap / abs(s.score) for s in solutions)
        certified = sum(s.certified for s in solutions)
        yield (
            f"| {nouns} | {certified}/{seeds} | {np.mean(seconds):.3f} | {max(seconds):.3f} "
            f"| {gap:.1e} |"
        )
    yield ""


@njit
def plain_loop(x: np.ndarray, y: np.ndarray, g: float, times: int) -> None:  # pragma: no cover
    """Max-plus on two vectors that stay in the first-level cache, as plain as it gets."""
    for _ in range(times):
        for b in range(x.size):
            v = x[b] + g
            y[b] = v if v > y[b] else y[b]


def kernel(_: Size) -> Lines:
    """Throughput of the max-plus kernel on one core."""
    rng = np.random.default_rng(0)
    x, y = rng.random(1024), rng.random(1024)
    plain_loop(x, y, 0.1, 1)
    plain = 1024 * 100_000 / _least(partial(plain_loop, x, y, 0.1, 100_000)) / 1e9
    yield "## Max-plus throughput on one core, float64"
    yield ""
    yield "All transitions of one frame, none of them forbidden; the best of nine repetitions."
    yield f"A plain loop in the first-level cache reaches {plain:.2f}·10⁹ operations/s."
    yield ""
    yield "| lattice | candidates | states | joint states | 10⁹ operations/s | of the plain loop |"
    yield "|---|---|---|---|---|---|"
    for name, tracks, words in (
        ("row 4, hard", (20, 20, 20, 20), (3,)),
        ("row 5, hard", (20, 20, 20), (3,)),
        ("row 6, hard", (15, 15, 15, 15), (3, 3)),
        ("row 3, hard", (5, 5, 5, 5), (9, 9, 9)),
        ("row 1, hard", (5, 5, 5, 5, 5), (3, 3, 3)),
        ("a word of row 4, soft", (120, 120), (3,)),
    ):
        terms = reduce(_dense(rng, tracks, words)).components[0]
        lattices = one_lattice(terms)
        states = int(lattices.states[0, 0])
        src, dst, work = rng.random(states), np.empty(states), np.empty(4 * states + 20_000)
        lattice, t, at = ZERO, np.int64(1), ZERO
        step = partial(
            send_large, terms, lattices, lattice, t, True, src, at, dst, at, work, WHOLE, ZERO, ZERO
        )
        step()
        count = states * int(terms.sizes[:, 0].sum())
        repeats = max(1, int(1e8 / count))
        rate = count * repeats / _least(partial(_repeat, repeats, step)) / 1e9
        yield (
            f"| {name} | {' '.join(map(str, tracks))} | {' '.join(map(str, words))} "
            f"| {states:,} | {rate:.2f} | {rate / plain:.2f} |"
        )
    yield ""


def _dense(rng: np.random.Generator, tracks: tuple[int, ...], words: tuple[int, ...]) -> Problem:
    """Two frames of tracks with so many candidates and words with so many states, all tied."""
    several = [
        WordTerms(rng.random(K), rng.random((K, K)), list(rng.random((2, K, tracks[0]))), (0,))
        for K in words
    ]
    ties = [
        WordTerms([0.0], [[0.0]], list(rng.random((2, 1, m, n))), (i, i + 1))
        for i, (m, n) in enumerate(itertools.pairwise(tracks))
    ]
    chains = [TrackTerms(list(rng.random((2, n))), list(rng.random((1, n, n)))) for n in tracks]
    return Problem(chains, several + ties)


def growth_speed(_: Size) -> Lines:
    """Growth against the same schedule with gradients by autograd."""
    yield "## Growth transform, microseconds per start and iteration (150 starts)"
    yield ""
    yield "| scene | sentrack | autograd, start by start | ratio | autograd, batched | ratio |"
    yield "|---|---|---|---|---|---|"
    nouns: Nouns
    for row, nouns in ((ROWS[0], "hard"), (ROWS[4], "hard"), (ROWS[0], "soft"), (ROWS[4], "soft")):
        problem = scene(row, 0, nouns)
        few, many = (
            sentrack.Growth(starts=150, iterations=n, final_iterations=0) for n in (10, 110)
        )
        few.maximize(problem)
        ours = _seconds(partial(many.maximize, problem))
        ours -= _seconds(partial(few.maximize, problem))
        ours /= 150 * 100
        alone = autograd_growth(problem, 2, 20, 0, 0).start_seconds
        batch = autograd_growth(problem, 150, 3, 0, 0, batched=True).start_seconds
        yield (
            f"| {row.name}, {nouns} | {1e6 * ours:.1f} | {1e6 * alone:.0f} | {alone / ours:.0f} "
            f"| {1e6 * batch:.0f} | {batch / ours:.1f} |"
        )
    yield ""


def cold_start(_: Size) -> Lines:
    """The command line with and without compiled kernels."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        cold, warm = (
            _seconds(lambda: _run(["demo"], environment)),
            min(_seconds(lambda: _run(["demo"], environment)) for _ in range(3)),
        )
        usage = min(_seconds(lambda: _run(["--help"], environment)) for _ in range(3))
    yield "## From the command line"
    yield ""
    yield "| what | seconds |"
    yield "|---|---|"
    yield f"| `sentrack demo`, first time, kernels compiled | {cold:.2f} |"
    yield f"| `sentrack demo`, afterwards | {warm:.2f} |"
    yield f"| `sentrack --help` | {usage:.2f} |"
    yield ""


def _least(work: Callable[[], object]) -> float:
    return min(_seconds(work) for _ in range(9))


def _repeat(times: int, work: Callable[[], object]) -> None:
    for _ in range(times):
        work()


def _run(arguments: list[str], environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "sentrack", *arguments]
    subprocess.run(command, env=environment, check=True, capture_output=True)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
