"""Sums over all joint states of one lattice: forward, then backward with the marginals read off.

The recursion is that of `messages`, with log-sum-exp in place of maxima: transitions separate here,
too, so that a frame takes one pass per axis. Tables are logarithms. Where nothing of a frame can
get lost beside the largest, its exponentials are multiplied and added up instead.
"""

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, entry, internal, unsigned
from sentrack.inference.kernels.sum_messages import send_sums
from sentrack.inference.kernels.tables import add_terms, axis_terms, index_room
from sentrack.inference.structures import Lattices, Terms

# What is less likely than exp of this is nothing beside what sums to one: far less than rounding.
NOTHING = -60.0
# Nats between the largest and the smallest product of a sum, below which none is rounded to zero.
SPREAD = 600.0


@entry
def sum_over(
    terms: Terms,
    lattices: Lattices,
    between: Int,
    store: Flat,
    node: Flat,
    factor: Flat,
    pairs: Flat,
) -> float:
    """The log of the sum over all assignments, and marginals if there is any.

    Args:
        terms: the reduced problem.
        lattices: one lattice of all chains.
        between: the most that a table of a frame, or half way to the next, may hold.
        store: filled with log sums of all that leads to a joint state, its own frame included, laid
            out by `lattices.table_at`.
        node: filled with the probabilities of labels, laid out like `terms.node`.
        factor: filled with the joint probabilities of the labels of factors, like `terms.factor`.
        pairs: (words, T-1, K, K), of all chains that are words, in order; the first labels of K are
            filled with the joint probabilities of the states of successive frames.
    """
    steps, most, wide = _scaled_steps(terms)
    _forward(terms, lattices, between, steps, most, wide, store)
    t = terms.sizes.shape[1] - 1
    at, size = lattices.table_at[0, t], lattices.states[0, t]
    top, _ = _extent(store, at, size)
    if top == -np.inf:
        return float(top)
    total = 0.0
    for p in range(at, at + size):
        total += np.exp(store[p] - top)
    log_partition = top + np.log(total)
    _backward(
        terms, lattices, between, steps, most, wide, store, log_partition, node, factor, pairs
    )
    return float(log_partition)


@internal
def _forward(
    terms: Terms,
    lattices: Lattices,
    between: Int,
    steps: Flat,
    most: Flat,
    wide: Flat,
    store: Flat,
) -> None:
    """Fill the store."""
    ping, pong, g, vectors, none = _room(terms, between)
    room = index_room(lattices)
    for t in range(terms.sizes.shape[1]):
        at, size = lattices.table_at[0, t], lattices.states[0, t]
        if t == 0:
            for p in range(size):
                store[at + p] = 0.0
        else:
            before, n = lattices.table_at[0, t - 1], lattices.states[0, t - 1]
            top, spread = _extent(store, before, n)
            if spread + wide[:, t].sum() < SPREAD:
                _exponentials(store, before, n, top, ping)
                here = send_sums(terms, steps, True, t, True, n, -ONE, ping, pong, g)
                _logarithms(here, size, top + most[:, t].sum(), store, at)
            else:
                _copy(store, before, n, ping)
                here = send_sums(terms, steps, False, t, True, n, -ONE, ping, pong, g)
                for p in range(size):
                    store[at + p] = here[p]
        axis_terms(terms, lattices, ZERO, t, none, True, vectors)
        rows = size // terms.sizes[-1, t]
        add_terms(terms, lattices, ZERO, t, vectors, store, at, ZERO, rows, room)


