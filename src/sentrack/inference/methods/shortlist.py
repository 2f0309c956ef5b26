"""A cheap first look at a large problem: a first answer, and the candidates that can matter at all.

Every chain, and every factor of every frame, is bounded by itself, and message passing makes them
agree: T·(ΣJ² + ΣKJ²) operations a sweep instead of T·ΣKJ³. That bound is loose, but the labels near
the best of their frames are where a good answer is found, and what was learned is where the
relaxation by words begins.
"""

from typing import NamedTuple

import numpy as np

from sentrack.inference.balance import balanced
from sentrack.inference.lattices import (
    joint_states,
    lattices_apart,
    lattices_of_words,
    restrict_lattices,
    sweep_bytes,
)
from sentrack.inference.limits import Limits
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Bools, Lattices, Terms
from sentrack.inference.terms import label_maxima, restrict

# Sweeps of the first look, and candidates per track and frame, on average, among which the first
# answer is sought.
SWEEPS = 6
# Additions and comparisons of a sweep per number in a word's table.
TABLE = 8.0
# It ends before if a sweep lowers the bound by less than this part of what another one did.
ENOUGH = 0.2
BEAM = 12
# It ends, too, if there is less time left than what so many of its sweeps take.
LEFT = 12.0


class Shortlist(NamedTuple):
    """Some labels of a component.

    Attributes:
        terms: of these labels.
        lattices: one per word, with what was learned.
    """

    terms: Terms
    lattices: Lattices


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
        if gains and not limits.affords(LEFT * apart.cost):
            break
        before = apart.upper_bound
        apart.sweep()
        gains.append(before - apart.upper_bound)
    return apart


def first_look_operations(terms: Terms) -> float:
    """About how many additions and comparisons one sweep of it takes."""
    return float(terms.step.size) + TABLE * float(terms.factor.size)


def first_look_bytes(terms: Terms) -> float:
    """Memory of its messages."""
    alone = [np.array([c]) for c in range(terms.chain.size)]
    tables = [joint_states(terms.sizes, np.flatnonzero(span)).max() for span in terms.spans]
    return sweep_bytes(terms.sizes, alone) + 8.0 * float(sum(tables))


def nearest(apart: Relaxation) -> Bools:
    """The labels nearest to the best of their frame, `BEAM` of a track on average."""
    terms = apart.terms
    best = np.repeat(label_maxima(terms, apart.bounds).ravel(), terms.sizes.ravel())
    below = np.where(apart.bounds > -np.inf, best - apart.bounds, np.inf)
    tracks = np.repeat(np.repeat(terms.chain < terms.L, terms.sizes.shape[1]), terms.sizes.ravel())
    distances = below[tracks]
    seats = min(BEAM * int((terms.chain < terms.L).sum()) * terms.sizes.shape[1], distances.size)
    farthest = np.partition(distances, seats - 1)[seats - 1]
    return np.asarray((below <= farthest) | (below == 0.0) | ~tracks)


def part(apart: Relaxation, keep: Bools) -> Shortlist:
    """The labels that are marked, and the relaxation by words to begin with."""
    terms, _ = restrict(apart.terms, keep)
    lattices = restrict_lattices(apart.terms, apart.lattices, keep, terms)
    return Shortlist(terms, lattices_of_words(terms, lattices))
