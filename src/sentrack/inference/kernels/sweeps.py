"""Passes over all frames of one or more product lattices.

Messages exclude the terms of their own frame, so in every frame

    message from the past + terms of the frame + message from the future

is the best score of any assignment that passes through a joint state.
"""

from typing import Any

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, entry, inlined, internal, unsigned
from sentrack.inference.kernels.messages import send
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


@internal
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
) -> None:
    """Add the axis vectors and the factors of lattice n in frame t to its table.

    Only to the rows lo to hi; a row is a run of the innermost axis.
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
    dims = np.empty(axes, np.int64)
    begin = np.empty(axes, np.int64)
    p = 0
    for i in range(axes):
        dims[i] = sizes[chain_of[first + i], t]
        begin[i] = p
        p += dims[i]
    stride = np.empty((factors, axes), np.int64)
    offset = np.empty(factors, np.int64)
    for f in range(factors):
        offset[f] = factor_at[factor_of[start + f], t]
        s = 1
        for i in range(axes - 1, -1, -1):
            stride[f, i] = 0
            if spans[factor_of[start + f], chain_of[first + i]]:
                stride[f, i] = s
                s *= dims[i]
    width = dims[axes - 1]
    index = np.empty(axes, np.int64)
    p = lo
    for i in range(axes - 2, -1, -1):
        index[i] = p % dims[i]
        p //= dims[i]
        for f in range(factors):
            offset[f] += stride[f, i] * index[i]
    for row in range(lo, hi):
        constant = 0.0
        for i in range(axes - 1):
            constant += vectors[begin[i] + index[i]]
        for f in range(factors):
            if stride[f, axes - 1] == 0:
                constant += factor[offset[f]]
        out, x = unsigned(at + row * width), unsigned(begin[axes - 1])
        for b in range(unsigned(width)):
            table[out + b] += constant + vectors[x + b]
        for f in range(factors):
            if stride[f, axes - 1] != 0:
                y = unsigned(offset[f])
                for b in range(unsigned(width)):
                    table[out + b] += factor[y + b]
        for i in range(axes - 2, -1, -1):
            index[i] += 1
            for f in range(factors):
                offset[f] += stride[f, i]
            if index[i] < dims[i]:
                break
            for f in range(factors):
                offset[f] -= stride[f, i] * dims[i]
            index[i] = 0


@inlined
def axis_maxima(
    x: Flat, x_at: int, y: Flat, y_at: int, outer: int, size: int, inner: int, out: Flat
) -> None:
    """Max-marginals of one axis: out[j] = max over a, b of x[a, j, b] + y[a, j, b]."""
    for j in range(size):
        out[j] = -np.inf
    if inner == 1:
        for a in range(outer):
            u, v = unsigned(x_at + a * size), unsigned(y_at + a * size)
            for j in range(unsigned(size)):
                w = x[u + j] + y[v + j]
                out[j] = w if w > out[j] else out[j]
        return
    whole = inner - inner % 4
    for a in range(outer):
        for j in range(size):
            p = (a * size + j) * inner
            u, v = unsigned(x_at + p), unsigned(y_at + p)
            # Four maxima side by side: none has to wait for the one before it.
            best, second, third, fourth = out[j], -np.inf, -np.inf, -np.inf
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
            out[j] = max(max(best, second), max(third, fourth))


@inlined
def add_axis(x: Flat, at: int, outer: int, size: int, inner: int, delta: Flat) -> None:
    """x[a, j, b] += delta[j]."""
    if inner == 1:
        for a in range(outer):
            p = unsigned(at + a * size)
            for j in range(unsigned(size)):
                x[p + j] += delta[j]
        return
    for a in range(outer):
        for j in range(size):
            p = at + (a * size + j) * inner
            for b in range(p, p + inner):
                x[b] += delta[j]


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
    maxima: Flat,
) -> None:
    """Make all copies of chain c in frame t have equal max-marginals (their mean).

    One block of dual coordinate descent: the sum of the lattices' maxima never rises. Also lowers
    `bound`, the best score that any assignment with a given label can have.
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
    for o in range(copies):
        a = owner[first + o]
        n = lattice_of[a]
        inner = ONE
        for i in range(a + 1, first_axis[n + 1]):
            inner *= sizes[chain_of[i], t]
        outer = states[n, t] // (inner * size)
        if still(lattices, n):
            axis_maxima(full, full_at[n], full, full_at[n], outer, size, inner, maxima[o])
            for j in range(size):
                # The kernel added the table to itself.
                maxima[o, j] = 0.5 * maxima[o, j] + other[table_at[n, t]]
        else:
            axis_maxima(full, full_at[n], other, table_at[n, t], outer, size, inner, maxima[o])
    others = 0.0
    for n in range(best.size):
        owns = False
        for o in range(copies):
            owns = owns or lattice_of[owner[first + o]] == n
        if not owns:
            others += best[n]
    top = -np.inf
    mean = maxima[copies]
    for j in range(size):
        total = 0.0
        for o in range(copies):
            total += maxima[o, j]
        mean[j] = total / copies
        p = node_at[c, t] + j
        bound[p] = min(bound[p], others + total)
        top = max(top, mean[j])
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
        at = copy_at[a, t]
        for j in range(size):
            # A label forbidden in one lattice becomes forbidden in all: -inf - -inf is undefined.
            delta = mean[j] - maxima[o, j] if maxima[o, j] > -np.inf else 0.0
            maxima[o, j] = delta
            node[at + j] += delta
        add_axis(full, full_at[n], outer, size, inner, maxima[o])


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
    full_at = np.empty(N, np.int64)
    total, largest, widest = 0, 1, 1
    for n in range(N):
        full_at[n] = total
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
    maxima = np.empty((copies + 1, widest))
    for s in range(begin, end):
        t = s if forward else T - 1 - s
        for n in range(N):
            at, size = table_at[n, t], states[n, t]
            alone = still(lattices, n)
            if s == 0:
                for p in range(at, at + (ONE if alone else size)):
                    mine[p] = 0.0
            else:
                send(terms, lattices, n, t, forward, full, full_at[n], mine, at, ping, pong, g)
            if alone:
                for p in range(size):
                    full[full_at[n] + p] = mine[at]
            else:
                for p in range(size):
                    full[full_at[n] + p] = mine[at + p]
            axis_terms(terms, lattices, n, t, none, forward, vectors)
            rows = size // sizes[chain_of[first_axis[n + 1] - 1], t]
            add_terms(terms, lattices, n, t, vectors, full, full_at[n], ZERO, rows)
        if update:
            for c in range(C):
                agree(terms, lattices, t, c, full, full_at, other, best, bound, maxima)
        elif s == T - 1:
            for n in range(N):
                best[n] = -np.inf
                for p in range(full_at[n], full_at[n] + states[n, t]):
                    best[n] = max(best[n], full[p])


