"""Messages between adjacent frames of a product lattice: the max-plus kernel of all methods.

A joint state is a tuple of labels, one per axis, stored in C order. Because transitions separate,
the maximum over all joint predecessors is one maximum per axis (`transfer`): T·S·(ΣJ+ΣK) operations
instead of T·S².
"""

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, inlined, unmanaged, unsigned
from sentrack.inference.kernels.simd import (
    Vector,
    eight,
    four,
    larger,
    load,
    plus,
    spread,
    store,
)
from sentrack.inference.kernels.tables import top
from sentrack.inference.structures import Lattices, Terms

# Rows of a block that is kept in registers.
ROWS = 4


@inlined
def best_sums(
    like: Vector,
    out: Flat,
    out_at: Int,
    out_step: Int,
    add: Flat,
    first: Int,
    add_step: Int,
    add_skip: Int,
    src: Flat,
    at: Int,
    stride: Int,
    n: Int,
    rows: Int,
) -> None:
    """One vector of `best_products`, in every row."""
    step, down = unsigned(add_step), unsigned(stride)
    for row in range(0, rows, ROWS):
        # Of fewer rows the last stands in.
        second, third, fourth = (
            min(row + 1, rows - 1),
            min(row + 2, rows - 1),
            min(row + 3, rows - 1),
        )
        ga, gb = unsigned(first + row * add_skip), unsigned(first + second * add_skip)
        gc, gd = unsigned(first + third * add_skip), unsigned(first + fourth * add_skip)
        x = unsigned(at)
        v = load(like, src, x)
        a, b = plus(v, spread(like, add[ga])), plus(v, spread(like, add[gb]))
        c, d = plus(v, spread(like, add[gc])), plus(v, spread(like, add[gd]))
        for _ in range(n - 1):
            x, ga, gb, gc, gd = x + down, ga + step, gb + step, gc + step, gd + step
            v = load(like, src, x)
            a = larger(plus(v, spread(like, add[ga])), a)
            b = larger(plus(v, spread(like, add[gb])), b)
            c = larger(plus(v, spread(like, add[gc])), c)
            d = larger(plus(v, spread(like, add[gd])), d)
        store(a, out, unsigned(out_at + row * out_step))
        store(b, out, unsigned(out_at + second * out_step))
        store(c, out, unsigned(out_at + third * out_step))
        store(d, out, unsigned(out_at + fourth * out_step))


@unmanaged
def best_products(
    out: Flat,
    out_at: Int,
    out_step: Int,
    add: Flat,
    first: Int,
    add_step: Int,
    add_skip: Int,
    src: Flat,
    at: Int,
    stride: Int,
    n: Int,
    rows: Int,
    columns: Int,
) -> None:
    """A product of matrices, of sums and maxima in place of products and sums.

    out[r*out_step + b] = max_i add[first + r*add_skip + i*add_step] + src[at + i*stride + b] for
    r < rows and b < columns, in blocks of four rows and eight columns. Blocks overlap where columns
    are no multiple of that; what is written twice is the same.
    """
    if columns < 4:
        for r in range(rows):
            for b in range(columns):
                best = -np.inf
                for i in range(n):
                    v = add[first + r * add_skip + i * add_step] + src[at + i * stride + b]
                    best = v if v > best else best
                out[out_at + r * out_step + b] = best
        return
    b = ZERO
    while b < columns:
        left = columns - b
        if left > 4 and columns >= 8:
            b = min(b, columns - 8)
            best_sums(
                eight(),
                out,
                out_at + b,
                out_step,
                add,
                first,
                add_step,
                add_skip,
                src,
                at + b,
                stride,
                n,
                rows,
            )
            b += 8
        else:
            b = min(b, columns - 4)
            best_sums(
                four(),
                out,
                out_at + b,
                out_step,
                add,
                first,
                add_step,
                add_skip,
                src,
                at + b,
                stride,
                n,
                rows,
            )
            b += 4


