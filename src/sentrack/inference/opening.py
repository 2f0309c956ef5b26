"""Free start and free end: labels for before and after, added to the terms of a problem.

Every track gets two more labels, *before* and *after*, and every word one more, *outside*, all
worth nothing. A word is outside while its tracks are before or after, all in one phase, so the best
assignment of these larger terms is the best interval, whatever method finds it, with its bound.
"""

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sentrack.inference.problem import Array, Derived, Problem, TrackTerms, WordTerms
from sentrack.inference.structures import Bools, Floats, Ints, Terms
from sentrack.inference.terms import Reduction, chain_slice, layout, reduce

Final = Sequence[npt.ArrayLike] | None


def opened(problem: Problem, final: Final = None) -> Reduction:
    """The terms of a problem with free start and end.

    Candidates J_t and J_t + 1 are *before* and *after*, state K is *outside*. Further words, which
    say nothing, hold tracks together that no word does.

    Args:
        problem: terms of all frames.
        final: per word (K,), in which states it may end; all if left out.

    Raises:
        ProblemError: when values are so large that their sums overflow.
    """
    words = [*_timed(problem), *_ties(problem)]
    # Terms that stay the same were checked before.
    same = len(words) == problem.W and all(map(operator.is_, words, problem.words))
    tied = problem if same else Problem(problem.tracks, words)
    leaves = [leave(problem, w, final) for w in range(problem.W)]
    closed = reduce(tied, feasible=False)
    return Reduction(tied, tuple(_open(terms, tied, leaves) for terms in closed.components))


def leave(problem: Problem, w: int, final: Final) -> Array:
    """(K,): 0 for the states in which a word may end, -inf for others."""
    end = np.ones(problem.states(w)) if final is None else final[w]
    return np.where(np.asarray(end, dtype=np.bool_), 0.0, -np.inf)


def inside(problem: Problem, terms: Terms) -> Bools:
    """The labels of opened terms, laid out like `node`, that are neither before nor after."""
    found: Bools = np.empty(terms.node.size, dtype=np.bool_)
    for c, chain in enumerate(terms.chain.tolist()):
        at, w = chain_slice(terms, c), chain - terms.L
        first = np.repeat(problem.sizes[chain], terms.sizes[c]) if w < 0 else problem.states(w)
        found[at] = terms.label[at] < first
    return found


def as_problem(terms: Terms) -> Problem:
    """The terms as a problem of their own, with a word for every factor.

    Labels are places in their blocks; tracks are those of the terms, in order.
    """
    tracks, words = [], []
    for c in np.argsort(terms.chain)[: int((terms.chain < terms.L).sum())].tolist():
        steps = [block for run in _steps(terms, c) for block in run]
        tracks.append(TrackTerms(_nodes(terms, c), steps))
    for f in range(terms.spans.shape[0]):
        axes = np.flatnonzero(terms.spans[f])
        link = tuple(terms.chain[axes[terms.chain[axes] < terms.L]].tolist())
        tables = [block for run in _factors(terms, f, axes) for block in run]
        own = np.flatnonzero(terms.chain[axes] >= terms.L)
        if not own.size:
            words.append(WordTerms([0.0], [[0.0]], [table[None] for table in tables], link))
            continue
        c = int(axes[own[0]])
        initial, *later = _nodes(terms, c)
        emission = [np.moveaxis(table, own[0], 0) for table in tables]
        for t, node in enumerate(later, 1):
            emission[t] = emission[t] + node.reshape(-1, *[1] * len(link))
        moves = next(_steps(terms, c))[0] if later else np.zeros((initial.size, initial.size))
        words.append(WordTerms(initial, moves, emission, link))
    return Problem(tracks, words)


def _timed(problem: Problem) -> Iterator[WordTerms]:
    """The words; one of a single state that knows of time has another, in which it never is."""
    for w, word in enumerate(problem.words):
        if problem.states(w) > 1 or not (problem.initial(w)[0] or problem.transition(w)[0, 0]):
            yield word
            continue
        initial, transition = np.full(2, -np.inf), np.full((2, 2), -np.inf)
        initial[0], transition[0, 0] = problem.initial(w)[0], problem.transition(w)[0, 0]
        twice = Derived(problem.emission(w, t).repeat(2, axis=0) for t in range(problem.T))
        yield replace(word, initial=initial, transition=transition, emission=twice)


