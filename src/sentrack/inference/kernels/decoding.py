"""Reading assignments off the messages of a sweep."""

from typing import Any

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, entry, inlined
from sentrack.inference.kernels.tables import (
    add_terms,
    axis_maxima,
    axis_terms,
    copy_run,
    index_room,
    place_of_top,
    still,
)
from sentrack.inference.structures import Lattices, Terms


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
    vectors: Flat,
    table: Flat,
    room: Flat,
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
        vectors: room for the terms of all axes.
        table: room for a table.
        room: of `index_room`.
    """
    sizes = terms.sizes
    first_axis, chain_of = lattices.first, lattices.chain
    first, last = first_axis[n], first_axis[n + 1]
    axis_terms(terms, lattices, n, t, labels, forward, vectors)
    states = lattices.states[n, t]
    alone = still(lattices, n)
    if alone:
        for p in range(states):
            table[p] = store[at]
    else:
        copy_run(store, at, table, ZERO, states)
    rows = states // sizes[chain_of[last - 1], t]
    add_terms(terms, lattices, n, t, vectors, table, ZERO, ZERO, rows, room)
    p = place_of_top(table, ZERO, states)
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
    start: int,
    begin: int,
    end: int,
) -> None:
    """Read the best assignment of every lattice, (axes, T), off the messages of a sweep.

    The sweep went against the direction of reading. Of `labels` those of the frames read as number
    `begin` to `end` are filled, given that of the frame before, which number `start` has not.
    """
    sizes = terms.sizes
    table_at = lattices.table_at
    T = sizes.shape[1]
    vectors, room = np.empty(sizes.shape[0] * sizes.max()), index_room(lattices)
    table = np.empty(lattices.states.max())
    for n in range(lattices.first.size - 1):
        first = lattices.first[n]
        here = np.empty(lattices.first[n + 1] - first, np.int64)
        for a in range(here.size):
            here[a] = -1
            if begin > start:
                here[a] = labels[first + a, begin - 1 if forward else T - begin]
        for s in range(begin, end):
            t = s if forward else T - 1 - s
            decode(
                terms, lattices, n, t, forward, store, table_at[n, t], here, vectors, table, room
            )
            for a in range(here.size):
                labels[first + a, t] = here[a]


@inlined
def product(sizes: Flat, first: Int, last: Int) -> Any:
    """The product of some sizes, one if there are none."""
    states = ONE
    for i in range(first, last):
        states *= sizes[i]
    return states


@entry
def decode_jointly(
    terms: Terms,
    lattices: Lattices,
    forward: bool,
    store: Flat,
    order: Flat,
    labels: Flat,
    start: int,
    begin: int,
    end: int,
) -> None:
    """Read one assignment (C, T) off the messages of all lattices together.

    The sweep went against the direction of reading. Frame by frame, given the labels of the frame
    before, one chain after another takes the label with which the lattices that have it score most
    together, given what the chains in `order` before it took. The frames read as number `begin` to
    `end` are filled; number `start` has none before it.
    """
    sizes, first_axis, chain_of = terms.sizes, lattices.first, lattices.chain
    owner_first, owner, lattice_of = lattices.owner_first, lattices.owner, lattices.lattice
    C, T = sizes.shape
    N, widest = first_axis.size - 1, sizes.max()
    vectors, room = np.empty(C * widest), index_room(lattices)
    previous, left = np.empty(C, np.int64), np.empty(chain_of.size, np.int64)
    full_at, total = np.empty(N, np.int64), 0
    for n in range(N):
        full_at[n] = total
        total += lattices.states[n].max()
    full, found, together = np.empty(total), np.empty(widest), np.empty(widest)
    for s in range(begin, end):
        t = s if forward else T - 1 - s
        for n in range(N):
            at, stored, states = full_at[n], lattices.table_at[n, t], lattices.states[n, t]
            alone = still(lattices, n)
            if alone:
                for p in range(states):
                    full[at + p] = store[stored]
            else:
                copy_run(store, stored, full, at, states)
            for a in range(first_axis[n], first_axis[n + 1]):
                left[a] = sizes[chain_of[a], t]
                previous[a - first_axis[n]] = -1
                if s > start:
                    previous[a - first_axis[n]] = labels[chain_of[a], t - 1 if forward else t + 1]
            axis_terms(terms, lattices, n, t, previous, forward, vectors)
            rows = states // left[first_axis[n + 1] - 1]
            add_terms(terms, lattices, n, t, vectors, full, at, ZERO, rows, room)
        for c in order:
            size = sizes[c, t]
            labels[c, t] = 0
            if size == 1:
                continue
            for j in range(size):
                together[j] = 0.0
            for o in range(owner_first[c], owner_first[c + 1]):
                a = owner[o]
                n = lattice_of[a]
                at, outer = full_at[n], product(left, first_axis[n], a)
                inner = product(left, a + 1, first_axis[n + 1])
                axis_maxima(full, at, full, at, outer, size, inner, found, ZERO)
                for j in range(size):
                    # The kernel added the table to itself.
                    together[j] += 0.5 * found[j]
            chosen = 0
            for j in range(size):
                if together[j] > together[chosen]:
                    chosen = j
            labels[c, t] = chosen
            # Of the tables only the part with this label is left.
            for o in range(owner_first[c], owner_first[c + 1]):
                a = owner[o]
                n = lattice_of[a]
                at, outer = full_at[n], product(left, first_axis[n], a)
                inner = product(left, a + 1, first_axis[n + 1])
                for i in range(outer):
                    source = at + (i * size + chosen) * inner
                    copy_run(full, source, full, at + i * inner, inner)
                left[a] = 1
