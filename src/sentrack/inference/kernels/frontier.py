"""Joint states of all chains, few of them: those that bounds of lattices do not rule out.

What a lattice still has to come is known from its messages. The sum over all lattices bounds what
any joint state can still score, and so does the sum half way between two frames, where the first
chains have moved on and the others have not.
"""

from typing import Any

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, entry, internal
from sentrack.inference.kernels.messages import load_step, transfer
from sentrack.inference.kernels.tables import add_terms, axis_terms, index_room
from sentrack.inference.structures import Lattices, Terms

# The code of a joint state is the sum of its labels, each times a power of this number, of which so
# many bits are kept that nothing overflows.
MIX = 1_000_003
BITS = 0x7FFFFFFF


@entry
def advance(
    terms: Terms,
    lattices: Lattices,
    t: Int,
    store: Flat,
    labels: Flat,
    value: Flat,
    floor: float,
    most: Int,
) -> Any:
    """The joint states of frame t that may belong to an assignment better than `floor`.

    Args:
        terms: the reduced problem.
        lattices: its decomposition.
        t: the frame.
        store: messages into every frame from those after it.
        labels: (S, C) the joint states of the frame before; one row of zeros at the beginning.
        value: (S,) the best score up to there; 0 at the beginning.
        floor: joint states whose bound is not above this are left out.
        most: of the others, so many with the highest bounds are kept.

    Returns:
        Joint states (S', C), the best score of each up to frame t, and the highest bound of those
        that were left out although it is above `floor`.
    """
    sizes, first_axis, chain_of = terms.sizes, lattices.first, lattices.chain
    C, N = sizes.shape[0], first_axis.size - 1
    start, before = t == 0, max(t - 1, 0)
    came = np.empty(C, np.int64)
    for c in range(C):
        came[c] = ONE if start else sizes[c, before]
    tables, table_at = half_way(terms, lattices, t, before, start, store, came)
    widest = ONE
    for c in range(C):
        widest = max(widest, came[c] * sizes[c, t])
    g = np.zeros(widest)
    S = value.size
    here, score, bound = labels.copy(), value.copy(), np.empty(S)
    for s in range(S):
        bound[s] = value[s]
        for n in range(N):
            place = ZERO
            for a in range(first_axis[n], first_axis[n + 1]):
                place = place * came[chain_of[a]] + here[s, chain_of[a]]
            bound[s] += tables[table_at[first_axis[n] + n] + place]
    lost, constant = -np.inf, 0.0
    for c in range(C):
        if not start:
            load_step(terms, c, 1.0, t, True, g)
        if came[c] == 1 and sizes[c, t] == 1:
            constant += g[0]
            continue
        here, score, bound, missed = move(
            terms, lattices, t, c, came, g, tables, table_at, here, score, bound, floor, most
        )
        lost = max(lost, missed)
    add_frame(terms, t, here, score, constant)
    return here, score, lost


