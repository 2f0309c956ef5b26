"""Passes over all frames of one or more product lattices.

Messages exclude the terms of their own frame, so in every frame

    message from the past + terms of the frame + message from the future

is the best score of any assignment that passes through a joint state.
"""

from typing import Any

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, entry, inlined, internal, unsigned
from sentrack.inference.kernels.messages import send, top
from sentrack.inference.structures import Lattices, Terms


@inlined
def axis_terms(
    terms: Terms, lattices: Lattices, n: int, t: int, previous: Flat, forward: bool, out: Flat
) -> None:
    """Node terms of the axes of lattice n in frame t, one after another.

    With `previous` labels (not -1) also the transitions from them.
    """
    sizes, step_at, step = terms.sizes, terms.step_at, terms.step
    first_axis, chain_of, copy_at, node, share = (
        lattices.first,
        lattices.chain,
        lattices.node_at,
        lattices.node,
        lattices.share,
    )
    p = 0
    for a in range(first_axis[n], first_axis[n + 1]):
        c = chain_of[a]
        size, at = sizes[c, t], copy_at[a, t]
        i = previous[a - first_axis[n]]
        for j in range(size):
            out[p + j] = node[at + j]
            if i >= 0:
                if forward:
                    s = step_at[c, t] + i * size + j
                else:
                    s = step_at[c, t + 1] + j * sizes[c, t + 1] + i
                out[p + j] += share[a] * step[s]
        p += size


@inlined
def index_room(lattices: Lattices) -> Any:
    """Room for the places that `add_terms` keeps, enough for every lattice.

    To make it anew for every table would take longer than to fill a small one.
    """
    axes, factors = 0, 0
    for n in range(lattices.first.size - 1):
        axes = max(axes, lattices.first[n + 1] - lattices.first[n])
        factors = max(factors, lattices.factor_first[n + 1] - lattices.factor_first[n])
    return np.empty(3 * axes + factors * (axes + 1), np.int64)


@inlined
def add_terms(
    terms: Terms,
    lattices: Lattices,
    n: int,
    t: int,
    vectors: Flat,
    table: Flat,
    at: int,
    lo: int,
    hi: int,
    room: Flat,
) -> None:
    """Add the axis vectors and the factors of lattice n in frame t to its table.

    Only to the rows lo to hi; a row is a run of the innermost axis. `room` is of `index_room`.
    """
    sizes, factor_at, spans, factor = terms.sizes, terms.factor_at, terms.spans, terms.factor
    first_axis, factor_first, chain_of, factor_of = (
        lattices.first,
        lattices.factor_first,
        lattices.chain,
        lattices.factor,
    )
    first, axes = first_axis[n], first_axis[n + 1] - first_axis[n]
    start, factors = factor_first[n], factor_first[n + 1]
    factors -= start
    # Per axis its length, where its vector begins, and its label; per factor its place, and per
    # axis how far apart its labels are there.
    begin, index, offset, stride = axes, 2 * axes, 3 * axes, 3 * axes + factors
    p = 0
    for i in range(axes):
        room[i] = sizes[chain_of[first + i], t]
        room[begin + i] = p
        p += room[i]
    for f in range(factors):
        room[offset + f] = factor_at[factor_of[start + f], t]
        s = 1
        for i in range(axes - 1, -1, -1):
            room[stride + f * axes + i] = 0
            if spans[factor_of[start + f], chain_of[first + i]]:
                room[stride + f * axes + i] = s
                s *= room[i]
    width = room[axes - 1]
    p = lo
    for i in range(axes - 2, -1, -1):
        room[index + i] = 0
        if p > 0:
            room[index + i] = p % room[i]
            p //= room[i]
        for f in range(factors):
            room[offset + f] += room[stride + f * axes + i] * room[index + i]
    for row in range(lo, hi):
        constant = 0.0
        for i in range(axes - 1):
            constant += vectors[room[begin + i] + room[index + i]]
        for f in range(factors):
            if room[stride + f * axes + axes - 1] == 0:
                constant += factor[room[offset + f]]
        out, x = unsigned(at + row * width), unsigned(room[begin + axes - 1])
        for b in range(unsigned(width)):
            table[out + b] += constant + vectors[x + b]
        for f in range(factors):
            if room[stride + f * axes + axes - 1] != 0:
                y = unsigned(room[offset + f])
                for b in range(unsigned(width)):
                    table[out + b] += factor[y + b]
        for i in range(axes - 2, -1, -1):
            room[index + i] += 1
            for f in range(factors):
                room[offset + f] += room[stride + f * axes + i]
            if room[index + i] < room[i]:
                break
            for f in range(factors):
                room[offset + f] -= room[stride + f * axes + i] * room[i]
            room[index + i] = 0


