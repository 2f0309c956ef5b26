"""Messages between adjacent frames of a product lattice: the max-plus kernel of all methods.

A joint state is a tuple of labels, one per axis, stored in C order. Because transitions separate,
the maximum over all joint predecessors is one maximum per axis (`transfer`): T·S·(ΣJ+ΣK) operations
instead of T·S².
"""

from typing import Any

import numpy as np

from sentrack.inference.compiled import ONE, ZERO, Flat, Int, entry, inlined, internal
from sentrack.inference.structures import Lattices, Terms

# Columns of one inner loop: 256 doubles of a few dozen rows stay in the first two cache levels.
BLOCK = 256
# With fewer columns than this the outer index is moved inwards first.
NARROW = 8

# Parts of a message that threads compute one after another.
WHOLE: Int = np.int64(0)
INNER: Int = np.int64(1)
OUTER: Int = np.int64(2)


@internal
def combine(
    out: Flat, src: Flat, at: Int, stride: Int, add: Flat, first: Int, skip: Int, n: Int
) -> None:
    """out[b] = max_i src[at + i*stride + b] + add[first + i*skip], leaving out forbidden i."""
    width = out.size
    started = False
    i = 0
    while i < n:
        if add[first + i * skip] == -np.inf:
            i += 1
            continue
        # Two rows at a time halve the traffic on `out`; a last single row is its own partner.
        j = i + 1
        while j < n and add[first + j * skip] == -np.inf:
            j += 1
        other = j if j < n else i
        g, h = add[first + i * skip], add[first + other * skip]
        x = src[at + i * stride : at + i * stride + width]
        y = src[at + other * stride : at + other * stride + width]
        if started:
            for b in range(width):
                v, w = x[b] + g, y[b] + h
                v = v if v > w else w
                out[b] = v if v > out[b] else out[b]
        else:
            for b in range(width):
                v, w = x[b] + g, y[b] + h
                out[b] = v if v > w else w
            started = True
        i = j + 1
    if not started:
        for b in range(width):
            out[b] = -np.inf


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

    The inner loop runs over b where it is long; over j where there is one b; and over a, which a
    buffer moves inwards, in between. The three share one call: compiling it thrice takes seconds.
    """
    narrow = 1 < inner < NARROW
    wide = min(BLOCK, outer)
    turned = np.empty(n_in * inner * wide if narrow else 0)
    buffer = np.empty(wide if narrow else 0)
    if inner == 1:
        blocks, jobs = outer, 1
    elif narrow:
        blocks, jobs = (outer + wide - 1) // wide, n_out * inner
    else:
        parts = (hi - lo + BLOCK - 1) // BLOCK
        blocks, jobs = outer * parts, n_out
    for block in range(blocks):
        width = min(wide, outer - block * wide)
        if narrow:
            for a in range(width):
                s = src_at + (block * wide + a) * n_in * inner
                for r in range(n_in * inner):
                    turned[r * wide + a] = src[s + r]
        for job in range(jobs):
            if inner == 1:
                d = dst_at + block * n_out
                out, table, at, stride = dst[d : d + n_out], g, ZERO, n_out
                add, first, skip = src, src_at + block * n_in, ONE
            elif narrow:
                j, b = job // inner, job % inner
                out, table, at, stride = buffer[:width], turned, b * wide, inner * wide
                add, first, skip = g, j, n_out
            else:
                a, b = block // parts, lo + block % parts * BLOCK
                d = dst_at + (a * n_out + job) * inner + b
                out, table = dst[d : d + min(BLOCK, hi - b)], src
                at, stride = src_at + a * n_in * inner + b, inner
                add, first, skip = g, job, n_out
            combine(out, table, at, stride, add, first, skip, n_in)
            if narrow:
                d = dst_at + block * wide * n_out * inner + job
                for a in range(width):
                    dst[d + a * n_out * inner] = buffer[a]


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
def outermost(terms: Terms, lattices: Lattices, n: Int, t: Int, forward: bool) -> Any:
    """The first axis with more than one label in frame t or the frame that the message comes from.

    Returns that axis of lattice n, or the end of its axes if there is none, and the sum of the
    transitions of its one-label axes.
    """
    sizes, step_at, step = terms.sizes, terms.step_at, terms.step
    before = t - 1 if forward else t + 1
    last = lattices.first[n + 1]
    constant, outer = 0.0, last
    for a in range(lattices.first[n], last):
        c = lattices.chain[a]
        if sizes[c, before] == 1 and sizes[c, t] == 1:
            constant += lattices.share[a] * step[step_at[c, t if forward else t + 1]]
        elif outer == last:
            outer = a
    return outer, constant


@entry
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
    work: Flat,
    part: Int,
    lo: Int,
    hi: Int,
) -> None:
    """The message of lattice n into frame t, from the full table (src) of the frame next to it.

    Args:
        terms: the reduced problem.
        lattices: its decomposition.
        n: the lattice.
        t: the frame.
        forward: whether the message comes from the frame before, or after.
        src: holds the table, from `src_at` on.
        src_at: start of the table.
        dst: takes the message, from `dst_at` on.
        dst_at: start of the message.
        work: room for two tables half way between the frames, and a block of transitions.
        part: WHOLE for all axes; INNER for all but the outermost, whose labels lo to hi are taken;
            OUTER for the outermost one alone, for the joint states lo to hi of the others.
        lo: see part.
        hi: see part.
    """
    sizes, chain, last = terms.sizes, lattices.chain, lattices.first[n + 1]
    before = t - 1 if forward else t + 1
    outer_axis, constant = outermost(terms, lattices, n, t, forward)
    if outer_axis == last:
        dst[dst_at] = src[src_at] + (0.0 if part == INNER else constant)
        return
    labels = sizes[chain[outer_axis], before]
    block = labels * sizes[chain[outer_axis], t]
    room, inner, rest, axes = ONE, ONE, ONE, 0
    for a in range(outer_axis + 1, last):
        n_in, n_out = sizes[chain[a], before], sizes[chain[a], t]
        axes += n_in > 1 or n_out > 1
        room *= max(n_in, n_out)
        block = max(block, n_in * n_out)
        if part == OUTER:
            inner *= n_out
        else:
            rest *= n_in
    here, at = src, src_at
    if part == INNER:
        labels, at = hi - lo, src_at + lo * rest
        if axes == 0:
            for p in range(labels):
                dst[dst_at + p] = src[at + p]
    room *= labels
    g = work[:block]
    ping, pong = work[block : block + room], work[block + room : block + 2 * room]
    stop = outer_axis if part == INNER else outer_axis - 1
    start = outer_axis if part == OUTER else last - 1
    for a in range(start, stop, -1):
        n_in, n_out = sizes[chain[a], before], sizes[chain[a], t]
        if n_in == 1 and n_out == 1:
            continue
        load_step(terms, chain[a], lattices.share[a], t, forward, g)
        there, there_at = ping, ZERO
        begin, end = ZERO, inner
        if a == outer_axis:
            count = ONE
            for p in range(n_in * n_out):
                g[p] += constant
            there, there_at = dst, dst_at
            if part == OUTER:
                begin, end = lo, hi
        else:
            rest //= n_in
            count = labels * rest
            axes -= 1
            if part == INNER and axes == 0:
                there, there_at = dst, dst_at
        transfer(here, at, there, there_at, count, n_in, n_out, inner, g, begin, end)
        here, at = there, there_at
        ping, pong = pong, ping
        inner *= n_out