def _ties(problem: Problem) -> Iterator[WordTerms]:
    """Words that say nothing but keep tracks in one phase that no word holds together."""
    group = list(range(problem.L))
    for w in range(problem.W):
        joined = {group[p] for p in problem.link(w)}
        group = [min(joined) if g in joined else g for g in group]
    for other in sorted(set(group) - {0}):
        nothing = Derived(np.zeros((1, *pair)) for pair in problem.sizes[[0, other]].T.tolist())
        yield WordTerms([0.0], [[0.0]], nothing, (0, other))


def _open(terms: Terms, problem: Problem, leaves: Sequence[Array]) -> Terms:
    """The terms with labels for before and after."""
    tracks = terms.chain < terms.L
    sizes = terms.sizes + np.where(tracks, 2, 1)[:, None]
    # Participants of one noun go on sharing their coherence.
    _, first, which = np.unique(terms.step_at[:, -1], return_index=True, return_inverse=True)
    alike = first[which] if problem.T > 1 else np.arange(terms.chain.size)
    new = layout(terms.L, terms.chain, sizes, terms.spans, terms.word, alike)
    new.node[:], new.step[:], new.factor[:] = 0.0, -np.inf, -np.inf
    place = np.arange(new.node.size) - np.repeat(new.node_at.ravel(), sizes.ravel())
    within = place < np.repeat(terms.sizes.ravel(), sizes.ravel())
    new.node[within], new.label[within] = terms.node, terms.label
    for c, chain in enumerate(terms.chain.tolist()):
        own, outside = chain_slice(new, c), ~within[chain_slice(new, c)]
        blocks = zip(_steps(terms, c), _steps(new, c), strict=True) if alike[c] == c else ()
        if chain < terms.L:
            new.label[own][outside] = np.add.outer(problem.sizes[chain], (0, 1)).ravel()
            # One frame is inside at least: the last one is not before, and the first one not after.
            new.node[new.node_at[c, -1] + terms.sizes[c, -1]] = -np.inf
            new.node[new.node_at[c, 0] + terms.sizes[c, 0] + 1] = -np.inf
            for old, wide in blocks:
                wide[:, :-2, :-2] = old
                wide[:, :-2, -1] = 0.0  # it ends
                wide[:, -2, :-1] = 0.0  # it has not started yet, or starts
                wide[:, -1, -1] = 0.0
            continue
        K = int(terms.sizes[c, 0])
        ends = np.append(leaves[chain - terms.L], -np.inf)[:K]
        new.label[own][outside] = K
        new.node[new.node_at[c, -1] :][:K] += ends
        for old, wide in blocks:
            # A word starts in its initial states whenever it does. That it does so once is up to
            # its tracks, which come inside once.
            wide[:, :K, :K], wide[:, :K, K] = old, ends
            wide[:, K, :K], wide[:, K, K] = terms.node[terms.node_at[c, 0] :][:K], 0.0
    for f in range(terms.spans.shape[0]):
        axes = np.flatnonzero(terms.spans[f])
        for old, wide in zip(_factors(terms, f, axes), _factors(new, f, axes), strict=True):
            wide[tuple(slice(n) for n in old.shape)] = old
            for phase in (0, 1):  # all before, or all after
                cell = [
                    n + phase * int(tracks[c]) for n, c in zip(old.shape[1:], axes, strict=True)
                ]
                wide[(slice(None), *cell)] = 0.0
    return new._replace(rounding=terms.rounding)


def _nodes(terms: Terms, c: int) -> list[Floats]:
    return np.split(terms.node[chain_slice(terms, c)], np.cumsum(terms.sizes[c])[:-1])


def _steps(terms: Terms, c: int) -> Iterator[Floats]:
    """The transitions of a chain, (frames, n_{t-1}, n_t) for as many frames as are alike."""
    shapes = np.stack([terms.sizes[c, :-1], terms.sizes[c, 1:]], axis=1)
    return _runs(terms.step, terms.step_at[c, 1:], shapes)


def _factors(terms: Terms, f: int, axes: Ints) -> Iterator[Floats]:
    """The tables of a factor, (frames, ...) for as many frames as are alike."""
    return _runs(terms.factor, terms.factor_at[f], terms.sizes[axes].T)


def _runs(values: Floats, at: Ints, shapes: Ints) -> Iterator[Floats]:
    """Blocks of these shapes (T, D) that lie one after another, those of one shape together."""
    edges = np.flatnonzero((shapes[1:] != shapes[:-1]).any(axis=1)) + 1
    for first, last in itertools.pairwise([0, *edges.tolist(), len(shapes)]):
        if first < last:
            shape = (last - first, *shapes[first].tolist())
            yield values[at[first] :][: math.prod(shape)].reshape(shape)