@inlined
def decode(
    terms: Terms,
    lattices: Lattices,
    n: int,
    t: int,
    forward: bool,
    store: Flat,
    at: int,
    labels: Flat,
) -> None:
    """The best labels of lattice n in frame t, given its message from the frames ahead.

    Args:
        terms: the reduced problem.
        lattices: its decomposition.
        n: the lattice.
        t: the frame.
        forward: whether the frames are read from the first to the last, or the other way.
        store: holds the message, from `at` on.
        at: start of the message.
        labels: (axes of n,) of the frame behind, or -1 where there is none; replaced.
    """
    sizes = terms.sizes
    first_axis, chain_of, states = lattices.first, lattices.chain, lattices.states
    first, last = first_axis[n], first_axis[n + 1]
    total = 0
    for a in range(first, last):
        total += sizes[chain_of[a], t]
    vectors = np.empty(total)
    axis_terms(terms, lattices, n, t, labels, forward, vectors)
    states = states[n, t]
    table = np.empty(states)
    alone = still(lattices, n)
    for p in range(states):
        table[p] = store[at if alone else at + p]
    rows = states // sizes[chain_of[last - 1], t]
    add_terms(terms, lattices, n, t, vectors, table, ZERO, ZERO, rows)
    p = 0
    for q in range(states):
        if table[q] > table[p]:
            p = q
    for a in range(last - 1, first - 1, -1):
        size = sizes[chain_of[a], t]
        labels[a - first] = p % size
        p //= size


@entry
def decode_all(
    terms: Terms,
    lattices: Lattices,
    forward: bool,
    store: Flat,
    labels: Flat,
    begin: int,
    end: int,
) -> None:
    """Read the best assignment of every lattice, (axes, T), off the messages of a sweep.

    The sweep went against the direction of reading. Of `labels` those of the frames read as number
    `begin` to `end` are filled, given that of the frame before.
    """
    sizes = terms.sizes
    table_at = lattices.table_at
    T = sizes.shape[1]
    for n in range(lattices.first.size - 1):
        first = lattices.first[n]
        here = np.empty(lattices.first[n + 1] - first, np.int64)
        for a in range(here.size):
            here[a] = -1
            if begin > 0:
                here[a] = labels[first + a, begin - 1 if forward else T - begin]
        for s in range(begin, end):
            t = s if forward else T - 1 - s
            decode(terms, lattices, n, t, forward, store, table_at[n, t], here)
            for a in range(here.size):
                labels[first + a, t] = here[a]
