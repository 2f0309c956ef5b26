"""The paper's own method: Eq. 4 relaxed (Eq. 5) and climbed by the Growth Transform."""

import math
import time
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sentrack.inference.errors import Infeasible
from sentrack.inference.limits import Limits
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.polynomial import EPSILON, Polynomial
from sentrack.inference.problem import Array, Labels, Problem
from sentrack.inference.relaxation import quick_bound
from sentrack.inference.terms import Answer, Reduction

Hyperedges = list[tuple[tuple[int, ...], Array]]

# What a probability that is zero is smoothed to in the authors' release, as a log: -230.26 nats.
PENALTY = math.log(1e-100)
# Operations per entry of all tables before the first update; no start is made without the time.
PREPARING = 100


@dataclass(frozen=True)
class Vertices:
    """What the vertices of Eq. 5 as a polynomial stand for.

    Vertex l * T + t is the candidate of track l in frame t, vertex (L + w) * T + t is the state of
    word w in frame t.

    Attributes:
        shape: L, W and T.
        kept: for every vertex, the candidates or states that its labels stand for.
    """

    shape: tuple[int, int, int]
    kept: tuple[Labels, ...]

    def decode(self, labelling: Labels) -> tuple[Labels, Labels]:
        """The tracks (L, T) and states (W, T) of a labelling (U,)."""
        L, W, T = self.shape
        pairs = zip(self.kept, labelling, strict=True)
        chosen = np.array([kept[label] for kept, label in pairs], dtype=np.int64)
        return chosen[: L * T].reshape(L, T), chosen[L * T :].reshape(W, T)

    def encode(self, tracks: npt.ArrayLike, states: npt.ArrayLike) -> Labels:
        """The labelling (U,) of tracks (L, T) and states (W, T), whose labels must all be kept."""
        chosen = np.concatenate([np.ravel(tracks), np.ravel(states)])
        pairs = zip(self.kept, chosen, strict=True)
        return np.array([np.flatnonzero(kept == c)[0] for kept, c in pairs], dtype=np.int64)


@dataclass(frozen=True)
class Growth:
    """Random starts climbed by the Growth Transform, the best one further, and then rounded.

    A local search: it proves nothing. Candidates and states that cannot be part of any finite
    score are left out first. What else has -inf in it gets a finite penalty instead, because the
    constants of Eq. 12 must be finite; an answer may therefore still score -inf.

    Attributes:
        starts: number of random starts.
        iterations: updates of every start.
        final_iterations: further updates of the best start.
        epsilon: ε of Eq. 12.
        dtype: the type that updates are computed in.
        penalty: nats that stand for -inf, or the lowest finite entry of the table if that is less.
    """

    starts: int = 150
    iterations: int = 300
    final_iterations: int = 5000
    epsilon: float = EPSILON
    dtype: Literal["float64", "float32"] = "float64"
    penalty: float = PENALTY
    name: ClassVar[str] = "growth"

    def run(self, reduction: Reduction, limits: Limits, seed: int) -> Answer:
        """The tracks and states found, with the bound of one pass over the words."""
        parts = [ComponentSearch(terms, limits) for terms in reduction.components]
        for search, terms in zip(parts, reduction.components, strict=True):
            search.lower(quick_bound(terms, limits))
        size = sum(t.node.size + t.step.size + t.factor.size for t in reduction.components)
        if not limits.affords(PREPARING * size):
            return reduction.answer([search.found() for search in parts])
        problem = reduction.problem
        tracks, states, _ = self.maximize(problem, seed, limits.deadline)
        bound = math.fsum(search.upper_bound for search in parts)
        return reduction.bounded(tracks, states, problem.score(tracks, states), bound)

    def maximize(
        self, problem: Problem, seed: int = 0, deadline: float = math.inf
    ) -> tuple[Labels, Labels, float]:
        """Search for the best tracks and states.

        Args:
            problem: the terms of Eq. 4.
            seed: of the random starts.
            deadline: when to stop updating, on the clock of time.monotonic.

        Returns:
            Tracks (L, T), states (W, T), and the value of Eq. 5, with penalties for -inf, at the
            distributions that they were rounded from.

        Raises:
            Infeasible: naming a frame, and the track or word that has no label left in it.
        """
        polynomial, vertices = self.polynomial(problem, deadline)
        maximum = polynomial.maximize(
            self.starts,
            self.iterations,
            self.final_iterations,
            self.epsilon,
            seed,
            self.dtype,
            deadline,
        )
        tracks, states = vertices.decode(maximum.labelling)
        return tracks, states, maximum.relaxed_value

    def polynomial(
        self, problem: Problem, deadline: float = math.inf
    ) -> tuple[Polynomial, Vertices]:
        """Eq. 5 of a problem in the form of Eq. 9, and what its vertices stand for.

        After the deadline labels that cannot be part of a finite score are looked for no more.

        Raises:
            Infeasible: naming a frame, and the track or word that has no label left in it.
        """
        terms = _terms(problem)
        kept = _possible(problem, terms, deadline)
        restricted = []
        for scope, table in terms:
            part = table[np.ix_(*(kept[u] for u in scope))]
            forbidden = part == -np.inf
            if forbidden.any():
                lowest = part.min(where=~forbidden, initial=self.penalty)
                part = np.where(forbidden, lowest, part)
            restricted.append((scope, part))
        vertices = Vertices((problem.L, problem.W, problem.T), tuple(kept))
        return Polynomial([labels.size for labels in kept], restricted), vertices


