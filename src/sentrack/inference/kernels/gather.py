"""Passes over all terms: copying those of the labels that are kept, and adding up."""

import numpy as np

from sentrack.inference.kernels.jit import Flat, entry
from sentrack.inference.structures import Terms


@entry
def gather_steps(old: Terms, new: Terms, kept: Flat) -> None:
    """Copy the transition blocks of the kept labels; kept[p] is the old place of new label p."""
    C, T = new.sizes.shape
    for c in range(C):
        for t in range(1, T):
            at, n = new.step_at[c, t], new.sizes[c, t]
            for i in range(new.sizes[c, t - 1]):
                row = old.step_at[c, t] + kept[new.node_at[c, t - 1] + i] * old.sizes[c, t]
                for j in range(n):
                    new.step[at + i * n + j] = old.step[row + kept[new.node_at[c, t] + j]]


@entry
def gather_factors(old: Terms, new: Terms, kept: Flat) -> None:
    """Copy the factor blocks of the kept labels."""
    F, T = new.factor_at.shape
    C = new.sizes.shape[0]
    axis = np.empty(C, np.int64)
    for f in range(F):
        axes = 0
        for c in range(C):
            if new.spans[f, c]:
                axis[axes] = c
                axes += 1
        stride = np.empty(axes, np.int64)
        index = np.empty(axes, np.int64)
        for t in range(T):
            s, size = 1, 1
            for i in range(axes - 1, -1, -1):
                stride[i] = s
                s *= old.sizes[axis[i], t]
                size *= new.sizes[axis[i], t]
                index[i] = 0
            width = new.sizes[axis[axes - 1], t]
            last = new.node_at[axis[axes - 1], t]
            for row in range(size // width):
                source = old.factor_at[f, t]
                for i in range(axes - 1):
                    source += kept[new.node_at[axis[i], t] + index[i]] * stride[i]
                target = new.factor_at[f, t] + row * width
                for j in range(width):
                    new.factor[target + j] = old.factor[source + kept[last + j]]
                for i in range(axes - 2, -1, -1):
                    index[i] += 1
                    if index[i] < new.sizes[axis[i], t]:
                        break
                    index[i] = 0


@entry
def score_labels(terms: Terms, labels: Flat, forbidden: float) -> float:
    """The sum of the terms of an assignment (C, T), none of which counts less than `forbidden`."""
    sizes, spans = terms.sizes, terms.spans
    C, T = sizes.shape
    score = 0.0
    for t in range(T):
        for c in range(C):
            score += max(terms.node[terms.node_at[c, t] + labels[c, t]], forbidden)
            if t > 0:
                at = terms.step_at[c, t] + labels[c, t - 1] * sizes[c, t] + labels[c, t]
                score += max(terms.step[at], forbidden)
        for f in range(spans.shape[0]):
            place = 0
            for c in range(C):
                if spans[f, c]:
                    place = place * sizes[c, t] + labels[c, t]
            score += max(terms.factor[terms.factor_at[f, t] + place], forbidden)
    return score
