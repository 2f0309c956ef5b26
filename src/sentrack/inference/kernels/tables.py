"""Tables of a product lattice in one frame: the terms of its joint states, and maxima over them.

A joint state is a tuple of labels, one per axis, stored in C order.
"""

from typing import Any

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, inlined, unsigned
from sentrack.inference.kernels.simd import (
    Vector,
    eight,
    four,
    larger,
    largest,
    load,
    plus,
    spread,
    store,
)
from sentrack.inference.structures import Lattices, Terms

# Numbers in a row of which the largest is found at once.
RUN = 64


@inlined
def copy_run(src: Flat, src_at: int, dst: Flat, dst_at: int, size: int) -> None:
    """Copy some numbers in a row."""
    s, d = unsigned(src_at), unsigned(dst_at)
    for p in range(unsigned(size)):
        dst[d + p] = src[s + p]


@inlined
def top(src: Flat, at: Int, size: Int) -> Any:
    """The largest of some numbers in a row."""
    found, p, end = -np.inf, at, at + size
    if size >= 8:
        best = load(eight(), src, unsigned(at))
        for q in range(at + 8, end, 8):
            best = larger(load(eight(), src, unsigned(min(q, end - 8))), best)
        found, p = largest(best), end
    for q in range(p, end):
        found = src[q] if src[q] > found else found
    return found


@inlined
def place_of_top(src: Flat, at: Int, size: Int) -> Any:
    """Which of some numbers in a row is the largest; the first one of several."""
    found, best = ZERO, -np.inf
    for p in range(0, size, RUN):
        run = min(RUN, size - p)
        here = top(src, at + p, run)
        if here > best:
            found, best = p, here
    last = min(found + RUN, size)
    for p in range(found, last):
        if src[at + p] == best:
            return p
    return ZERO


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
            # Of a copy without transitions a forbidden one would be 0 * -inf.
            if i >= 0 and share[a] > 0.0:
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
def table_rows(room: Flat, axes: int) -> Any:
    """The number of rows of a table; see `add_terms`."""
    rows = ONE
    for i in range(axes - 1):
        rows *= room[i]
    return rows


@inlined
def factor_rows(room: Flat, axes: int) -> Any:
    """The number of rows of the only factor, or 0 if it has none of the last axis."""
    stride = 3 * axes + 1
    if room[axes - 1] > 1 and room[stride + axes - 1] == 0:
        return ZERO
    rows = ONE
    for i in range(axes - 1):
        if room[stride + i] > 0:
            rows *= room[i]
    return rows


