"""Exact sums over all assignments: the separable recursion of Viterbi with log-sum-exp.

With all tracks and states summed over, Eq. 4 is the log-likelihood of a sentence, and the marginals
are the expectations that learning needs.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentrack.inference.diagnosis import explain
from sentrack.inference.errors import Infeasible, ProblemTooLarge
from sentrack.inference.kernels import (
    add_rows,
    entry,
    frame_terms,
    internal,
    load_step,
    mixed_states,
)
from sentrack.inference.lattices import between_states, joint_states, one_lattice, operations
from sentrack.inference.limits import Limits
from sentrack.inference.problem import Problem
from sentrack.inference.structures import Floats, Lattices, Terms
from sentrack.inference.terms import Reduction, reduce
from sentrack.read_only import ReadOnly


@dataclass(frozen=True, eq=False)
class Posteriors(ReadOnly):
    """The distribution over tracks and states that Eq. 4 defines, exp(score) / Z.

    Attributes:
        log_partition: ln Z, the log of the sum of exp(score) over all assignments.
        tracks: per track, T arrays (J_t,): probability of every candidate.
        states: per word, (T, K): probability of every state.
        transitions: per word, (T-1, K, K): joint probability of the states of adjacent frames.
        emissions: per word, T arrays (K, J_t[p1], ..., J_t[pI]): joint probability of state and
            candidates.
    """

    log_partition: float
    tracks: tuple[tuple[Floats, ...], ...]
    states: tuple[Floats, ...]
    transitions: tuple[Floats, ...]
    emissions: tuple[tuple[Floats, ...], ...]


def posteriors(problem: Problem, memory_limit: int | None = None) -> Posteriors:
    """Sum over all assignments, exactly.

    Args:
        problem: the terms.
        memory_limit: bytes for the forward tables; by default half of what is free.

    Raises:
        Infeasible: when no assignment has a finite score.
        ProblemTooLarge: when the forward tables do not fit.
    """
    limits = Limits.of(None, memory_limit)
    reduction = reduce(problem)
    sums = _Sums(problem)
    for terms in reduction.components:
        _check_size(terms, limits)
        _component(reduction, terms, sums, limits)
    for w in range(problem.W):
        if sums.emissions[w][0] is None:
            sums.fold(w)
    return Posteriors(
        log_partition=math.fsum(sums.partitions),
        tracks=tuple(tuple(track) for track in sums.tracks),
        states=tuple(sums.states),
        transitions=tuple(sums.transitions),
        emissions=tuple(tuple(e for e in word if e is not None) for word in sums.emissions),
    )


class _Sums:
    """Marginals being filled in, in the labels of the problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.partitions: list[float] = []
        T, words = problem.T, range(problem.W)
        self.tracks = [[np.zeros(n) for n in track] for track in problem.sizes.tolist()]
        # A word of one state is in it with certainty.
        self.states = [np.ones((T, problem.states(w))) for w in words]
        self.transitions = [np.ones((max(T - 1, 0), *[problem.states(w)] * 2)) for w in words]
        self.emissions: list[list[Floats | None]] = [[None] * T for _ in words]

    def emission(self, terms: Terms, f: int, t: int, joint: Floats) -> None:
        """Spread the joint probability of factor f's chains over the word's emission axes."""
        problem, w = self._problem, int(terms.word[f])
        link = problem.link(w)
        table = np.zeros((problem.states(w), *(int(problem.sizes[p, t]) for p in link)))
        index: list[Any] = [0] * table.ndim
        for axis, c in enumerate(np.flatnonzero(terms.spans[f])):
            at, identity = terms.node_at[c, t], int(terms.chain[c])
            shape = [-1 if i == axis else 1 for i in range(joint.ndim)]
            labels = terms.label[at : at + terms.sizes[c, t]].reshape(shape)
            places = (
                [1 + i for i, p in enumerate(link) if p == identity] if identity < terms.L else [0]
            )
            for place in places:
                index[place] = labels
        table[tuple(index)] = joint
        self.emissions[w][t] = table

    def fold(self, w: int) -> None:
        """A word of one state about one track has the marginals of that track."""
        link = self._problem.link(w)
        for t in range(self._problem.T):
            marginal = self.tracks[link[0]][t]
            table = np.zeros((1, *[marginal.size] * len(link)))
            labels = np.arange(marginal.size)
            table[(np.zeros_like(labels), *[labels] * len(link))] = marginal
            self.emissions[w][t] = table


