"""Block ascent: re-solve one track with the states of its words, exactly, the others fixed."""

import itertools
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sentrack.inference.lattices import one_lattice, operations, sweep_bytes
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.message_passing import MessagePassing
from sentrack.inference.relaxation import quick_bound
from sentrack.inference.structures import Bools, Ints, Terms
from sentrack.inference.terms import (
    ROUNDING,
    Answer,
    Found,
    Reduction,
    assignment_score,
    chain_slice,
    problem_labels,
    restrict,
)

# Nats, beyond all that finite terms add up to, that stand for -inf while ascending, so that fewer
# violations count as progress.
FORBIDDEN = 1e6
# A block with more operations than this leaves some of its words fixed.
BLOCK_OPERATIONS = 5e7


@dataclass(frozen=True)
class Ascent:
    """Monotone local search from random starts; it proves nothing by itself.

    Attributes:
        restarts: number of random starts.
    """

    restarts: int = 10
    name: ClassVar[str] = "ascent"

    def run(self, reduction: Reduction, limits: Limits, seed: int) -> Answer:
        """The best tracks and states of all starts, and the bound of one pass over the words."""
        rng = np.random.default_rng(seed)
        found = []
        for terms in reduction.components:
            best, best_score = ascend(terms, first_answer(terms), limits)
            for _ in range(self.restarts):
                if not limits.affords(0.0):
                    break
                labels, score = ascend(terms, rng.integers(terms.sizes), limits)
                if score > best_score:
                    best, best_score = labels, score
            bound = quick_bound(terms, limits)
            found.append(Found(problem_labels(terms, best), best_score, bound))
        return reduction.answer(found)


def ascend(terms: Terms, labels: Ints, limits: Limits) -> tuple[Ints, float]:
    """Improve an assignment (C, T) until no block improves it or time is over.

    Its score never falls.
    """
    score = assignment_score(terms, labels)
    forbidden = _forbidden(terms) if score == -math.inf else -math.inf
    value = assignment_score(terms, labels, forbidden)
    tracks = np.flatnonzero(terms.chain < terms.L).tolist()
    try:
        blocks, since_gain = [_block(terms, track, limits) for track in tracks], 0
        for block in itertools.cycle(blocks):
            if since_gain == len(blocks):
                break
            better, new = improve(terms, labels, block, limits, forbidden)
            since_gain += 1
            # Blocks meet rounding, not progress, below this.
            if new > value + terms.rounding + ROUNDING * abs(value):
                labels, value, since_gain = better, new, 1
    except OutOfTime:
        pass
    return labels, assignment_score(terms, labels)


def first_answer(terms: Terms) -> Ints:
    """An assignment (C, T) by one round over the tracks, then the words, each given the others.

    The work is that of reading the transitions of all chains once, whatever the limits.
    """
    labels, forbidden = np.zeros_like(terms.sizes), _forbidden(terms)
    for c in np.argsort(terms.chain, kind="stable"):
        labels, _ = improve(terms, labels, np.array([c]), Limits(0), forbidden)
    return labels


def improve(
    terms: Terms, labels: Ints, free: Ints, limits: Limits, forbidden: float = -math.inf
) -> tuple[Ints, float]:
    """The best assignment that differs from `labels` in the free chains only, and its score.

    Args:
        terms: the component.
        labels: (C, T) an assignment of it.
        free: the chains that may change.
        limits: of time.
        forbidden: what stands for -inf.

    Raises:
        OutOfTime: when time is over before it is found.
    """
    keep: Bools = np.zeros(terms.node.size, dtype=np.bool_)
    keep[terms.node_at + labels] = True
    for c in free:
        keep[chain_slice(terms, c)] = True
    block, kept = restrict(terms, keep)
    for values in (block.node, block.step, block.factor):
        np.maximum(values, forbidden, out=values)
    messages = MessagePassing(block, one_lattice(block), limits)
    return kept[block.node_at + messages.copies()], float(messages.best[0])


def _forbidden(terms: Terms) -> float:
    """Something below all that finite terms can add up to."""
    return -(FORBIDDEN + terms.rounding / ROUNDING)


def _block(terms: Terms, track: int, limits: Limits) -> Ints:
    """A track and the states of its words, as many as make an affordable lattice.

    With a deadline, as many as leave time for a block of every track.
    """
    words = terms.spans[terms.spans[:, track]] & (terms.chain >= terms.L)
    block, every = [track], int((terms.chain < terms.L).sum())
    for c in dict.fromkeys(c for word in words for c in np.flatnonzero(word).tolist()):
        chains = np.array([*block, c])
        cost = operations(terms.sizes, chains)
        if (
            cost <= BLOCK_OPERATIONS
            and limits.affords(every * cost)
            and sweep_bytes(terms.sizes, [chains]) <= limits.memory
        ):
            block.append(c)
    return np.array(block)
