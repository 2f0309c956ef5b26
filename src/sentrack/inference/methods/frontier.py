"""Exact search over the joint states that a relaxation does not rule out.

The recursion of `viterbi`, with the joint states of a frame in a list instead of a table: only
those whose score so far and all lattices' bounds of what is to come exceed what is known. As long
as none is left out for want of room this is exact; otherwise the highest bound of those left out
bounds everything that may have been missed.
"""

import math
from typing import NamedTuple

import numpy as np

from sentrack.inference.kernels import advance
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Floats, Ints, Terms
from sentrack.inference.terms import assignment_score


class Reached(NamedTuple):
    """What a search found.

    Attributes:
        labels: (C, T) the best assignment, in the labels of the relaxation's terms; None if every
            one is known to be at most the floor, or was left out.
        score: of it, or -inf.
        upper_bound: of all assignments better than the floor; the floor if there are none.
    """

    labels: Ints | None
    score: float
    upper_bound: float


def search_frontier(relaxation: Relaxation, floor: float, most: int, limits: Limits) -> Reached:
    """The best assignment of a relaxation's terms, if it is better than `floor`.

    Args:
        relaxation: after a pass through all frames.
        floor: joint states that cannot lead above this are left out.
        most: joint states kept in a frame; the more, the better the answer.
        limits: of time.

    Raises:
        OutOfTime: when time is over before the last frame.
    """
    terms, lattices = relaxation.terms, relaxation.lattices
    C, T = terms.sizes.shape
    store = relaxation.backward()
    labels, value = np.zeros((1, C), dtype=np.int32), np.zeros(1)
    reached: list[tuple[Ints, Floats]] = []
    lost = floor
    for t in range(T):
        if not limits.affords(0.0):
            raise OutOfTime
        labels, value, missed = advance(
            terms, lattices, t, store, labels, value, floor - terms.rounding, most
        )
        lost = max(lost, missed)
        if not value.size:
            return Reached(None, -math.inf, lost)
        reached.append((labels, value))
    chosen = _trace(terms, reached)
    score = assignment_score(terms, chosen)
    return Reached(chosen, score, max(score, lost))


def _trace(terms: Terms, reached: list[tuple[Ints, Floats]]) -> Ints:
    """(C, T): from the best joint state of the last frame back, by one scan of every frame."""
    chosen = np.empty(terms.sizes.shape, dtype=np.int64)
    labels, value = reached[-1]
    chosen[:, -1] = labels[value.argmax()]
    for t in range(len(reached) - 2, -1, -1):
        labels, value = reached[t]
        places = terms.step_at[:, t + 1] + labels * terms.sizes[:, t + 1] + chosen[:, t + 1]
        best = (value + terms.step[places].sum(axis=1)).argmax()
        chosen[:, t] = labels[best]
    return chosen