def _component(reduction: Reduction, terms: Terms, sums: _Sums, limits: Limits) -> None:
    """Forward tables of all frames, then backward, reading off the marginals."""
    lattices = one_lattice(terms)
    tables = _Tables(terms, lattices)
    T = terms.sizes.shape[1]
    forward = [tables.full(0, np.zeros(int(lattices.states[0, 0])))]
    for t in range(1, T):
        forward.append(tables.full(t, tables.send(t, True, forward[-1])))
    log_partition = _log_sum(forward[-1])
    if log_partition == -math.inf:
        raise Infeasible(explain(reduction, limits))
    sums.partitions.append(log_partition)
    message = np.zeros(int(lattices.states[0, T - 1]))
    for t in range(T - 1, -1, -1):
        shape = tuple(int(n) for n in terms.sizes[:, t])
        table = forward[t] + message
        table -= log_partition
        joint = np.exp(table, out=table).reshape(shape)
        for axis, chain in enumerate(terms.chain.tolist()):
            others = tuple(i for i in range(len(shape)) if i != axis)
            marginal = joint.sum(axis=others)
            if chain < terms.L:
                at = terms.node_at[axis, t]
                sums.tracks[chain][t][terms.label[at : at + marginal.size]] = marginal
            else:
                sums.states[chain - terms.L][t] = marginal
        for f in range(terms.spans.shape[0]):
            sums.emission(terms, f, t, joint.sum(axis=tuple(np.flatnonzero(~terms.spans[f]))))
        full = tables.full(t, message)
        full -= log_partition
        if t > 0:
            for axis, chain in enumerate(terms.chain.tolist()):
                if chain >= terms.L:
                    moved = tables.send(t, True, forward[t - 1], skip=axis)
                    sums.transitions[chain - terms.L][t - 1] = _pairs(terms, axis, t, moved, full)
            full += log_partition
            message = tables.send(t - 1, False, full)


def _pairs(terms: Terms, axis: int, t: int, before: Floats, after: Floats) -> Floats:
    """(K, K): the joint probability of a word's states in frames t-1 and t.

    Args:
        terms: the reduced problem.
        axis: of the word's chain.
        t: the frame.
        before: log sums of all that precedes, indexed by the word's state in frame t-1 and by all
            other labels in frame t.
        after: log probability of all that follows, less the partition, by the labels in frame t.
    """
    K = int(terms.sizes[axis, t])
    outer = int(terms.sizes[:axis, t].prod())
    at = terms.step_at[axis, t]
    step = terms.step[at : at + K * K].reshape(K, K)
    before, after = before.reshape(outer, K, -1), after.reshape(outer, K, -1)
    pairs = np.empty((K, K))
    # One state at a time, for all pairs at once would take K tables.
    for k in range(K):
        joint = after + step[k][:, None]
        joint += before[:, k, None]
        pairs[k] = np.exp(joint, out=joint).sum(axis=(0, 2))
    return pairs


