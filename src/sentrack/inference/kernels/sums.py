"""Sums over all joint states of one lattice: forward, then backward with the marginals read off.

The recursion is that of `messages`, with log-sum-exp in place of maxima: transitions separate here,
too, so that a frame takes one pass per axis.
"""

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, entry, internal, unsigned
from sentrack.inference.kernels.messages import load_step
from sentrack.inference.kernels.sweeps import add_terms, axis_terms
from sentrack.inference.structures import Lattices, Terms

# What is less likely than exp of this is nothing beside what sums to one: far less than rounding.
NOTHING = -60.0
# Nats between the largest and the smallest product of a sum, below which none is rounded to zero.
SPREAD = 600.0


@entry
def sum_forward(terms: Terms, lattices: Lattices, between: Int, store: Flat) -> None:
    """Log sums of all that leads to a joint state, its own frame included, of all frames.

    Args:
        terms: the reduced problem.
        lattices: one lattice of all chains.
        between: the most that a table of a frame, or half way to the next, may hold.
        store: filled, laid out by `lattices.table_at`.
    """
    ping, pong, g, vectors, none = _room(terms, between)
    for t in range(terms.sizes.shape[1]):
        at, size = lattices.table_at[0, t], lattices.states[0, t]
        if t == 0:
            for p in range(size):
                store[at + p] = 0.0
        else:
            before = lattices.table_at[0, t - 1]
            for p in range(lattices.states[0, t - 1]):
                ping[p] = store[before + p]
            here = send_sum(terms, t, True, lattices.states[0, t - 1], -ONE, ping, pong, g)
            for p in range(size):
                store[at + p] = here[p]
        axis_terms(terms, lattices, ZERO, t, none, True, vectors)
        rows = size // terms.sizes[-1, t]
        add_terms(terms, lattices, ZERO, t, vectors, store, at, ZERO, rows)