@unmanaged
def transfer(
    src: Flat,
    src_at: Int,
    dst: Flat,
    dst_at: Int,
    outer: Int,
    n_in: Int,
    n_out: Int,
    inner: Int,
    g: Flat,
    lo: Int,
    hi: Int,
) -> None:
    """One axis of a transition: dst[a, j, b] = max_i src[a, i, b] + g[i, j] for lo <= b < hi.

    Vectors run over b, or over j where there is one b only.
    """
    if inner == 1:
        best_products(
            dst, dst_at, n_out, src, src_at, ONE, n_in, g, ZERO, n_out, n_in, outer, n_out
        )
        return
    for a in range(outer):
        s, d = src_at + a * n_in * inner + lo, dst_at + a * n_out * inner + lo
        best_products(dst, d, inner, g, ZERO, n_out, ONE, src, s, inner, n_in, n_out, hi - lo)


@inlined
def load_step(terms: Terms, c: Int, share: float, t: Int, forward: bool, g: Flat) -> None:
    """g[i, j]: transition of chain c into frame t, from the frame before it or (backward) after."""
    sizes, step_at, step = terms.sizes, terms.step_at, terms.step
    n = unsigned(sizes[c, t])
    if forward:
        at = unsigned(step_at[c, t])
        for p in range(unsigned(sizes[c, t - 1]) * n):
            g[p] = share * step[at + p]
    else:
        at, m = unsigned(step_at[c, t + 1]), unsigned(sizes[c, t + 1])
        for i in range(m):
            for j in range(n):
                g[i * n + j] = share * step[at + j * m + i]


@inlined
def send(
    terms: Terms,
    lattices: Lattices,
    n: Int,
    t: Int,
    forward: bool,
    src: Flat,
    src_at: Int,
    dst: Flat,
    dst_at: Int,
    ping: Flat,
    pong: Flat,
    g: Flat,
) -> None:
    """The message of lattice n into frame t, from the full table of the frame next to it.

    Args:
        terms: the reduced problem.
        lattices: its decomposition.
        n: the lattice.
        t: the frame.
        forward: whether the message comes from the frame before, or after.
        src: holds the table, from `src_at` on.
        src_at: start of the table.
        dst: takes the message, from `dst_at` on; one number if the lattice has no transitions.
        dst_at: start of the message.
        ping: room for a table half way between the frames.
        pong: the same again.
        g: room for a block of transitions.
    """
    sizes, chain, share = terms.sizes, lattices.chain, lattices.share
    before = t - 1 if forward else t + 1
    # Axes with one label on either side only add a number, which rides on the last real axis.
    constant, real, size = 0.0, ZERO, ONE
    moves = False
    for a in range(lattices.first[n], lattices.first[n + 1]):
        c = chain[a]
        moves = moves or share[a] > 0.0
        size *= sizes[c, before]
        if sizes[c, before] == 1 and sizes[c, t] == 1:
            if share[a] > 0.0:
                constant += share[a] * terms.step[terms.step_at[c, t if forward else t + 1]]
        else:
            real += 1
    if not moves:
        # Without transitions all that is known of the frame next to it is its best score.
        dst[dst_at] = top(src, src_at, size)
        return
    if real == 0:
        dst[dst_at] = src[src_at] + constant
    here, at, inner = src, src_at, ONE
    for a in range(lattices.first[n + 1] - 1, lattices.first[n] - 1, -1):
        n_in, n_out = sizes[chain[a], before], sizes[chain[a], t]
        if n_in == 1 and n_out == 1:
            continue
        load_step(terms, chain[a], share[a], t, forward, g)
        outer = size // (n_in * inner)
        there, there_at = ping, ZERO
        real -= 1
        if real == 0:
            for p in range(n_in * n_out):
                g[p] += constant
            there, there_at = dst, dst_at
        transfer(here, at, there, there_at, outer, n_in, n_out, inner, g, ZERO, inner)
        here, at = there, there_at
        ping, pong = pong, ping
        size = outer * n_out * inner
        inner *= n_out
