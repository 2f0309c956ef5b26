"""Networks of Darknet, turned into ONNX models.

A network is two files: a text that lists its layers, and the weights of its convolutions in the
same order. Only the layers that YOLOv4-tiny is made of are known here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sentrack.vision.scan.detectors.candidates import DetectorError
from sentrack.vision.scan.detectors.onnx_model import Graph

Settings = Mapping[str, str]  # of a layer

HEADER = 5  # numbers before the weights, of Darknet 0.2 and later
LEAK = 0.1  # what the leaky activation leaves of numbers below 0
LEAST_VARIANCE = 1e-6  # added to variances that are divided by
OUTPUTS = "places", "chances"


def model(cfg: Path, weights: Path, names: Sequence[str]) -> bytes:
    """The network as an ONNX model of one picture in 0..1.

    Its outputs are boxes of (1, N, 4), centres and sizes as parts of the input, and (1, N, C) the
    probabilities of its C classes.

    Args:
        cfg: the layers.
        weights: of the convolutions.
        names: of the classes.

    Raises:
        DetectorError: they are no such network.
    """
    try:
        (kind, settings), *layers = _layers(cfg.read_text("utf-8"))
        if kind != "net":
            raise ValueError(f"its text begins with {kind}")
        shape = 3, int(settings["height"]), int(settings["width"])
        network = _Network(np.fromfile(weights, "<f4")[HEADER:], shape, [])
        for one in layers:
            network.add(*one)
        return network.model({"names": list(names)})
    except (ValueError, KeyError, IndexError) as error:
        raise DetectorError(f"{cfg}: not the network that is meant: {error}") from None


def _layers(text: str) -> Sequence[tuple[str, Settings]]:
    """Kinds and settings of the layers; the first one is about the network as a whole."""
    parts = re.findall(r"^\[(\w+)\]\n([^\[]*)", text, re.M)
    return [(kind, dict(re.findall(r"^(\w+) *= *(.*?) *$", lines, re.M))) for kind, lines in parts]


@dataclass(frozen=True)
class _Tensor:
    """What a layer gives: its name, and (channels, height, width)."""

    name: str
    shape: tuple[int, int, int]


@dataclass
class _Network:
    """A network on its way into a graph.

    Attributes:
        weights: those that are still to be used.
        shape: (channels, height, width) of the input.
        given: what the layers so far give.
        found: what those that find boxes give, for every output.
        graph: where it goes.
    """

    weights: npt.NDArray[np.float32]
    shape: tuple[int, int, int]
    given: list[_Tensor]
    found: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    graph: Graph = field(default_factory=Graph)
    classes: int = 0

    @property
    def name(self) -> str:
        """Of the next layer."""
        return f"layer {len(self.given)}"

    @property
    def last(self) -> _Tensor:
        """What the last layer gives, or the input."""
        return self.given[-1] if self.given else _Tensor("images", self.shape)

    def add(self, kind: str, settings: Settings) -> None:
        """Add a layer."""
        known = {
            "convolutional": self._convolution,
            "route": self._route,
            "maxpool": self._pool,
            "upsample": self._upsample,
            "yolo": self._boxes,
        }
        if kind not in known:
            raise ValueError(f"the layer {kind} is not known")
        self.given.append(known[kind](settings))

    def model(self, facts: Mapping[str, object]) -> bytes:
        """The model, once all layers are in it."""
        if self.weights.size:
            raise ValueError(f"there are {self.weights.size} weights more than its layers have")
        for name, parts in zip(OUTPUTS, self.found, strict=True):
            self.graph.add("Concat", parts, name, axis=1)
        sides = 4, self.classes
        results = {n: (1, "positions", s) for n, s in zip(OUTPUTS, sides, strict=True)}
        return self.graph.model({"images": (1, *self.shape)}, results, facts)

    def _taken(self, *shape: int) -> npt.NDArray[np.float64]:
        """The next weights."""
        many = int(np.prod(shape))
        if many > self.weights.size:
            raise ValueError(f"its layers have {many - self.weights.size} weights more than it")
        taken, self.weights = self.weights[:many], self.weights[many:]
        return taken.reshape(shape).astype(np.float64)

    def _constant(self, role: str, value: npt.ArrayLike) -> str:
        return self.graph.constant(f"{self.name}/{role}", value)

    def _convolution(self, settings: Settings) -> _Tensor:
        """A convolution with its normalisation, which is linear, and its activation."""
        C, height, width = self.last.shape
        many, side, stride = (int(settings[key]) for key in ("filters", "size", "stride"))
        border = side // 2 if int(settings.get("pad", 0)) else 0
        bias, scale = self._taken(many), np.ones(many)
        if int(settings.get("batch_normalize", 0)):
            scale, mean, variance = (self._taken(many) for _ in range(3))
            scale /= np.sqrt(variance + LEAST_VARIANCE)
            bias -= scale * mean
        kernels = self._taken(many, C, side, side) * scale[:, None, None, None]
        leaky = settings["activation"] == "leaky"
        if not leaky and settings["activation"] != "linear":
            raise ValueError(f"the activation {settings['activation']} is not known")
        name = self.graph.add(
            "Conv",
            [self.last.name, self._constant("kernels", kernels), self._constant("bias", bias)],
            f"{self.name}/linear" if leaky else self.name,
            strides=[stride] * 2,
            pads=[border] * 4,
        )
        if leaky:
            name = self.graph.add("LeakyRelu", [name], self.name, alpha=LEAK)
        height, width = ((n + 2 * border - side) // stride + 1 for n in (height, width))
        return _Tensor(name, (many, height, width))

    def _route(self, settings: Settings) -> _Tensor:
        """What earlier layers give, one after the other; or a part of the channels of one."""
        numbers = [int(each) for each in settings["layers"].split(",")]
        routed = [self.given[n] for n in numbers]
        C, height, width = sum(each.shape[0] for each in routed), *routed[0].shape[1:]
        groups, part = int(settings.get("groups", 1)), int(settings.get("group_id", 0))
        if groups > 1:
            if len(routed) > 1:
                raise ValueError("a part of several layers is not known")
            C //= groups
            name = self._part(routed[0].name, part * C, (part + 1) * C, 1, self.name)
        elif len(routed) == 1:
            name = routed[0].name
        else:
            name = self.graph.add("Concat", [each.name for each in routed], self.name, axis=1)
        return _Tensor(name, (C, height, width))

    def _pool(self, settings: Settings) -> _Tensor:
        if (settings["size"], settings["stride"]) != ("2", "2"):
            raise ValueError("only the largest of two by two is known")
        C, height, width = self.last.shape
        name = self.graph.add(
            "MaxPool", [self.last.name], self.name, kernel_shape=[2, 2], strides=[2, 2]
        )
        return _Tensor(name, (C, height // 2, width // 2))

    def _upsample(self, settings: Settings) -> _Tensor:
        times = int(settings["stride"])
        C, height, width = self.last.shape
        factors = self._constant("factors", [1.0, 1.0, times, times])
        name = self.graph.add(
            "Resize",
            [self.last.name, "", factors],
            self.name,
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )
        return _Tensor(name, (C, times * height, times * width))

    def _boxes(self, settings: Settings) -> _Tensor:
        """Boxes of some usual sizes around every place, and how sure they are."""
        _, height, width = self.last.shape
        self.classes = int(settings["classes"])
        sizes = np.array(settings["anchors"].split(","), dtype=np.float64).reshape(-1, 2)
        sizes = sizes[[int(each) for each in settings["mask"].split(",")]]
        reach = float(settings.get("scale_x_y", 1))  # of centres, in squares
        C, squares = 5 + self.classes, height * width
        rows = self._shaped(self.last.name, [len(sizes), C, squares], "sizes first")
        rows = self.graph.add("Transpose", [rows], f"{self.name}/squares first", perm=[2, 0, 1])
        rows = self._shaped(rows, [1, squares * len(sizes), C], "rows")
        y, x = np.mgrid[:height, :width]
        corners = np.repeat(np.stack([x, y], axis=-1).reshape(-1, 2), len(sizes), axis=0)
        centre = self._after("Sigmoid", self._part(rows, 0, 2, 2, f"{self.name}/0"))
        centre = self._after("Mul", centre, reach / np.array([width, height]))
        centre = self._after("Add", centre, (corners - (reach - 1) / 2) / [width, height])
        size = self._after("Exp", self._part(rows, 2, 4, 2, f"{self.name}/2"))
        size = self._after("Mul", size, np.tile(sizes / self.shape[:0:-1], (squares, 1)))
        sure = self._after("Sigmoid", self._part(rows, 4, C, 2, f"{self.name}/4"))
        thing = self._part(sure, 0, 1, 2, f"{self.name}/thing")
        classes = self._part(sure, 1, C - 4, 2, f"{self.name}/classes")
        places, chances = self.found
        places.append(self.graph.add("Concat", [centre, size], f"{self.name}/places", axis=2))
        chances.append(self.graph.add("Mul", [thing, classes], f"{self.name}/chances"))
        return self.last

    def _shaped(self, name: str, shape: Sequence[int], role: str) -> str:
        given = [name, self._constant(f"{role}/shape", np.array(shape))]
        return self.graph.add("Reshape", given, f"{self.name}/{role}")

    def _after(self, kind: str, name: str, value: npt.ArrayLike | None = None) -> str:
        """A node of one tensor, and of a constant if one is given."""
        result = f"{name}/{kind}"
        more = [] if value is None else [self.graph.constant(f"{result}/constant", value)]
        return self.graph.add(kind, [name, *more], result)

    def _part(self, name: str, begin: int, end: int, axis: int, result: str) -> str:
        """What is from one place on an axis to another."""
        bounds = [
            self.graph.constant(f"{result}/{role}", np.array([value]))
            for role, value in (("begin", begin), ("end", end), ("axis", axis))
        ]
        return self.graph.add("Slice", [name, *bounds], result)
