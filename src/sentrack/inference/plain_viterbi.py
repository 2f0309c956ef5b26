"""The recursion of Viterbi in plain NumPy, for small problems before any kernel is compiled.

Compiling takes seconds, and most problems of a first sentence some hundredths of one. Sums are
taken in the order of the kernels (`kernels.messages.send`, `kernels.sweeps.decode_all`), so that
an answer does not depend on whether they were compiled, ties included.
"""

import math

import numpy as np

from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.structures import Floats, Ints, Terms


def plain_viterbi(terms: Terms, limits: Limits) -> tuple[Ints, float]:
    """The best assignment (C, T) of all chains in one lattice, and its score.

    Raises:
        OutOfTime: when the deadline passes first.
    """
    C, T = terms.sizes.shape
    none = np.full(C, -1, dtype=np.int64)
    messages = [np.zeros(terms.sizes[:, T - 1])]
    for t in range(T - 2, -1, -1):
        if not limits.affords(0.0):
            raise OutOfTime
        messages.append(_send(terms, t, _full(terms, t + 1, messages[-1], none)))
    labels, here, score = np.empty((C, T), dtype=np.int64), none, -np.inf
    for t, message in enumerate(reversed(messages)):
        table = _full(terms, t, message, here)
        here = np.array(np.unravel_index(table.argmax(), table.shape))
        labels[:, t] = here
        if t == 0:
            score = float(table.max())
    return labels, score


def _send(terms: Terms, t: int, table: Floats) -> Floats:
    """The message into frame t from the full table of the frame after it."""
    here, after = terms.sizes[:, t].tolist(), terms.sizes[:, t + 1].tolist()
    at = terms.step_at[:, t + 1].tolist()
    # Axes with one label on either side only add a number, which rides on the last real axis.
    real = [c for c in range(len(here)) if here[c] > 1 or after[c] > 1]
    constant = sum(terms.step[at[c]] for c in range(len(here)) if c not in real)
    if not real:
        return np.asarray(table + constant)
    for c in reversed(real):
        n, m = here[c], after[c]
        step = terms.step[at[c] : at[c] + n * m].reshape(n, m)
        if c == real[0]:
            step = step + constant
        rows = table.reshape(math.prod(after[:c]), 1, m, -1)
        table = (rows + step[:, :, None]).max(axis=2)
    return table.reshape(here)


def _full(terms: Terms, t: int, message: Floats, previous: Ints) -> Floats:
    """A message plus the terms of its frame and the transitions from `previous` labels (not -1)."""
    sizes, C = terms.sizes, len(terms.sizes)
    along = np.eye(C, dtype=np.int64) * (sizes[:, t] - 1) + 1
    vectors = []
    for c in range(C):
        node = terms.node[terms.node_at[c, t] : terms.node_at[c, t] + sizes[c, t]]
        if previous[c] >= 0:
            at = terms.step_at[c, t] + previous[c] * sizes[c, t]
            node = node + terms.step[at : at + sizes[c, t]]
        vectors.append(node.reshape(along[c]))
    constant: Floats = np.zeros(1)
    for vector in vectors[:-1]:
        constant = constant + vector
    factors = []
    for f, span in enumerate(terms.spans):
        shape = np.where(span, sizes[:, t], 1)
        at = terms.factor_at[f, t]
        factors.append(terms.factor[at : at + shape.prod()].reshape(shape))
    for factor, span in zip(factors, terms.spans, strict=True):
        if not span[-1]:
            constant = constant + factor
    table = message + (constant + vectors[-1])
    for factor, span in zip(factors, terms.spans, strict=True):
        if span[-1]:
            table = table + factor
    return np.asarray(table)
