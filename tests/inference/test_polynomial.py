"""Eq. 9, its derivatives, rounding and the Growth Transform, against oracles of their own."""

import itertools
import os
import subprocess
import sys
import time
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.inference.errors import ProblemError
from sentrack.inference.kernels.growth import LANES
from sentrack.inference.polynomial import FEW_POINTS, Polynomial

Array = npt.NDArray[np.float64]
Terms = list[tuple[tuple[int, ...], Array]]

seeds = st.integers(0, 2**32 - 1)
# One point, a few one by one, one batch that is not full, several batches.
BATCHES = (1, FEW_POINTS, FEW_POINTS + 1, LANES + 3)


def draw(seed: int, fewest: int = 1, most: int = 4) -> tuple[list[int], Terms]:
    """Label counts of up to five vertices, and up to eight hyperedges of one to four of them."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(fewest, most + 1, rng.integers(1, 6))
    terms: Terms = []
    for _ in range(rng.integers(1, 9)):
        edge = rng.permutation(labels.size)[: rng.integers(1, 5)]
        table = rng.uniform(-5, 2, labels[edge]) * rng.choice([0.01, 1, 100])
        terms.append((tuple(edge.tolist()), table))
    return labels.tolist(), terms


def split(labels: list[int], x: Any) -> list[Any]:
    ends = np.cumsum(labels).tolist()
    return [x[end - n : end] for n, end in zip(labels, ends, strict=True)]


def objective(labels: list[int], terms: Terms, x: Any) -> Any:
    """Eq. 9 at one point, for autograd."""
    parts = split(labels, x)
    total: Any = 0.0
    for edge, table in terms:
        rest: Any = table
        for u in reversed(edge):
            rest = anp.dot(rest, parts[u])
        total = total + rest
    return total


def optimum(labels: list[int], terms: Terms) -> float:
    """The best of all labellings."""
    scores = [
        sum(table[tuple(labelling[u] for u in edge)] for edge, table in terms)
        for labelling in itertools.product(*map(range, labels))
    ]
    return float(max(scores))


def points(labels: list[int], count: int, seed: int) -> Array:
    """Random distributions of all vertices (count, N), some of them near a corner or in one."""
    rng = np.random.default_rng(seed)
    weights = [rng.standard_exponential((count, n)) ** rng.choice([0, 1, 6]) for n in labels]
    for part in weights:
        part[rng.random(count) < 0.2, 1:] = 0
    return np.concatenate([part / part.sum(axis=1, keepdims=True) for part in weights], axis=1)


def close(actual: Any, expected: Any, terms: Terms) -> None:
    largest = max(float(np.abs(table).max()) for _, table in terms)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12 * (1 + largest))


@given(seed=seeds, count=st.sampled_from(BATCHES), most=st.sampled_from((4, 9)))
@settings(max_examples=40)
def test_value_and_gradient_are_those_of_autograd(seed: int, count: int, most: int) -> None:
    labels, terms = draw(seed, 2, most)
    polynomial = Polynomial(labels, terms)
    # Derivatives are those of the polynomial, on the simplex or off it.
    x = points(labels, count, seed) * 1.5
    derivative = autograd.grad(lambda row: objective(labels, terms, row))
    close(polynomial.value(x), [objective(labels, terms, row) for row in x], terms)
    close(polynomial.gradient(x), [derivative(row) for row in x], terms)


def test_points_come_in_any_shape() -> None:
    labels, terms = draw(3, 2)
    polynomial = Polynomial(labels, terms)
    x = points(labels, 6, 0)
    grid = x.reshape(2, 3, -1)
    close(polynomial.value(grid), polynomial.value(x).reshape(2, 3), terms)
    close(polynomial.gradient(grid), polynomial.gradient(x).reshape(grid.shape), terms)
    close(polynomial.grow(grid), polynomial.grow(x).reshape(grid.shape), terms)
    assert polynomial.value(x[0]).shape == ()
    assert polynomial.value(x[:0]).shape == (0,)
    assert polynomial.grow(x[:0]).shape == (0, x.shape[1])


@given(seed=seeds)
@settings(max_examples=40)
def test_corners_of_the_simplices_are_labellings(seed: int) -> None:
    labels, terms = draw(seed)
    polynomial = Polynomial(labels, terms)
    labelling = np.random.default_rng(seed).integers(labels)
    corner = np.concatenate([np.eye(n)[v] for n, v in zip(labels, labelling, strict=True)])
    expected = sum(table[tuple(labelling[u] for u in edge)] for edge, table in terms)
    close(polynomial.score(labelling), expected, terms)
    close(polynomial.value(corner), expected, terms)
    np.testing.assert_array_equal(polynomial.round(corner), labelling)


@given(seed=seeds, count=st.sampled_from(BATCHES))
@settings(max_examples=30)
def test_the_relaxed_optimum_is_the_discrete_one(seed: int, count: int) -> None:
    """Theorem 1: no point exceeds the best labelling, be it random or the end of a climb."""
    labels, terms = draw(seed)
    polynomial, best = Polynomial(labels, terms), optimum(labels, terms)
    slack = 1e-10 * (1 + abs(best))
    x = points(labels, count, seed)
    assert (polynomial.value(x) <= best + slack).all()
    assert (polynomial.value(polynomial.grow(x, 200)) <= best + slack).all()
    found = polynomial.maximize(starts=count, iterations=20, final_iterations=200, seed=seed)
    assert found.relaxed_value <= found.value + slack
    assert found.value <= best + slack


@given(seed=seeds)
@settings(max_examples=40)
def test_rounding_is_one_pass_that_never_lowers_the_value(seed: int) -> None:
    labels, terms = draw(seed)
    polynomial = Polynomial(labels, terms)
    x = points(labels, 1, seed)[0]
    parts = [part.copy() for part in split(labels, x)]
    fractional = [u for u, part in enumerate(parts) if part.max() < 1]
    for u in fractional:
        values = []
        for corner in np.eye(labels[u]):
            parts[u] = corner
            values.append(objective(labels, terms, np.concatenate(parts)))
        parts[u] = np.eye(labels[u])[np.argmax(values)]
    labelling = polynomial.round(x)
    slack = 1e-10 * (1 + max(float(np.abs(table).max()) for _, table in terms))
    assert polynomial.score(labelling) >= objective(labels, terms, x) - slack
    close(polynomial.score(labelling), objective(labels, terms, np.concatenate(parts)), terms)
    for u in set(range(len(labels))) - set(fractional):
        assert labelling[u] == parts[u].argmax()


@given(seed=seeds, count=st.sampled_from(BATCHES))
@settings(max_examples=30)
def test_an_update_is_equation_10(seed: int, count: int) -> None:
    labels, terms = draw(seed, 2)
    x, epsilon = points(labels, count, seed), 0.25
    derivative = autograd.grad(lambda row: objective(labels, terms, row))
    expected = []
    for row in x:
        slopes = split(labels, derivative(row))
        for edge, table in terms:
            for u in edge:
                slopes[u] = slopes[u] + max(epsilon, -table.min())
        raised = [part * slope for part, slope in zip(split(labels, row), slopes, strict=True)]
        # A vertex of no term, or with equal terms at their minimum, has nothing to grow by.
        expected.append(
            np.concatenate(
                [
                    new / new.sum() if new.sum() > 1e-9 else old
                    for new, old in zip(raised, split(labels, row), strict=True)
                ]
            )
        )
    grown = Polynomial(labels, terms).grow(x, 1, epsilon)
    np.testing.assert_allclose(grown, expected, rtol=1e-8, atol=1e-11)


@given(seed=seeds, count=st.sampled_from(BATCHES))
@settings(max_examples=30)
def test_the_objective_never_falls(seed: int, count: int) -> None:
    labels, terms = draw(seed)
    polynomial = Polynomial(labels, terms)
    slack = 1e-11 * sum(float(np.abs(table).max()) for _, table in terms)
    x = points(labels, count, seed)
    before = polynomial.value(x)
    for _ in range(40):
        x = polynomial.grow(x)
        after = polynomial.value(x)
        assert (after >= before - slack).all()
        before = after
    sums = np.add.reduceat(x, np.cumsum([0, *labels[:-1]]), axis=1)
    np.testing.assert_allclose(sums, 1, rtol=1e-12)


def test_a_vertex_with_one_label_is_a_constant() -> None:
    labels, terms = (
        [1, 3, 1, 2],
        [
            ((0, 1, 3), np.arange(6.0).reshape(1, 3, 2)),
            ((1, 2), np.arange(3.0).reshape(3, 1)),
            ((2, 0), np.array([[7.0]])),
            ((2,), np.array([-1.0])),
        ],
    )
    polynomial = Polynomial(labels, terms)
    x = points(labels, 5, 0)
    derivative = autograd.grad(lambda row: objective(labels, terms, row))
    expected = np.array([derivative(row) for row in x])
    expected[:, [0, 4]] = 0
    close(polynomial.value(x), [objective(labels, terms, row) for row in x], terms)
    close(polynomial.gradient(x), expected, terms)
    assert polynomial.maximize(2, 10, 10).value == optimum(labels, terms) == 13.0


def test_hyperedges_with_the_same_vertices_add_up() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 3)), rng.normal(size=(3, 2))
    polynomial = Polynomial([2, 3], [((0, 1), first), ((1, 0), second)])
    total = Polynomial([2, 3], [((0, 1), first + second.T)])
    x = points([2, 3], 4, 0)
    np.testing.assert_allclose(polynomial.value(x), total.value(x))
    assert polynomial.maximize().value == pytest.approx(float((first + second.T).max()))


def test_the_best_start_finds_the_optimum_that_others_miss() -> None:
    rng = np.random.default_rng(5)
    edges = list(itertools.combinations(range(6), 2))
    terms: Terms = [(edge, rng.normal(size=(3, 3))) for edge in edges]
    found = Polynomial([3] * 6, terms).maximize()
    best = optimum([3] * 6, terms)
    assert found.value == pytest.approx(best)
    assert found.start_values.shape == (150,)
    assert (found.start_values < best - 0.1).mean() > 0.2
    assert found.relaxed_value >= found.start_values.max() - 1e-9


def test_terms_without_a_choice_leave_the_distributions_alone() -> None:
    # Raised to nonnegativity all entries are zero, and so is the normaliser.
    polynomial = Polynomial([3, 2], [((0,), np.full(3, -5.0)), ((0, 1), np.full((3, 2), -0.1))])
    x = points([3, 2], 50, 1)
    np.testing.assert_allclose(polynomial.grow(x, 10), x)
    for dtype in ("float64", "float32"):
        assert polynomial.maximize(20, 20, 20, dtype=dtype).value == pytest.approx(-5.1)


def test_labels_that_died_out_are_left_out_without_a_difference() -> None:
    labels, rng = [40, 40, 3, 7], np.random.default_rng(0)
    edges: list[tuple[int, ...]] = [(0,), (0, 1), (1, 2), (0, 1, 2), (2, 3)]
    terms: Terms = [(edge, rng.normal(size=[labels[u] for u in edge])) for edge in edges]
    # 39 labels of a vertex lose a constant share of their probability at every update.
    terms.append(((0,), np.where(np.arange(40) == 4, 30.0, 0.0)))
    polynomial = Polynomial(labels, terms)
    plain = polynomial.maximize(starts=1, iterations=900, final_iterations=0)
    settled = polynomial.maximize(starts=1, iterations=0, final_iterations=900)
    assert np.count_nonzero(settled.distributions) < 0.7 * polynomial.size
    np.testing.assert_allclose(settled.distributions, plain.distributions, atol=1e-9)
    np.testing.assert_array_equal(settled.labelling, plain.labelling)


@given(seed=seeds)
@settings(max_examples=15)
def test_single_precision_is_close_to_double(seed: int) -> None:
    labels, terms = draw(seed)
    polynomial = Polynomial(labels, terms)
    single, double = (
        polynomial.maximize(30, 50, 300, seed=seed, dtype=dtype) for dtype in ("float32", "float64")
    )
    size = 1 + sum(float(np.abs(table).max()) for _, table in terms)
    # Starts that are nearly as good may swap places, so that only values can be compared.
    np.testing.assert_allclose(single.start_values, double.start_values, atol=1e-3 * size)
    assert single.relaxed_value <= single.value + 1e-9 * size
    assert np.isfinite(single.distributions).all()


def test_probabilities_underflow_to_zero_in_both_precisions() -> None:
    tables = [np.array([3e4, 0.0, -1e-3]), np.array([0.0, 1.0, 3e4])]
    polynomial = Polynomial([3, 3], [((u,), table) for u, table in enumerate(tables)])
    for dtype in ("float64", "float32"):
        found = polynomial.maximize(starts=20, iterations=200, final_iterations=400, dtype=dtype)
        np.testing.assert_array_equal(found.distributions, [1, 0, 0, 0, 0, 1])
        assert found.value == found.relaxed_value == 6e4


def test_the_seed_decides() -> None:
    labels, terms = draw(8, 3)
    polynomial = Polynomial(labels, terms)
    one, same, other = (polynomial.maximize(30, 20, 40, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.distributions, same.distributions)
    np.testing.assert_array_equal(one.start_values, same.start_values)
    assert not np.array_equal(one.start_values, other.start_values)


SCRIPT = """
import os, sys
if len(sys.argv) > 1 and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
import numpy as np
from sentrack.inference.polynomial import Polynomial
rng = np.random.default_rng(0)
labels = [150, 130, 120, 3]
edges = [(0,), (0, 1), (1, 2), (0, 2), (3, 0, 1), (3, 2)]
terms = [(edge, rng.normal(size=[labels[u] for u in edge])) for edge in edges]
for dtype in ("float64", "float32"):
    found = Polynomial(labels, terms).maximize(90, 20, 150, dtype=dtype)
    print(found.value.hex(), found.relaxed_value.hex(), found.labelling.tolist())
    print(found.start_values.tobytes().hex(), found.distributions.tobytes().hex())
