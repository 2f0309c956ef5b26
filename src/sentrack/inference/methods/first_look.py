"""A cheap first look at a large problem: the candidates that are likely to matter.

Every chain, and every factor of every frame, is bounded by itself, and message passing makes them
agree: T·(ΣJ² + ΣKJ²) operations a sweep instead of T·ΣKJ³. That bound is loose, but it says which
labels are near the best of their frames, and what was learned is where the relaxation by words
begins.
"""

import numpy as np

from sentrack.inference.balance import balanced
from sentrack.inference.lattices import joint_states, lattices_apart, sweep_bytes
from sentrack.inference.limits import Limits
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Bools, Floats, Terms
from sentrack.inference.terms import label_maxima

# Sweeps of the first look.
SWEEPS = 6
# Additions and comparisons per number in a word's table.
TABLE = 12.0
# It ends before if a sweep lowers the bound by less than this part of what another one did.
ENOUGH = 0.2
# It ends, too, if there is less time left than what so many of its sweeps take.
LEFT = 12.0


def first_look(terms: Terms, limits: Limits, inside: Bools | None = None) -> Relaxation:
    """Bounds of all labels from chains and factors by themselves.

    Where time is short, most of it is left for what follows.

    Args:
        terms: the component.
        limits: of time.
        inside: where start and end are free, the labels that are neither before nor after.
    """
    lattices = lattices_apart(terms)
    if inside is not None:
        terms, lattices = balanced(terms, lattices, inside, limits)
    apart = Relaxation(terms, limits, lattices)
    gains: list[float] = []
    while len(gains) < SWEEPS and not (gains and gains[-1] < ENOUGH * max(gains)):
        if gains and not limits.affords(LEFT * apart.effort):
            break
        before = apart.upper_bound
        apart.sweep()
        gains.append(before - apart.upper_bound)
    return apart


def first_look_operations(terms: Terms) -> float:
    """About how many additions and comparisons its first two passes take."""
    return float(terms.step.size) + TABLE * float(terms.factor.size)


def first_look_bytes(terms: Terms) -> float:
    """Memory of its messages."""
    alone = [np.array([c]) for c in range(terms.chain.size)]
    tables = [joint_states(terms.sizes, np.flatnonzero(span)).max() for span in terms.spans]
    return sweep_bytes(terms.sizes, alone) + 8.0 * float(sum(tables))


def nearest(terms: Terms, values: Floats, most: int) -> Bools:
    """The labels nearest to the best of their frame, `most` of a track on average.

    Values, terms or bounds, are laid out like the nodes. All states of words are among them.
    """
    best = np.repeat(label_maxima(terms, values).ravel(), terms.sizes.ravel())
    # Where all are impossible, none is farther than others.
    below = np.where(best > -np.inf, np.inf, 0.0)
    np.subtract(best, values, out=below, where=values > -np.inf)
    tracks = np.repeat(np.repeat(terms.chain < terms.L, terms.sizes.shape[1]), terms.sizes.ravel())
    distances = below[tracks]
    seats = min(most * int((terms.chain < terms.L).sum()) * terms.sizes.shape[1], distances.size)
    farthest = np.partition(distances, seats - 1)[seats - 1]
    return np.asarray((below <= farthest) | (below == 0.0) | ~tracks)
