"""ONNX models written without their library, which is many times as large as a small network.

The numbers are those of fields in onnx.proto, version 8 of the intermediate representation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.vision.scan.detectors.protobuf import Value, encode

Attribute = int | float | str | Sequence[int]

OPSET = 14  # the first with HardSwish, which ONNX Runtime computes in one step
_KINDS = {"float32": 1, "int64": 7}


@dataclass
class Graph:
    """A network that is put together node by node.

    Attributes:
        nodes: of type, names of inputs, names of outputs and attributes, encoded.
        constants: tensors by name, encoded.
        used: names that nodes take.
    """

    nodes: list[bytes] = field(default_factory=list)
    constants: dict[str, bytes] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @property
    def missing(self) -> set[str]:
        """Names that nodes take and that are no constants."""
        return self.used - self.constants.keys()

    def add(self, kind: str, given: Sequence[str], result: str, **attributes: Attribute) -> str:
        """Add a node with one output; its name is given back."""
        fields: list[tuple[int, Value]] = [(1, name) for name in given]
        fields += [(2, result), (4, kind)]
        fields += [(5, _attribute(name, value)) for name, value in attributes.items()]
        self.nodes.append(encode(fields))
        self.used.update(given)
        return result

    def constant(self, name: str, value: npt.ArrayLike) -> str:
        """Add a tensor of single floats or of integers; its name is given back."""
        array = np.asarray(value)
        array = array.astype(np.int64 if array.dtype.kind == "i" else np.float32, copy=False)
        fields: list[tuple[int, Value]] = [(1, side) for side in array.shape]
        fields += [(2, _KINDS[array.dtype.name]), (8, name), (9, array.tobytes())]
        self.constants[name] = encode(fields)
        return name

    def model(
        self,
        given: Mapping[str, Sequence[int | str]],
        results: Mapping[str, Sequence[int | str]],
        facts: Mapping[str, Any],
    ) -> bytes:
        """The model, of floats by these shapes; a side of free length has a name."""
        fields: list[tuple[int, Value]] = [(1, node) for node in self.nodes]
        fields += [(2, "network")]
        fields += [(5, tensor) for tensor in self.constants.values()]
        fields += [(11, _described(name, shape)) for name, shape in given.items()]
        fields += [(12, _described(name, shape)) for name, shape in results.items()]
        told = [(14, encode([(1, key), (2, str(value))])) for key, value in facts.items()]
        opset = encode([(1, ""), (2, OPSET)])
        return encode([(1, 8), (7, encode(fields)), (8, opset), *told])


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return encode([(1, name), (3, value), (20, 2)])
    if isinstance(value, float):
        return encode([(1, name), (2, value), (20, 1)])
    if isinstance(value, str):
        return encode([(1, name), (4, value), (20, 3)])
    return encode([(1, name), *((8, each) for each in value), (20, 7)])


def _described(name: str, shape: Sequence[int | str]) -> bytes:
    """The name, type and shape of an input or output."""
    sides = [(1, encode([(1 if isinstance(side, int) else 2, side)])) for side in shape]
    tensor = encode([(1, _KINDS["float32"]), (2, encode(sides))])
    return encode([(1, name), (2, encode([(1, tensor)]))])
