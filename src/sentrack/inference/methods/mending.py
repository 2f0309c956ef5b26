"""Better answers: some frames are solved anew, between labels that stay as they are."""

import math
from functools import partial

import numpy as np

from sentrack.inference.errors import Infeasible
from sentrack.inference.limits import OutOfTime, in_threads
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.methods.window import Close
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Ints
from sentrack.inference.windows import between, lattices_between

# Sweeps that it may cost.
EFFORT = 16.0


def improved(
    relaxation: Relaxation, close: Close, labels: Ints, spans: list[tuple[int, int]]
) -> Ints:
    """An assignment with better labels between the first and last frames of some spans, if found.

    Args:
        relaxation: of all frames.
        close: looks for the best assignment of a relaxation.
        labels: (C, T) an assignment, in the labels of the problem.
        spans: first and last frames; two may meet in one, but not overlap.

    Raises:
        OutOfTime: when time is over.
    """
    better = labels.copy()
    found = in_threads(partial(_between, relaxation, close, labels), spans)
    for (first, last), part in zip(spans, found, strict=True):
        better[:, first : last + 1] = part
    return better


def _between(relaxation: Relaxation, close: Close, labels: Ints, span: tuple[int, int]) -> Ints:
    """(C, n) the best labels known of a span of frames that begin and end with these."""
    terms, end = relaxation.terms, relaxation.terms.sizes.shape[1] - 1
    part, known = between(terms, *span), labels[:, span[0] : span[1] + 1]
    keep = np.ones(part.node.size, dtype=np.bool_)
    for k, t in zip((0, -1), span, strict=True):
        for c in range(part.chain.size) if 0 < t < end else ():
            cell = slice(part.node_at[c, k], part.node_at[c, k] + part.sizes[c, k])
            keep[cell] = part.label[cell] == labels[c, t]
    try:
        lattices = lattices_between(terms, relaxation.lattices, *span)
        near = Relaxation(part, relaxation.limits, lattices).narrowed(keep)
        own = ComponentSearch(near.terms, near.limits)
        own.offer_known(known)
        close(near, own, -math.inf, EFFORT * near.cost)
    except Infeasible:
        return known
    except OutOfTime as stop:
        stop.upper_bound = math.inf
        raise
    return own.labels if own.score > -math.inf else known
