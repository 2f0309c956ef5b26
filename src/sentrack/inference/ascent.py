"""Block ascent: re-solve one track with the states of all its words, exactly, the others fixed."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sentrack.inference.lattices import one_lattice, operations
from sentrack.inference.relaxation import quick_bound
from sentrack.inference.resources import Limits
from sentrack.inference.structures import Bools, Ints, Terms
from sentrack.inference.sweeps import decode_all, sweep
from sentrack.inference.terms import (
    Answer,
    Found,
    Reduction,
    assignment_score,
    chain_slice,
    problem_labels,
    restrict,
)

# Stands for -inf while ascending, so that fewer violations count as progress.
FORBIDDEN = -1e6
# A block with more operations than this leaves some of its words fixed.
BLOCK_OPERATIONS = 2e8


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
            best, best_score = ascend(terms, rng.integers(terms.sizes), limits)
            for _ in range(self.restarts - 1):
                if limits.seconds_left < 0:
                    break
                labels, score = ascend(terms, rng.integers(terms.sizes), limits)
                if score > best_score:
                    best, best_score = labels, score
            bound = quick_bound(terms, limits)
            found.append(Found(problem_labels(terms, best), best_score, bound))
        return reduction.answer(found)


def ascend(terms: Terms, labels: Ints, limits: Limits) -> tuple[Ints, float]:
    """Improve an assignment (C, T) until no block improves it; its score never falls."""
    score = assignment_score(terms, labels)
    penalised = terms
    if score == -math.inf:
        penalised = terms._replace(
            node=np.maximum(terms.node, FORBIDDEN),
            step=np.maximum(terms.step, FORBIDDEN),
            factor=np.maximum(terms.factor, FORBIDDEN),
        )
    value = assignment_score(penalised, labels)
    blocks = [_block(terms, c) for c in range(terms.chain.size) if terms.chain[c] < terms.L]
    since_gain = 0
    while since_gain < len(blocks) and limits.seconds_left > 0:
        for block in blocks:
            better, new = improve(penalised, labels, block)
            # Blocks meet rounding, not progress, below this.
            if new > value + 1e-9 * (1 + abs(value)):
                labels, value, since_gain = better, new, 0
            since_gain += 1
            if since_gain >= len(blocks):
                break
    return labels, assignment_score(terms, labels)


def improve(terms: Terms, labels: Ints, free: Ints) -> tuple[Ints, float]:
    """The best assignment that differs from `labels` in the free chains only, and its score."""
    keep: Bools = np.zeros(terms.node.size, dtype=np.bool_)
    keep[terms.node_at + labels] = True
    for c in free:
        keep[chain_slice(terms, c)] = True
    block, kept = restrict(terms, keep)
    lattices = one_lattice(block)
    store, best = np.empty(int(lattices.states.sum())), np.empty(1)
    sweep(block, lattices, store, store, False, False, best, best)
    chosen = np.empty(labels.shape, dtype=np.int64)
    decode_all(block, lattices, 0, True, store, chosen)
    return kept[block.node_at + chosen], float(best[0])


def _block(terms: Terms, track: int) -> Ints:
    """A track and its words' states, as many as make an affordable lattice."""
    about = terms.spans[terms.spans[:, track]].any(axis=0)
    block = [track]
    for c in np.flatnonzero(about & (terms.chain >= terms.L)):
        if operations(terms.sizes, np.array([*block, c])) <= BLOCK_OPERATIONS:
            block.append(int(c))
    return np.array(block)