@entry
def sum_backward(
    terms: Terms,
    lattices: Lattices,
    between: Int,
    store: Flat,
    log_partition: float,
    node: Flat,
    factor: Flat,
    pairs: Flat,
) -> None:
    """Marginals of labels, of factors, and of the labels of successive frames.

    Args:
        terms: the reduced problem.
        lattices: one lattice of all chains.
        between: the most that a table of a frame, or half way to the next, may hold.
        store: log sums forward.
        log_partition: of everything.
        node: filled with the probabilities of labels, laid out like `terms.node`.
        factor: filled with the joint probabilities of the labels of factors, like `terms.factor`.
        pairs: (words, T-1, K, K), of all chains that are words, in order; the first labels of K are
            filled with the joint probabilities of the states of successive frames.
    """
    sizes = terms.sizes
    C, T = sizes.shape
    ping, pong, g, vectors, none = _room(terms, between)
    after, joint = np.zeros(between), np.empty(between)
    for t in range(T - 1, -1, -1):
        at, size = lattices.table_at[0, t], lattices.states[0, t]
        for p in range(size):
            log = store[at + p] + after[p] - log_partition
            joint[p] = np.exp(log) if log > NOTHING else 0.0
        _marginals(terms, t, joint, size, node, factor)
        if t == 0:
            break
        axis_terms(terms, lattices, ZERO, t, none, True, vectors)
        add_terms(terms, lattices, ZERO, t, vectors, after, ZERO, ZERO, size // sizes[-1, t])
        word = 0
        for c in range(C):
            if terms.chain[c] >= terms.L:
                before = lattices.table_at[0, t - 1]
                for p in range(lattices.states[0, t - 1]):
                    ping[p] = store[before + p]
                moved = send_sum(terms, t, True, lattices.states[0, t - 1], c, ping, pong, g)
                _pairs(terms, c, t, moved, after, size, log_partition, pairs[word, t - 1])
                word += 1
        for p in range(size):
            ping[p] = after[p]
        here = send_sum(terms, t - 1, False, size, -ONE, ping, pong, g)
        for p in range(lattices.states[0, t - 1]):
            after[p] = here[p]


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
def send_sum(
    terms: Terms, t: Int, forward: bool, size: Int, skip: Int, ping: Flat, pong: Flat, g: Flat
) -> Flat:
    """Transitions into frame t of all axes but `skip`, with sums of exponentials for maxima.

    Args:
        terms: the reduced problem.
        t: the frame.
        forward: whether they come from the frame before, or after.
        size: joint states of that frame.
        skip: an axis that keeps its label of that frame, or -1.
        ping: holds the table of that frame.
        pong: room for another one.
        g: room for a block of transitions.

    Returns:
        Whichever of the two holds the message in the end.
    """
    before = t - 1 if forward else t + 1
    C, inner = terms.sizes.shape[0], ONE
    low, most = np.inf, -np.inf
    for p in range(size):
        if ping[p] > -np.inf:
            low, most = min(low, ping[p]), max(most, ping[p])
    spread, total = most - low, most
    for a in range(C):
        if a != skip:
            load_step(terms, a, 1.0, t, forward, g)
            low, top = np.inf, -np.inf
            for p in range(terms.sizes[a, before] * terms.sizes[a, t]):
                if g[p] > -np.inf:
                    low, top = min(low, g[p]), max(top, g[p])
            spread += top - low
            total += top
    # Where nothing can get lost beside the largest, one exponential and one logarithm will do.
    safe = 0.0 <= spread < SPREAD
    if safe:
        for p in range(size):
            ping[p] = np.exp(ping[p] - most) if ping[p] > -np.inf else 0.0
    for a in range(C - 1, -1, -1):
        n_in, n_out = terms.sizes[a, before], terms.sizes[a, t]
        if a == skip:
            inner *= n_in
            continue
        load_step(terms, a, 1.0, t, forward, g)
        outer = size // (n_in * inner)
        if safe:
            add_products(ping, pong, outer, n_in, n_out, inner, g)
        else:
            transfer_sum(ping, pong, outer, n_in, n_out, inner, g)
        size = outer * n_out * inner
        inner *= n_out
        ping, pong = pong, ping
    if safe:
        for p in range(size):
            ping[p] = total + np.log(ping[p]) if ping[p] > 0.0 else -np.inf
    return ping


@internal
def add_products(
    src: Flat, dst: Flat, outer: Int, n_in: Int, n_out: Int, inner: Int, g: Flat
) -> None:
    """One axis of a transition: dst[a, j, b] = Σ_i src[a, i, b] exp(g[i, j] - max g)."""
    top = -np.inf
    for p in range(n_in * n_out):
        top = max(top, g[p])
    for p in range(n_in * n_out):
        g[p] = np.exp(g[p] - top) if g[p] > -np.inf else 0.0
    for p in range(outer * n_out * inner):
        dst[p] = 0.0
    for a in range(outer):
        for i in range(n_in):
            x = unsigned((a * n_in + i) * inner)
            if inner == 1:
                weight, y, z = src[x], unsigned(a * n_out), unsigned(i * n_out)
                for j in range(unsigned(n_out)):
                    dst[y + j] += weight * g[z + j]
                continue
            for j in range(n_out):
                weight = g[i * n_out + j]
                if weight == 0.0:  # most are where tracks keep to one thing
                    continue
                y = unsigned((a * n_out + j) * inner)
                for b in range(unsigned(inner)):
                    dst[y + b] += weight * src[x + b]


@internal
def transfer_sum(
    src: Flat, dst: Flat, outer: Int, n_in: Int, n_out: Int, inner: Int, g: Flat
) -> None:
    """One axis of a transition: dst[a, j, b] = ln Σ_i exp(src[a, i, b] + g[i, j]).

    Sums are taken of numbers scaled by the largest source and the largest transition, one
    exponential per source; only where that loses all digits are the exponents added first.
    """
    top = np.empty(n_out)
    scaled = np.empty(n_in * n_out)
    for j in range(n_out):
        top[j] = -np.inf
        for i in range(n_in):
            top[j] = max(top[j], g[i * n_out + j])
        for i in range(n_in):
            scaled[j * n_in + i] = np.exp(g[i * n_out + j] - top[j]) if top[j] > -np.inf else 0.0
    column = np.empty(n_in)
    for a in range(outer):
        for b in range(inner):
            s, d = a * n_in * inner + b, a * n_out * inner + b
            best = -np.inf
            for i in range(n_in):
                best = max(best, src[s + i * inner])
            for i in range(n_in):
                column[i] = np.exp(src[s + i * inner] - best) if best > -np.inf else 0.0
            for j in range(n_out):
                if best == -np.inf or top[j] == -np.inf:
                    dst[d + j * inner] = -np.inf
                    continue
                total = 0.0
                for i in range(n_in):
                    total += column[i] * scaled[j * n_in + i]
                if total > 1e-200:
                    dst[d + j * inner] = best + top[j] + np.log(total)
                    continue
                peak = -np.inf
                for i in range(n_in):
                    peak = max(peak, src[s + i * inner] + g[i * n_out + j])
                total = 0.0
                if peak > -np.inf:
                    for i in range(n_in):
                        total += np.exp(src[s + i * inner] + g[i * n_out + j] - peak)
                    peak += np.log(total)
                dst[d + j * inner] = peak