@internal
def half_way(
    terms: Terms,
    lattices: Lattices,
    t: Int,
    before: Int,
    start: bool,
    store: Flat,
    came: Flat,
) -> Any:
    """Tables of all lattices, with their first axes in frame t and the others in the frame before.

    Table m of lattice n, of m axes that have moved on, starts at table_at[first[n] + n + m]. It
    holds the best that the lattice has still to come.
    """
    sizes, first_axis, chain_of = terms.sizes, lattices.first, lattices.chain
    N = first_axis.size - 1
    table_at = np.empty(chain_of.size + N, np.int64)
    total, widest, long = ZERO, ONE, ONE
    for n in range(N):
        first, axes = first_axis[n], first_axis[n + 1] - first_axis[n]
        for m in range(axes + 1):
            size = ONE
            for i in range(axes):
                c = chain_of[first + i]
                size *= sizes[c, t] if i < m else came[c]
                widest = max(widest, sizes[c, t])
                long = max(long, sizes[c, t] * came[c])
            table_at[first + n + m] = total
            total += size
    tables = np.empty(total)
    g, vectors = np.zeros(long), np.empty(widest * sizes.shape[0])
    none, room = np.full(sizes.shape[0], -1, np.int64), index_room(lattices)
    for n in range(N):
        first, axes = first_axis[n], first_axis[n + 1] - first_axis[n]
        size, at = lattices.states[n, t], table_at[first + n + axes]
        for p in range(size):
            tables[at + p] = store[lattices.table_at[n, t] + p]
        axis_terms(terms, lattices, n, t, none, True, vectors)
        rows = size // sizes[chain_of[first + axes - 1], t]
        add_terms(terms, lattices, n, t, vectors, tables, at, ZERO, rows, room)
        inner = ONE
        for m in range(axes - 1, -1, -1):
            c = chain_of[first + m]
            if not start:
                load_step(terms, c, lattices.share[first + m], before, False, g)
            outer = size // (sizes[c, t] * inner)
            source, target = table_at[first + n + m + 1], table_at[first + n + m]
            transfer(
                tables, source, tables, target, outer, sizes[c, t], came[c], inner, g, ZERO, inner
            )
            size = outer * came[c] * inner
            inner *= came[c]
    return tables, table_at


@internal
def move(
    terms: Terms,
    lattices: Lattices,
    t: Int,
    c: Int,
    came: Flat,
    g: Flat,
    tables: Flat,
    table_at: Flat,
    labels: Flat,
    score: Flat,
    bound: Flat,
    floor: float,
    most: Int,
) -> Any:
    """Let one chain move into frame t; the chains before it have done so already."""
    sizes, first_axis, chain_of = terms.sizes, lattices.first, lattices.chain
    owner, lattice_of = lattices.owner, lattices.lattice
    C, n_out = sizes.shape[0], sizes[c, t]
    first_owner = lattices.owner_first[c]
    owners = lattices.owner_first[c + 1] - first_owner
    base, stride = np.empty(owners, np.int64), np.empty(owners, np.int64)
    bounds, above = np.empty(score.size * n_out), ZERO
    for s in range(score.size):
        rest = bound[s]
        for o in range(owners):
            a = owner[first_owner + o]
            n = lattice_of[a]
            m = a - first_axis[n]
            old, place, step = ZERO, ZERO, ONE
            for i in range(first_axis[n], first_axis[n + 1]):
                other = chain_of[i]
                size = sizes[other, t] if i < a else came[other]
                old = old * size + labels[s, other]
                if i == a:
                    place = place * n_out
                else:
                    place = place * size + labels[s, other]
                    if i > a:
                        step *= size
            rest -= tables[table_at[first_axis[n] + n + m] + old]
            base[o] = table_at[first_axis[n] + n + m + 1] + place
            stride[o] = step
        i = labels[s, c]
        for j in range(n_out):
            b = rest + g[i * n_out + j]
            for o in range(owners):
                b += tables[base[o] + j * stride[o]]
            bounds[s * n_out + j] = b
            above += b > floor
    # Those that differ in the label that chain c comes from become one: twice as many make enough.
    room = min(above, 2 * most)
    cut, ties, lost = threshold(bounds, floor, above, room)
    new_labels = np.empty((room, C), labels.dtype)
    new_score, new_bound, new_code = np.empty(room), np.empty(room), np.empty(room, np.int64)
    merging = came[c] > 1
    slots = ONE
    while merging and slots < 2 * room:
        slots *= 2
    slot = np.full(slots, -1, np.int64)
    factors = np.empty(C, np.int64)
    code = ONE
    for k in range(C):
        factors[k] = code
        code = code * MIX & BITS
    count = ZERO
    for s in range(score.size):
        rest = ZERO
        for k in range(C):
            if k != c:
                rest += labels[s, k] * factors[k]
        for j in range(n_out):
            b = bounds[s * n_out + j]
            if not b >= cut or (b == cut and ties == 0):
                continue
            ties -= b == cut
            code, q, p = rest + j * factors[c], ZERO, count
            if merging:
                q = find(slot, new_labels, new_code, labels, s, code, c, j)
                p = slot[q] if slot[q] >= 0 else count
            if p == count:
                slot[q] = p
                for k in range(C):
                    new_labels[p, k] = labels[s, k]
                new_labels[p, c] = j
                new_code[p], new_bound[p] = code, -np.inf
                count += 1
            if b > new_bound[p]:
                new_bound[p] = b
                new_score[p] = score[s] + g[labels[s, c] * n_out + j]
    if count > most:
        count, missed = keep_best(new_labels, new_score, new_bound, count, most)
        lost = max(lost, missed)
    return new_labels[:count], new_score[:count], new_bound[:count], lost


