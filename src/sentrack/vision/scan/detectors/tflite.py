"""Networks of TensorFlow Lite, turned into ONNX models.

A network is a FlatBuffer: tables whose fields are found by their numbers in TensorFlow's schema,
version 3. Pictures are (batch, height, width, channels) there and (batch, channels, height, width)
in ONNX. Only the operators that MediaPipe's palm detector is made of are known here.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.vision.scan.detectors.onnx_model import Graph

TYPES = {0: "<f4", 1: "<f2", 2: "<i4"}  # of tensors
PADDINGS = {0: "SAME_UPPER", 1: "VALID"}
CHANNELS_FIRST = (0, 3, 1, 2)
CHANNELS_LAST = (0, 2, 3, 1)


@dataclass(frozen=True)
class Table:
    """A table of a FlatBuffer, at a place in it."""

    data: bytes
    at: int

    def number(self, field: int, form: str = "i") -> int:
        """A number, 0 if it is left out, in a form of `struct`."""
        place = self._place(field)
        return 0 if place is None else self._read(form, place)

    def numbers(self, field: int) -> list[int]:
        """A vector of 32-bit integers."""
        start, count = self._vector(field)
        return list(struct.unpack_from(f"<{count}i", self.data, start))

    def content(self, field: int) -> bytes:
        """A vector of bytes."""
        start, count = self._vector(field)
        return self.data[start : start + count]

    def table(self, field: int) -> "Table":
        """Another table, without fields if it is left out."""
        place = self._place(field)
        return self if place is None else Table(self.data, self._to(place))

    def tables(self, field: int) -> list["Table"]:
        """A vector of tables."""
        start, count = self._vector(field)
        return [Table(self.data, self._to(start + 4 * n)) for n in range(count)]

    def _place(self, field: int) -> int | None:
        directory = self.at - self._read("i", self.at)
        if 4 + 2 * field >= self._read("H", directory):
            return None
        offset = self._read("H", directory + 4 + 2 * field)
        return self.at + offset if offset else None

    def _vector(self, field: int) -> tuple[int, int]:
        place = self._place(field)
        if place is None:
            return 0, 0
        start = self._to(place)
        return start + 4, self._read("I", start)

    def _to(self, place: int) -> int:
        return place + self._read("I", place)

    def _read(self, form: str, place: int) -> int:
        return int(struct.unpack_from(f"<{form}", self.data, place)[0])


@dataclass(frozen=True)
class Tensor:
    """What goes between operators: its name, its shape, and its values if it is a constant."""

    name: str
    shape: tuple[int, ...]
    values: npt.NDArray[Any] | None


@dataclass(frozen=True)
class Step:
    """An operator on its way into a graph."""

    graph: Graph
    given: list[Tensor]
    result: Tensor
    options: Table

    def add(self, kind: str, *more: str, **attributes: Any) -> None:
        """A node of the first input and of constants."""
        self.graph.add(kind, [self.given[0].name, *more], self.result.name, **attributes)

    def values(self, n: int) -> npt.NDArray[Any]:
        """An input that is a constant."""
        found = self.given[n].values
        if found is None:
            raise ValueError(f"input {n} of {self.result.name} is no constant")
        return found

    def constant(self, role: str, value: npt.ArrayLike) -> str:
        """A constant that belongs to the result."""
        return self.graph.constant(f"{self.result.name}/{role}", value)

    def unactivated(self, field: int) -> None:
        """Refuse an operator with an activation in it, by the number of that option."""
        if self.options.number(field, "b"):
            raise ValueError(f"{self.result.name} has an activation in it")


def convert(network: bytes) -> bytes:
    """A network of one input and any outputs as an ONNX model, of any number of pictures at once.

    Its input is called "images"; outputs are named by their lengths, which must differ: "18" is of
    (batch, N, 18).

    Raises:
        ValueError: the bytes are no such network, or it has an operator that is not known.
    """
    try:
        return _convert(Table(network, struct.unpack_from("<I", network)[0]))
    except (struct.error, IndexError, KeyError) as error:
        raise ValueError(f"it is no network of TensorFlow Lite: {error!r}") from None


def _convert(model: Table) -> bytes:
    buffers, main = model.tables(4), model.tables(2)[0]
    codes = [max(code.number(0, "b"), code.number(3)) for code in model.tables(1)]
    tensors = [_tensor(n, table, buffers) for n, table in enumerate(main.tables(0))]
    (first,), outputs = main.numbers(1), [tensors[n] for n in main.numbers(2)]
    graph = Graph()
    graph.add("Identity", ["images"], tensors[first].name)
    for table in main.tables(3):
        given, (result,) = table.numbers(1), table.numbers(2)
        code = codes[table.number(0, "I")]
        if code not in OPERATORS:
            raise ValueError(f"the operator {code} is not known")
        step = Step(graph, [tensors[n] for n in given], tensors[result], table.table(4))
        known = OPERATORS[code](step)
        if known is not None:
            tensors[result] = Tensor(step.result.name, step.result.shape, known)
    results: dict[str, Sequence[int | str]] = {}
    for tensor in outputs:
        name = str(tensor.shape[-1])
        graph.add("Identity", [tensor.name], name)
        results[name] = ("batch", *tensor.shape[1:])
    _, height, width, channels = tensors[first].shape
    return graph.model({"images": ("batch", channels, height, width)}, results, {})


def _tensor(number: int, table: Table, buffers: list[Table]) -> Tensor:
    shape, content = tuple(table.numbers(0)), buffers[table.number(2, "I")].content(0)
    values = None
    if content:
        values = np.frombuffer(content, TYPES[table.number(1, "b")]).reshape(shape)
    return Tensor(f"tensor {number}", shape, values)


def _convolution(step: Step) -> None:
    step.unactivated(3)
    _convolve(step, step.values(1).transpose(CHANNELS_FIRST), 1)


def _depthwise(step: Step) -> None:
    step.unactivated(4)
    weights = step.values(1).transpose(3, 0, 1, 2)
    _convolve(step, weights, len(weights))


def _convolve(step: Step, weights: npt.NDArray[Any], group: int) -> None:
    step.add(
        "Conv",
        step.constant("weights", weights.astype(np.float32)),
        step.constant("bias", step.values(2).astype(np.float32)),
        group=group,
        strides=[step.options.number(2), step.options.number(1)],
        auto_pad=PADDINGS[step.options.number(0, "b")],
    )


def _pool(step: Step) -> None:
    step.unactivated(5)
    width, height = step.options.number(3), step.options.number(4)
    step.add(
        "MaxPool",
        kernel_shape=[height, width],
        strides=[step.options.number(2), step.options.number(1)],
        auto_pad=PADDINGS[step.options.number(0, "b")],
    )


def _sum(step: Step) -> None:
    step.unactivated(0)
    step.add("Add", step.given[1].name)


def _slope(step: Step) -> None:
    """PReLU: a·x + (1 - a)·max(x, 0), for a slope a of every channel.

    ONNX Runtime has convolutions in blocks of channels, and PReLU not; written so, all stays in
    blocks, and the network takes two thirds of the time.
    """
    slope, name = step.values(1).astype(np.float32).reshape(-1, 1, 1, 1), step.result.name
    above = step.graph.add("Relu", [step.given[0].name], f"{name}/above")
    parts = [
        step.graph.add(
            "Conv", [given, step.constant(f"{n}", value)], f"{name}/part {n}", group=len(slope)
        )
        for n, (given, value) in enumerate([(step.given[0].name, slope), (above, 1 - slope)])
    ]
    step.graph.add("Add", parts, name)


def _pad(step: Step) -> None:
    widths = step.values(1)[list(CHANNELS_FIRST)].T
    step.add("Pad", step.constant("widths", widths.reshape(-1).astype(np.int64)))


def _resize(step: Step) -> None:
    if step.options.number(2, "b") or not step.options.number(3, "b"):
        raise ValueError(f"{step.result.name} is scaled by corners")
    scales = np.array(step.result.shape) / step.given[0].shape
    factors = step.constant("factors", scales[list(CHANNELS_FIRST)])
    step.add("Resize", "", factors, mode="linear", coordinate_transformation_mode="half_pixel")


def _reshape(step: Step) -> None:
    last = f"{step.result.name}/channels last"
    step.graph.add("Transpose", [step.given[0].name], last, perm=CHANNELS_LAST)
    shape = step.constant("shape", np.array([0, *step.result.shape[1:]], np.int64))
    step.graph.add("Reshape", [last, shape], step.result.name)


def _join(step: Step) -> None:
    step.unactivated(1)
    if len(step.result.shape) != 3 or step.options.number(0) != 1:
        raise ValueError(f"{step.result.name} is joined along an axis that is not known")
    names = [each.name for each in step.given]
    step.graph.add("Concat", names, step.result.name, axis=1)


def _single(step: Step) -> npt.NDArray[np.float32]:
    """Weights in half precision, taken for what they are."""
    return step.values(0).astype(np.float32)


OPERATORS: dict[int, Callable[[Step], npt.NDArray[np.float32] | None]] = {
    0: _sum,
    2: _join,
    3: _convolution,
    4: _depthwise,
    6: _single,
    17: _pool,
    22: _reshape,
    23: _resize,
    34: _pad,
    54: _slope,
}
