"""Assignment: which rows go with which columns, so that all of it costs least."""

from typing import Any

import numpy as np

from sentrack.inference.kernels import Flat, entry


@entry
def cheapest(cost: Flat, most: float) -> Any:
    """(A,): the column of every row in the assignment of least cost, -1 for those without.

    To stay without one costs a row `most`, so that no pair that costs as much is of use. Rows are
    added one by one, each by a shortest augmenting path (Jonker and Volgenant, 1987) that ends at a
    column that is free, or at a row that had better do without its own: at most A²·B steps, and
    mostly A·B, because most rows have a column of their own.

    Args:
        cost: (A, B) of every pair; NaN and infinity are pairs that cannot be.
        most: what it costs a row to have no column.
    """
    A, B = cost.shape
    column, row = np.full(A, -1), np.full(B, -1)
    # Prices, by which no pair is cheaper than 0, and those that are assigned cost exactly that.
    by_row, by_column = np.zeros(A), np.zeros(B)
    length, via, done = np.empty(B), np.empty(B, np.int64), np.empty(B, np.bool_)
    for new in range(A):
        length[:], done[:] = np.inf, False
        # Where the path is, how far that is, and the nearest end: a column, or its own row.
        i, j, here = new, -1, 0.0
        nearest, last, end = np.inf, -1, -1
        while True:
            # A row that does without ends the path.
            if here - by_row[i] < nearest:
                nearest, last, end = here - by_row[i], i, j
            j = -1
            for k in range(B):
                if done[k]:
                    continue
                if cost[i, k] < most:
                    through = here + cost[i, k] - most - by_row[i] - by_column[k]
                    if through < length[k]:
                        length[k], via[k] = through, i
                if length[k] < nearest and (j < 0 or length[k] < length[j]):
                    j = k
            if j < 0:
                break
            here = length[j]
            if row[j] < 0:
                nearest, last, end = here, -1, j
                break
            done[j] = True
            i = row[j]
        by_row[new] += nearest
        for k in range(B):
            if done[k]:
                by_row[row[k]] += nearest - length[k]
                by_column[k] -= nearest - length[k]
        # Along the path, every row hands its column on.
        if last >= 0:
            column[last] = -1
        while end >= 0:
            i = via[end]
            row[end], end, column[i] = i, column[i], end
    return column
