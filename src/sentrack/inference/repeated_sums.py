"""Exact sums over one problem again and again, while what its words say changes: for learning.

The problem is read and reduced once, with the places of numbers in the words' tables in place of
the numbers. After that new tables only have to be copied to where they belong, and what is expected
of them back.
"""

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sentrack.inference.diagnosis import explain
from sentrack.inference.errors import Infeasible
from sentrack.inference.forward_backward import Marginals, chain_states, check_size, marginals
from sentrack.inference.lattices import one_lattice
from sentrack.inference.limits import Limits
from sentrack.inference.problem import Derived, Problem, TrackTerms, WordTerms
from sentrack.inference.structures import Floats, Ints, Lattices, Terms
from sentrack.inference.terms import Reduction, chain_slice, reduce, starts


class Said(NamedTuple):
    """What a word says, as of `WordTerms`.

    Attributes:
        initial: (K,).
        transition: (K, K).
        table: (K, M) the emissions of all tuples of candidates, of all frames one after another.
    """

    initial: Floats
    transition: Floats
    table: Floats


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of the words that change; see `Posteriors`.

    Attributes:
        log_partition: ln Z.
        candidates: by track of which terms were changed, (N,) the probability of every candidate of
            all frames.
        states: per word, (T, K).
        transitions: per word, (T-1, K, K).
        tables: per word, (K, M) the probability of every state and tuple.
    """

    log_partition: float
    candidates: dict[int, Floats]
    states: list[Floats]
    transitions: list[Floats]
    tables: list[Floats]


class _Part(NamedTuple):
    """A component of the problem.

    Attributes:
        terms: reduced, with what the tracks say.
        lattices: one of all its chains.
        source: the places in all tables, one after another, of the numbers of `Terms.factor`.
        tracks: by track, the places of its labels among its candidates of all frames.
    """

    terms: Terms
    lattices: Lattices
    source: Ints
    tracks: dict[int, Ints]


class RepeatedSums:
    """Sums over a problem of which only the words change, not what they speak of.

    Args:
        tracks: the terms of every track.
        states: of every word that changes, K.
        links: of every word that changes, its participants.
        fixed: further words, which do not change.

    Raises:
        Infeasible: when a track has no candidate left in some frame.
        ProblemTooLarge: when the forward tables do not fit.
    """

    def __init__(
        self,
        tracks: Sequence[TrackTerms],
        states: Sequence[int],
        links: Sequence[tuple[int, ...]],
        fixed: Sequence[WordTerms] = (),
    ) -> None:
        bare = self._bare = Problem(tracks, fixed)
        self._T, self._states = bare.T, tuple(states)
        of = [*states, *(bare.states(w) for w in range(bare.W))]
        places, self._first = [], [0]
        for K, link in zip(of, [*links, *(word.participants for word in fixed)], strict=True):
            # (T, I): the numbers of candidates of the word's participants.
            shapes = bare.sizes[list(link)].T
            at = np.arange(K * int(shapes.prod(axis=1).sum())).reshape(K, -1) + self._first[-1]
            self._first.append(self._first[-1] + at.size)
            places.append(WordTerms(np.zeros(K), np.zeros((K, K)), _frames(at, shapes), link))
        limits = Limits.of(None, None)
        self._parts = []
        for terms in reduce(Problem(tracks, places), fold=False).components:
            check_size(terms, limits)
            source, terms = terms.factor.astype(np.int64), terms._replace(factor=np.empty(0))
            tracks_of = {
                track: terms.label[chain_slice(terms, c)]
                + np.repeat(starts(bare.sizes[track]), terms.sizes[c])
                for c, track in enumerate(terms.chain.tolist())
                if track < terms.L
            }
            self._parts.append(_Part(terms, one_lattice(terms), source, tracks_of))
        self._fixed = [
            Said(
                bare.initial(w),
                bare.transition(w),
                np.concatenate(
                    [bare.emission(w, t).reshape(bare.states(w), -1) for t in range(bare.T)], axis=1
                ),
            )
            for w in range(bare.W)
        ]

    def expect(self, words: Sequence[Said], unary: Mapping[int, Floats] | None = None) -> Expected:
        """Sums over all assignments, with words that say this.

        Args:
            words: that change.
            unary: by track, (N,) what to add to the terms of its candidates of all frames.

        Raises:
            Infeasible: when no assignment has a finite score.
        """
        every = [*words, *self._fixed]
        tables = np.concatenate([np.zeros(0), *(word.table.ravel() for word in every)])
        filled = [self._filled(part, every, tables, unary or {}) for part in self._parts]
        found = [
            marginals(terms, part.lattices._replace(node=terms.node))
            for terms, part in zip(filled, self._parts, strict=True)
        ]
        # A word of one state is in it with certainty.
        alone = [
            [float(word.initial[0]), *[float(word.transition[0, 0])] * (self._T - 1)]
            for word in every
            if word.initial.size == 1
        ]
        total = math.fsum([*(each.log_partition for each in found), *itertools.chain(*alone)])
        if total == -math.inf:
            reduction = Reduction(self._bare, tuple(filled))
            raise Infeasible(explain(reduction, Limits.of(None, None)))
        return self._expected(total, found, unary or {})

    def _filled(
        self,
        part: _Part,
        words: Sequence[Said],
        tables: Floats,
        unary: Mapping[int, Floats],
    ) -> Terms:
        """The terms of a component with what words say."""
        terms = part.terms
        node, step = terms.node.copy(), terms.step.copy()
        for c, chain in enumerate(terms.chain.tolist()):
            at = chain_slice(terms, c)
            if chain >= terms.L:
                word = words[chain - terms.L]
                node[at][: word.initial.size] = word.initial
                if self._T > 1:
                    # The transitions of all frames lie one after another.
                    moves = np.tile(word.transition.ravel(), self._T - 1)
                    begin = int(terms.step_at[c, 1])
                    step[begin : begin + moves.size] = moves
            elif chain in unary:
                node[at] += unary[chain].take(part.tracks[chain])
        return terms._replace(node=node, step=step, factor=tables.take(part.source))

    def _expected(
        self, total: float, found: Sequence[Marginals], asked: Collection[int]
    ) -> Expected:
        tables, candidates = np.zeros(self._first[-1]), {}
        # What is no chain is in its one state with certainty.
        states = [np.ones((self._T, K)) for K in self._states]
        transitions = [np.ones((self._T - 1, K, K)) for K in self._states]
        for (terms, _, source, tracks), each in zip(self._parts, found, strict=True):
            tables[source] = each.factor
            for c, chain in enumerate(terms.chain.tolist()):
                w = chain - terms.L
                if chain in asked:
                    every = np.zeros(int(self._bare.sizes[chain].sum()))
                    every[tracks[chain]] = each.node[chain_slice(terms, c)]
                    candidates[chain] = every
                elif 0 <= w < len(states):
                    states[w] = chain_states(terms, c, each.node)
                    transitions[w] = each.pairs[c]
        told = [
            tables[self._first[w] : self._first[w + 1]].reshape(K, -1)
            for w, K in enumerate(self._states)
        ]
        return Expected(total, candidates, states, transitions, told)


def _frames(table: Ints, shapes: Ints) -> Derived:
    """T arrays (K, J_t[p1], ..., J_t[pI]) of a table (K, M) of all frames one after another."""
    edges = np.cumsum(shapes.prod(axis=1))[:-1]
    parts = np.split(table.astype(np.float64), edges, axis=1)
    return Derived(
        part.reshape(len(table), *shape) for part, shape in zip(parts, shapes.tolist(), strict=True)
    )
