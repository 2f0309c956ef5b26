"""Prints what every kernel computes, for a comparison of compiled ones with plain Python.

The problems are small: plain Python is a thousand times slower.
"""

import json
from typing import Any

import numpy as np

from sentrack.inference import (
    Growth,
    Polynomial,
    Problem,
    posteriors,
    solve,
)
from sentrack.inference.kernels import large_messages
from sentrack.inference.kernels.growth import LANES
from sentrack.inference.kernels.jit import COMPILED
from sentrack.inference.kernels.local import best_local_score, best_run_intervals, best_run_sums
from sentrack.inference.limits import Limits
from sentrack.inference.methods import viterbi
from sentrack.inference.methods.first_look import first_look
from sentrack.inference.methods.frontier import search_frontier
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.terms import reduce
from sentrack.scene.identity import identified
from sentrack.vision.scan.detectors.suppression import suppress
from tests.inference.strategies import Array, assemble
from tests.scene.crowds import crowd

Shape = tuple[list[int], list[int], list[tuple[int, ...]]]

# Candidates of every track, states of every word, and what the words speak of. Axes of one label,
# of few and of many have kernels, or branches of them, of their own.
SHAPES: tuple[Shape, ...] = (
    ([3], [], []),
    ([3, 2], [2], [(0, 1)]),
    ([1, 3, 2], [3, 1], [(0, 1), (2, 1)]),
    ([3, 3, 3], [2, 2, 1], [(0, 1), (1, 2), (2, 0)]),
    ([2, 3, 2, 3], [2, 2], [(0, 1, 2), (3,)]),
)
LARGE: tuple[Shape, ...] = (
    ([4, 3, 70], [2], [(0, 1)]),
    ([5, 6, 7], [2], [(0, 1, 2)]),
    ([1, 1], [1], [(0, 1)]),
)
T = 4
METHODS = ("auto", "viterbi", "dual", "ascent")


def problem(shape: Shape, seed: int) -> Problem:
    """With some choices forbidden."""
    rng, (sizes, states, links) = np.random.default_rng(seed), shape

    def values(size: tuple[int, ...], planted: tuple[Any, ...]) -> Array:
        table = np.where(rng.random(size) < 0.1, -np.inf, rng.normal(size=size))
        table[planted] = 0.0
        return table

    ragged = np.array(sizes)[:, None] - (rng.random((len(sizes), T)) < 0.3)
    return assemble(np.maximum(ragged, 1), states, links, values)


def solved() -> Any:
    for shape in SHAPES:
        for seed in range(2):
            made = problem(shape, seed)
            for method in METHODS:
                found = solve(made, method)
                yield found.score, found.upper_bound, found.tracks.tolist(), found.states.tolist()
            for marginal in posteriors(made).tracks:
                yield [frame.tolist() for frame in marginal]
            for terms in reduce(made).components:
                limits = Limits.of(None, None)
                yield first_look(terms, limits).bounds.tolist()
                for most in (3, 1000):
                    reached = search_frontier(Relaxation(terms, limits), -np.inf, most, limits)
                    yield reached.score, reached.upper_bound


def solved_frame_by_frame() -> Any:
    viterbi.PARALLEL_STATES = 1
    if not COMPILED:  # else they are a part of what is compiled, and kept
        large_messages.SHORT_AXIS, large_messages.FEW_ROWS, large_messages.WIDE = 20, 2, 4
    for shape in LARGE:
        found = solve(problem(shape, 0), "viterbi")
        yield found.score, found.tracks.tolist(), found.states.tolist()


def grown() -> Any:
    made = problem(SHAPES[3], 0)
    tracks, states, value = Growth(starts=LANES + 1, iterations=2, final_iterations=4).maximize(
        made
    )
    yield tracks.tolist(), states.tolist(), value
    rng = np.random.default_rng(0)
    terms = [((0, 1, 2), rng.normal(size=(3, 2, 2))), ((1, 3), rng.normal(size=(2, 5)))]
    most = Polynomial([3, 2, 2, 5], terms).maximize(2, 3, 3)
    yield most.labelling.tolist(), most.value, most.relaxed_value


def others() -> Any:
    rng = np.random.default_rng(0)
    T, K, J = 4, 2, 3
    h, g, move = (rng.normal(size=size) for size in ((T, K, J), (T - 1, J, J), (K, K)))
    yield float(best_local_score(h, g, np.arange(K), np.zeros(K), move, np.zeros(K)))
    told, rest = rng.normal(size=(9, K)), rng.normal(size=9)
    begin, wanted = np.array([0, 4, 5, 9]), np.array([True, False, True])
    edges, final = np.argwhere(np.ones((K, K))), np.ones(K, np.bool_)
    chain = np.arange(K), np.zeros(K), edges, move.ravel(), final
    for found in best_run_intervals(told, begin, wanted, *chain):
        yield found.tolist()
    yield best_run_sums(rest, begin).tolist()
    low = rng.uniform(0, 50, (40, 2))
    boxes = np.concatenate([low, low + rng.uniform(10, 40, low.shape)], axis=1)
    yield suppress(boxes, rng.integers(3, size=40), rng.random(40), 4, 0.4).tolist()


def followed() -> Any:
    for seed, pan in enumerate((0, 30, 120)):
        yield identified(crowd(seed, 12, 7, pan), np.arange(2)).id.tolist()


if __name__ == "__main__":
    print(json.dumps([*solved(), *solved_frame_by_frame(), *grown(), *others(), *followed()]))
