"""Exact sums over all assignments: the separable recursion of Viterbi with log-sum-exp.

With all tracks and states summed over, Eq. 4 is the log-likelihood of a sentence, and the marginals
are the expectations that learning needs.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sentrack.inference.diagnosis import explain
from sentrack.inference.errors import Infeasible, ProblemTooLarge
from sentrack.inference.kernels import announce, sum_over
from sentrack.inference.lattices import between_states, joint_states, one_lattice, operations
from sentrack.inference.limits import Limits
from sentrack.inference.problem import Problem
from sentrack.inference.structures import Floats, Lattices, Terms
from sentrack.inference.terms import Reduction, chain_slice, reduce
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
        check_size(terms, limits)
        _component(reduction, terms, sums, limits)
    for w in range(problem.W):
        if not sums.emissions[w]:
            sums.fold(w)
    return Posteriors(
        log_partition=math.fsum(sums.partitions),
        tracks=tuple(tuple(track) for track in sums.tracks),
        states=tuple(sums.states),
        transitions=tuple(sums.transitions),
        emissions=tuple(tuple(word) for word in sums.emissions),
    )


class _Sums:
    """Marginals being filled in, in the labels of the problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.partitions: list[float] = []
        T, words = problem.T, range(problem.W)
        self.tracks: list[list[Floats]] = [[] for _ in range(problem.L)]
        # A word of one state is in it with certainty.
        self.states = [np.ones((T, problem.states(w))) for w in words]
        self.transitions = [np.ones((max(T - 1, 0), *[problem.states(w)] * 2)) for w in words]
        self.emissions: list[list[Floats]] = [[] for _ in words]

    def track(self, terms: Terms, c: int, node: Floats) -> None:
        """Spread the probabilities of a track's labels over its candidates."""
        of, sizes = int(terms.chain[c]), terms.sizes[c].tolist()
        for t, (at, size) in enumerate(zip(terms.node_at[c].tolist(), sizes, strict=True)):
            marginal = node[at : at + size]
            candidates = int(self._problem.sizes[of, t])
            if size < candidates:
                all_of_them = np.zeros(candidates)
                all_of_them[terms.label[at : at + size]] = marginal
                marginal = all_of_them
            self.tracks[of].append(marginal)

    def emission(self, terms: Terms, f: int, factor: Floats) -> None:
        """Spread the joint probabilities of a factor's chains over the word's emission axes."""
        problem, w = self._problem, int(terms.word[f])
        link = problem.link(w)
        chains = np.flatnonzero(terms.spans[f])
        whose = terms.chain[chains].tolist()
        # Where each chain is in an emission; a participant named twice is in two places.
        places = [
            [1 + i for i, p in enumerate(link) if p == of] if of < terms.L else [0] for of in whose
        ]
        order = [place[0] for place in places]
        shapes, begin = terms.sizes[chains].T, terms.factor_at[f].tolist()
        full = np.where(
            terms.chain[chains] < terms.L, problem.sizes[np.minimum(whose, terms.L - 1)].T, 0
        )
        # Where all candidates are left, and none is named twice, axes are but in another order.
        plain = sorted(order) == list(range(1 + len(link))) and (shapes >= full).all(axis=1)
        back = tuple(np.argsort(order).tolist())
        every = np.broadcast_to(plain, len(shapes)).tolist()
        for t, (shape, at) in enumerate(zip(shapes.tolist(), begin, strict=True)):
            joint = factor[at : at + math.prod(shape)].reshape(shape)
            if every[t]:
                self.emissions[w].append(joint.transpose(back))
                continue
            table = np.zeros((problem.states(w), *(int(problem.sizes[p, t]) for p in link)))
            index: list[Any] = [0] * table.ndim
            for axis, c in enumerate(chains):
                labels = terms.label[terms.node_at[c, t] : terms.node_at[c, t] + shape[axis]]
                for place in places[axis]:
                    index[place] = labels.reshape(
                        [-1 if i == axis else 1 for i in range(len(shape))]
                    )
            table[tuple(index)] = joint
            self.emissions[w].append(table)

    def fold(self, w: int) -> None:
        """A word of one state about one track has the marginals of that track."""
        link = self._problem.link(w)
        for marginal in self.tracks[link[0]]:
            table = np.zeros((1, *[marginal.size] * len(link)))
            labels = np.arange(marginal.size)
            table[(np.zeros_like(labels), *[labels] * len(link))] = marginal
            self.emissions[w].append(table)


def _component(reduction: Reduction, terms: Terms, sums: _Sums, limits: Limits) -> None:
    """Sums of one component, and their marginals in the labels of the problem."""
    found = marginals(terms, one_lattice(terms))
    if found.log_partition == -math.inf:
        raise Infeasible(explain(reduction, limits))
    sums.partitions.append(found.log_partition)
    for c, chain in enumerate(terms.chain.tolist()):
        if chain < terms.L:
            sums.track(terms, c, found.node)
        else:
            sums.states[chain - terms.L] = chain_states(terms, c, found.node)
            sums.transitions[chain - terms.L] = found.pairs[c]
    for f in range(terms.spans.shape[0]):
        sums.emission(terms, f, found.factor)


class Marginals(NamedTuple):
    """Of one component; not filled in where nothing is possible.

    Attributes:
        log_partition: ln Z, or -inf.
        node: probabilities of labels, laid out like `Terms.node`.
        factor: joint probabilities of the labels of factors, laid out like `Terms.factor`.
        pairs: by chain that is a word, (T-1, K, K) of the states of successive frames.
    """

    log_partition: float
    node: Floats
    factor: Floats
    pairs: dict[int, Floats]


def marginals(terms: Terms, lattices: Lattices) -> Marginals:
    """Log sums forward, then backward, reading off the marginals; see `one_lattice`."""
    announce(sum_over)
    T = terms.sizes.shape[1]
    words = np.flatnonzero(terms.chain >= terms.L)
    most = int(terms.sizes[words].max(initial=1))
    between = int(between_states(terms.sizes, np.arange(terms.chain.size)))
    store = np.empty(int(lattices.states.sum()))
    node, factor = np.empty(terms.node.size), np.empty(terms.factor.size)
    pairs = np.empty((words.size, T - 1, most, most))
    log_partition = sum_over(terms, lattices, between, store, node, factor, pairs)
    of = {}
    for row, c in enumerate(words.tolist()):
        K = int(terms.sizes[c, 0])
        of[c] = pairs[row, :, :K, :K]
    return Marginals(log_partition, node, factor, of)


def chain_states(terms: Terms, c: int, node: Floats) -> Floats:
    """(T, K): what `node` says of the chain of a word."""
    return node[chain_slice(terms, c)].reshape(terms.sizes.shape[1], -1)


def check_size(terms: Terms, limits: Limits) -> None:
    """Forward tables of all frames, and at most eight more of the size of the largest."""
    chains = np.arange(terms.chain.size)
    states = joint_states(terms.sizes, chains)
    need = 8 * (float(states.sum()) + 8 * between_states(terms.sizes, chains))
    if need > limits.memory:
        work = 2 * operations(terms.sizes, chains)
        raise ProblemTooLarge(int(states.max()), int(need), int(work), limits.memory)
