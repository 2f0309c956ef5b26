"""Networks of PaddlePaddle, turned into ONNX models.

A network is two files: a program, whose operators name their inputs and outputs, and its
parameters, one after the other in the order of their names. Only the operators that PicoDet is made
of are known here.
"""

import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.vision.scan.detectors.onnx_model import Graph
from sentrack.vision.scan.detectors.protobuf import Message, content, decode, signed

Parameters = dict[str, npt.NDArray[np.float32]]

_FLOAT32 = 5  # among the types of parameters


@dataclass(frozen=True)
class Operator:
    """A step of a program: its kind, its inputs and outputs by role, and its attributes."""

    kind: str
    given: Mapping[str, Sequence[str]]
    results: Mapping[str, Sequence[str]]
    attributes: Mapping[str, Any]


def read(program: bytes, parameters: bytes) -> tuple[list[Operator], Parameters]:
    """The operators in their order, and the parameters by name.

    Raises:
        ValueError: the bytes are no such network.
    """
    block = decode(content(decode(program)[1][0]))
    kept = (decode(content(each)) for each in block[3])
    # The variables that last are the parameters, but for the operators' queues of in- and outputs.
    names = sorted(_text(each, 1) for each in kept if each[3] == [1])
    names = [name for name in names if name not in ("feed", "fetch")]
    return [_operator(decode(content(each))) for each in block[4]], _arrays(names, parameters)


def add_operators(
    graph: Graph,
    operators: Sequence[Operator],
    parameters: Parameters,
    outputs: Collection[str],
    positions: Collection[int],
) -> None:
    """Add the operators that lead to some outputs to a graph, whose batch is one image.

    Args:
        graph: that already has the inputs of the program.
        operators: of the program.
        parameters: by name; those that are needed are added, too.
        outputs: names of tensors in the program.
        positions: lengths that depend on the size of the input, and become free.

    Raises:
        ValueError: the program does not make the outputs, or by an unknown operator.
    """
    needed, wanted = set(outputs), []
    for operator in reversed(operators):
        if operator.kind != "feed" and needed & set(chain(*operator.results.values())):
            needed |= set(chain(*operator.given.values()))
            wanted.append(operator)
    for operator in reversed(wanted):
        if operator.kind not in _ADD:
            raise ValueError(f"the operator {operator.kind} is not known")
        _ADD[operator.kind](_Step(graph, operator, parameters, positions))
    made = set(chain(*(chain(*each.results.values()) for each in wanted)))
    if missing := set(outputs) - made:
        raise ValueError(f"nothing in it is called {min(missing)}")
    for name in sorted(graph.missing & parameters.keys()):
        graph.constant(name, parameters[name])


@dataclass(frozen=True)
class _Step:
    """An operator on its way into a graph."""

    graph: Graph
    operator: Operator
    parameters: Parameters
    positions: Collection[int]

    def one(self, role: str) -> str:
        return self.operator.given[role][0]

    def __getitem__(self, name: str) -> Any:
        return self.operator.attributes[name]

    def add(self, kind: str, given: Sequence[str], result: str = "Out", **attributes: Any) -> None:
        self.graph.add(kind, given, self.operator.results[result][0], **attributes)

    def constant(self, value: npt.ArrayLike) -> str:
        """A constant that belongs to the first output."""
        (result, *_), *_ = self.operator.results.values()
        return self.graph.constant(f"{result}/constant", value)


def _convolution(step: _Step) -> None:
    down, right = step["paddings"]
    step.add(
        "Conv",
        [step.one("Input"), step.one("Filter")],
        "Output",
        strides=step["strides"],
        dilations=step["dilations"],
        pads=[down, right, down, right],
        group=step["groups"],
    )


def _normalisation(step: _Step) -> None:
    roles = ("X", "Scale", "Bias", "Mean", "Variance")
    step.add("BatchNormalization", [*map(step.one, roles)], "Y", epsilon=step["epsilon"])


def _elementwise(kind: str) -> Callable[[_Step], None]:
    def add(step: _Step) -> None:
        right = step.one("Y")
        if step["axis"] == 1:  # one number for every channel
            right = step.constant(step.parameters[right][:, None, None])
        step.add(kind, [step.one("X"), right])

    return add