@inlined
def add_whole(vectors: Flat, room: Flat, axes: int, factor: Flat, table: Flat, at: int) -> None:
    """What `add_terms` does for one factor of all axes, which lies in a row as the table does."""
    begin, index = axes, 2 * axes
    size, width = room[axes - 2], room[axes - 1]
    own, last = room[begin + axes - 2], room[begin + axes - 1]
    out, y = at, room[3 * axes]
    for i in range(axes - 2):
        room[index + i] = 0
    for _ in range(table_rows(room, axes) // size):
        constant = 0.0
        for i in range(axes - 2):
            constant += vectors[room[begin + i] + room[index + i]]
        for j in range(size):
            value, b = constant + vectors[own + j], ZERO
            while b + 8 <= width:
                add_run(eight(), value, vectors, last + b, factor, y + b, table, out + b)
                b += 8
            if b + 4 <= width:
                add_run(four(), value, vectors, last + b, factor, y + b, table, out + b)
                b += 4
            while b < width:
                table[out + b] = table[out + b] + (value + vectors[last + b]) + factor[y + b]
                b += 1
            out, y = out + width, y + width
        for i in range(axes - 3, -1, -1):
            room[index + i] += 1
            if room[index + i] < room[i]:
                break
            room[index + i] = 0


@inlined
def add_run(
    like: Vector,
    value: float,
    vectors: Flat,
    x: int,
    factor: Flat,
    y: int,
    table: Flat,
    at: int,
) -> None:
    """Add a number, terms of the last axis and a factor to some joint states in a row."""
    here = unsigned(at)
    v = plus(spread(like, value), load(like, vectors, unsigned(x)))
    v = plus(plus(load(like, table, here), v), load(like, factor, unsigned(y)))
    store(v, table, here)


@inlined
def add_block(
    like: Vector,
    b: int,
    constant: float,
    vectors: Flat,
    room: Flat,
    begin: int,
    offset: int,
    stride: int,
    factor: Flat,
    table: Flat,
    at: int,
) -> None:
    """Add what `add_terms` adds to some joint states in a row, from label b of the last axis on."""
    axes, factors, place = begin, stride - offset, unsigned(at)
    terms = load(like, vectors, unsigned(room[begin + axes - 1] + b))
    v = plus(load(like, table, place), plus(spread(like, constant), terms))
    for f in range(factors):
        if room[stride + f * axes + axes - 1] != 0:
            v = plus(v, load(like, factor, unsigned(room[offset + f] + b)))
    store(v, table, place)


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
    if factors == 1 and axes > 1 and hi - lo == table_rows(room, axes) == factor_rows(room, axes):
        add_whole(vectors, room, axes, factor, table, at)
        return
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
        out, b = at + row * width, ZERO
        while b + 8 <= width:
            add_block(
                eight(), b, constant, vectors, room, begin, offset, stride, factor, table, out + b
            )
            b += 8
        if b + 4 <= width:
            add_block(
                four(), b, constant, vectors, room, begin, offset, stride, factor, table, out + b
            )
            b += 4
        while b < width:
            table[out + b] += constant + vectors[room[begin + axes - 1] + b]
            for f in range(factors):
                if room[stride + f * axes + axes - 1] != 0:
                    table[out + b] += factor[room[offset + f] + b]
            b += 1
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
    width, row = (size if inner == 1 else inner), size * inner
    if width < 4:
        for j in range(size):
            out[at + j] = -np.inf
        for a in range(outer):
            for j in range(size):
                p = a * row + j * inner
                for b in range(p, p + inner):
                    v = x[x_at + b] + y[y_at + b]
                    out[at + j] = v if v > out[at + j] else out[at + j]
    elif inner == 1:
        b = ZERO
        while b < size:
            if size - b > 4 and size >= 8:
                b = min(b, size - 8)
                v = row_maxima(eight(), x, x_at + b, y, y_at + b, outer, row)
                store(v, out, unsigned(at + b))
                b += 8
            else:
                b = min(b, size - 4)
                w = row_maxima(four(), x, x_at + b, y, y_at + b, outer, row)
                store(w, out, unsigned(at + b))
                b += 4
    else:
        for j in range(size):
            p, q = x_at + j * inner, y_at + j * inner
            if inner >= 8:
                v = row_maxima(eight(), x, p, y, q, outer, row)
                for b in range(8, inner, 8):
                    here = min(b, inner - 8)
                    v = larger(row_maxima(eight(), x, p + here, y, q + here, outer, row), v)
                out[at + j] = largest(v)
            else:
                w = row_maxima(four(), x, p, y, q, outer, row)
                here = inner - 4
                w = larger(row_maxima(four(), x, p + here, y, q + here, outer, row), w)
                out[at + j] = largest(w)


@inlined
def row_maxima(
    like: Vector, x: Flat, x_at: int, y: Flat, y_at: int, rows: int, stride: int
) -> Vector:
    """Maxima over rows of the sums of two tables, in as many columns as a vector has."""
    p, q, step = unsigned(x_at), unsigned(y_at), unsigned(stride)
    best = plus(load(like, x, p), load(like, y, q))
    for _ in range(rows - 1):
        p, q = p + step, q + step
        best = larger(plus(load(like, x, p), load(like, y, q)), best)
    return best


@inlined
def add_axis(
    x: Flat, at: int, outer: int, size: int, inner: int, delta: Flat, delta_at: int
) -> None:
    """x[a, j, b] += delta[delta_at + j]."""
    if inner == 1:
        for a in range(outer):
            p, b = at + a * size, ZERO
            while b + 8 <= size:
                terms = load(eight(), delta, unsigned(delta_at + b))
                store(plus(load(eight(), x, unsigned(p + b)), terms), x, unsigned(p + b))
                b += 8
            while b < size:
                x[p + b] += delta[delta_at + b]
                b += 1
        return
    for a in range(outer):
        for j in range(size):
            p, b = at + (a * size + j) * inner, ZERO
            value = delta[delta_at + j]
            while b + 8 <= inner:
                here = unsigned(p + b)
                store(plus(load(eight(), x, here), spread(eight(), value)), x, here)
                b += 8
            while b < inner:
                x[p + b] += value
                b += 1


@inlined
def still(lattices: Lattices, n: int) -> bool:
    """Whether a lattice has no transitions, so that its messages are one number a frame."""
    none = True
    for a in range(lattices.first[n], lattices.first[n + 1]):
        none = none and lattices.share[a] == 0.0
    return none


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
