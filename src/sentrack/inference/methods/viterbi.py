"""Exact inference: Viterbi on the product lattice with separable transitions.

Eq. 1 (one track, no word), Eq. 2 (one candidate per frame, one word), Eq. 3 (one track, one word)
and Eq. 4 are all the same recursion on lattices of different axes.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from sentrack.inference.errors import Infeasible, ProblemTooLarge
from sentrack.inference.kernels import (
    INNER,
    OUTER,
    add_rows,
    decode_all,
    frame_terms,
    outermost,
    send_large,
    sweep_frames,
    worthwhile,
)
from sentrack.inference.lattices import frame_operations, joint_states, one_lattice, operations
from sentrack.inference.limits import Limits, OutOfTime, in_parallel, in_pieces
from sentrack.inference.message_passing import MessagePassing, Pass, run_passes
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.plain_viterbi import plain_viterbi
from sentrack.inference.structures import Floats, Ints, Lattices, Terms
from sentrack.inference.terms import Answer, Found, Reduction, assignment_score, problem_labels

# From this many joint states on, a frame is worth splitting between threads.
PARALLEL_STATES = 1 << 15


@dataclass(frozen=True)
class Viterbi:
    """The exact method: certified, or ProblemTooLarge, unless time runs out."""

    name: ClassVar[str] = "viterbi"

    def run(self, reduction: Reduction, limits: Limits, seed: int) -> Answer:  # noqa: ARG002
        """Tracks, states and their score, which is also the upper bound."""
        _check_sizes(reduction, limits)
        return reduction.answer([_component(terms, limits) for terms in reduction.components])


def _component(terms: Terms, limits: Limits) -> Found:
    try:
        return exact(terms, limits)
    except OutOfTime:
        return ComponentSearch(terms, limits).found()


def exact(terms: Terms, limits: Limits) -> Found:
    """The best assignment of a component.

    Raises:
        Infeasible: when no assignment is finite.
        ProblemTooLarge: when the lattice does not fit the memory limit.
        OutOfTime: when the deadline passes first.
    """
    stride = checkpoint_stride(terms.sizes, limits)
    T = terms.sizes.shape[1]
    cost = operations(terms.sizes, np.arange(terms.chain.size))
    if stride == T and not worthwhile(sweep_frames, cost):
        labels, bound = plain_viterbi(terms, limits)
        _check_feasible(bound)
        return Found(problem_labels(terms, labels), assignment_score(terms, labels), bound)
    lattices = one_lattice(terms)
    if lattices.states.max() >= PARALLEL_STATES:
        labels, bound = _in_frames(terms, lattices, stride, limits)
    elif stride == T:
        messages = MessagePassing(terms, lattices, limits)
        bound = float(messages.best[0])
        _check_feasible(bound)
        labels = messages.copies()
    else:
        labels, bound = _in_segments(terms, lattices, stride, limits)
    return Found(problem_labels(terms, labels), assignment_score(terms, labels), bound)


def checkpoint_stride(sizes: Ints, limits: Limits) -> int:
    """How many frames lie between stored messages: T if all fit, about √T if only those do.

    Args:
        sizes: (C, T) labels of every chain in every frame.
        limits: with the memory limit.

    Raises:
        ProblemTooLarge: when not even those fit.
    """
    C, T = sizes.shape
    chains = np.arange(C)
    states = joint_states(sizes, chains)
    largest = states.max()
    # Beside the messages: a frame's full table, and what its transitions need half way.
    if 8 * (states.sum() + 4 * largest) <= limits.memory:
        return int(T)
    stride = math.isqrt(T - 1) + 1
    need = 8 * largest * (stride + -(-T // stride) + 4)
    if need > limits.memory:
        work = 2 * operations(sizes, chains)
        raise ProblemTooLarge(int(largest), int(need), int(work), limits.memory)
    return stride


def _in_segments(
    terms: Terms, lattices: Lattices, stride: int, limits: Limits
) -> tuple[Ints, float]:
    """Backward messages of small lattices, of which every `stride`-th is kept, then decoding.

    Segments between them are computed again, one by one, and decoded.
    """
    T, most = terms.sizes.shape[1], int(lattices.states.max())
    labels = np.empty_like(terms.sizes)
    ends = [*range(stride - 1, T - 1, stride), T - 1]
    # Messages that are not kept all go to one place.
    places = np.zeros((1, T), dtype=np.int64)
    places[0, ends] = most * np.arange(1, len(ends) + 1)
    kept, best = np.empty(most * (len(ends) + 1)), np.empty(1)
    cost = frame_operations(terms.sizes, np.arange(terms.chain.size))
    into = partial(
        sweep_frames,
        *(terms, lattices._replace(table_at=places), kept, kept, False, False, best, best),
        *(np.empty(most), 0.0, 0),
    )
    run_passes([Pass(into, cost[::-1], 0, T)], limits)
    _check_feasible(best[0])
    store, frames = np.empty(most * stride), _Frames(terms, lattices)
    start = 0
    for end in ends:
        size = int(lattices.states[0, end])
        message = kept[places[0, end] : places[0, end] + size]
        here = lattices._replace(table_at=most * (np.arange(T)[None] - start))
        store[most * (end - start) :][:size] = message
        full = np.empty(most)
        full[:size] = frames.full(end, message)
        with limits.spend(float(cost[start:end].sum())):
            sweep_frames(
                *(terms, here, store, store, False, False, np.empty(1), best),
                *(full, 0.0, 0, T - end, T - start),
            )
        decode_all(terms, here, True, store, labels, 0, start, end + 1)
        start = end + 1
    return labels, float(best[0])


def _in_frames(terms: Terms, lattices: Lattices, stride: int, limits: Limits) -> tuple[Ints, float]:
    """Backward messages frame by frame on all cores, then decoding forward.

    Segments of `stride` frames are recomputed from the message at their end; with stride = T there
    is one segment, and nothing is computed twice.
    """
    T = terms.sizes.shape[1]
    frames = _Frames(terms, lattices)
    ends = [*range(stride - 1, T - 1, stride), T - 1]
    message = np.zeros(lattices.states[0, T - 1])
    checkpoints = {T - 1: message}
    for t in range(T - 2, ends[0] - 1 if len(ends) > 1 else T - 2, -1):
        message = frames.backward(t, message, limits)
        if t in ends:
            checkpoints[t] = message
    labels = np.empty_like(terms.sizes)
    here = np.full(labels.shape[0], -1, dtype=np.int64)
    score = -math.inf
    for start, end in zip([0, *(e + 1 for e in ends[:-1])], ends, strict=True):
        tables = {end: checkpoints.pop(end)}
        for t in range(end - 1, start - 1, -1):
            tables[t] = frames.backward(t, tables[t + 1], limits)
        if start == 0:
            score = float(frames.full(0, tables[0], here).max())
            _check_feasible(score)
        for t in range(start, end + 1):
            table = frames.full(t, tables.pop(t), here)
            here = np.array(np.unravel_index(table.argmax(), terms.sizes[:, t]))
            labels[:, t] = here
    return labels, score


class _Frames:
    """Steps of the backward recursion, each split between threads."""

    def __init__(self, terms: Terms, lattices: Lattices) -> None:
        self._terms, self._lattices = terms, lattices

    def full(self, t: int, message: Floats, previous: Ints | None = None) -> Floats:
        """The message into frame t plus the frame's own terms.

        Given the labels of the frame before (not -1), also plus the transitions from them.
        """
        terms, lattices = self._terms, self._lattices
        vectors = np.empty(int(terms.sizes[:, t].sum()))
        if previous is None:
            previous = np.full(terms.chain.size, -1, dtype=np.int64)
        frame_terms(terms, lattices, t, previous, vectors)
        table = message.copy()

        def part(lo: int, hi: int) -> None:
            add_rows(terms, lattices, t, vectors, table, lo, hi)

        in_parallel(part, message.size // int(terms.sizes[-1, t]))
        return table

    def backward(self, t: int, message: Floats, limits: Limits) -> Floats:
        """The message into frame t from the message into frame t+1."""
        terms, lattices = self._terms, self._lattices
        table = self.full(t + 1, message)
        out = np.empty(int(lattices.states[0, t]))
        axis, _ = outermost(terms, lattices, 0, t, False)
        labels = 1 if axis == terms.chain.size else int(terms.sizes[axis, t + 1])
        inner = int(terms.sizes[axis + 1 :, t].prod())
        between = np.empty(labels * inner)
        rest = np.maximum(terms.sizes[axis + 1 :, t], terms.sizes[axis + 1 :, t + 1])
        room, block = 2 * int(rest.prod()), int(terms.sizes.max()) ** 2

        def send(part: int, src: Floats, dst: Floats, at: int, lo: int, hi: int) -> None:
            work = np.empty(block + (room * (hi - lo) if part == INNER else 0))
            send_large(terms, lattices, 0, t, False, src, 0, dst, at, work, part, lo, hi)

        def inner_part(lo: int, hi: int) -> None:
            send(INNER, table, between, lo * inner, lo, hi)

        def outer_part(lo: int, hi: int) -> None:
            send(OUTER, between, out, 0, lo, hi)

        to = 1 if axis == terms.chain.size else int(terms.sizes[axis, t])
        steps = np.where(terms.sizes[axis + 1 :, t] > 1, terms.sizes[axis + 1 :, t + 1], 1)
        in_pieces(inner_part, labels, labels * rest.prod() * float(steps.sum()), limits)
        in_pieces(outer_part, inner, float(inner * labels * to), limits)
        return out


def _check_sizes(reduction: Reduction, limits: Limits) -> None:
    """Raise ProblemTooLarge for the largest component, before any is solved."""
    errors = []
    for terms in reduction.components:
        try:
            checkpoint_stride(terms.sizes, limits)
        except ProblemTooLarge as error:
            errors.append(error)
    if errors:
        raise max(errors, key=lambda error: error.bytes)


def _check_feasible(score: float) -> None:
    if score == -math.inf:
        raise Infeasible("no assignment of tracks and states has a finite score")