def _terms(problem: Problem) -> Hyperedges:
    """The terms of Eq. 5 as hyperedges: f, g, and for every word initial, a and h."""
    T = problem.T
    terms: Hyperedges = []
    for track in range(problem.L):
        for t in range(T):
            p = track * T + t
            terms.append(((p,), problem.unary(track, t)))
            if t > 0:
                terms.append(((p - 1, p), problem.pairwise(track, t)))
    for word in range(problem.W):
        link = problem.link(word)
        # A track that takes part twice is one vertex: its tuples are the diagonal of the table.
        tracks = list(dict.fromkeys(link))
        axes = "".join(chr(ord("a") + tracks.index(p)) for p in link)
        diagonal = f"...{axes}->...{''.join(sorted(set(axes)))}"
        for t in range(T):
            q = (problem.L + word) * T + t
            if t > 0:
                terms.append(((q - 1, q), problem.transition(word)))
            else:
                terms.append(((q,), problem.initial(word)))
            table: Array = np.einsum(diagonal, problem.emission(word, t))
            terms.append(((q, *(p * T + t for p in tracks)), table))
    return terms


def _possible(problem: Problem, terms: Hyperedges, deadline: float) -> list[Labels]:
    """For every vertex the labels that may be part of a finite score.

    A label goes when a term is -inf for all combinations of it with the labels that are left of
    the other vertices, until there is no such label or the deadline has passed.
    """
    sizes = [*problem.sizes.ravel().tolist()]
    sizes += [problem.states(word) for word in range(problem.W) for _ in range(problem.T)]
    alive = [np.ones(size, dtype=np.bool_) for size in sizes]
    forbidding = [
        (scope, finite) for scope, table in terms if not (finite := table > -np.inf).all()
    ]
    incident = defaultdict(list)
    for n, (scope, _) in enumerate(forbidding):
        for u in scope:
            incident[u].append(n)
    queue = deque(range(len(forbidding)))
    queued = set(queue)
    while queue and time.monotonic() < deadline:
        n = queue.popleft()
        queued.remove(n)
        scope, finite = forbidding[n]
        left = finite[np.ix_(*(alive[u] for u in scope))]
        for axis, u in enumerate(scope):
            supported = left.any(axis=tuple(other for other in range(left.ndim) if other != axis))
            if supported.all():
                continue
            alive[u][alive[u]] = supported
            if not supported.any():
                raise Infeasible(_where(problem, u))
            again = [m for m in incident[u] if m not in queued]
            queue.extend(again)
            queued.update(again)
    return [np.flatnonzero(labels) for labels in alive]


def _where(problem: Problem, vertex: int) -> str:
    chain, t = divmod(vertex, problem.T)
    if chain < problem.L:
        return f"frame {t}, track {chain}: no candidate is part of any finite score"
    return f"frame {t}, word {chain - problem.L}: no state is part of any finite score"
