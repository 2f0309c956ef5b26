"""Random problems: drawn by Hypothesis, or assembled from a given structure."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import note
from hypothesis import strategies as st

from sentrack.inference.problem import Problem, TrackTerms, WordTerms

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
# A table of the given shape, and the cells of it that the planted assignment uses.
Values = Callable[[tuple[int, ...], tuple[Any, ...]], Array]

KINDS = ("uniform", "ties", "large", "mixed")
BUDGET = 20_000  # joint assignments


class Lazy(Sequence[npt.ArrayLike]):
    """A sequence that computes its arrays on demand and counts how often it is asked."""

    def __init__(self, compute: Callable[[int], npt.ArrayLike], length: int) -> None:
        self.compute = compute
        self.length = length
        self.reads = 0

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, t: Any) -> Any:
        if not 0 <= t < self.length:
            raise IndexError(t)
        self.reads += 1
        return self.compute(t)


def lazily(tracks: Sequence[TrackTerms], words: Sequence[WordTerms]) -> Problem:
    """The same terms, with every sequence of arrays a lazy one."""
    return Problem(
        [TrackTerms(_lazy(track.unary), _lazy(track.pairwise)) for track in tracks],
        [
            WordTerms(word.initial, word.transition, _lazy(word.emission), word.participants)
            for word in words
        ],
    )


def assemble(
    sizes: npt.ArrayLike,
    states: Sequence[int],
    links: Sequence[tuple[int, ...]],
    values: Values,
    planted: tuple[Labels, Labels] | None = None,
) -> Problem:
    """Build a problem of a given structure.

    Args:
        sizes: (L, T) candidates of every track and frame.
        states: states of every word.
        links: participants of every word.
        values: makes each table.
        planted: tracks (L, T) and states (W, T) whose cells `values` is told; all 0 by default.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    L, T = sizes.shape
    if planted is None:
        planted = np.zeros_like(sizes), np.zeros((len(states), T), dtype=np.int64)
    j, chains = planted
    tracks = [
        TrackTerms(
            [values((sizes[i, t],), (j[i, t],)) for t in range(T)],
            [values((sizes[i, t - 1], sizes[i, t]), (j[i, t - 1], j[i, t])) for t in range(1, T)],
        )
        for i in range(L)
    ]
    words = [
        WordTerms(
            values((K,), (k[0],)),
            values((K, K), (k[:-1], k[1:])),
            [
                values((K, *(sizes[p, t] for p in link)), (k[t], *(j[p, t] for p in link)))
                for t in range(T)
            ],
            link,
        )
        for K, k, link in zip(states, chains, links, strict=True)
    ]
    return Problem(tracks, words)


def plant(
    rng: np.random.Generator, sizes: npt.ArrayLike, states: Sequence[int]
) -> tuple[Labels, Labels]:
    """A random choice of tracks (L, T) and states (W, T)."""
    sizes = np.asarray(sizes, dtype=np.int64)
    T = sizes.shape[1]
    return rng.integers(sizes), rng.integers(np.reshape(states, (-1, 1)), size=(len(states), T))


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    repeats: bool = True,
    feasible: bool | None = None,
    forbid: tuple[float, ...] = (0.0, 0.1, 0.4),
    drop: float = 300.0,
) -> Problem:
    """Small problems: T 1..4, L 0..3, W 0..3 of arity 1..3, ragged J_t 1..3, K 1..3.

    Args:
        draw: given by Hypothesis.
        repeats: whether a word may name a track twice (it then means its table's diagonal).
        feasible: True plants an assignment of finite score; None does so half the time.
        forbid: the shares of -inf to draw from.
        drop: how far below the others, in nats, large magnitudes lie.
    """
    # Repetitions make the problems that say more likelier; Hypothesis shrinks towards the first.
    T, L = draw(st.sampled_from((1, 2, 3, 3, 4, 4))), draw(st.sampled_from((1, 2, 2, 3, 3, 0)))
    W = draw(st.sampled_from((1, 2, 2, 3, 3, 0))) if L else 0
    links = [draw(_links(L, repeats)) for _ in range(W)]
    kind, share = draw(st.sampled_from(KINDS)), draw(st.sampled_from(forbid))
    planting = draw(st.booleans()) if feasible is None else feasible
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    sizes, states = _within_budget(rng, rng.integers(1, 4, (L, T)), rng.integers(1, 4, W).tolist())
    note(f"{sizes=} {states=} {links=} {kind=} {share=} {planting=} {seed=}")

    def values(shape: tuple[int, ...], cells: tuple[Any, ...]) -> Array:
        forbidden = rng.random(shape) < share
        if planting:
            forbidden[cells] = False
        return np.where(forbidden, -np.inf, _sample(rng, kind, shape, drop))

    return assemble(sizes, states, links, values, plant(rng, sizes, states))


def _lazy(arrays: Sequence[npt.ArrayLike]) -> Lazy:
    return Lazy(lambda t: arrays[t], len(arrays))


def _links(L: int, repeats: bool) -> st.SearchStrategy[tuple[int, ...]]:
    track = st.integers(0, L - 1)
    most = 3 if repeats else min(3, L)
    return st.lists(track, min_size=1, max_size=most, unique=not repeats).map(tuple)


def _sample(rng: np.random.Generator, kind: str, shape: tuple[int, ...], drop: float) -> Array:
    tables = [
        rng.uniform(-5, 2, shape),
        rng.integers(-2, 2, shape).astype(np.float64),
        rng.uniform(-1, 1, shape) - drop * rng.integers(0, 2, shape),
    ]
    if kind == "mixed":
        return np.choose(rng.integers(0, 3, shape), tables)
    return tables[KINDS.index(kind)]


def _within_budget(
    rng: np.random.Generator, sizes: Labels, states: list[int]
) -> tuple[Labels, list[int]]:
    """Take labels away at random until the assignments are within the budget."""
    T = sizes.shape[1]
    while math.prod(sizes.flat) * math.prod(states) ** T > BUDGET:
        # A state less is one less in every frame.
        if states and rng.random() < 0.2:
            w = int(rng.integers(len(states)))
            states[w] = max(1, states[w] - 1)
        else:
            cell = int(rng.integers(sizes.size))
            sizes.flat[cell] = max(1, sizes.flat[cell] - 1)
    return sizes, states
