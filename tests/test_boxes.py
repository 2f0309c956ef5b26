"""Boxes, against plain loops that count the cells of a grid."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.boxes import area, around, centre, extent, iou, moved, over_union, shared

Array = npt.NDArray[Any]
SIZES = [np.float32, np.float64]


@st.composite
def boxes(draw: st.DrawFn) -> Array:
    """Boxes with whole corners, some without an area."""
    place, side = st.integers(-4, 4), st.integers(0, 5)
    rows = draw(st.lists(st.tuples(place, place, side, side), max_size=5))
    found = np.array(rows, dtype=np.float64).reshape(-1, 4)
    found[:, 2:] += found[:, :2]
    return found.astype(draw(st.sampled_from(SIZES)))


def cells(box: Array) -> set[tuple[int, int]]:
    x1, y1, x2, y2 = map(int, box)
    return {(x, y) for x in range(x1, x2) for y in range(y1, y2)}


@given(boxes(), boxes())
def test_pairs_as_counting_cells_has_them(a: Array, b: Array) -> None:
    common, part = shared(a[:, None], b), iou(a[:, None], b)
    assert common.shape == part.shape == (len(a), len(b))
    for i, one in enumerate(map(cells, a)):
        assert area(a)[i] == len(one)
        for j, other in enumerate(map(cells, b)):
            assert common[i, j] == len(one & other)
            whole = len(one | other)
            assert part[i, j] == pytest.approx(len(one & other) / whole if whole else 0.0)


@given(boxes())
def test_a_box_is_its_middle_and_its_sides(a: Array) -> None:
    assert np.array_equal(around(centre(a), extent(a)), a)
    assert np.array_equal(extent(a).prod(axis=-1), area(a))


@given(boxes(), st.integers(-5, 5), st.integers(-5, 5))
def test_what_moves_keeps_its_sides(a: Array, x: int, y: int) -> None:
    there = moved(a, np.array([x, y], dtype=a.dtype))
    assert np.array_equal(extent(there), extent(a))
    assert np.array_equal(centre(there) - centre(a), np.tile([x, y], (len(a), 1)))


@given(boxes())
def test_precision_stays_as_given(a: Array) -> None:
    by = np.ones(2, dtype=a.dtype)
    made = area(a), centre(a), extent(a), around(centre(a), extent(a)), moved(a, by), iou(a, a)
    assert {each.dtype for each in made} == {a.dtype}


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_boxes_of_any_scale_are_all_of_themselves(scale: float) -> None:
    for size in SIZES:
        box = np.array([0.0, 0.0, 1.0, 2.0], dtype=size) * size(scale)
        assert iou(box, box) == pytest.approx(1.0)


def test_any_leading_axes() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0, 1, (3, 2, 1, 4)), rng.uniform(0, 1, (5, 4))
    a[..., 2:] += a[..., :2]
    b[..., 2:] += b[..., :2]
    found = iou(a, b)
    assert found.shape == (3, 2, 5)
    for t, i, j in np.ndindex(found.shape):
        one, other = a[t, i, 0], b[j]
        both = shared(one, other)
        assert found[t, i, j] == over_union(both, area(one), area(other))
        assert found[t, i, j] == iou(other, one)


def test_what_is_not_known_is_not_made_up() -> None:
    nowhere, box = np.full(4, np.nan), np.array([0.0, 0.0, 1.0, 1.0])
    assert np.isnan(iou(nowhere, box))
