"""Kernels of the growth transform, compiled by Numba: gradient and update for a batch of points.

Written out instead of left to a BLAS, whose sums depend on the number of its threads.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.int64]
Real = npt.NDArray[np.floating[Any]]  # float32 or float64
F = TypeVar("F", bound=Callable[..., Any])

# Points that one call of a kernel works on; the paper's 150 starts make four such batches.
LANES = 40
# Rows and columns of the block of a table that the kernels hold in registers.
TILE = 4


class Plan(NamedTuple):
    """All hyperedges of two and more vertices, laid out for the kernels.

    A table is stored as a matrix whose columns are the labels of its last vertex and whose rows are
    the label tuples of its leading vertices; both are padded with zeros to multiples of TILE.

    Attributes:
        tables: the matrices one after the other.
        edges: (E, 6): start, rows and columns of the matrix, first variable of the last vertex,
            first and end of the leading vertices in `leading`.
        leading: (S, 2): first variable and number of labels of every leading vertex.
        scratch: twice the most rows: what the products over leading vertices take per point.
    """

    tables: Real
    edges: Labels
    leading: Labels
    scratch: int


def _compiled(function: F) -> F:
    """Compile a kernel. Sums are vectorised, in an order that is fixed by the compiler."""
    flags = {"contract", "reassoc", "nsz"}
    options: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy"}
    return cast(F, numba.njit(fastmath=flags, **options)(function))


@_compiled
def _multiply_many(table: Any, width: Any, x: Any, slope: Any, y: Any, z: Any) -> None:
    """For LANES points: z = table x, and slope += tableᵀ y.

    Both products come from blocks of 4x4 entries held in registers; they are spelled out because
    loops over them would not be vectorised along the points.
    """
    for row in range(0, table.size // width, 4):
        rows = table[row * width : (row + 4) * width]
        a, b = rows[:width], rows[width : 2 * width]
        c, d = rows[2 * width : 3 * width], rows[3 * width :]
        w, out = y[row * LANES : (row + 4) * LANES], z[row * LANES : (row + 4) * LANES]
        out[:] = 0
        for j in range(0, width, 4):
            a0, a1, a2, a3 = a[j], a[j + 1], a[j + 2], a[j + 3]
            b0, b1, b2, b3 = b[j], b[j + 1], b[j + 2], b[j + 3]
            c0, c1, c2, c3 = c[j], c[j + 1], c[j + 2], c[j + 3]
            d0, d1, d2, d3 = d[j], d[j + 1], d[j + 2], d[j + 3]
            v = x[j * LANES : (j + 4) * LANES]
            g = slope[j * LANES : (j + 4) * LANES]
            for i in range(LANES):
                v0, v1, v2, v3 = v[i], v[LANES + i], v[2 * LANES + i], v[3 * LANES + i]
                w0, w1, w2, w3 = w[i], w[LANES + i], w[2 * LANES + i], w[3 * LANES + i]
                out[i] += a0 * v0 + a1 * v1 + a2 * v2 + a3 * v3
                out[LANES + i] += b0 * v0 + b1 * v1 + b2 * v2 + b3 * v3
                out[2 * LANES + i] += c0 * v0 + c1 * v1 + c2 * v2 + c3 * v3
                out[3 * LANES + i] += d0 * v0 + d1 * v1 + d2 * v2 + d3 * v3
                g[i] += a0 * w0 + b0 * w1 + c0 * w2 + d0 * w3
                g[LANES + i] += a1 * w0 + b1 * w1 + c1 * w2 + d1 * w3
                g[2 * LANES + i] += a2 * w0 + b2 * w1 + c2 * w2 + d2 * w3
                g[3 * LANES + i] += a3 * w0 + b3 * w1 + c3 * w2 + d3 * w3


@_compiled
def _multiply_one(table: Any, width: Any, x: Any, slope: Any, y: Any, z: Any) -> None:
    """For one point: z = table x, and slope += tableᵀ y, reading the table once."""
    for row in range(0, table.size // width, 4):
        rows = table[row * width : (row + 4) * width]
        a, b = rows[:width], rows[width : 2 * width]
        c, d = rows[2 * width : 3 * width], rows[3 * width :]
        w0, w1, w2, w3 = y[row], y[row + 1], y[row + 2], y[row + 3]
        z0 = z1 = z2 = z3 = x.dtype.type(0)
        for j in range(width):
            z0 += a[j] * x[j]
            z1 += b[j] * x[j]
            z2 += c[j] * x[j]
            z3 += d[j] * x[j]
            slope[j] += a[j] * w0 + b[j] * w1 + c[j] * w2 + d[j] * w3
        z[row], z[row + 1], z[row + 2], z[row + 3] = z0, z1, z2, z3


@_compiled
def _spread(y: Any, x: Any, lanes: Any, out: Any) -> None:
    """Set out (count x n x lanes) to the products of y (count x lanes) and x (n x lanes)."""
    n = x.size // lanes
    for i in range(y.size // lanes):
        w = y[i * lanes : (i + 1) * lanes]
        for j in range(n):
            v, o = x[j * lanes : (j + 1) * lanes], out[(i * n + j) * lanes :]
            for b in range(lanes):
                o[b] = w[b] * v[b]


@_compiled
def _sum_out(z: Any, x: Any, slope: Any, y: Any, lanes: Any) -> None:
    """Sum the vertex of x (n x lanes) out of z (count x n x lanes), in place.

    Its derivatives, with the weights y (count x lanes) of the others, are added to slope.
    """
    n, total = x.size // lanes, np.empty(lanes, x.dtype)
    for i in range(y.size // lanes):
        w = y[i * lanes : (i + 1) * lanes]
        total[:] = 0
        for j in range(n):
            v, g = x[j * lanes : (j + 1) * lanes], slope[j * lanes : (j + 1) * lanes]
            part = z[(i * n + j) * lanes : (i * n + j + 1) * lanes]
            for b in range(lanes):
                g[b] += w[b] * part[b]
                total[b] += v[b] * part[b]
        for b in range(lanes):
            z[i * lanes + b] = total[b]


@_compiled
def gradient(plan: Any, lanes: Any, base: Any, x: Any, slope: Any, total: Any) -> None:
    """Set slope (N x lanes) to base + the derivatives of the plan; add base·x + its value to total.

    The products y of the probabilities of the leading vertices weigh the rows of a table in the
    derivatives of the last vertex. The products z of the rows with the last distribution are what
    is left of the table once the last vertex is summed out; the others follow one by one.
    """
    y, z = np.zeros(plan.scratch * lanes, x.dtype), np.empty(plan.scratch * lanes, x.dtype)
    for i in range(base.size):
        v, g = x[i * lanes : (i + 1) * lanes], slope[i * lanes : (i + 1) * lanes]
        for b in range(lanes):
            g[b] = base[i]
            total[b] += base[i] * v[b]
    for start, rows, width, last, first, stop in plan.edges:
        table = plan.tables[start : start + rows * width]
        own, count = plan.leading[first]
        weights, end = x[own * lanes :], 0
        for s in range(first + 1, stop):
            own, n = plan.leading[s]
            following = y[end:]
            _spread(weights[: count * lanes], x[own * lanes : (own + n) * lanes], lanes, following)
            weights, count = following, count * n
            end += count * lanes
        x_last, slope_last = x[last * lanes :], slope[last * lanes :]
        if lanes == 1:
            _multiply_one(table, width, x_last, slope_last, weights, z)
        else:
            _multiply_many(table, width, x_last, slope_last, weights, z)
        for s in range(stop - 1, first, -1):
            own, n = plan.leading[s]
            end, count = end - count * lanes, count // n
            weights = y[end - count * lanes : end]
            if s == first + 1:
                weights = x[plan.leading[first, 0] * lanes :][: count * lanes]
            own_rows = slice(own * lanes, (own + n) * lanes)
            _sum_out(z, x[own_rows], slope[own_rows], weights, lanes)
        own = plan.leading[first, 0]
        for i in range(own, own + count):
            v, g = x[i * lanes : (i + 1) * lanes], slope[i * lanes : (i + 1) * lanes]
            left = z[(i - own) * lanes : (i - own + 1) * lanes]
            for b in range(lanes):
                g[b] += left[b]
                total[b] += v[b] * left[b]


@_compiled
def grow(plan: Any, lanes: Any, base: Any, offset: Any, x: Any, iterations: Any, tiny: Any) -> None:
    """Apply Eq. 10 to x (N x lanes) in place."""
    slope, total, norm = np.zeros_like(x), np.zeros(lanes, x.dtype), np.empty(lanes, x.dtype)
    zero = x.dtype.type(0)
    for _ in range(iterations):
        gradient(plan, lanes, base, x, slope, total)
        for u in range(offset.size - 1):
            norm[:] = 0
            for i in range(offset[u], offset[u + 1]):
                v, g = x[i * lanes : (i + 1) * lanes], slope[i * lanes : (i + 1) * lanes]
                for b in range(lanes):
                    # Rounding may make a derivative that is zero slightly negative.
                    g[b] = v[b] * max(g[b], zero)
                    norm[b] += g[b]
            for i in range(offset[u], offset[u + 1]):
                v, g = x[i * lanes : (i + 1) * lanes], slope[i * lanes : (i + 1) * lanes]
                for b in range(lanes):
                    # Without any derivative every distribution is as good: it stays.
                    new = g[b] / norm[b] if norm[b] > tiny else v[b]
                    v[b] = new if new > tiny else zero
