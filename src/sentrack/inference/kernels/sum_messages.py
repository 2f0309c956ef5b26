"""Messages between adjacent frames of a product lattice, with sums in place of maxima.

As in `messages`, one pass per axis; of logarithms, or of exponentials where none gets lost.
"""

import numpy as np

from sentrack.inference.kernels.jit import ONE, ZERO, Flat, Int, inlined, internal, unsigned
from sentrack.inference.kernels.messages import load_step
from sentrack.inference.structures import Terms

# Transitions of the innermost axis are gone through one by one if there are as many fewer of them.
SPARSE = 4


@internal
def send_sums(
    terms: Terms,
    steps: Flat,
    scaled: bool,
    t: Int,
    forward: bool,
    size: Int,
    skip: Int,
    ping: Flat,
    pong: Flat,
    g: Flat,
) -> Flat:
    """Transitions into frame t of all axes but `skip`, with sums of exponentials for maxima.

    Args:
        terms: the reduced problem.
        steps: the exponentials of all transitions.
        scaled: whether `ping` holds exponentials, too, which are multiplied by these; else it
            holds logarithms.
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
    inner = ONE
    for a in range(terms.sizes.shape[0] - 1, -1, -1):
        n_in, n_out = terms.sizes[a, before], terms.sizes[a, t]
        if a == skip:
            inner *= n_in
            continue
        outer = size // (n_in * inner)
        if scaled:
            at = terms.step_at[a, max(t, before)]
            for i in range(n_in):
                for j in range(n_out):
                    g[i * n_out + j] = steps[at + (i * n_out + j if forward else j * n_in + i)]
            add_products(ping, pong, outer, n_in, n_out, inner, g)
        else:
            load_step(terms, a, 1.0, t, forward, g)
            transfer_sum(ping, pong, outer, n_in, n_out, inner, g)
        size = outer * n_out * inner
        inner *= n_out
        ping, pong = pong, ping
    return ping


@internal
def add_products(
    src: Flat, dst: Flat, outer: Int, n_in: Int, n_out: Int, inner: Int, g: Flat
) -> None:
    """One axis of a transition: dst[a, j, b] = Σ_i src[a, i, b] g[i, j]."""
    for p in range(outer * n_out * inner):
        dst[p] = 0.0
    # Most are zero where tracks keep to one thing.
    moves = 0
    for p in range(n_in * n_out):
        moves += g[p] > 0.0
    if SPARSE * moves > n_in * n_out:
        for a in range(outer):
            if inner == 1:
                _add_rows(dst, a * n_out, n_out, g, ZERO, n_out, src, a * n_in, ONE, n_in)
            else:
                s, d = a * n_in * inner, a * n_out * inner
                for j in range(n_out):
                    _add_rows(dst, d + j * inner, inner, src, s, inner, g, j, n_out, n_in)
        return
    for i in range(n_in):
        for j in range(n_out):
            weight = g[i * n_out + j]
            if weight > 0.0:
                for a in range(outer):
                    x, y = unsigned((a * n_in + i) * inner), unsigned((a * n_out + j) * inner)
                    for b in range(unsigned(inner)):
                        dst[y + b] += weight * src[x + b]


@inlined
def _add_rows(
    out: Flat,
    out_at: Int,
    columns: Int,
    src: Flat,
    at: Int,
    stride: Int,
    weight: Flat,
    first: Int,
    skip: Int,
    n: Int,
) -> None:
    """out[b] += Σ_i src[at + i*stride + b] weight[first + i*skip]; as `combine` does it."""
    width, o, whole = unsigned(columns), unsigned(out_at), n - n % 4
    for i in range(0, whole, 4):
        # Four rows at a time quarter the traffic on `out`.
        u, v = weight[first + i * skip], weight[first + (i + 1) * skip]
        w, x = weight[first + (i + 2) * skip], weight[first + (i + 3) * skip]
        a, b = unsigned(at + i * stride), unsigned(at + (i + 1) * stride)
        c, d = unsigned(at + (i + 2) * stride), unsigned(at + (i + 3) * stride)
        for p in range(width):
            out[o + p] += (u * src[a + p] + v * src[b + p]) + (w * src[c + p] + x * src[d + p])
    for i in range(whole, n):
        u, a = weight[first + i * skip], unsigned(at + i * stride)
        for p in range(width):
            out[o + p] += u * src[a + p]


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
