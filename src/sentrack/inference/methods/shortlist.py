"""A cheap first look at a large problem: which candidates can matter at all.

Every word's terms of a frame are bounded by a sum of one term per track, so that the tracks fall
apart into chains whose bounds cost T·J² instead of T·J³. That is loose, but mostly enough to drop
all but a few candidates of a frame, given a good answer; and the candidates with the best bounds
are where a good answer is found.
"""

import numpy as np

from sentrack.inference.chunked_sweep import sweep
from sentrack.inference.errors import Infeasible
from sentrack.inference.kernels import ONE, Flat, add_axis, axis_maxima, entry
from sentrack.inference.lattices import track_lattices
from sentrack.inference.limits import Limits
from sentrack.inference.methods.dual import Search
from sentrack.inference.relaxation import Relaxation, relaxation_bytes
from sentrack.inference.solution import closes
from sentrack.inference.structures import Bools, Floats, Terms
from sentrack.inference.terms import block_maxima, chain_slice, restrict

# Candidates per track and frame, on average, among which the first answer is sought.
BEAM = 4


def shortlist(terms: Terms, search: Search, limits: Limits) -> Bools:
    """Find a first answer, and mark the labels (laid out like `node`) that a better one may use.

    Raises:
        OutOfTime: when time is over before that.
    """
    bounds = candidate_bounds(terms, limits)
    tracks = bounds < np.inf
    candidates = bounds[tracks]
    search.lower(float(candidates.max()) + terms.rounding)
    seats = min(BEAM * int((terms.chain < terms.L).sum()) * terms.sizes.shape[1], candidates.size)
    cut = np.partition(candidates, candidates.size - seats)[candidates.size - seats]
    # Every track keeps its best of every frame, though rounding sets it below the best of another.
    best = np.repeat(block_maxima(bounds, terms.node_at).ravel(), terms.sizes.ravel())
    narrowed, _ = restrict(terms, bounds >= np.minimum(cut, best))
    if relaxation_bytes(narrowed) <= limits.memory:
        try:
            relaxation = Relaxation(narrowed, limits)
            search.try_answer(relaxation, climb=False)
            if not closes(search.score, relaxation.upper_bound):
                relaxation.sweep()
                search.try_answer(relaxation, climb=True)
        except Infeasible:
            # The best by themselves do not go together: the first answer is among the others.
            pass
    return np.asarray(bounds > search.score - terms.rounding)


def candidate_bounds(terms: Terms, limits: Limits) -> Floats:
    """The best score that any assignment with a given candidate can have; inf for words' states.

    Raises:
        OutOfTime: when time is over before they are known.
    """
    rows = np.flatnonzero(terms.chain < terms.L).tolist()
    node = terms.node.copy()
    spread(terms, node, np.empty(_largest_block(terms)))
    pieces = [node[chain_slice(terms, c)] for c in rows]
    sizes = terms.sizes[rows]
    alone = terms._replace(
        chain=terms.chain[rows],
        sizes=sizes,
        node_at=(np.cumsum(sizes) - sizes.ravel()).reshape(sizes.shape),
        node=np.concatenate(pieces),
        step_at=terms.step_at[rows],
        spans=np.zeros((0, len(rows)), dtype=np.bool_),
        factor_at=np.zeros((0, sizes.shape[1]), dtype=np.int64),
        word=np.zeros(0, dtype=np.int64),
    )
    lattices = track_lattices(alone)
    ahead, behind = np.empty(alone.node.size), np.empty(alone.node.size)
    best, found = np.empty(len(rows)), np.full(alone.node.size, np.inf)
    sweep(alone, lattices, ahead, behind, False, False, best, found, limits)
    sweep(alone, lattices, behind, ahead, True, True, best, found, limits)
    bounds = np.full(terms.node.size, np.inf)
    for row, c in enumerate(rows):
        bounds[chain_slice(terms, c)] = found[chain_slice(alone, row)]
    return bounds


def _largest_block(terms: Terms) -> int:
    tables = np.where(terms.spans[:, :, None], terms.sizes, 1).prod(axis=1)
    return int(tables.max(initial=1))


@entry
def spread(terms: Terms, node: Flat, rest: Flat) -> None:
    """Add to the nodes of tracks what bounds all terms of words, frame by frame.

    Args:
        terms: the reduced problem.
        node: a copy of its nodes, changed.
        rest: room for the largest block of a factor.
    """
    sizes, node_at, step_at, step = terms.sizes, terms.node_at, terms.step_at, terms.step
    spans, factor_at, factor, chain = terms.spans, terms.factor_at, terms.factor, terms.chain
    F, C = spans.shape
    axis, dims = np.empty(C, np.int64), np.empty(C, np.int64)
    for f in range(F):
        for t in range(factor_at.shape[1]):
            axes, widest, at = 0, ONE, factor_at[f, t]
            outer, states, inner, word = ONE, ONE, ONE, -1
            for c in range(C):
                if spans[f, c]:
                    widest = max(widest, sizes[c, t])
                    if chain[c] >= terms.L:
                        word, states = c, sizes[c, t]
                        continue
                    axis[axes], dims[axes] = c, sizes[c, t]
                    axes += 1
                    if word < 0:
                        outer *= sizes[c, t]
                    else:
                        inner *= sizes[c, t]
            # A word is in its best state in every frame, come to from its best predecessor.
            for p in range(outer * inner):
                rest[p] = -np.inf
            for k in range(states):
                bonus = 0.0
                if word >= 0:
                    bonus = node[node_at[word, t] + k]
                    if t > 0:
                        arrival = -np.inf
                        for i in range(sizes[word, t - 1]):
                            arrival = max(arrival, step[step_at[word, t] + i * states + k])
                        bonus += arrival
                for a in range(outer):
                    source, target = at + (a * states + k) * inner, a * inner
                    for b in range(inner):
                        rest[target + b] = max(rest[target + b], factor[source + b] + bonus)
            maxima = np.empty(widest)
            # First every track takes its part, the last one all that is left; then each gives back
            # what it took too much.
            for turn in range(2 * axes):
                i = turn % axes
                size, below = dims[i], ONE
                for j in range(i + 1, axes):
                    below *= dims[j]
                above = outer * inner // (size * below)
                axis_maxima(rest, 0, rest, 0, above, size, below, maxima)
                for j in range(size):
                    # The kernel adds a table to itself.
                    part = 0.5 * maxima[j]
                    if turn < axes:
                        part /= axes - i
                    node[node_at[axis[i], t] + j] += part
                    maxima[j] = -part if part > -np.inf else 0.0
                add_axis(rest, 0, above, size, below, maxima)