"""


def test_the_result_does_not_depend_on_threads() -> None:
    printed = []
    for threads, arguments in (("1", ["one core"]), ("1", []), ("2", [])):
        names = ("OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, threads)
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        command = [sys.executable, "-c", SCRIPT, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
        printed.append(done.stdout)
    assert printed[0].count("\n") == 4
    assert len(set(printed)) == 1


def test_a_deadline_ends_the_search_with_what_there_is() -> None:
    rng = np.random.default_rng(0)
    edges = itertools.combinations(range(12), 2)
    polynomial = Polynomial([60] * 12, [(edge, rng.normal(size=(60, 60))) for edge in edges])
    # Without it, this would take days.
    past = time.monotonic()
    found = polynomial.maximize(iterations=10**6, final_iterations=10**6, deadline=past)
    assert found.value >= found.relaxed_value - 1e-9


def test_without_vertices_there_is_one_labelling() -> None:
    found = Polynomial([], []).maximize(3, 2, 2)
    assert found.labelling.shape == (0,)
    assert found.value == found.relaxed_value == 0.0


@pytest.mark.parametrize(
    ("labels", "terms", "message"),
    [
        ([2, 0], [], "vertex 1 has 0 labels"),
        ([2, 2], [((0,), [1.0, 2.0]), ((1, 1), np.zeros((2, 2)))], r"term 1 .*\(1, 1\).*twice"),
        ([2], [((), 1.0)], "term 0"),
        ([2], [((1,), [1.0, 2.0])], "term 0 .*1 vertices"),
        ([2], [((-1,), [1.0, 2.0])], "term 0"),
        ([2, 3], [((1, 0), np.zeros((2, 3)))], r"term 0 .*shape \(2, 3\).*\(3, 2\)"),
        ([2], [((0,), [1.0, np.nan])], "term 0 .*not finite"),
        ([2], [((0,), [1.0, 2.0]), ((0,), [0.0, -np.inf])], "term 1 .*not finite"),
        ([2], [((0,), [np.inf, 0.0])], "term 0 .*not finite"),
        ([2], [((0,), ["a", "b"])], "term 0 .*not an array of numbers"),
    ],
)
def test_what_is_no_polynomial_is_refused(labels: Any, terms: Any, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Polynomial(labels, terms)


def test_wrong_points_labellings_and_settings_are_refused() -> None:
    polynomial = Polynomial([2, 3], [((0, 1), np.zeros((2, 3)))])
    for x in (np.zeros(4), np.zeros((5, 2)), 1.0):
        with pytest.raises(ProblemError, match="points"):
            polynomial.value(x)
    for labelling in ([2, 0], [0, -1]):
        with pytest.raises(ProblemError, match="labels"):
            polynomial.score(labelling)
    wrong: list[dict[str, Any]] = [
        {"starts": 0},
        {"iterations": -1},
        {"final_iterations": -1},
        {"epsilon": 0.0},
        {"epsilon": float("nan")},
        {"dtype": "float16"},
    ]
    for settings_ in wrong:
        with pytest.raises(ValueError, match=next(iter(settings_)).split("_")[-1]):
            polynomial.maximize(**settings_)
