"""A relaxation cut into windows of frames, so that each can be bounded by itself.

Two windows that meet have a frame in common. What lattices have learned of the other side becomes a
term of that frame: of how far the best score through a joint state is below the best of all, each
window is told one half. Every assignment scores what its windows score together, so that bounds of
windows add up.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from sentrack.inference.lattices import lattice_chains, lattice_factors, resized
from sentrack.inference.message_passing import potential
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Floats, Ints, Lattices, Terms
from sentrack.inference.terms import ROUNDING, layout


def can_be_cut(relaxation: Relaxation) -> bool:
    """Whether every lattice has a factor of all its chains, which takes what is learned of it."""
    terms, lattices = relaxation.terms, relaxation.lattices
    return all(
        any(terms.spans[f].sum() == lattice_chains(lattices, n).size for f in _factors(lattices, n))
        for n in range(lattices.first.size - 1)
    )


def cut(
    relaxation: Relaxation, seams: list[int], which: Sequence[int] | None = None
) -> list[Relaxation]:
    """Relaxations of the frames up to the first seam, from there to the next, and so on.

    An assignment scores as much as its windows together, and bounds of all windows add up to that
    of the whole. With `which`, these windows alone are made.

    Raises:
        OutOfTime: when time is over.
    """
    terms, lattices = relaxation.terms, relaxation.lattices
    every, last = range(lattices.first.size - 1), terms.sizes.shape[1] - 1
    forward, backward = relaxation.both_ways()
    potentials: dict[int, list[Floats]] = {}
    for t in seams:
        potentials[t] = []
        for n in every:
            at = int(lattices.table_at[n, t])
            here = slice(at, at + int(lattices.states[n, t]))
            future = own_terms(terms, lattices, n, t) + backward[here]
            potentials[t].append(potential(forward[here], future))
    most = sum(_magnitude(values) for tables in potentials.values() for values in tables)
    spans = list(itertools.pairwise([0, *seams, last]))
    found = []
    for begin, end in spans if which is None else [spans[w] for w in which]:
        part = between(terms, begin, end)._replace(rounding=terms.rounding + ROUNDING * most)
        copies = lattices_between(terms, lattices, begin, end)
        for n, values in enumerate(potentials.get(begin, [])):
            at = part.factor_at[_widest(terms, lattices, n), 0]
            part.factor[at : at + values.size] += np.where(values > -np.inf, -values, -np.inf)
        if end < last:
            # The terms of the frame itself belong to the next window.
            _clear(part.node, part.node_at, part.sizes)
            _clear(copies.node, copies.node_at, part.sizes[copies.chain])
            tables = np.where(part.spans[:, :, None], part.sizes, 1).prod(axis=1)
            _clear(part.factor, part.factor_at, tables)
            for n, values in enumerate(potentials[end]):
                at = part.factor_at[_widest(terms, lattices, n), -1]
                part.factor[at : at + values.size] = values
        found.append(Relaxation(part, relaxation.limits, copies))
    return found


def between(terms: Terms, first: int, last: int) -> Terms:
    """The terms of the frames from first to last, both included; no array is shared."""
    sizes = np.ascontiguousarray(terms.sizes[:, first : last + 1])
    _, earliest, which = np.unique(terms.step_at[:, -1], return_index=True, return_inverse=True)
    shared = earliest[which] if terms.sizes.shape[1] > 1 else None
    new = layout(terms.L, terms.chain, sizes, terms.spans, terms.word, shared)
    new = new._replace(rounding=terms.rounding)
    for c in range(terms.chain.size):
        size = int(sizes[c].sum())
        here, there = int(new.node_at[c, 0]), int(terms.node_at[c, first])
        new.node[here : here + size] = terms.node[there : there + size]
        new.label[here : here + size] = terms.label[there : there + size]
        if last > first and shared is not None and shared[c] == c:
            size = int((sizes[c, :-1] * sizes[c, 1:]).sum())
            here, there = int(new.step_at[c, 1]), int(terms.step_at[c, first + 1])
            new.step[here : here + size] = terms.step[there : there + size]
    for f in range(terms.spans.shape[0]):
        size = int(sizes[terms.spans[f]].prod(axis=0).sum())
        here, there = int(new.factor_at[f, 0]), int(terms.factor_at[f, first])
        new.factor[here : here + size] = terms.factor[there : there + size]
    return new


def lattices_between(terms: Terms, lattices: Lattices, first: int, last: int) -> Lattices:
    """The same decomposition of the terms of the frames from first to last."""
    sizes = np.ascontiguousarray(terms.sizes[:, first : last + 1])
    counts = sizes[lattices.chain].sum(axis=1).tolist()
    begins = lattices.node_at[:, first].tolist()
    node = [lattices.node[at : at + size] for at, size in zip(begins, counts, strict=True)]
    return resized(lattices, np.concatenate(node), sizes)


def _magnitude(values: Floats) -> float:
    """The largest absolute value among those that are finite."""
    return float(np.abs(values[values > -np.inf]).max(initial=0.0))


def _clear(values: Floats, at: Ints, sizes: Ints) -> None:
    """No terms of the last frame."""
    for begin, size in zip(at[:, -1].tolist(), sizes[:, -1].tolist(), strict=True):
        values[begin : begin + size] = 0.0


def _factors(lattices: Lattices, n: int) -> list[int]:
    return [int(f) for f in lattice_factors(lattices, n)]


def _widest(terms: Terms, lattices: Lattices, n: int) -> int:
    """The factor of lattice n with most chains."""
    return max(_factors(lattices, n), key=lambda f: int(terms.spans[f].sum()))


def own_terms(terms: Terms, lattices: Lattices, n: int, t: int) -> Floats:
    """The terms of frame t of all joint states of lattice n."""
    chains: Ints = lattice_chains(lattices, n)
    shape = terms.sizes[chains, t]
    table = np.zeros(shape)
    for i, a in enumerate(range(lattices.first[n], lattices.first[n + 1])):
        own = lattices.node[lattices.node_at[a, t] :][: shape[i]]
        table += own.reshape([-1 if j == i else 1 for j in range(shape.size)])
    for f in _factors(lattices, n):
        extent = np.where(terms.spans[f, chains], shape, 1)
        at = terms.factor_at[f, t]
        table += terms.factor[at : at + extent.prod()].reshape(extent)
    return np.asarray(table.ravel())
