"""A cheap first look at a large problem: a first answer, and the candidates that can matter at all.

Every chain, and every factor of every frame, is bounded by itself, and message passing makes them
agree: T·(ΣJ² + ΣKJ²) operations a sweep instead of T·ΣKJ³. That bound is loose, but the labels near
the best of their frames are where a good answer is found, and what was learned is where the
relaxation by words begins.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from sentrack.inference.errors import Infeasible
from sentrack.inference.lattices import (
    joint_states,
    lattices_apart,
    lattices_of_words,
    restrict_lattices,
    sweep_bytes,
)
from sentrack.inference.limits import Limits
from sentrack.inference.methods.dual import Search
from sentrack.inference.methods.frontier import search_frontier
from sentrack.inference.relaxation import Relaxation, relaxation_bytes
from sentrack.inference.structures import Bools, Lattices, Terms
from sentrack.inference.terms import block_maxima, kept_sizes, problem_labels, restrict

# Sweeps of the first look, candidates per track and frame, on average, among which the first answer
# is sought, sweeps among them, and joint states of a frame that are followed.
SWEEPS = 6
BEAM = 12
NARROW_SWEEPS = 4
STATES = 100


class Shortlist(NamedTuple):
    """What is left of a component.

    Attributes:
        terms: without the labels that no better answer can use.
        lattices: one per word, with what was learned.
    """

    terms: Terms
    lattices: Lattices


def shortlist(terms: Terms, search: Search, limits: Limits) -> Shortlist | None:
    """Find a first answer, and drop the labels that a better one cannot use; None if none can be.

    Raises:
        OutOfTime: when time is over before that.
    """
    apart = first_look(terms, limits)
    search.lower(apart.upper_bound + terms.rounding)
    narrowed = _part(apart, _nearest(apart))
    if relaxation_bytes(narrowed.terms) <= limits.memory:
        # If the best by themselves do not go together, the first answer is among the others.
        with suppress(Infeasible):
            _answer(narrowed, search, limits)
    keep = apart.survivors(search.score)
    return _part(apart, keep) if kept_sizes(terms, keep).all() else None


def first_look(terms: Terms, limits: Limits) -> Relaxation:
    """Bounds of all labels from chains and factors by themselves."""
    apart = Relaxation(terms, limits, lattices_apart(terms))
    for _ in range(SWEEPS):
        apart.sweep()
    return apart


def first_look_bytes(terms: Terms) -> float:
    """Memory of its messages."""
    alone = [np.array([c]) for c in range(terms.chain.size)]
    tables = [joint_states(terms.sizes, np.flatnonzero(span)).max() for span in terms.spans]
    return sweep_bytes(terms.sizes, alone) + 8.0 * float(sum(tables))


def _answer(narrowed: Shortlist, search: Search, limits: Limits) -> None:
    relaxation = Relaxation(narrowed.terms, limits, narrowed.lattices)
    for _ in range(NARROW_SWEEPS):
        relaxation.sweep()
    reached = search_frontier(relaxation, search.score, STATES, limits)
    if reached.labels is not None:
        search.offer(problem_labels(narrowed.terms, reached.labels), reached.score)
        search.climb(narrowed.terms, reached.labels)


def _nearest(apart: Relaxation) -> Bools:
    """The labels nearest to the best of their frame, `BEAM` of a track on average."""
    terms = apart.terms
    best = np.repeat(block_maxima(apart.bounds, terms.node_at).ravel(), terms.sizes.ravel())
    below = np.where(apart.bounds > -np.inf, best - apart.bounds, np.inf)
    tracks = np.repeat(np.repeat(terms.chain < terms.L, terms.sizes.shape[1]), terms.sizes.ravel())
    distances = below[tracks]
    seats = min(BEAM * int((terms.chain < terms.L).sum()) * terms.sizes.shape[1], distances.size)
    farthest = np.partition(distances, seats - 1)[seats - 1]
    return np.asarray((below <= farthest) | (below == 0.0) | ~tracks)


def _part(apart: Relaxation, keep: Bools) -> Shortlist:
    """Some labels of a component, and the relaxation by words of them to begin with."""
    terms, _ = restrict(apart.terms, keep)
    lattices = restrict_lattices(apart.terms, apart.lattices, keep, terms)
    return Shortlist(terms, lattices_of_words(terms, lattices))
