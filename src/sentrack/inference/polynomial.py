"""The general form of the relaxed objective (Eq. 9) and the Growth Transform that climbs it."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from sentrack.inference.errors import ProblemError
from sentrack.inference.kernels import LANES, TILE, Plan, Real, gradient, grow
from sentrack.inference.limits import in_parallel

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Term = tuple[tuple[int, ...], npt.ArrayLike]

# ε of Eq. 12 is what a table without negative entries is raised by. Any positive one will do; the
# smaller it is, the longer the steps, and the objective does not fall all the same.
EPSILON = 1e-6
# Up to this many points are faster one by one.
FEW_POINTS = 10
# Iterations between two looks at the labels that died out, and at whether anything still moves.
SEGMENT = 100
# Products of one call of a kernel, after which the clock is looked at.
PRODUCTS = 2e8


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
        rng = np.random.default_rng(seed)
        if deadline < math.inf:
            # Time to evaluate all starts, and to round the best of them, is kept back; where there
            # is little, starts are fewer.
            begin = time.monotonic()
            self.value(self._normalized(np.ones((min(starts, LANES), self.size))))
            once = time.monotonic() - begin
            affordable = int((deadline - time.monotonic()) / (4 * once + 1e-9)) * LANES
            starts = max(1, min(starts, affordable))
            deadline -= once * (-(-starts // LANES) + 2)
        random = rng.standard_exponential((starts, self.size))
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
    ) -> tuple[Plan, dict[tuple[int, ...], Array]]:
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
        return Plan(storage, _integers(edges, 6), _integers(leading, 2), scratch), tables

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

    def raised(self, epsilon: float = EPSILON) -> float:
        """By how much the constants of Eq. 12 raise the value of every labelling."""
        return math.fsum(max(epsilon, -minimum) for _, minimum in self._minima)

    def _constants(self, epsilon: float) -> Array:
        """(U,): the constants of Eq. 12, summed over the hyperedges of every vertex."""
        constants = np.zeros(self.labels.size)
        for vertices, minimum in self._minima:
            constants[list(vertices)] += max(epsilon, -minimum)
        return constants

    def _evaluate(self, x: npt.ArrayLike) -> tuple[Array, Array]:
        points = self._points(x)
        values, slopes = np.empty(len(points)), np.empty_like(points)
        for part, lanes in _batches(len(points)):
            block = _transposed(points[part], lanes, np.float64)
            slope, total = np.zeros_like(block), np.zeros(lanes)
            gradient(self._plan, lanes, self._linear, block.ravel(), slope.ravel(), total)
            count = part.stop - part.start
            values[part] = self._constant + total[:count]
            slopes[part] = slope[: self.size, :count].T
        shape = np.shape(x)
        return values.reshape(shape[:-1]), slopes.reshape(shape)

    def _climb(
        self, x: Array, constants: Array, iterations: int, dtype: str, deadline: float
    ) -> tuple[Array, bool]:
        """Apply Eq. 10 to the points x (B, N); also tell whether any still moves."""
        plan = self._plan if dtype == "float64" else self._single
        base = (self._linear + np.repeat(constants, self.labels)).astype(dtype)
        tiny = np.sqrt(np.finfo(dtype).tiny)
        batches, grown = _batches(len(x)), np.empty_like(x)
        moved = np.zeros(len(batches), dtype=np.bool_)

        def run(begin: int, end: int) -> None:
            for n, (part, lanes) in enumerate(batches[begin:end], begin):
                block = _transposed(x[part], lanes, dtype)
                most = max(1, min(SEGMENT, int(PRODUCTS / (lanes * (plan.tables.size + 1)))))
                for done in range(0, iterations, most):
                    if time.monotonic() > deadline:
                        break
                    steps, before = min(most, iterations - done), block.copy()
                    grow(plan, lanes, base, self.offset, block.ravel(), steps, tiny)
                    moved[n] = not np.array_equal(before, block)
                    if not moved[n]:
                        break
                points = block[: self.size, : part.stop - part.start].T
                # In float32 the sums are one to its precision only.
                grown[part] = self._normalized(points.astype(np.float64))

        # Points do not depend on each other, so that threads change no result.
        if batches:
            in_parallel(run, len(batches))
        return grown, bool(moved.any())

    @cached_property
    def _single(self) -> Plan:
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
    if points <= FEW_POINTS:
        return [(slice(i, i + 1), 1) for i in range(points)]
    return [(slice(i, min(i + LANES, points)), LANES) for i in range(0, points, LANES)]


def _transposed(points: Array, lanes: int, dtype: npt.DTypeLike) -> Real:
    """Variables by lanes, with zeros where there is no point and for the padding of tables."""
    block: Real = np.zeros((points.shape[1] + TILE, lanes), dtype=dtype)
    block[: points.shape[1], : len(points)] = points.T
    return block
