"""The compiled loops over tables and transitions, against NumPy, on axes of every length."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from sentrack.inference.kernels.messages import transfer
from sentrack.inference.kernels.tables import (
    add_axis,
    axis_maxima,
    copy_run,
    place_of_top,
    top,
)

Array = npt.NDArray[np.float64]
# Rows and columns that fill vectors, that do not, and that are shorter than one.
LENGTHS = st.integers(1, 20)
GUARD = 7.5


@njit
def _transferred(
    src: Any, at: int, outer: int, n: int, m: int, inner: int, g: Any, out: Any
) -> None:
    transfer(src, at, out, 3, outer, n, m, inner, g, 0, inner)


@njit
def _maxima(x: Any, y: Any, outer: int, size: int, inner: int, out: Any) -> None:
    axis_maxima(x, 2, y, 1, outer, size, inner, out, 3)


@njit
def _added(x: Any, outer: int, size: int, inner: int, delta: Any) -> None:
    add_axis(x, 2, outer, size, inner, delta, 1)


@njit
def _top(x: Any, at: int, size: int) -> Any:
    return top(x, at, size), place_of_top(x, at, size)


@njit
def _copied(x: Any, at: int, out: Any, size: int) -> None:
    copy_run(x, at, out, 3, size)


def numbers(seed: int, size: int) -> Array:
    """Some numbers, few of them different, and some impossible."""
    rng = np.random.default_rng(seed)
    found = rng.integers(-3, 4, size).astype(np.float64)
    found[rng.random(size) < 0.2] = -np.inf
    return found


def guarded(size: int) -> Array:
    """Room for a result, with numbers on both sides that must stay."""
    return np.full(size + 6, GUARD)


def check_guards(out: Array, size: int) -> None:
    assert (out[:3] == GUARD).all()
    assert (out[3 + size :] == GUARD).all()


@settings(max_examples=300)
@given(seed=st.integers(0, 99), outer=LENGTHS, n=LENGTHS, m=LENGTHS, inner=LENGTHS)
def test_transitions_are_the_best_sums(seed: int, outer: int, n: int, m: int, inner: int) -> None:
    src, g = numbers(seed, 2 + outer * n * inner), numbers(seed + 1, n * m)
    out = guarded(outer * m * inner)
    _transferred(src, 2, outer, n, m, inner, g, out)
    check_guards(out, outer * m * inner)
    tables = src[2:].reshape(outer, n, 1, inner) + g.reshape(1, n, m, 1)
    np.testing.assert_array_equal(out[3:-3], tables.max(axis=1).ravel())


@settings(max_examples=300)
@given(seed=st.integers(0, 99), outer=LENGTHS, size=LENGTHS, inner=LENGTHS)
def test_maxima_of_an_axis_and_what_is_added_to_it(
    seed: int, outer: int, size: int, inner: int
) -> None:
    shape = (outer, size, inner)
    states = outer * size * inner
    x, y = numbers(seed, 2 + states), numbers(seed + 1, 1 + states)
    out = guarded(size)
    _maxima(x, y, outer, size, inner, out)
    check_guards(out, size)
    np.testing.assert_array_equal(
        out[3:-3], (x[2:].reshape(shape) + y[1:].reshape(shape)).max(axis=(0, 2))
    )
    delta = np.arange(1.0 + size)
    wanted = x[2:].reshape(shape) + delta[1:, None]
    _added(x, outer, size, inner, delta)
    np.testing.assert_array_equal(x[2:], wanted.ravel())


@given(seed=st.integers(0, 99), size=st.integers(1, 300), at=st.integers(0, 3))
def test_the_largest_of_a_row_is_the_first_of_equals(seed: int, size: int, at: int) -> None:
    x = numbers(seed, at + size + 2)
    best, place = _top(x, at, size)
    assert best == x[at : at + size].max()
    assert place == x[at : at + size].argmax()
    out = guarded(size)
    _copied(x, at, out, size)
    check_guards(out, size)
    np.testing.assert_array_equal(out[3:-3], x[at : at + size])


@pytest.mark.parametrize("size", [1, 8, 64, 65])
def test_of_what_is_all_impossible_the_first_is_taken(size: int) -> None:
    assert _top(np.full(size, -np.inf), 0, size) == (-np.inf, 0)