@inlined
def axis_maxima(
    x: Flat, x_at: int, y: Flat, y_at: int, outer: int, size: int, inner: int, out: Flat, at: int
) -> None:
    """Max-marginals of one axis: out[at + j] = max over a, b of x[a, j, b] + y[a, j, b]."""
    for j in range(size):
        out[at + j] = -np.inf
    if inner == 1:
        o = unsigned(at)
        for a in range(outer):
            u, v = unsigned(x_at + a * size), unsigned(y_at + a * size)
            for j in range(unsigned(size)):
                w = x[u + j] + y[v + j]
                out[o + j] = w if w > out[o + j] else out[o + j]
        return
    whole = inner - inner % 4
    for a in range(outer):
        for j in range(size):
            p = (a * size + j) * inner
            u, v = unsigned(x_at + p), unsigned(y_at + p)
            # Four maxima side by side: none has to wait for the one before it.
            best, second, third, fourth = out[at + j], -np.inf, -np.inf, -np.inf
            for b in range(unsigned(0), unsigned(whole), unsigned(4)):
                w = x[u + b] + y[v + b]
                best = w if w > best else best
                w = x[u + b + unsigned(1)] + y[v + b + unsigned(1)]
                second = w if w > second else second
                w = x[u + b + unsigned(2)] + y[v + b + unsigned(2)]
                third = w if w > third else third
                w = x[u + b + unsigned(3)] + y[v + b + unsigned(3)]
                fourth = w if w > fourth else fourth
            for b in range(unsigned(whole), unsigned(inner)):
                w = x[u + b] + y[v + b]
                best = w if w > best else best
            out[at + j] = max(max(best, second), max(third, fourth))


@inlined
def add_axis(
    x: Flat, at: int, outer: int, size: int, inner: int, delta: Flat, delta_at: int
) -> None:
    """x[a, j, b] += delta[delta_at + j]."""
    if inner == 1:
        d = unsigned(delta_at)
        for a in range(outer):
            p = unsigned(at + a * size)
            for j in range(unsigned(size)):
                x[p + j] += delta[d + j]
        return
    for a in range(outer):
        for j in range(size):
            p = at + (a * size + j) * inner
            for b in range(p, p + inner):
                x[b] += delta[delta_at + j]


@inlined
def still(lattices: Lattices, n: int) -> bool:
    """Whether a lattice has no transitions, so that its messages are one number a frame."""
    none = True
    for a in range(lattices.first[n], lattices.first[n + 1]):
        none = none and lattices.share[a] == 0.0
    return none


@internal
def agree(
    terms: Terms,
    lattices: Lattices,
    t: int,
    c: int,
    full: Flat,
    full_at: Flat,
    other: Flat,
    best: Flat,
    bound: Flat,
    rest: float,
    maxima: Flat,
    alone: Flat,
) -> None:
    """Make all copies of chain c in frame t have equal max-marginals (their mean).

    One block of dual coordinate descent: the sum of the lattices' maxima never rises. Also lowers
    `bound`, the best score that any assignment with a given label can have, where all that is not
    in the lattices scores at most `rest`. Of the lattices those marked in `alone` have no
    transitions; `maxima` is room for the max-marginals of all copies.
    """
    sizes, node_at = terms.sizes, terms.node_at
    owner_first, owner, lattice_of, first_axis, chain_of, states, table_at, copy_at, node = (
        lattices.owner_first,
        lattices.owner,
        lattices.lattice,
        lattices.first,
        lattices.chain,
        lattices.states,
        lattices.table_at,
        lattices.node_at,
        lattices.node,
    )
    first, last = owner_first[c], owner_first[c + 1]
    copies, size = last - first, sizes[c, t]
    if size == 1:
        # There is nothing to agree on.
        bound[node_at[c, t]] = min(bound[node_at[c, t]], rest + best.sum())
        return
    for o in range(copies):
        a = owner[first + o]
        n = lattice_of[a]
        inner = ONE
        for i in range(a + 1, first_axis[n + 1]):
            inner *= sizes[chain_of[i], t]
        outer = states[n, t] // (inner * size)
        here = o * size
        if alone[n]:
            axis_maxima(full, full_at[n], full, full_at[n], outer, size, inner, maxima, here)
            for j in range(size):
                # The kernel added the table to itself.
                maxima[here + j] = 0.5 * maxima[here + j] + other[table_at[n, t]]
        else:
            axis_maxima(full, full_at[n], other, table_at[n, t], outer, size, inner, maxima, here)
    others = rest
    for n in range(best.size):
        owns = False
        for o in range(copies):
            owns = owns or lattice_of[owner[first + o]] == n
        if not owns:
            others += best[n]
    top, mean = -np.inf, copies * size
    for j in range(size):
        total = 0.0
        for o in range(copies):
            total += maxima[o * size + j]
        maxima[mean + j] = total / copies
        p = node_at[c, t] + j
        bound[p] = min(bound[p], others + total)
        top = max(top, maxima[mean + j])
    for o in range(copies):
        a = owner[first + o]
        n = lattice_of[a]
        best[n] = top
        if copies == 1:
            break
        inner = ONE
        for i in range(a + 1, first_axis[n + 1]):
            inner *= sizes[chain_of[i], t]
        outer = states[n, t] // (inner * size)
        at, here = copy_at[a, t], o * size
        for j in range(size):
            # A label forbidden in one lattice becomes forbidden in all: -inf - -inf is undefined.
            value = maxima[here + j]
            delta = maxima[mean + j] - value if value > -np.inf else 0.0
            maxima[here + j] = delta
            node[at + j] += delta
        add_axis(full, full_at[n], outer, size, inner, maxima, here)


