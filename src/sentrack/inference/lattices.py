"""Decompositions of Terms into product lattices that share chains.

One lattice that holds every factor is the exact problem; one lattice per word is the cheapest
relaxation. Merging two lattices adds up their copies of a chain, so a merged decomposition keeps
all that message passing has learned and is at least as tight.
"""

import numpy as np

from sentrack.inference.kernels import count_operations
from sentrack.inference.structures import Bools, Floats, Ints, Lattices, Terms
from sentrack.inference.terms import chain_slice, starts

Groups = list[list[int]]

# What an axis of a lattice takes in a frame, and a row of its table (a run of the innermost axis),
# in operations on large tables: measured with tables of 1 to 20 labels an axis.
AXIS, ROW = 1500.0, 600.0


def one_lattice(terms: Terms) -> Lattices:
    """The exact problem: all factors in one lattice."""
    return decompose(terms, [list(range(terms.spans.shape[0]))])


def lattices_apart(terms: Terms) -> Lattices:
    """Every chain in a lattice of its own, and every factor in one without transitions.

    Such a lattice has copies of chains, but what they are in one frame says nothing of the next.
    """
    C, F = terms.spans.shape[1], terms.spans.shape[0]
    axes = [np.array([c]) for c in range(C)] + [np.flatnonzero(span) for span in terms.spans]
    groups: Groups = [[] for _ in range(C)] + [[f] for f in range(F)]
    copies = [np.zeros(int(terms.sizes[c].sum())) for chains in axes[C:] for c in chains]
    share = np.concatenate([np.ones(C), np.zeros(len(copies))])
    return _assemble(terms, groups, axes, np.concatenate([terms.node, *copies]), share)


def decompose(terms: Terms, groups: Groups) -> Lattices:
    """Give every group of factors a lattice; copies of a chain share its terms evenly."""
    axes = [group_chains(terms, group) for group in groups]
    copies = np.bincount(np.concatenate(axes), minlength=terms.chain.size)
    chain = np.concatenate(axes)
    node = np.concatenate([terms.node[chain_slice(terms, c)] / copies[c] for c in chain])
    return _assemble(terms, groups, axes, node, 1.0 / copies[chain])


def merge(terms: Terms, lattices: Lattices, groups: Groups) -> Lattices:
    """Regroup the lattices: each new group is a union of old lattices (given by their indices)."""
    factors: Groups = []
    axes: list[Ints] = []
    nodes: list[Floats] = []
    shares: list[float] = []
    for group in groups:
        factors.append([int(f) for n in group for f in lattice_factors(lattices, n)])
        rows = np.concatenate([np.arange(*lattices.first[n : n + 2]) for n in group])
        axes.append(np.unique(lattices.chain[rows]))
        for c in axes[-1]:
            same = rows[lattices.chain[rows] == c]
            nodes.append(np.sum([_axis_node(terms, lattices, a) for a in same], axis=0))
            shares.append(float(lattices.share[same].sum()))
    return _assemble(terms, factors, axes, np.concatenate(nodes), np.array(shares))


def restrict_lattices(terms: Terms, lattices: Lattices, keep: Bools, new: Terms) -> Lattices:
    """The same decomposition of the restricted terms `new`."""
    kept = np.concatenate([keep[chain_slice(terms, c)] for c in lattices.chain.tolist()])
    return resized(lattices, lattices.node[kept], new.sizes)


def lattice_factors(lattices: Lattices, n: int) -> Ints:
    """The factors of lattice n."""
    return lattices.factor[lattices.factor_first[n] : lattices.factor_first[n + 1]]


def lattice_chains(lattices: Lattices, n: int) -> Ints:
    """The chains of lattice n."""
    return lattices.chain[lattices.first[n] : lattices.first[n + 1]]


def word_groups(terms: Terms) -> Groups:
    """One group per multi-state word; a one-state word joins a group that has its tracks."""
    states = set(np.flatnonzero(terms.chain >= terms.L).tolist())
    spans = [set(np.flatnonzero(span).tolist()) for span in terms.spans]
    groups: Groups = []
    # Widest first, so that a one-state word finds the group that it fits into.
    for f in sorted(range(len(spans)), key=lambda f: (-len(spans[f]), f)):
        homes = () if spans[f] & states else (g for g in groups if spans[f] <= spans[g[0]])
        home = next(iter(homes), None)
        if home is None:
            groups.append([f])
        else:
            home.append(f)
    return groups or [[]]


def store_size(lattices: Lattices) -> int:
    """Numbers in a store of the messages of one direction; one a frame without transitions."""
    last = lattices.share[lattices.first[-2] :].any()
    return int(lattices.table_at[-1, -1] + (lattices.states[-1, -1] if last else 1))


