"""Messages between adjacent frames of a product lattice: the max-plus kernel of all methods.

A joint state is a tuple of labels, one per axis, stored in C order. Because transitions separate,
the maximum over all joint predecessors is one maximum per axis (`transfer`): T·S·(ΣJ+ΣK) operations
instead of T·S².
"""

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, inlined, internal, unsigned
from sentrack.inference.structures import Lattices, Terms

# Columns of one inner loop: 256 doubles of a few dozen rows stay in the first two cache levels.
BLOCK = 256
# Of a last axis of fewer labels than this, rows are too short for vectors. It is brought to the
# front first, unless there are fewer operations than that takes.
SHORT = 64
TINY = 500


@inlined
def combine(
    out: Flat,
    out_at: Int,
    columns: Int,
    src: Flat,
    at: Int,
    stride: Int,
    add: Flat,
    first: Int,
    skip: Int,
    n: Int,
) -> None:
    """out[b] = max_i src[at + i*stride + b] + add[first + i*skip].

    Unsigned places need no test for being negative, which would keep the loops from being vectors;
    views of the arrays would do as well, but cost a counted reference each.
    """
    width, o = unsigned(columns), unsigned(out_at)
    started = False
    for a in range(0, n, 4):
        # Four rows at a time quarter the traffic on `out`; of fewer rows the last stands in.
        b, c, d = min(a + 1, n - 1), min(a + 2, n - 1), min(a + 3, n - 1)
        ga, gb = add[first + a * skip], add[first + b * skip]
        gc, gd = add[first + c * skip], add[first + d * skip]
        if max(max(ga, gb), max(gc, gd)) == -np.inf:
            continue
        xa, xb = unsigned(at + a * stride), unsigned(at + b * stride)
        xc, xd = unsigned(at + c * stride), unsigned(at + d * stride)
        if started:
            for p in range(width):
                v, w = src[xa + p] + ga, src[xb + p] + gb
                x, y = src[xc + p] + gc, src[xd + p] + gd
                v, x = v if v > w else w, x if x > y else y
                v = v if v > x else x
                out[o + p] = v if v > out[o + p] else out[o + p]
        else:
            for p in range(width):
                v, w = src[xa + p] + ga, src[xb + p] + gb
                x, y = src[xc + p] + gc, src[xd + p] + gd
                v, x = v if v > w else w, x if x > y else y
                out[o + p] = v if v > x else x
            started = True
    if not started:
        for p in range(width):
            out[o + p] = -np.inf


@inlined
def top(src: Flat, at: Int, size: Int) -> float:
    """The largest of some numbers in a row."""
    # Four maxima side by side: none has to wait for the one before it.
    first, second, third, fourth = -np.inf, -np.inf, -np.inf, -np.inf
    whole = size - size % 4
    for p in range(unsigned(at), unsigned(at + whole), unsigned(4)):
        a, b, c, d = src[p], src[p + unsigned(1)], src[p + unsigned(2)], src[p + unsigned(3)]
        first = a if a > first else first
        second = b if b > second else second
        third = c if c > third else third
        fourth = d if d > fourth else fourth
    for p in range(unsigned(at + whole), unsigned(at + size)):
        first = src[p] if src[p] > first else first
    return max(max(first, second), max(third, fourth))


@internal
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

    The inner loop runs over b, or over j where there is one b only. Where that is short, the axis
    is brought to the front first, so that the inner loop runs over all a.
    """
    if inner == 1 and (n_out >= SHORT or outer == 1):
        for a in range(outer):
            combine(
                dst, dst_at + a * n_out, n_out, g, ZERO, n_out, src, src_at + a * n_in, ONE, n_in
            )
        return
    short = inner == 1
    if short and n_in * n_out * outer < TINY:
        for a in range(outer):
            for j in range(n_out):
                best = -np.inf
                for i in range(n_in):
                    v = src[src_at + a * n_in + i] + g[i * n_out + j]
                    best = v if v > best else best
                dst[dst_at + a * n_out + j] = best
        return
    whole, whole_at, rows = dst, dst_at, outer
    if short:
        front = np.empty(n_in * rows)
        for a in range(rows):
            s = unsigned(src_at + a * n_in)
            for i in range(n_in):
                front[i * rows + a] = src[s + unsigned(i)]
        src, src_at, outer, inner, lo, hi = front, ZERO, ONE, rows, ZERO, rows
        dst, dst_at = np.empty(n_out * rows), ZERO
    for a in range(outer):
        s, d = src_at + a * n_in * inner, dst_at + a * n_out * inner
        for b in range(lo, hi, BLOCK):
            columns = min(BLOCK, hi - b)
            for j in range(n_out):
                combine(dst, d + j * inner + b, columns, src, s + b, inner, g, j, n_out, n_in)
    if short:
        for a in range(rows):
            d = unsigned(whole_at + a * n_out)
            for j in range(n_out):
                whole[d + unsigned(j)] = dst[j * rows + a]


@inlined
def load_step(terms: Terms, c: Int, share: float, t: Int, forward: bool, g: Flat) -> None:
    """g[i, j]: transition of chain c into frame t, from the frame before it or (backward) after."""
    sizes, step_at, step = terms.sizes, terms.step_at, terms.step
    n = sizes[c, t]
    if forward:
        at = step_at[c, t]
        for p in range(sizes[c, t - 1] * n):
            g[p] = share * step[at + p]
    else:
        at, m = step_at[c, t + 1], sizes[c, t + 1]
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