@internal
def _backward(
    terms: Terms,
    lattices: Lattices,
    between: Int,
    steps: Flat,
    most: Flat,
    wide: Flat,
    store: Flat,
    log_partition: float,
    node: Flat,
    factor: Flat,
    pairs: Flat,
) -> None:
    """Marginals of labels, of factors, and of the labels of successive frames."""
    sizes = terms.sizes
    C, T = sizes.shape
    ping, pong, g, vectors, none = _room(terms, between)
    room = index_room(lattices)
    # Logarithms of what follows a frame, their exponentials, and those of what leads to it.
    after, joint = np.zeros(between), np.empty(between)
    follows, leads = np.empty(between), np.empty(between)
    for t in range(T - 1, -1, -1):
        at, size = lattices.table_at[0, t], lattices.states[0, t]
        for p in range(size):
            log = store[at + p] + after[p] - log_partition
            joint[p] = np.exp(log) if log > NOTHING else 0.0
        _marginals(terms, t, joint, size, node, factor)
        if t == 0:
            break
        axis_terms(terms, lattices, ZERO, t, none, True, vectors)
        rows = size // sizes[-1, t]
        add_terms(terms, lattices, ZERO, t, vectors, after, ZERO, ZERO, rows, room)
        before, n = lattices.table_at[0, t - 1], lattices.states[0, t - 1]
        top, spread = _extent(store, before, n)
        top_after, spread_after = _extent(after, ZERO, size)
        _exponentials(after, ZERO, size, top_after, follows)
        _exponentials(store, before, n, top, leads)
        tops, wider = most[:, t].sum(), wide[:, t].sum()
        # What is lost of a product of the two is nothing even if it is raised by as much again.
        scale = top + tops + top_after - log_partition
        plain = spread + wider < SPREAD and spread_after < SPREAD and scale < SPREAD
        word = 0
        for c in range(C):
            if terms.chain[c] >= terms.L:
                if plain:
                    _copy(leads, ZERO, n, ping)
                    moved = send_sums(terms, steps, True, t, True, n, c, ping, pong, g)
                    _plain_pairs(terms, steps, c, t, moved, follows, size, pairs[word, t - 1])
                    pairs[word, t - 1] *= np.exp(scale)
                else:
                    _copy(store, before, n, ping)
                    moved = send_sums(terms, steps, False, t, True, n, c, ping, pong, g)
                    _pairs(terms, c, t, moved, after, size, log_partition, pairs[word, t - 1])
                word += 1
        if spread_after + wider < SPREAD:
            here = send_sums(terms, steps, True, t - 1, False, size, -ONE, follows, pong, g)
            _logarithms(here, n, top_after + tops, after, ZERO)
        else:
            _copy(after, ZERO, size, ping)
            here = send_sums(terms, steps, False, t - 1, False, size, -ONE, ping, pong, g)
            _copy(here, ZERO, n, after)


@internal
def _room(terms: Terms, between: Int) -> Flat:
    """Two tables half way, a block of transitions, the terms of all axes, and no labels before."""
    C = terms.sizes.shape[0]
    widest = terms.sizes.max()
    none = np.empty(C, np.int64)
    none[:] = -1
    return (
        np.empty(between),
        np.empty(between),
        np.empty(widest * widest),
        np.empty(C * widest),
        none,
    )


@internal
def _scaled_steps(terms: Terms) -> Flat:
    """Exponentials of all transitions, beside the largest of their block, laid out like these.

    Also (C, T) the largest transition into a frame, and how far the smallest is below it.
    """
    C, T = terms.sizes.shape
    steps = np.empty(terms.step.size)
    most, wide = np.zeros((C, T)), np.zeros((C, T))
    for c in range(C):
        for t in range(1, T):
            at, size = terms.step_at[c, t], terms.sizes[c, t - 1] * terms.sizes[c, t]
            most[c, t], wide[c, t] = _extent(terms.step, at, size)
            for p in range(at, at + size):
                steps[p] = np.exp(terms.step[p] - most[c, t]) if terms.step[p] > -np.inf else 0.0
    return steps, most, wide


@internal
def _extent(table: Flat, at: Int, size: Int) -> tuple[float, float]:
    """The largest of some logarithms, and how far the smallest finite one is below it."""
    low, top = np.inf, -np.inf
    for p in range(at, at + size):
        if table[p] > -np.inf:
            low, top = min(low, table[p]), max(top, table[p])
    return top, (top - low if top > -np.inf else np.inf)


@internal
def _exponentials(table: Flat, at: Int, size: Int, top: float, out: Flat) -> None:
    for p in range(size):
        out[p] = np.exp(table[at + p] - top) if table[at + p] > -np.inf else 0.0


@internal
def _logarithms(table: Flat, size: Int, top: float, out: Flat, at: Int) -> None:
    for p in range(size):
        out[at + p] = top + np.log(table[p]) if table[p] > 0.0 else -np.inf


