"""Four or eight numbers at once: vector instructions, spelled out.

A compiler makes vectors of long loops, but most loops over labels are short. Without compilation
these are arrays of NumPy.
"""

from typing import Any, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from sentrack.inference.kernels.jit import COMPILED

Vector = Any


class Simd(types.Type):
    """Numba's type of so many numbers at once."""

    def __init__(self, width: int) -> None:
        super().__init__(name=f"Simd({width})")
        self.width = width


@register_model(Simd)
class SimdModel(models.PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: Simd) -> None:
        cast(Any, super()).__init__(manager, kind, ir.VectorType(ir.DoubleType(), kind.width))


def _none(width: int) -> Any:
    kind = Simd(width)

    def make(context: Any, _builder: Any, _signature: Any, _values: Any) -> Any:
        return ir.Constant(context.get_value_type(kind), None)

    return kind(), make


def _place(context: Any, builder: Any, array: tuple[Any, Any], at: Any, kind: Any) -> Any:
    """Where the vector lies that begins in a place of an array."""
    start = context.make_array(array[0])(context, builder, array[1]).data
    pointer = context.get_value_type(kind).as_pointer()
    return builder.bitcast(builder.gep(start, [at]), pointer)


@intrinsic
def _four(_typing: Any) -> Any:
    return _none(4)


@intrinsic
def _eight(_typing: Any) -> Any:
    return _none(8)


@intrinsic
def _load(_typing: Any, like: Any, array: Any, at: Any) -> Any:  # noqa: ARG001
    def make(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = builder.load(
            _place(context, builder, (signature.args[1], values[1]), values[2], like)
        )
        found.align = 8
        return found

    return like(like, array, types.uint64), make


@intrinsic
def _store(_typing: Any, vector: Any, array: Any, at: Any) -> Any:  # noqa: ARG001
    def make(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = _place(context, builder, (signature.args[1], values[1]), values[2], vector)
        builder.store(values[0], place).align = 8
        return context.get_dummy_value()

    return types.void(vector, array, types.uint64), make


@intrinsic
def _spread(_typing: Any, like: Any, value: Any) -> Any:  # noqa: ARG001
    def make(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        kind = context.get_value_type(like)
        whole = ir.Constant(kind, ir.Undefined)
        index = ir.IntType(32)
        one = builder.insert_element(whole, values[1], index(0))
        nowhere = ir.Constant(ir.VectorType(index, like.width), [0] * like.width)
        return builder.shuffle_vector(one, whole, nowhere)

    return like(like, types.float64), make


@intrinsic
def _plus(_typing: Any, x: Any, y: Any) -> Any:
    def make(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.fadd(*values)

    return x(x, y), make


@intrinsic
def _larger(_typing: Any, x: Any, y: Any) -> Any:
    def make(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *values), *values)

    return x(x, y), make


@intrinsic
def _largest(_typing: Any, x: Any) -> Any:
    def make(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        (found,), index, width = values, ir.IntType(32), x.width
        # The second half on the first, as often as there are halves.
        while width > 1:
            width //= 2
            halves = (
                builder.shuffle_vector(
                    found, found, ir.Constant(ir.VectorType(index, width), [*places])
                )
                for places in (range(width), range(width, 2 * width))
            )
            first, second = halves
            found = builder.select(builder.fcmp_ordered(">", first, second), first, second)
        return builder.extract_element(found, index(0))

    return types.float64(x), make


@intrinsic
def _fetch(_typing: Any, array: Any, at: Any) -> Any:  # noqa: ARG001
    def make(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        start = context.make_array(signature.args[0])(context, builder, values[0]).data
        byte = ir.IntType(8).as_pointer()
        pointer = builder.bitcast(builder.gep(start, [values[1]]), byte)
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        # For reading, to be kept in all caches, of data.
        builder.call(call, [pointer, flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(array, types.uint64), make


def _plain_load(like: Vector, array: npt.NDArray[np.float64], at: int) -> Vector:
    return array[at : at + like.size].copy()


def _plain_store(vector: Vector, array: npt.NDArray[np.float64], at: int) -> None:
    array[at : at + vector.size] = vector


# A vector of four and of eight zeros. The functions below take either.
four: Any = _four if COMPILED else lambda: np.zeros(4)
eight: Any = _eight if COMPILED else lambda: np.zeros(8)
# load(like, array, at): a vector like another, of the numbers from a place on.
load: Any = _load if COMPILED else _plain_load
# store(vector, array, at): write its numbers to a place.
store: Any = _store if COMPILED else _plain_store
# spread(like, value): a vector like another, of one number.
spread: Any = _spread if COMPILED else lambda like, value: np.full(like.size, value)
# plus(x, y): the sums of the numbers of two vectors.
plus: Any = _plus if COMPILED else np.add
# larger(x, y): the larger ones of the numbers of two vectors.
larger: Any = _larger if COMPILED else np.maximum
# largest(x): the largest number of a vector.
largest: Any = _largest if COMPILED else np.max
# fetch(array, at): have the line of the cache that holds a place ready soon.
fetch: Any = _fetch if COMPILED else lambda _array, _at: None