@internal
def threshold(bounds: Flat, floor: float, above: Int, most: Int) -> Any:
    """Which of some bounds are the highest ones, `most` of those above the floor.

    Args:
        bounds: some numbers.
        floor: those that are not above this are left out.
        above: how many are.
        most: how many to take, no more than `above`.

    Returns:
        The lowest one to take, how many that are equal to it, and the highest one above the floor
        that is left out.
    """
    found, at = np.empty(above), ZERO
    for b in bounds:
        if b > floor:
            found[at] = b
            at += 1
    if most == 0:
        return np.inf, ZERO, -np.inf
    if above > most:
        found = np.partition(found, above - most)
    cut, ties, lost = np.inf, ZERO, -np.inf
    for p in range(above - most, above):
        cut = min(cut, found[p])
    for p in range(above - most):
        lost = max(lost, found[p])
    for p in range(above - most, above):
        ties += found[p] == cut
    return cut, ties, lost


@internal
def find(
    slot: Flat, labels: Flat, codes: Flat, rows: Flat, s: Int, code: Int, c: Int, label: Int
) -> Any:
    """The slot of joint state s of `rows` with another label of chain c, or the empty one for it.

    Args:
        slot: places in a table of joint states, -1 where there is none.
        labels: (S, C) the joint states of the table.
        codes: (S,) their codes.
        rows: (S', C) joint states.
        s: one of them.
        code: its code with the label of chain c.
        c: the chain.
        label: the label.
    """
    q = (code ^ (code >> 15)) & (slot.size - 1)
    while slot[q] >= 0:
        p = slot[q]
        if codes[p] == code:
            same = labels[p, c] == label
            for k in range(rows.shape[1]):
                same = same and (k == c or labels[p, k] == rows[s, k])
            if same:
                break
        q = (q + 1) & (slot.size - 1)
    return q


@internal
def keep_best(labels: Flat, score: Flat, bound: Flat, count: Int, most: Int) -> Any:
    """Move the `most` joint states of the highest bounds to the front.

    Returns their number, and the highest bound of the others.
    """
    cut, ties, lost = threshold(bound[:count], -np.inf, count, most)
    kept = ZERO
    for p in range(count):
        if bound[p] > cut or (bound[p] == cut and ties > 0):
            ties -= bound[p] == cut
            for k in range(labels.shape[1]):
                labels[kept, k] = labels[p, k]
            score[kept], bound[kept] = score[p], bound[p]
            kept += 1
    return kept, lost


@internal
def add_frame(terms: Terms, t: Int, labels: Flat, score: Flat, constant: float) -> None:
    """Add a constant and the terms of frame t to the scores of its joint states."""
    sizes, spans, node, node_at = terms.sizes, terms.spans, terms.node, terms.node_at
    factor, factor_at = terms.factor, terms.factor_at
    for s in range(score.size):
        score[s] += constant
        for c in range(sizes.shape[0]):
            score[s] += node[node_at[c, t] + labels[s, c]]
        for f in range(spans.shape[0]):
            place = ZERO
            for c in range(sizes.shape[0]):
                if spans[f, c]:
                    place = place * sizes[c, t] + labels[s, c]
            score[s] += factor[factor_at[f, t] + place]