def _pooling(step: _Step) -> None:
    if not (step["adaptive"] and step["ksize"] == [1, 1] and step["pooling_type"] == "avg"):
        raise ValueError("pooling is not known but by the mean of all")
    step.add("GlobalAveragePool", [step.one("X")])


def _scaling(step: _Step) -> None:
    scaled = f"{step.operator.results['Out'][0]}/scaled"
    factor = step.graph.constant(f"{scaled}/factor", np.float32(step["scale"]))
    step.graph.add("Mul", [step.one("X"), factor], scaled)
    step.add("Add", [scaled, step.constant(np.float32(step["bias"]))])


def _reshaping(step: _Step) -> None:
    shape = [-1 if side in step.positions else side for side in step["shape"]]
    if shape.count(-1) > 1:
        shape[0] = 1
    step.add("Reshape", [step.one("X"), step.constant(shape)])


def _enlarging(step: _Step) -> None:
    step.add(
        "Resize",
        [step.one("X"), "", step.constant(np.array([1, 1, *step["scale"]], np.float32))],
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )


def _same(kind: str, **attributes: Any) -> Callable[[_Step], None]:
    """An operator that is called otherwise, with attributes by their names in the program."""

    def add(step: _Step) -> None:
        own = {key: step[name] for key, name in attributes.items()}
        step.add(kind, step.operator.given["X"], **own)

    return add


_ADD: dict[str, Callable[[_Step], None]] = {
    "conv2d": _convolution,
    "depthwise_conv2d": _convolution,
    "batch_norm": _normalisation,
    "elementwise_add": _elementwise("Add"),
    "elementwise_mul": _elementwise("Mul"),
    "matmul_v2": lambda step: step.add("MatMul", [step.one("X"), step.one("Y")]),
    "pool2d": _pooling,
    "scale": _scaling,
    "reshape2": _reshaping,
    "nearest_interp_v2": _enlarging,
    "hard_swish": _same("HardSwish"),
    "hard_sigmoid": _same("HardSigmoid", alpha="slope", beta="offset"),
    "relu": _same("Relu"),
    "sigmoid": _same("Sigmoid"),
    "sqrt": _same("Sqrt"),
    "softmax": _same("Softmax", axis="axis"),
    "concat": _same("Concat", axis="axis"),
    "transpose2": _same("Transpose", perm="axis"),
}


def _operator(message: Message) -> Operator:
    def slots(number: int) -> dict[str, list[str]]:
        found = (decode(content(each)) for each in message[number])
        return {_text(each, 1): [content(name).decode() for name in each[2]] for each in found}

    attributes = dict(_attribute(decode(content(each))) for each in message[4])
    return Operator(_text(message, 3), slots(1), slots(2), attributes)


def _attribute(message: Message) -> tuple[str, Any]:
    """Name and value, by the number of its type; None for types that no operator here needs."""
    name = _text(message, 1)
    match message[2]:
        case [0]:
            return name, signed(message[3][0])
        case [1]:
            return name, _floats(message, 4)[0]
        case [2]:
            return name, _text(message, 5)
        case [3]:
            return name, [signed(each) for each in message[6]]
        case [4]:
            return name, _floats(message, 7)
        case [6]:
            return name, bool(message[10][0])
        case _:
            return name, None


def _floats(message: Message, number: int) -> list[float]:
    return [struct.unpack("<f", content(each))[0] for each in message[number]]


def _arrays(names: Sequence[str], data: bytes) -> Parameters:
    """The parameters: each is a header, a description of type and shape, and its numbers."""
    found, place = {}, 0
    for name in names:
        version, levels, again, size = struct.unpack_from("<IQIi", data, place)
        if (version, levels, again) != (0, 0, 0):
            raise ValueError(f"the parameter {name} is of an unknown kind")
        place += struct.calcsize("<IQIi")
        told = decode(data[place : place + size])
        place += size
        if told[1] != [_FLOAT32]:
            raise ValueError(f"the parameter {name} is not of single floats")
        shape = [signed(side) for side in told[2]]
        length = int(np.prod(shape))
        found[name] = np.frombuffer(data, np.float32, length, place).reshape(shape)
        place += 4 * length
    if place != len(data):
        raise ValueError(f"there are {len(data) - place} bytes more than parameters")
    return found


def _text(message: Message, number: int) -> str:
    return content(message[number][0]).decode()
