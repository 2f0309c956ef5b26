"""Passes over all frames of one or more product lattices.

Messages exclude the terms of their own frame, so in every frame

    message from the past + terms of the frame + message from the future

is the best score of any assignment that passes through a joint state.
"""

from typing import Any, NamedTuple

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, entry, inlined, unmanaged, unsigned
from sentrack.inference.kernels.messages import send
from sentrack.inference.kernels.simd import fetch
from sentrack.inference.kernels.tables import (
    add_axis,
    add_terms,
    axis_maxima,
    axis_terms,
    copy_run,
    index_room,
    mixed_states,
    still,
    top,
)
from sentrack.inference.structures import Lattices, Terms


class Room(NamedTuple):
    """What a sweep needs besides messages.

    Attributes:
        full_at: (N,) where the table of every lattice starts.
        alone: (N,) those without transitions.
        places: of `index_room`.
        none: (C,) no labels of the frame before.
        vectors: for the terms of all axes of a lattice.
        ping: for a table half way between two frames.
        pong: the same again.
        step: for a block of transitions.
        maxima: for the max-marginals of all copies of a chain, and their mean.
    """

    full_at: Flat
    alone: Flat
    places: Flat
    none: Flat
    vectors: Flat
    ping: Flat
    pong: Flat
    step: Flat
    maxima: Flat


@unmanaged
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
    room = sweeping_room(terms, lattices)
    pass_frames(
        terms,
        lattices,
        mine,
        other,
        forward,
        update,
        best,
        bound,
        full,
        rest,
        given,
        begin,
        end,
        room,
    )


@inlined
def sweeping_room(terms: Terms, lattices: Lattices) -> Any:
    """Room for a sweep: to make it anew for every frame would take longer than a small one."""
    sizes, states = terms.sizes, lattices.states
    N, C = states.shape[0], sizes.shape[0]
    full_at, alone = np.empty(N, np.int64), np.empty(N, np.bool_)
    total, largest, widest, copies = 0, 1, sizes.max(), 1
    for n in range(N):
        full_at[n], alone[n] = total, still(lattices, n)
        total += states[n].max()
        largest = max(largest, mixed_states(terms, lattices, n))
    for c in range(C):
        copies = max(copies, lattices.owner_first[c + 1] - lattices.owner_first[c])
    return Room(
        full_at,
        alone,
        index_room(lattices),
        np.full(C, -1, np.int64),
        np.empty(C * widest),
        np.empty(largest),
        np.empty(largest),
        np.empty(widest * widest),
        np.empty((copies + 1) * widest),
    )


@inlined
def fetch_run(array: Flat, at: int, size: int) -> None:
    """Have some numbers in a row ready soon."""
    for p in range(unsigned(at), unsigned(at + size), unsigned(8)):
        fetch(array, p)


@inlined
def fetch_frame(
    terms: Terms,
    lattices: Lattices,
    t: int,
    forward: bool,
    update: bool,
    other: Flat,
    mine: Flat,
    alone: Flat,
) -> None:
    """Have all terms of a frame ready soon, and the messages from frames to come."""
    sizes, T = terms.sizes, terms.sizes.shape[1]
    for c in range(sizes.shape[0]):
        into = t if forward else t + 1
        if 0 < into < T:
            fetch_run(terms.step, terms.step_at[c, into], sizes[c, into - 1] * sizes[c, into])
    for f in range(terms.factor_at.shape[0]):
        begin = terms.factor_at[f, t]
        end = terms.factor_at[f, t + 1] if t + 1 < T else begin
        fetch_run(terms.factor, begin, end - begin)
    for n in range(lattices.states.shape[0]):
        size = ONE if alone[n] else lattices.states[n, t]
        fetch_run(mine, lattices.table_at[n, t], size)
        if update:
            fetch_run(other, lattices.table_at[n, t], size)
    for a in range(lattices.node_at.shape[0]):
        fetch_run(lattices.node, lattices.node_at[a, t], sizes[lattices.chain[a], t])


@unmanaged
def pass_frames(
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
    room: Room,
) -> None:
    """What `sweep_frames` does, given room for all that it needs."""
    sizes = terms.sizes
    states, table_at, chain_of, first_axis = (
        lattices.states,
        lattices.table_at,
        lattices.chain,
        lattices.first,
    )
    full_at, alone, vectors, maxima = room.full_at, room.alone, room.vectors, room.maxima
    ping, pong, g = room.ping, room.pong, room.step
    N, T = states.shape
    C = sizes.shape[0]
    for s in range(begin, end):
        t = s if forward else T - 1 - s
        if s + 1 < end:
            fetch_frame(
                terms, lattices, t + 1 if forward else t - 1, forward, update, other, mine, alone
            )
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
                copy_run(mine, at, full, full_at[n], size)
            axis_terms(terms, lattices, n, t, room.none, forward, vectors)
            rows = size // sizes[chain_of[first_axis[n + 1] - 1], t]
            add_terms(terms, lattices, n, t, vectors, full, full_at[n], ZERO, rows, room.places)
        if update:
            for c in range(C):
                agree(terms, lattices, t, c, full, full_at, other, best, bound, rest, maxima, alone)
        elif s == T - 1:
            for n in range(N):
                best[n] = top(full, full_at[n], states[n, t])
