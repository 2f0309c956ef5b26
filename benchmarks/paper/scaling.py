"""How the time of every method grows with J, K, L, W and T, beside the paper's formulas."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import sentrack
from benchmarks.inference import best_toulbar2
from benchmarks.paper.sized import BASE, Sizes, along, problem
from benchmarks.paper.sizes import Size
from benchmarks.paper.writing import figure, paragraph, table, write_csv, write_figure
from benchmarks.peers import naive_viterbi
from sentrack.inference import Problem, ProblemTooLarge
from sentrack.inference.lattices import operations
from sentrack.inference.terms import reduce
from sentrack.progress import Report
from sentrack.vision import Floats

# Comparisons per second of the exact lattice and of the naive one, to know what is not worth
# starting: neither stops early. Both are about the measured ones.
EXACT_RATE, NAIVE_RATE = 1.5e9, 2.5e7
METHODS = {
    "auto": "#00798c",
    "exact": "#30638e",
    "growth": "#d1495b",
    "toulbar2": "#edae49",
    "naive Viterbi": "#6c757d",
}
AXES = {
    "J": (10, 20, 30, 60, 120, 240, 480),
    "K": (1, 2, 3, 6, 9, 18, 27),
    "L": (1, 2, 3, 4, 5, 6, 8, 10),
    "W": (1, 2, 3, 4, 5, 6, 8, 10, 15, 20),
    "T": (10, 30, 100, 300, 1000, 3000, 10000),
}
NAMES = {"J": "candidates", "K": "states", "L": "participants", "W": "words", "T": "frames"}
HEADER = ["axis", "value", "method", "seconds", "certified", "seed", "T", "J", "K", "L", "W"]
HEADER += ["score", "upper_bound", "ended"]


# The comparisons of one run in the paper's terms; growth's are those of one iteration.
FORMULAS: dict[str, tuple[str, Callable[[Sizes], float]]] = {
    "exact": ("T·S·(L·J+W·K), S=J^L·K^W", lambda s: s.T * _states(s) * (s.L * s.J + s.W * s.K)),
    "growth": ("T(L·J²+W(J²K+K²))", lambda s: s.T * (s.L * s.J**2 + s.W * _word(s))),
    "naive Viterbi": ("T(J^L·K^W)²", lambda s: s.T * _states(s) ** 2),
}


def _states(s: Sizes) -> float:
    return float(s.J) ** s.L * float(s.K) ** s.W


def _word(s: Sizes) -> float:
    return float(s.J ** min(s.L, 2) * s.K + s.K**2)


@dataclass(frozen=True)
class Point:
    """One method on one problem; `ended` says why there is no time: "limit" or "too large"."""

    axis: str
    value: int
    method: str
    seed: int
    sizes: Sizes
    seconds: float = math.nan
    score: float = math.nan
    upper_bound: float = math.nan
    certified: bool = False
    ended: str = ""

    @property
    def row(self) -> list[object]:
        """As in the CSV file."""
        first = [self.axis, self.value, self.method, f"{self.seconds:.6f}", self.certified]
        return [*first, self.seed, *astuple(self.sizes), self.score, self.upper_bound, self.ended]


def measure(method: str, made: Problem, size: Size) -> dict[str, Any]:
    """Time, score, bound and certificate of a method, or why it did not end."""
    limit = size.scaling.limit
    if method in ("auto", "growth"):
        how = size.scaling.growth if method == "growth" else "auto"
        found = sentrack.solve(made, how, time_limit=limit)
        return _result(found.seconds, found.score, found.upper_bound, found.certified, limit)
    if method == "exact":
        parts = reduce(made).components
        work = sum(operations(terms.sizes, np.arange(terms.chain.size)) for terms in parts)
        if work > limit * EXACT_RATE:
            return {"ended": "limit"}
        try:
            found = sentrack.solve(made, "viterbi")
        except ProblemTooLarge:
            return {"ended": "too large"}
        return _result(found.seconds, found.score, found.upper_bound, found.certified, limit)
    if method == "toulbar2":
        peer = best_toulbar2(made, math.ceil(limit))
    else:
        naive = naive_viterbi(made, int(limit * NAIVE_RATE))
        if naive is None:
            return {"ended": "limit"}
        peer = naive
    bound = math.inf if peer.bound is None else max(peer.bound, peer.score)
    seconds = peer.build_seconds + peer.solve_seconds
    return _result(seconds, peer.score, bound, peer.proved, limit)


def _result(
    seconds: float, score: float, bound: float, certified: bool, limit: float
) -> dict[str, Any]:
    """A point that took longer than the limit is the last of its curve."""
    ended = "limit" if seconds > limit else ""
    return {
        "seconds": seconds,
        "score": score,
        "upper_bound": bound,
        "certified": certified,
        "ended": ended,
    }


def curve(axis: str, method: str, size: Size) -> Iterator[Point]:
    """Points along an axis, several problems each, until one takes too long in the median."""
    for value in AXES[axis][: size.scaling.points]:
        sizes = along(axis, value)
        found: list[Point] = []
        for seed in range(size.scaling.problems):
            result = measure(method, problem(sizes, seed), size)
            point = replace(Point(axis, value, method, seed, sizes), **result)
            found.append(point)
            yield point
            # Only auto takes much longer on some problems of a size than on others.
            long = point.ended or point.seconds > size.scaling.limit / 4
            if long and method != "auto":
                break
        if np.median([bool(point.ended) for point in found]) > 0:
            break


def medians(points: Sequence[Point], axis: str, method: str) -> dict[int, float]:
    """By value, the median time over the problems; those over the limit count as they are."""
    times = defaultdict(list)
    for point in points:
        if (point.axis, point.method) == (axis, method) and not math.isnan(point.seconds):
            times[point.value].append(point.seconds)
    return {value: float(np.median(seconds)) for value, seconds in times.items()}


def upper(times: dict[int, float]) -> dict[int, float]:
    """The upper half of a curve, of three points if there are as many."""
    values = sorted(times)
    return {value: times[value] for value in values[-max(3, math.ceil(len(values) / 2)) :]}


def exponent(times: dict[int, float]) -> float:
    """The slope of log time by log value, NaN of a single point."""
    return _slope(np.log(list(times)), times)


def factor(times: dict[int, float]) -> float:
    """By how much the time is multiplied where the value is one more, NaN of a single point."""
    return math.exp(_slope(np.array(list(times), np.float64), times))


def _slope(at: Floats, times: dict[int, float]) -> float:
    return float(np.polyfit(at, np.log(list(times.values())), 1)[0]) if len(at) > 1 else math.nan


def section(size: Size, output: Path, report: Report) -> Iterator[str]:
    """The curves, their exponents, and where they end."""
    points: list[Point] = []
    # The peers come after: they leave little memory that is still mapped.
    for done, method in enumerate(METHODS, 1):
        for axis in AXES:
            points += curve(axis, method, size)
        report("scaling", done, len(METHODS))
    write_csv(output / "scaling.csv", HEADER, (point.row for point in points))
    _draw(points, size, output / "scaling.png")
    growth = size.scaling.growth
    yield "## Scaling"
    yield ""
    yield from paragraph(
        f"Random problems (a planted answer among clutter) of T={BASE.T}, J={BASE.J}, K={BASE.K}, "
        f"L={BASE.L}, W={BASE.W}, of which one is changed; with L participants there are L words, "
        "which tie them in a ring. All J boxes are candidates of all participants. Medians of "
        f"{size.scaling.problems} problems, or one where it takes long. A curve ends where a "
        f"problem takes more than {size.scaling.limit:g} seconds, or, for exact and naive Viterbi, "
        f"which do not stop, more comparisons than fit in there. growth has {growth.starts} starts "
        f"of {growth.iterations} iterations and {growth.final_iterations} more of the best. "
        "toulbar2 is the better of two settings, with the time to hand it the problem."
    )
    yield "![Time against candidates, states, participants, words and frames](scaling.png)"
    yield ""
    yield from paragraph(
        "Exponents: the slope of log time by log size over the upper half of each curve, and in "
        "brackets that of the formula over the same points: the paper's for naive Viterbi and for "
        "one iteration of growth; for exact that of separable transitions. Nothing like it is "
        "known for auto and toulbar2."
    )
    formulas = {method: text for method, (text, _) in FORMULAS.items()}
    rows = [
        [method, formulas.get(method, "–"), *(_cell(points, a, method, exponent) for a in AXES)]
        for method in METHODS
    ]
    yield from table(["method", "formula", *AXES], rows)
    yield from paragraph(
        "By what one more participant with its word, or one more word, multiplies the time, and in "
        "brackets the formula:"
    )
    rows = [
        [method, *(_cell(points, axis, method, factor) for axis in ("L", "W"))]
        for method in ("exact", "naive Viterbi")
    ]
    yield from table(["method", "L", "W"], rows)
    yield from paragraph("The last size within the limit, and the seconds it took:")
    rows = [[m, *(_last(points, axis, m, size.scaling.limit) for axis in AXES)] for m in METHODS]
    yield from table(["method", *AXES], rows)
    ours = [point for point in points if point.method == "auto"]
    proved = sum(point.certified for point in ours)
    yield from paragraph(f"auto certified {proved} of its {len(ours)} answers.")


def _cell(
    points: Sequence[Point], axis: str, method: str, slope: Callable[[dict[int, float]], float]
) -> str:
    part = upper(medians(points, axis, method))
    if len(part) < 2:
        return "–"
    if method not in FORMULAS:
        return f"{slope(part):.2f}"
    counted = {value: FORMULAS[method][1](along(axis, value)) for value in part}
    return f"{slope(part):.2f} ({slope(counted):.2f})"


def _last(points: Sequence[Point], axis: str, method: str, limit: float) -> str:
    within = {v: s for v, s in medians(points, axis, method).items() if s <= limit}
    return f"{max(within)}: {within[max(within)]:.2g} s" if within else "–"


def _draw(points: Sequence[Point], size: Size, path: Path) -> None:
    picture, axes = figure(1, len(AXES), width=15.0, height=3.4)
    for panel, axis in zip(axes[0], AXES, strict=True):
        for method, colour in METHODS.items():
            times = medians(points, axis, method)
            if not times:
                continue
            panel.plot(times.keys(), times.values(), "o-", ms=3, color=colour, label=method)
            if max(times) < AXES[axis][: size.scaling.points][-1]:
                panel.plot(max(times), times[max(times)], "x", ms=8, color=colour)
        panel.axhline(size.scaling.limit, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_xscale("log" if axis in "JKT" else "linear")
        panel.set_yscale("log")
        panel.set_xlabel(f"{axis}, {NAMES[axis]}")
    axes[0, 0].set_ylabel("seconds")
    axes[0, 0].legend(frameon=False, fontsize=8)
    write_figure(picture, path)