def sweep_operations(sizes: Ints, lattices: Lattices) -> Floats:
    """(T,) additions and comparisons of a sweep over all lattices with so many labels per chain."""
    found: Floats = count_operations(sizes, lattices.first, lattices.chain, lattices.share)
    return found


def sweep_effort(sizes: Ints, lattices: Lattices) -> Floats:
    """(T,) how long a sweep takes, in operations on large tables.

    Of small tables most of the time is that of getting to each axis and row.
    """
    rows = lattices.states // sizes[lattices.chain[lattices.first[1:] - 1]]
    extra = AXIS * lattices.chain.size + ROW * rows.sum(axis=0)
    return np.asarray(sweep_operations(sizes, lattices) + extra)


def effort(sizes: Ints, chains: Ints) -> float:
    """The same of one lattice of these chains, over all frames."""
    rows = joint_states(sizes, chains) / sizes[chains[-1]]
    return operations(sizes, chains) + float((AXIS * chains.size + ROW * rows).sum())


def operations(sizes: Ints, chains: Ints) -> float:
    """Additions and comparisons of one sweep over a lattice of these chains: Σ_t S·(ΣJ+ΣK)."""
    return float(frame_operations(sizes, chains).sum())


def frame_operations(sizes: Ints, chains: Ints) -> Floats:
    """(T,) the same, frame by frame.

    Two more per joint state stand for the terms of the frame.
    """
    rows = sizes[chains].astype(np.float64)
    return np.asarray(rows.prod(axis=0) * (np.where(rows > 1, rows, 0.0).sum(axis=0) + 2.0))


def joint_states(sizes: Ints, chains: Ints) -> Floats:
    """(T,) the number of joint states of a lattice of these chains, as floats (they overflow)."""
    return np.asarray(sizes[chains].astype(np.float64).prod(axis=0))


def sweep_bytes(sizes: Ints, lattices: list[Ints]) -> float:
    """Memory of sweeping lattices, each given by its chains, in both directions.

    That is two stores of messages, a table of every lattice, and two of the largest half way
    between two frames.
    """
    states = [joint_states(sizes, chains) for chains in lattices]
    between = max(between_states(sizes, chains) for chains in lattices)
    return 8.0 * (sum(2 * float(s.sum()) + float(s.max()) for s in states) + 2 * between)


def between_states(sizes: Ints, chains: Ints) -> float:
    """The most that a table half way between two frames, or of one frame, may hold."""
    wider = np.maximum(sizes[:, :-1], sizes[:, 1:]) if sizes.shape[1] > 1 else sizes
    return float(joint_states(wider, chains).max())


def group_chains(terms: Terms, group: list[int]) -> Ints:
    """The chains that a group of factors spans; all of them where there is no factor at all."""
    if not group:
        return np.arange(terms.chain.size)
    return np.flatnonzero(terms.spans[group].any(axis=0))


def _axis_node(terms: Terms, lattices: Lattices, a: int) -> Floats:
    size = int(terms.sizes[lattices.chain[a]].sum())
    return lattices.node[lattices.node_at[a, 0] : lattices.node_at[a, 0] + size]


def _assemble(
    terms: Terms, groups: Groups, axes: list[Ints], node: Floats, share: Floats
) -> Lattices:
    chain = np.concatenate(axes)
    counts = np.bincount(chain, minlength=terms.chain.size)
    nothing: Ints = np.empty((0, 0), dtype=np.int64)
    lattices = Lattices(
        first=_pointers([a.size for a in axes]),
        chain=chain,
        share=share,
        node_at=nothing,
        node=node,
        factor_first=_pointers([len(g) for g in groups]),
        factor=np.array([f for group in groups for f in group], dtype=np.int64),
        states=nothing,
        table_at=nothing,
        owner_first=_pointers(counts.tolist()),
        owner=np.argsort(chain, kind="stable"),
        lattice=np.repeat(np.arange(len(axes)), [a.size for a in axes]),
    )
    return resized(lattices, node, terms.sizes)


def resized(lattices: Lattices, node: Floats, sizes: Ints) -> Lattices:
    """The lattices with these node terms and so many labels (C, T) per chain and frame."""
    rows = sizes[lattices.chain]
    states = np.multiply.reduceat(rows, lattices.first[:-1], axis=0)
    moves = np.bincount(lattices.lattice, weights=lattices.share) > 0
    table_at = starts(np.where(moves[:, None], states, 1))
    return lattices._replace(node=node, node_at=starts(rows), states=states, table_at=table_at)


def _pointers(counts: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