@internal
def _copy(table: Flat, at: Int, size: Int, out: Flat) -> None:
    for p in range(size):
        out[p] = table[at + p]


@internal
def _marginals(terms: Terms, t: Int, joint: Flat, size: Int, node: Flat, factor: Flat) -> None:
    """Sum the joint probabilities of frame t over all but the labels of a chain or of a factor."""
    C, F = terms.sizes.shape[0], terms.spans.shape[0]
    stride = np.zeros((F, C), np.int64)
    place = np.empty(F, np.int64)
    for f in range(F):
        place[f] = terms.factor_at[f, t]
        s = ONE
        for c in range(C - 1, -1, -1):
            if terms.spans[f, c]:
                stride[f, c] = s
                s *= terms.sizes[c, t]
        for p in range(place[f], place[f] + s):
            factor[p] = 0.0
    for c in range(C):
        for p in range(terms.node_at[c, t], terms.node_at[c, t] + terms.sizes[c, t]):
            node[p] = 0.0
    width, last = terms.sizes[C - 1, t], terms.node_at[C - 1, t]
    index = np.zeros(C, np.int64)
    for row in range(size // width):
        total = 0.0
        for j in range(width):
            total += joint[row * width + j]
            node[last + j] += joint[row * width + j]
        for c in range(C - 1):
            node[terms.node_at[c, t] + index[c]] += total
        for f in range(F):
            if stride[f, C - 1] == 0:
                factor[place[f]] += total
            else:
                for j in range(width):
                    factor[place[f] + j] += joint[row * width + j]
        for c in range(C - 2, -1, -1):
            index[c] += 1
            for f in range(F):
                place[f] += stride[f, c]
            if index[c] < terms.sizes[c, t]:
                break
            for f in range(F):
                place[f] -= stride[f, c] * index[c]
            index[c] = 0


@internal
def _pairs(
    terms: Terms,
    c: Int,
    t: Int,
    before: Flat,
    after: Flat,
    size: Int,
    log_partition: float,
    pairs: Flat,
) -> None:
    """The joint probability of the states of word c in frames t-1 and t.

    Args:
        terms: the reduced problem.
        c: the chain of the word.
        t: the frame.
        before: log sums of all that precedes, indexed by the word's state in frame t-1 and by all
            other labels in frame t.
        after: log sums of frame t and all that follows, by the labels in frame t.
        size: joint states of frame t.
        log_partition: of everything.
        pairs: (K, K), filled.
    """
    K, inner, at = terms.sizes[c, t], ONE, terms.step_at[c, t]
    for a in range(c + 1, terms.sizes.shape[0]):
        inner *= terms.sizes[a, t]
    most = -np.inf
    for i in range(K):
        for j in range(K):
            pairs[i, j] = 0.0
            most = max(most, terms.step[at + i * K + j])
    for a in range(size // (K * inner)):
        for b in range(inner):
            p = a * K * inner + b
            x = y = -np.inf
            for k in range(K):
                x, y = max(x, before[p + k * inner]), max(y, after[p + k * inner])
            if not x + y + most - log_partition > NOTHING:
                continue
            for i in range(K):
                x = before[p + i * inner] - log_partition
                if x + y + most > NOTHING:
                    for j in range(K):
                        z = x + terms.step[at + i * K + j] + after[p + j * inner]
                        pairs[i, j] += np.exp(z)


@internal
def _plain_pairs(
    terms: Terms, steps: Flat, c: Int, t: Int, before: Flat, after: Flat, size: Int, pairs: Flat
) -> None:
    """The same of exponentials, up to what they were divided by."""
    K, inner, at = terms.sizes[c, t], ONE, terms.step_at[c, t]
    for a in range(c + 1, terms.sizes.shape[0]):
        inner *= terms.sizes[a, t]
    for i in range(K):
        for j in range(K):
            total = 0.0
            if steps[at + i * K + j] > 0.0:
                for a in range(size // (K * inner)):
                    x, y = unsigned((a * K + i) * inner), unsigned((a * K + j) * inner)
                    for b in range(unsigned(inner)):
                        total += before[x + b] * after[y + b]
            pairs[i, j] = steps[at + i * K + j] * total
