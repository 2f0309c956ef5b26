"""The general form of the relaxed objective (Eq. 9) and the Growth Transform that climbs it."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from sentrack.inference.errors import ProblemError
from sentrack.inference.resources import in_parallel

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Real = npt.NDArray[np.floating[Any]]  # float32 or float64
Term = tuple[tuple[int, ...], npt.ArrayLike]
F = TypeVar("F", bound=Callable[..., Any])

# ε of Eq. 12 is what a table without negative entries is raised by. Any positive one will do; the
# smaller it is, the longer the steps, and the objective does not fall all the same.
EPSILON = 1e-6
# Points that one call of a kernel works on; the paper's 150 starts make four such batches.
LANES = 40
# Up to this many points are faster one by one.
FEW = 10
# Rows and columns of the block of a table that the kernels hold in registers.
TILE = 4
# Iterations between two looks at the clock and at the labels that died out.
SEGMENT = 100


class _Plan(NamedTuple):
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


@dataclass(frozen=True, eq=False)
class Maximum:
    """What the Growth Transform found.

    Attributes:
        labelling: int (U,): the label of every vertex after rounding.
        value: Eq. 9 of the labelling; never below relaxed_value but for rounding errors.
        relaxed_value: Eq. 9 of the distributions.
        distributions: (N,): the distributions of all vertices, one after the other.
        start_values: (starts,): Eq. 9 of every start when the best one was picked.
    """

    labelling: Labels
    value: float
    relaxed_value: float
    distributions: Array
    start_values: Array


class Polynomial:
    """The multilinear polynomial of Eq. 9 over the distributions of U vertices.

    A point is the concatenation of the distributions of all vertices: an array of N = sum of labels
    numbers in which vertex u owns the entries offset[u] to offset[u + 1]. A vertex with one label
    is a constant: its variable is taken to be 1, and its derivative is given as 0.

    Args:
        labels: the number of labels |V_u| of every vertex.
        terms: the hyperedges of any size: their distinct vertices, and the table Φ of shape
            (|V_u1|, ..., |V_un|). Several hyperedges may have the same vertices.

    Raises:
        ProblemError: naming the vertex or the term that is wrong.
    """

    def __init__(self, labels: Sequence[int] | Labels, terms: Sequence[Term]) -> None:
        self.labels: Labels = np.array(labels, dtype=np.int64).reshape(-1)
        if (self.labels < 1).any():
            u = int(np.argmax(self.labels < 1))
            raise ProblemError(f"vertex {u} has {self.labels[u]} labels; it needs at least one")
        self.offset: Labels = np.concatenate([[0], np.cumsum(self.labels)])
        self._constant = 0.0
        self._linear = np.zeros(self.size)
        self._minima: list[tuple[tuple[int, ...], float]] = []
        shared: dict[tuple[int, ...], list[Array]] = {}
        for n, (scope, values) in enumerate(terms):
            vertices = tuple(int(u) for u in scope)
            table = self._checked(n, vertices, values)
            self._minima.append((vertices, float(table.min())))
            # The last vertex has the most labels, because the kernels are fastest along it.
            free = [i for i, u in enumerate(vertices) if self.labels[u] > 1]
            free.sort(key=lambda i: (int(self.labels[vertices[i]]), vertices[i]))
            fixed = [i for i, u in enumerate(vertices) if self.labels[u] == 1]
            table = table.transpose(*fixed, *free)[(0,) * len(fixed)]
            edge = tuple(vertices[i] for i in free)
            if len(edge) > 1:
                shared.setdefault(edge, []).append(table)
            elif edge:
                self._linear[self._own(edge[0])] += table
            else:
                self._constant += float(table)
        self._plan, self._tables = self._lay_out(shared)

    @property
    def size(self) -> int:
        """N, the number of variables: the sum of the label counts."""
        return int(self.offset[-1])

    def value(self, x: npt.ArrayLike) -> Array:
        """Eq. 9 of every point of x (..., N), as an array (...)."""
        return self._evaluate(x)[0]

    def gradient(self, x: npt.ArrayLike) -> Array:
        """The derivatives of Eq. 9 at every point of x (..., N), as an array (..., N)."""
        return self._evaluate(x)[1]

    def score(self, labelling: npt.ArrayLike) -> float:
        """Eq. 9 of one label for every vertex, an int array (U,)."""
        chosen = np.asarray(labelling, dtype=np.int64).reshape(self.labels.shape)
        if ((chosen < 0) | (chosen >= self.labels)).any():
            raise ProblemError("the labelling has labels that their vertices do not have")
        total = self._constant + float(self._linear[self.offset[:-1] + chosen].sum())
        return total + sum(float(t[tuple(chosen[list(e)])]) for e, t in self._tables.items())

    def round(self, x: npt.ArrayLike) -> Labels:
        """Turn the distributions x (N,) into a labelling (U,) of no lower Eq. 9.

        One pass, as in the paper's Section 4: vertices that are integral already keep their label;
        each of the others, in order, gets the label that maximises Eq. 9 while the distributions
        of the rest stay as they are. The derivatives of Eq. 9 rank the labels of a vertex, and
        only the hyperedges of that vertex are needed for them.
        """
        point = np.array(x, dtype=np.float64).reshape(self.size)
        labelling = np.full(self.labels.size, -1, dtype=np.int64)
        for u in range(self.labels.size):
            if np.count_nonzero(point[self._own(u)]) == 1:
                labelling[u] = np.argmax(point[self._own(u)])
        incident: dict[int, list[tuple[int, ...]]] = {}
        for edge in self._tables:
            for u in edge:
                incident.setdefault(u, []).append(edge)
        for u in np.flatnonzero(labelling < 0).tolist():
            ranks = self._linear[self._own(u)].copy()
            for edge in incident.get(u, ()):
                # Indexing the labelled vertices first leaves little to sum over.
                known = tuple(slice(None) if labelling[w] < 0 else labelling[w] for w in edge)
                rest = [w for w in edge if labelling[w] < 0]
                part = np.moveaxis(self._tables[edge][known], rest.index(u), 0)
                for w in reversed([w for w in rest if w != u]):
                    # Unlike a BLAS product, this sum does not depend on the number of threads.
                    part = np.einsum("...i,i->...", part, point[self._own(w)])
                ranks += part
            labelling[u] = np.argmax(ranks)
        return labelling

    def grow(self, x: npt.ArrayLike, iterations: int = 1, epsilon: float = EPSILON) -> Array:
        """Apply the update of Eq. 10 to every point of x (..., N); Eq. 9 never falls.

        The derivatives are those of Eq. 9 raised by the constants of Eq. 12. The objective is not
        made homogeneous: that would change no derivative and hence no update.
        """
        points, constants = self._points(x), self._constants(epsilon)
        grown, _ = self._climb(points, constants, iterations, "float64", math.inf)
        return grown.reshape(np.shape(x))

    def maximize(
        self,
        starts: int = 150,
        iterations: int = 300,
        final_iterations: int = 5000,
        epsilon: float = EPSILON,
        seed: int = 0,
        dtype: Literal["float64", "float32"] = "float64",
        deadline: float = math.inf,
    ) -> Maximum:
        """Search for the maximum of Eq. 9 by the paper's schedule.

        The result depends on the arguments alone, not on the number of threads; only a deadline
        that passes makes it depend on the machine. A probability below the square root of the
        smallest positive number of the type becomes zero, so that products of two do not underflow.

        Args:
            starts: number of random starts, uniform on the simplices.
            iterations: updates (Eq. 10) of every start.
            final_iterations: further updates of the best start.
            epsilon: ε > 0 of Eq. 12.
            seed: seed of the random starts.
            dtype: the type the updates are computed in; the values reported are float64.
            deadline: when to stop updating, on the clock of time.monotonic.
        """
        if starts < 1 or min(iterations, final_iterations) < 0 or not epsilon > 0:
            raise ValueError("starts and epsilon must be positive, iterations must not be negative")
        if dtype not in ("float64", "float32"):
            raise ValueError(f"dtype is {dtype!r}; it must be 'float64' or 'float32'")
        constants = self._constants(epsilon)
        random = np.random.default_rng(seed).standard_exponential((starts, self.size))
        x, _ = self._climb(self._normalized(random), constants, iterations, dtype, deadline)
        values = self.value(x)
        best = x[np.argmax(values)]
        best = self._settle(best, constants, final_iterations, dtype, deadline)
        labelling = self.round(best)
        return Maximum(labelling, self.score(labelling), float(self.value(best)), best, values)

    def _checked(self, n: int, vertices: tuple[int, ...], values: npt.ArrayLike) -> Array:
        where = f"term {n} on vertices {tuple(vertices)}"
        try:
            table = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"{where} is not an array of numbers: {error}") from None
        if not vertices or not all(0 <= u < self.labels.size for u in vertices):
            raise ProblemError(f"{where}: there are {self.labels.size} vertices, numbered from 0")
        if len(set(vertices)) != len(vertices):
            raise ProblemError(f"{where} has a vertex twice")
        expected = tuple(int(self.labels[u]) for u in vertices)
        if table.shape != expected:
            raise ProblemError(f"{where} has shape {table.shape}; it must be {expected}")
        if not np.isfinite(table).all():
            raise ProblemError(f"{where} has entries that are not finite")
        return table

    def _lay_out(
        self, shared: dict[tuple[int, ...], list[Array]]
    ) -> tuple[_Plan, dict[tuple[int, ...], Array]]:
        """Sum the tables of equal vertices, and view the sums in the storage of the plan."""
        edges: list[list[int]] = []
        leading: list[list[int]] = []
        end, scratch = 0, 0
        for edge in shared:
            first, last = len(leading), edge[-1]
            rows = _padded(math.prod(int(self.labels[u]) for u in edge[:-1]))
            columns = _padded(int(self.labels[last]))
            leading += [[int(self.offset[u]), int(self.labels[u])] for u in edge[:-1]]
            edges.append([end, rows, columns, int(self.offset[last]), first, len(leading)])
            end, scratch = end + rows * columns, max(scratch, 2 * rows)
        storage = np.zeros(end)
        tables = {}
        for (edge, parts), (start, rows, columns, *_) in zip(shared.items(), edges, strict=True):
            matrix = storage[start : start + rows * columns].reshape(rows, columns)
            shape = parts[0].shape
            table = matrix[: math.prod(shape[:-1])].reshape(*shape[:-1], columns)[..., : shape[-1]]
            for part in parts:
                table += part
            tables[edge] = table
        return _Plan(storage, _integers(edges, 6), _integers(leading, 2), scratch), tables

    def _own(self, vertex: int) -> slice:
        return slice(int(self.offset[vertex]), int(self.offset[vertex + 1]))

    def _points(self, x: npt.ArrayLike) -> Array:
        points = np.asarray(x, dtype=np.float64)
        if points.ndim == 0 or points.shape[-1] != self.size:
            raise ProblemError(f"points have shape {points.shape}; it must be (..., {self.size})")
        return points.reshape(math.prod(points.shape[:-1]), self.size)

    def _normalized(self, x: Array) -> Array:
        sums: Array = np.add.reduceat(x, self.offset[:-1], axis=-1)
        return x / np.repeat(sums, self.labels, axis=-1)

    def _constants(self, epsilon: float) -> Array:
        """(U,): the constants of Eq. 12, summed over the hyperedges of every vertex."""
        constants = np.zeros(self.labels.size)
        for vertices, minimum in self._minima:
            constants[list(vertices)] += max(epsilon, -minimum)
        return constants

    def _evaluate(self, x: npt.ArrayLike) -> tuple[Array, Array]:
        points = self._points(x)
        values, gradient = np.empty(len(points)), np.empty_like(points)
        for part, lanes in _batches(len(points)):
            block = _transposed(points[part], lanes, np.float64)
            slope, total = np.zeros_like(block), np.zeros(lanes)
            _gradient(self._plan, lanes, self._linear, block.ravel(), slope.ravel(), total)
            count = part.stop - part.start
            values[part] = self._constant + total[:count]
            gradient[part] = slope[: self.size, :count].T
        shape = np.shape(x)
        return values.reshape(shape[:-1]), gradient.reshape(shape)

    def _climb(
        self, x: Array, constants: Array, iterations: int, dtype: str, deadline: float
    ) -> tuple[Array, bool]:
        """Apply Eq. 10 to the points x (B, N); also tell whether the last update moved any."""
        plan = self._plan if dtype == "float64" else self._single
        base = (self._linear + np.repeat(constants, self.labels)).astype(dtype)
        tiny = np.sqrt(np.finfo(dtype).tiny)
        batches, grown = _batches(len(x)), np.empty_like(x)
        moved = np.zeros(len(batches), dtype=np.bool_)

        def run(begin: int, end: int) -> None:
            for n, (part, lanes) in enumerate(batches[begin:end], begin):
                block = _transposed(x[part], lanes, dtype)
                for done in range(0, iterations, SEGMENT):
                    steps = min(SEGMENT, iterations - done)
                    moved[n] = _grow(plan, lanes, base, self.offset, block.ravel(), steps, tiny)
                    if not moved[n] or time.monotonic() > deadline:
                        break
                points = block[: self.size, : part.stop - part.start].T
                # In float32 the sums are one to its precision only.
                grown[part] = self._normalized(points.astype(np.float64))

        # Points do not depend on each other, so that threads change no result.
        if batches:
            in_parallel(run, len(batches))
        return grown, bool(moved.any())

    @cached_property
    def _single(self) -> _Plan:
        """The plan in float32."""
        return self._plan._replace(tables=self._plan.tables.astype(np.float32))

    def _settle(
        self, x: Array, constants: Array, iterations: int, dtype: str, deadline: float
    ) -> Array:
        """Apply Eq. 10 to one point (N,), leaving out labels that died out on the way.

        A label of probability zero keeps it, so that leaving it out changes no update.
        """
        polynomial, alive, moved = self, np.arange(self.size), True
        for done in range(0, iterations, SEGMENT):
            if not moved or time.monotonic() > deadline:
                break
            steps = min(SEGMENT, iterations - done)
            points, moved = polynomial._climb(x[np.newaxis], constants, steps, dtype, deadline)
            x = points[0]
            if np.count_nonzero(x) < 0.8 * x.size:
                polynomial = polynomial._restricted(x > 0)
                alive, x = alive[x > 0], x[x > 0]
        full = np.zeros(self.size)
        full[alive] = x
        return full

    def _restricted(self, alive: npt.NDArray[np.bool_]) -> "Polynomial":
        """The same polynomial, but for a constant, of the variables that are alive (N,)."""
        kept = [np.flatnonzero(alive[self._own(u)]) for u in range(self.labels.size)]
        terms: list[Term] = [
            ((u,), self._linear[self._own(u)][labels]) for u, labels in enumerate(kept)
        ]
        for edge, table in self._tables.items():
            terms.append((edge, table[np.ix_(*(kept[u] for u in edge))]))
        return Polynomial([labels.size for labels in kept], terms)


def _padded(count: int) -> int:
    return -(-count // TILE) * TILE


def _integers(rows: list[list[int]], columns: int) -> Labels:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)


def _batches(points: int) -> list[tuple[slice, int]]:
    """Which points the kernels take at once, and the lanes that they are to be given."""
    if points <= FEW:
        return [(slice(i, i + 1), 1) for i in range(points)]
    return [(slice(i, min(i + LANES, points)), LANES) for i in range(0, points, LANES)]


def _transposed(points: Array, lanes: int, dtype: npt.DTypeLike) -> Real:
    """Variables by lanes, with zeros where there is no point and for the padding of tables."""
    block: Real = np.zeros((points.shape[1] + TILE, lanes), dtype=dtype)
    block[: points.shape[1], : len(points)] = points.T
    return block


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
    width = x.size
    for i in range(y.size // lanes):
        w, o = y[i * lanes : (i + 1) * lanes], out[i * width : (i + 1) * width]
        for j in range(0, width, lanes):
            for b in range(lanes):
                o[j + b] = w[b] * x[j + b]


@_compiled
def _sum_out(z: Any, x: Any, slope: Any, y: Any, lanes: Any) -> None:
    """Sum the vertex of x (n x lanes) out of z (count x n x lanes), in place.

    Its derivatives, with the weights y (count x lanes) of the others, are added to slope.
    """
    width, total = x.size, np.empty(lanes, x.dtype)
    for i in range(y.size // lanes):
        w, part = y[i * lanes : (i + 1) * lanes], z[i * width : (i + 1) * width]
        total[:] = 0
        for j in range(0, width, lanes):
            for b in range(lanes):
                slope[j + b] += w[b] * part[j + b]
                total[b] += x[j + b] * part[j + b]
        for b in range(lanes):
            z[i * lanes + b] = total[b]


@_compiled
def _gradient(plan: Any, lanes: Any, base: Any, x: Any, slope: Any, total: Any) -> None:
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
def _grow(plan: Any, lanes: Any, base: Any, offset: Any, x: Any, iterations: Any, tiny: Any) -> Any:
    """Apply Eq. 10 to x (N x lanes) in place; tell whether the last update moved it.

    A point that an update does not move is never moved again.
    """
    slope, total, norm = np.zeros_like(x), np.zeros(lanes, x.dtype), np.empty(lanes, x.dtype)
    moved, zero = True, x.dtype.type(0)
    for _ in range(iterations):
        _gradient(plan, lanes, base, x, slope, total)
        moved = False
        for u in range(offset.size - 1):
            norm[:] = 0
            v, g = x[offset[u] * lanes : offset[u + 1] * lanes], slope[offset[u] * lanes :]
            for i in range(0, v.size, lanes):
                for b in range(lanes):
                    # Rounding may make a derivative that is zero slightly negative.
                    g[i + b] = v[i + b] * max(g[i + b], zero)
                    norm[b] += g[i + b]
            for i in range(0, v.size, lanes):
                for b in range(lanes):
                    # Without any derivative every distribution is as good: it stays.
                    new = g[i + b] / norm[b] if norm[b] > tiny else v[i + b]
                    new = new if new > tiny else zero
                    moved |= new != v[i + b]
                    v[i + b] = new
        if not moved:
            break
    return moved
