"""Assignment: which rows go with which columns, so that all of it costs least."""

from typing import Any

import numpy as np

from sentrack.inference.kernels import Flat, entry


@entry
def cheapest_of(start: Flat, column: Flat, cost: Flat, B: int) -> Any:
    """(A,): the column of every row in the assignment of least cost, -1 for those without.

    To stay without one costs nothing, so that no pair that costs as much is of use. Rows are added
    one by one, each by a shortest augmenting path (Jonker and Volgenant, 1987) that ends at a
    column that is free, or at a row that had better do without its own. A path looks only at
    columns that its rows may have, so that it costs little where these are few.

    Args:
        start: (A+1,) where the pairs of a row start.
        column: (E,) the column of every pair, one of B.
        cost: (E,) of every pair.
        B: number of columns.
    """
    A = len(start) - 1
    own, row = np.full(A, -1), np.full(B, -1)
    # Prices, by which no pair is cheaper than 0, and those that are assigned cost exactly that.
    by_row, by_column = np.zeros(A), np.zeros(B)
    length, via, done = np.full(B, np.inf), np.empty(B, np.int64), np.zeros(B, np.bool_)
    met = np.empty(B, np.int64)  # columns that were
    for new in range(A):
        count = 0
        # Where the path is, how far that is, and the nearest end: a column, or its own row.
        i, j, here = new, -1, 0.0
        nearest, last, end = np.inf, -1, -1
        while True:
            # A row that does without ends the path.
            if here - by_row[i] < nearest:
                nearest, last, end = here - by_row[i], i, j
            for e in range(start[i], start[i + 1]):
                k = column[e]
                through = here + cost[e] - by_row[i] - by_column[k]
                if not done[k] and through < length[k]:
                    if length[k] == np.inf:
                        met[count] = k
                        count += 1
                    length[k], via[k] = through, i
            j = -1
            for n in range(count):
                k = met[n]
                if not done[k] and length[k] < nearest and (j < 0 or length[k] < length[j]):
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
        for n in range(count):
            k = met[n]
            if done[k]:
                by_row[row[k]] += nearest - length[k]
                by_column[k] -= nearest - length[k]
            length[k], done[k] = np.inf, False
        # Along the path, every row hands its column on.
        if last >= 0:
            own[last] = -1
        while end >= 0:
            i = via[end]
            row[end], end, own[i] = i, own[i], end
    return own


@entry
def cheapest(cost: Flat, most: float) -> Any:
    """(A,): the same, given what all pairs cost.

    Args:
        cost: (A, B) of every pair; NaN and infinity are pairs that cannot be.
        most: what it costs a row to have no column.
    """
    A, B = cost.shape
    start, column, own = np.zeros(A + 1, np.int64), np.empty(A * B, np.int64), np.empty(A * B)
    count = 0
    for i in range(A):
        for k in range(B):
            if cost[i, k] < most:
                column[count], own[count] = k, cost[i, k] - most
                count += 1
        start[i + 1] = count
    return cheapest_of(start, column[:count], own[:count], B)
