"""Where a score comes from: every term of Eq. 4 at a solution."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sentrack.inference import Solution
from sentrack.objective import Objective
from sentrack.read_only import ReadOnly

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LedgerTerm(ReadOnly):
    """One kind of term of one track or word.

    Attributes:
        owner: the noun or word, with its index.
        term: "detection", "coherence", "initial", "transition", "emission", "distinct", which is 0
            for participants that are different things and else forbids them, or "cost", which every
            frame of an interval has.
        values: (T,) contribution of every frame, in nats; a transition belongs to its later frame.
    """

    owner: str
    term: str
    values: Floats


@dataclass(frozen=True, eq=False)
class Ledger:
    """Where a score comes from: all terms, word by word and frame by frame."""

    terms: tuple[LedgerTerm, ...]

    @property
    def per_frame(self) -> Floats:
        """(T,) the contribution of every frame."""
        return np.asarray(np.sum([term.values for term in self.terms], axis=0))

    @property
    def total(self) -> float:
        """The score."""
        return math.fsum(float(v) for term in self.terms for v in term.values)


def ledger_of(objective: Objective, solution: Solution) -> Ledger:
    """Every term of Eq. 4 at the solution."""
    problem, T = objective.problem, objective.problem.T
    j, k = solution.tracks, solution.states
    terms = []
    for i, participant in enumerate(objective.meaning.participants):
        owner = f"{participant.noun} {i}"
        f = [problem.unary(i, t)[j[i, t]] for t in range(T)]
        g = [0.0] + [problem.pairwise(i, t)[j[i, t - 1], j[i, t]] for t in range(1, T)]
        if objective.frame_cost and not i:
            terms.append(LedgerTerm("time", "cost", np.full(T, -objective.frame_cost)))
            f = [value + objective.frame_cost for value in f]
        terms.append(LedgerTerm(owner, "detection", np.array(f, dtype=np.float64)))
        terms.append(LedgerTerm(owner, "coherence", np.array(g, dtype=np.float64)))
    for w, word in enumerate(objective.meaning.words):
        row = objective.row(w)
        if len(objective.joint[row].words) == 1:
            first, moves = problem.initial(row), problem.transition(row)
            h = _emission(objective, row, solution)
        else:  # the problem has only the sum of what the words of clauses in order tell
            first, moves = objective.chains[w].initial, objective.chains[w].transition
            h = _share(objective, w, solution)
        initial, a = np.zeros(T), np.zeros(T)
        initial[0] = first[k[row, 0]]
        a[1:] = moves[k[row, :-1], k[row, 1:]]
        for term, values in (("initial", initial), ("transition", a), ("emission", h)):
            terms.append(LedgerTerm(f"{word.word} {w}", term, values))
    for row in range(len(objective.joint), problem.W):
        owner = f"participants {list(problem.link(row))}"
        terms.append(LedgerTerm(owner, "distinct", _emission(objective, row, solution)))
    return Ledger(tuple(terms))


def _emission(objective: Objective, row: int, solution: Solution) -> Floats:
    """(T,): the emission of a word of the problem at the solution."""
    problem, k = objective.problem, solution.states[row]
    j = solution.tracks[list(problem.link(row))]
    return np.array([problem.emission(row, t)[(k[t], *j[:, t])] for t in range(problem.T)])


def _share(objective: Objective, w: int, solution: Solution) -> Floats:
    """(T,): what a word of a clause in order adds to the emission of all of them."""
    word, state = objective.meaning.words[w], objective.states(w, solution.states)
    h = objective.scene.emission(w, objective.against_background)
    own = np.minimum(state, h.shape[1] - 1)
    every = np.arange(objective.problem.T)
    told = h[(every, own, *solution.tracks[list(word.participants)])]
    return np.where(state < h.shape[1], told, objective.background(w))