class _Tables:
    """Log-sum messages of one lattice."""

    def __init__(self, terms: Terms, lattices: Lattices) -> None:
        self._terms, self._lattices = terms, lattices
        mixed = mixed_states(terms, lattices, 0)
        widest = int(terms.sizes.max())
        self._buffers = np.empty(mixed), np.empty(mixed), np.empty(widest**2)
        self._none = np.full(terms.chain.size, -1, dtype=np.int64)

    def full(self, t: int, message: Floats) -> Floats:
        """The message into frame t plus the frame's own terms."""
        terms, lattices = self._terms, self._lattices
        vectors = np.empty(int(terms.sizes[:, t].sum()))
        frame_terms(terms, lattices, t, self._none, vectors)
        table = message.copy()
        rows = message.size // int(terms.sizes[-1, t])
        add_rows(terms, lattices, t, vectors, table, 0, rows)
        return table

    def send(self, t: int, forward: bool, table: Floats, skip: int = -1) -> Floats:
        """The message into frame t; the axis `skip` keeps its label of the frame before."""
        return np.asarray(send_sum(self._terms, t, forward, table, skip, *self._buffers))


def _log_sum(values: Floats) -> float:
    top = float(values.max())
    return top + math.log(float(np.exp(values - top).sum())) if top > -math.inf else top


def _check_size(terms: Terms, limits: Limits) -> None:
    """Forward tables of all frames, and at most eight more of the size of the largest."""
    chains = np.arange(terms.chain.size)
    states = joint_states(terms.sizes, chains)
    need = 8 * (float(states.sum()) + 8 * between_states(terms.sizes, chains))
    if need > limits.memory:
        work = 2 * operations(terms.sizes, chains)
        raise ProblemTooLarge(int(states.max()), int(need), int(work), limits.memory)


@entry
def send_sum(
    terms: Terms, t: int, forward: bool, table: Any, skip: int, ping: Any, pong: Any, g: Any
) -> Any:
    """Transitions of all axes but `skip`, with sums of exponentials in place of maxima."""
    before = t - 1 if forward else t + 1
    size, inner = table.size, 1
    ping[:size] = table
    for a in range(terms.sizes.shape[0] - 1, -1, -1):
        n_in, n_out = terms.sizes[a, before], terms.sizes[a, t]
        if a == skip:
            inner *= n_in
            continue
        load_step(terms, a, 1.0, t, forward, g)
        outer = size // (n_in * inner)
        transfer_sum(ping, pong, outer, n_in, n_out, inner, g)
        size = outer * n_out * inner
        inner *= n_out
        ping, pong = pong, ping
    return ping[:size].copy()


@internal
def transfer_sum(src: Any, dst: Any, outer: int, n_in: int, n_out: int, inner: int, g: Any) -> None:
    """One axis of a transition: dst[a, j, b] = ln Σ_i exp(src[a, i, b] + g[i, j]).

    Sums are taken of numbers scaled by the largest source and the largest transition, one
    exponential per source; only where that loses all digits are the exponents added first.
    """
    top = np.empty(n_out)
    scaled = np.empty(n_in * n_out)
    for j in range(n_out):
        top[j] = -np.inf
        for i in range(n_in):
            top[j] = max(top[j], g[i * n_out + j])
        for i in range(n_in):
            scaled[j * n_in + i] = np.exp(g[i * n_out + j] - top[j]) if top[j] > -np.inf else 0.0
    column = np.empty(n_in)
    for a in range(outer):
        for b in range(inner):
            s, d = a * n_in * inner + b, a * n_out * inner + b
            best = -np.inf
            for i in range(n_in):
                best = max(best, src[s + i * inner])
            for i in range(n_in):
                column[i] = np.exp(src[s + i * inner] - best) if best > -np.inf else 0.0
            for j in range(n_out):
                if best == -np.inf or top[j] == -np.inf:
                    dst[d + j * inner] = -np.inf
                    continue
                total = 0.0
                for i in range(n_in):
                    total += column[i] * scaled[j * n_in + i]
                if total > 1e-200:
                    dst[d + j * inner] = best + top[j] + np.log(total)
                    continue
                peak = -np.inf
                for i in range(n_in):
                    peak = max(peak, src[s + i * inner] + g[i * n_out + j])
                total = 0.0
                if peak > -np.inf:
                    for i in range(n_in):
                        total += np.exp(src[s + i * inner] + g[i * n_out + j] - peak)
                    peak += np.log(total)
                dst[d + j * inner] = peak