@inlined
def mixed_states(terms: Terms, lattices: Lattices, n: int) -> int:
    """Upper bound of the size of a table half way between two frames."""
    sizes = terms.sizes
    first_axis, chain_of = lattices.first, lattices.chain
    largest = 1
    for t in range(1, sizes.shape[1]):
        size = 1
        for a in range(first_axis[n], first_axis[n + 1]):
            c = chain_of[a]
            size *= max(sizes[c, t - 1], sizes[c, t])
        largest = max(largest, size)
    return largest


@entry
def count_operations(sizes: Flat, first: Flat, chain: Flat, share: Flat) -> Any:
    """(T,) additions and comparisons of a sweep over lattices; see `Lattices` for their arrays.

    Two more per joint state stand for the terms of the frame. A lattice without transitions takes
    two per axis.
    """
    T = sizes.shape[1]
    found = np.zeros(T)
    for n in range(first.size - 1):
        moves = False
        for a in range(first[n], first[n + 1]):
            moves = moves or share[a] > 0.0
        for t in range(T):
            states, each = 1.0, 2.0
            for a in range(first[n], first[n + 1]):
                size = float(sizes[chain[a], t])
                states *= size
                each += (size if size > 1.0 else 0.0) if moves else 2.0
            found[t] += states * each
    return found


@entry
def sweep_frames(
    terms: Terms,
    lattices: Lattices,
    mine: Flat,
    other: Flat,
    forward: bool,
    update: bool,
    best: Flat,
    bound: Flat,
    full: Flat,
    rest: float,
    given: int,
    begin: int,
    end: int,
) -> None:
    """Pass messages through some frames of all lattices, in one direction.

    Args:
        terms: the reduced problem.
        lattices: its decomposition; `node` changes when `update` is set.
        mine: store of the messages of this direction, filled here.
        other: store of the opposite messages, read when `update` is set.
        forward: from the first frame to the last, or the other way.
        update: make the copies agree frame by frame (sequential tree-reweighted style).
        best: (N,) the maximum of every lattice, kept up to date.
        bound: lowered to the bound of every label, when `update` is set.
        full: the tables of the last frame, kept from one call to the next.
        rest: what all that is not in the lattices scores at most.
        given: the message into the frame that is passed as this number is in `mine` already.
        begin: frames passed before.
        end: frames passed after this call.
    """
    sizes = terms.sizes
    states, owner_first, table_at, chain_of, first_axis = (
        lattices.states,
        lattices.owner_first,
        lattices.table_at,
        lattices.chain,
        lattices.first,
    )
    N, T = states.shape
    C = sizes.shape[0]
    full_at, alone, room = np.empty(N, np.int64), np.empty(N, np.bool_), index_room(lattices)
    total, largest, widest = 0, 1, 1
    for n in range(N):
        full_at[n], alone[n] = total, still(lattices, n)
        size = 1
        for t in range(T):
            size = max(size, states[n, t])
        total += size
        largest = max(largest, mixed_states(terms, lattices, n))
    none = np.empty(C, np.int64)
    for c in range(C):
        none[c] = -1
        for t in range(T):
            widest = max(widest, sizes[c, t])
    ping, pong = np.empty(largest), np.empty(largest)
    g = np.empty(widest * widest)
    vectors = np.empty(C * widest)
    copies = 1
    for c in range(C):
        copies = max(copies, owner_first[c + 1] - owner_first[c])
    maxima = np.empty((copies + 1) * widest)
    for s in range(begin, end):
        t = s if forward else T - 1 - s
        for n in range(N):
            at, size = table_at[n, t], states[n, t]
            if s == 0:
                for p in range(at, at + (ONE if alone[n] else size)):
                    mine[p] = 0.0
            elif s != given:
                send(terms, lattices, n, t, forward, full, full_at[n], mine, at, ping, pong, g)
            if alone[n]:
                for p in range(size):
                    full[full_at[n] + p] = mine[at]
            else:
                for p in range(size):
                    full[full_at[n] + p] = mine[at + p]
            axis_terms(terms, lattices, n, t, none, forward, vectors)
            rows = size // sizes[chain_of[first_axis[n + 1] - 1], t]
            add_terms(terms, lattices, n, t, vectors, full, full_at[n], ZERO, rows, room)
        if update:
            for c in range(C):
                agree(terms, lattices, t, c, full, full_at, other, best, bound, rest, maxima, alone)
        elif s == T - 1:
            for n in range(N):
                best[n] = top(full, full_at[n], states[n, t])
