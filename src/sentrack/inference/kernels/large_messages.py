"""Messages of large lattices: kept in cache, and in parts that threads can share."""

from typing import Any

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, entry, inlined, internal
from sentrack.inference.kernels.messages import load_step, transfer
from sentrack.inference.kernels.tables import add_terms, axis_terms, index_room
from sentrack.inference.structures import Lattices, Terms

# Parts of a message that threads compute one after another.
WHOLE: Int = np.int64(0)
INNER: Int = np.int64(1)
OUTER: Int = np.int64(2)

# Joint states of the innermost axes up to which columns, this many at a time, are made of the outer
# index instead ...
SHORT_AXIS = 640
WIDE = 128
# ... unless there are very few outer ones, or the very innermost axis is long enough.
FEW_ROWS = 16
LONG = 64
# Doubles that stay in the second-level cache, and the side of a square that is transposed at once.
CACHE = 65536
SQUARE = 16


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
def send_large(
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
        work: room for three tables half way between the frames, and a block of transitions.
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
    n_in, n_out = sizes[chain[outer_axis], before], sizes[chain[outer_axis], t]
    room, inner, rest = ONE, ONE, ONE
    for a in range(outer_axis + 1, last):
        room *= max(sizes[chain[a], before], sizes[chain[a], t])
        inner *= sizes[chain[a], t]
        rest *= sizes[chain[a], before]
    here, at, buffers = src, src_at, work
    if part != OUTER:
        there, there_at = dst, dst_at
        if part == WHOLE:
            lo, hi = ZERO, n_in
            there, there_at, buffers = work[: n_in * inner], ZERO, work[n_in * inner :]
        # What is done to one label after another stays in the second-level cache.
        chunk = max(ONE, CACHE // room)
        for first in range(lo, hi, chunk):
            labels = min(chunk, hi - first)
            send_inner(
                terms,
                lattices,
                n,
                outer_axis + 1,
                t,
                forward,
                src,
                src_at + first * rest,
                there,
                there_at + (first - lo) * inner,
                labels,
                buffers[: 2 * room * labels],
                buffers[2 * room * labels :],
            )
        if part == INNER:
            return
        here, at = there, there_at
        lo, hi = ZERO, inner
    load_step(terms, chain[outer_axis], lattices.share[outer_axis], t, forward, buffers)
    for p in range(n_in * n_out):
        buffers[p] += constant
    transfer(here, at, dst, dst_at, ONE, n_in, n_out, inner, buffers, lo, hi)


@internal
def send_inner(
    terms: Terms,
    lattices: Lattices,
    n: Int,
    first: Int,
    t: Int,
    forward: bool,
    src: Flat,
    src_at: Int,
    dst: Flat,
    dst_at: Int,
    labels: Int,
    buffers: Flat,
    g: Flat,
) -> None:
    """Transitions of the axes from `first` on, for some labels of the axis before them."""
    sizes, chain, last = terms.sizes, lattices.chain, lattices.first[n + 1]
    before = t - 1 if forward else t + 1
    half = buffers.size // 2
    ping, pong = buffers[:half], buffers[half:]
    here, at = src, src_at
    rest, real = labels, ZERO
    for a in range(first, last):
        rest *= sizes[chain[a], before]
        real += sizes[chain[a], before] > 1 or sizes[chain[a], t] > 1
    # The innermost axes are short: columns to run over are made of the outer index instead.
    inner, start = ONE, last
    if sizes[chain[last - 1], t] < LONG:
        while start > first and inner * sizes[chain[start - 1], t] <= SHORT_AXIS:
            start -= 1
            inner *= sizes[chain[start], t]
            rest //= sizes[chain[start], before]
        if rest < FEW_ROWS:
            for a in range(start, last):
                rest *= sizes[chain[a], before]
            inner, start = ONE, last
    if start < last:
        for a in range(start, last):
            real -= sizes[chain[a], before] > 1 or sizes[chain[a], t] > 1
        there, there_at = (dst, dst_at) if real == 0 else (ping, ZERO)
        turn(terms, lattices, start, last, t, forward, here, at, there, there_at, rest, g)
        here, at = there, there_at
        ping, pong = pong, ping
    elif real == 0:
        for p in range(rest):
            dst[dst_at + p] = src[src_at + p]
    for a in range(start - 1, first - 1, -1):
        n_in, n_out = sizes[chain[a], before], sizes[chain[a], t]
        if n_in == 1 and n_out == 1:
            continue
        rest //= n_in
        real -= 1
        load_step(terms, chain[a], lattices.share[a], t, forward, g)
        there, there_at = (dst, dst_at) if real == 0 else (ping, ZERO)
        transfer(here, at, there, there_at, rest, n_in, n_out, inner, g, ZERO, inner)
        here, at = there, there_at
        ping, pong = pong, ping
        inner *= n_out


@internal
def turn(
    terms: Terms,
    lattices: Lattices,
    start: Int,
    last: Int,
    t: Int,
    forward: bool,
    src: Flat,
    src_at: Int,
    dst: Flat,
    dst_at: Int,
    outer: Int,
    g: Flat,
) -> None:
    """Transitions of the axes from start to last, with the outer index moved inwards meanwhile."""
    sizes, chain, share = terms.sizes, lattices.chain, lattices.share
    before = t - 1 if forward else t + 1
    rows_in, rows_out, room = ONE, ONE, ONE
    for a in range(start, last):
        rows_in *= sizes[chain[a], before]
        rows_out *= sizes[chain[a], t]
        room *= max(sizes[chain[a], before], sizes[chain[a], t])
    wide = min(outer, WIDE)
    ping, pong = np.empty(room * wide), np.empty(room * wide)
    for first in range(0, outer, wide):
        width = min(wide, outer - first)
        transpose(src, src_at + first * rows_in, ping, ZERO, width, rows_in)
        inner, rest = width, rows_in
        for a in range(last - 1, start - 1, -1):
            n_in, n_out = sizes[chain[a], before], sizes[chain[a], t]
            if n_in == 1 and n_out == 1:
                continue
            rest //= n_in
            load_step(terms, chain[a], share[a], t, forward, g)
            transfer(ping, ZERO, pong, ZERO, rest, n_in, n_out, inner, g, ZERO, inner)
            ping, pong = pong, ping
            inner *= n_out
        transpose(ping, ZERO, dst, dst_at + first * rows_out, rows_out, width)


@internal
def transpose(src: Flat, src_at: Int, dst: Flat, dst_at: Int, m: Int, n: Int) -> None:
    """dst[j, i] = src[i, j] for i < m, j < n, in squares that touch few cache lines and pages."""
    for top in range(0, m, SQUARE):
        for left in range(0, n, SQUARE):
            for i in range(top, min(top + SQUARE, m)):
                for j in range(left, min(left + SQUARE, n)):
                    dst[dst_at + j * m + i] = src[src_at + i * n + j]


@entry
def frame_terms(terms: Terms, lattices: Lattices, t: Int, previous: Flat, vectors: Flat) -> None:
    """Node terms of all axes of the first lattice; see `axis_terms`."""
    axis_terms(terms, lattices, ZERO, t, previous, True, vectors)


@entry
def add_rows(
    terms: Terms, lattices: Lattices, t: Int, vectors: Flat, table: Flat, lo: Int, hi: Int
) -> None:
    """Add the terms of frame t to some rows of the first lattice's table; see `add_terms`."""
    add_terms(terms, lattices, ZERO, t, vectors, table, ZERO, lo, hi, index_room(lattices))
