"""One window of a clip: what its assignments are worth, given the states of words at its ends."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sentrack.inference.errors import Infeasible
from sentrack.inference.lattices import lattice_chains
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.solution import closes
from sentrack.inference.structures import Bools, Floats, Ints
from sentrack.inference.terms import kept_sizes, problem_labels
from sentrack.inference.windows import own_terms

# Sweeps that each look at the same ends may cost. The first one does nothing but sweep.
EFFORT = (3.0, 16.0, 96.0, 400.0, 1600.0)
# Sweeps of a window before anything is asked of it. Whatever is asked begins where they end.
READY = 12
# Sweeps by which labels are ruled out, and the part of the cost below which those that are go.
SWEEPS = 40
SHRUNK = 0.7

# Closes a relaxation: what is known, a floor, and operations it may take; returns a bound.
Close = Callable[[Relaxation, ComponentSearch, float, float], float]
# Labels of the problem of some chains, in the first and in the last frame of a window.
Ends = tuple[dict[int, int], dict[int, int]]


@dataclass
class Edge:
    """A window's assignments with some states of words at its ends.

    Attributes:
        ends: those states.
        bound: of all such assignments.
        labels: (C, T) the best one known, in labels of the problem; None before there is one.
        score: of it.
        looks: how often it was looked at without being settled.
    """

    ends: Ends
    bound: float = math.inf
    labels: Ints | None = None
    score: float = -math.inf
    looks: int = 0

    @property
    def closed(self) -> bool:
        """Whether the best assignment is known."""
        return closes(self.score, self.bound)

    def settled(self, floor: float, patience: int = len(EFFORT)) -> bool:
        """Whether no more can be found of what is better than `floor`, in so many looks."""
        return self.bound <= floor or self.closed or self.looks >= patience


class Begun(NamedTuple):
    """A look that settled nothing, so that the next one can go on from there.

    Attributes:
        edge: what was looked at.
        floor: above which.
        part: a relaxation of what is left above it.
        search: what was found.
    """

    edge: Edge
    floor: float
    part: Relaxation
    search: ComponentSearch


class Window:
    """Some frames of a clip.

    Args:
        relaxation: of its frames; it is swept, and then stays as it is.
        close: looks for the best assignment of a relaxation.

    Attributes:
        edges: all that is known.
        changes: how often something was learned.
        rough: (K, K') of every chain of states, what its lattice scores at most with a state at
            the first frame and another at the last.
        constant: what all other lattices score at most, together.
    """

    def __init__(self, relaxation: Relaxation, close: Close) -> None:
        self.relaxation, self._close = relaxation, close
        for _ in range(READY):
            relaxation.sweep()
        self.constant, self.rough = between_ends(relaxation)
        self._bounds = relaxation.bounds
        self._begun: Begun | None = None
        self.edges, self.changes = [Edge(({}, {}), relaxation.upper_bound, looks=1)], 0

    def edge(self, ends: Ends) -> Edge:
        """What is known of the assignments with these ends."""
        found = self.known(ends)
        if found is None:
            found = Edge(ends)
            self.edges.append(found)
        return found

    def known(self, ends: Ends) -> Edge | None:
        """The same, if there is anything."""
        return next((edge for edge in self.edges if edge.ends == ends), None)

    def swept(self) -> Ints:
        """(C, T) an assignment read off before anything was asked, in labels of the problem."""
        return problem_labels(self.relaxation.terms, self.relaxation.decode())

    def learn(self, edges: list[Edge]) -> None:
        """Take what is known of other edges."""
        self.edges += edges
        self.changes += 1

    def look(self, edge: Edge, floor: float) -> None:
        """Bound assignments that are better than `floor`, with more effort every time.

        Raises:
            OutOfTime: when time is over.
        """
        bound = -math.inf
        self.changes += 1
        begun, self._begun = self._begun, None
        try:
            if begun is None or begun.edge is not edge or begun.floor > floor:
                part = self._part(edge.ends, floor)
                begun = Begun(edge, floor, part, ComponentSearch(part.terms, part.limits))
            part, search = begun.part, begun.search
            if edge.looks == 0:
                for _ in range(int(EFFORT[0])):
                    part.sweep()
                bound = part.upper_bound
            else:
                if edge.labels is not None and edge.score > floor:
                    search.offer(edge.labels, edge.score)
                budget = part.operations + EFFORT[edge.looks] * part.cost
                bound = self._close(part, search, floor, budget)
                if search.score > edge.score:
                    edge.labels, edge.score = search.labels, search.score
        except Infeasible:
            begun = None  # nothing is above the floor
        edge.bound = min(edge.bound, max(floor, bound, edge.score))
        if not edge.settled(floor):
            edge.looks += 1
            self._begun = begun

    def survivors(self, edge: Edge, floor: float) -> Bools:
        """Labels (laid out like the nodes) of assignments with these ends above `floor`, or more.

        Raises:
            OutOfTime: when time is over.
        """
        keep = self._mask(edge.ends, floor)
        places = np.flatnonzero(keep)
        try:
            part = self._part(edge.ends, floor)
            for _ in range(SWEEPS):
                part.sweep()
                left = part.survivors(floor)
                sizes = kept_sizes(part.terms, left)
                if not sizes.all():
                    raise Infeasible("nothing is above the floor")
                if part.cost_of(sizes) <= SHRUNK * part.cost:
                    part.eliminate(left)
                    places = places[left]
            places = places[part.survivors(floor)]
        except Infeasible:
            places = places[:0]
        keep[:] = False
        keep[places] = True
        return keep

    def _part(self, ends: Ends, floor: float) -> Relaxation:
        keep = self._mask(ends, floor)
        if not kept_sizes(self.relaxation.terms, keep).all():
            raise Infeasible("nothing is above the floor")
        return self.relaxation.narrowed(keep)

    def _mask(self, ends: Ends, floor: float) -> Bools:
        terms = self.relaxation.terms
        keep: Bools = np.asarray(self._bounds > floor - terms.rounding)
        for fixed, t in zip(ends, (0, -1), strict=True):
            for c, label in fixed.items():
                cell = slice(terms.node_at[c, t], terms.node_at[c, t] + terms.sizes[c, t])
                keep[cell] &= terms.label[cell] == label
        return keep


def between_ends(relaxation: Relaxation) -> tuple[float, dict[int, Floats]]:
    """What lattices score at most, and (K, K') with states of words at both ends.

    Returns:
        The sum over lattices without states, and the maxima of each chain of states.
    """
    terms, lattices = relaxation.terms, relaxation.lattices
    words = np.flatnonzero(terms.chain >= terms.L).tolist()
    home = dict(zip(lattices.chain.tolist(), lattices.lattice.tolist(), strict=True))
    rough = {c: np.full((terms.sizes[c, 0], terms.sizes[c, -1]), -np.inf) for c in words}
    last = terms.sizes.shape[1] - 1
    for k in range(max((int(terms.sizes[c, 0]) for c in words), default=0)):
        keep = np.ones(terms.node.size, dtype=np.bool_)
        rows = {c: min(k, int(terms.sizes[c, 0]) - 1) for c in words}
        for c, row in rows.items():
            at = int(terms.node_at[c, 0])
            keep[at : at + terms.sizes[c, 0]] = False
            keep[at + row] = True
        try:
            part = relaxation.narrowed(keep)
        except Infeasible:
            continue
        forward, _ = part.both_ways()
        for c, row in rows.items():
            n = home[c]
            at = int(part.lattices.table_at[n, last])
            table = forward[at : at + part.lattices.states[n, last]]
            table = table + own_terms(part.terms, part.lattices, n, last)
            chains = lattice_chains(part.lattices, n)
            others = tuple(np.flatnonzero(chains != c).tolist())
            rough[c][row] = table.reshape(part.terms.sizes[chains, last]).max(axis=others)
    stateless = set(range(lattices.first.size - 1)) - {home[c] for c in words}
    return float(sum(relaxation.best[n] for n in stateless)), rough
