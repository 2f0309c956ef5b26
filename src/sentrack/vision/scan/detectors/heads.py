"""What networks give out, and the boxes and scores that it stands for.

A head is recognised by the names and shapes of a model's outputs for a picture without objects.
Boxes come out as x1 y1 x2 y2 in pixels of the network's input.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from sentrack.boxes import around
from sentrack.vision.clip import Ints
from sentrack.vision.scan.detectors.candidates import Array, DetectorError

STRIDES = (8, 16, 32, 64)  # of the levels at which PicoDet looks
LOGITS, BOXES = ("logits", "labels"), ("pred_boxes", "dets", "boxes")

Outputs = Mapping[str, Array]


@dataclass(frozen=True)
class Scored:
    """(R, 4) boxes with (R, C) scores, one for every class."""

    boxes: Array
    scores: Array


@dataclass(frozen=True)
class Labelled:
    """(M, 4) boxes, each with (M,) its class and (M,) its score."""

    boxes: Array
    label: Ints
    score: Array


class Head(Protocol):
    """What a network gives out."""

    @property
    def stretched(self) -> bool:
        """Whether pictures were stretched to the input in training, without borders."""

    def read(self, outputs: Outputs, size: tuple[int, int]) -> Scored | Labelled:
        """The boxes of one image, whose input had this height and width."""


@dataclass(frozen=True)
class Yolo:
    """One table, for C classes: the kinds are those of `Onnx`."""

    kind: Literal["objectness", "classes", "final"]
    stretched: bool = False

    def read(self, outputs: Outputs, size: tuple[int, int]) -> Scored | Labelled:  # noqa: ARG002
        """The boxes, which are in pixels already."""
        (table,) = (each[0] for each in outputs.values())
        if self.kind == "final":
            return Labelled(table[:, :4], table[:, 5].astype(int), table[:, 4])
        table = table.T if self.kind == "classes" else table
        place = table[:, :4].astype(np.float64)
        boxes = around(place[:, :2], place[:, 2:])
        if self.kind == "classes":
            return Scored(boxes, table[:, 4:])
        return Scored(boxes, table[:, 4:5] * table[:, 5:])


@dataclass(frozen=True)
class Detr:
    """Boxes of (1, Q, 4), centres and sizes as parts of the input, and logits of (1, Q, C).

    Networks of Darknet have the same form, with probabilities; see `darknet`.

    Attributes:
        boxes: name of the output.
        logits: name of the output.
        classes: C.
        certain: whether the logits are probabilities already.
    """

    boxes: str
    logits: str
    classes: int
    certain: bool
    stretched: bool = True

    def read(self, outputs: Outputs, size: tuple[int, int]) -> Scored:
        """The boxes; of one logit more than classes the last is of no object, by softmax."""
        height, width = size
        place = outputs[self.boxes][0].astype(np.float64) * [width, height, width, height]
        scores = outputs[self.logits][0].astype(np.float64)
        if scores.shape[1] > self.classes:
            odds = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores = (odds / odds.sum(axis=1, keepdims=True))[:, : self.classes]
        elif not self.certain:
            scores = 1 / (1 + np.exp(-scores))
        return Scored(around(place[:, :2], place[:, 2:]), scores)


@dataclass(frozen=True)
class Final:
    """Labels (1, Q), boxes (1, Q, 4) in pixels and scores (1, Q), as RT-DETR and D-FINE export."""

    stretched: bool = True

    def read(self, outputs: Outputs, size: tuple[int, int]) -> Labelled:  # noqa: ARG002
        """The boxes as they are."""
        label, boxes, score = (outputs[name][0] for name in ("labels", "boxes", "scores"))
        return Labelled(boxes, label.astype(int), score)


@dataclass(frozen=True)
class Distances:
    """Scores (1, C, N), and distances (1, N, 4) from a grid to the sides, as PicoDet has them.

    The grid's points are the centres of squares, by the side of a square; levels of larger squares
    follow.
    """

    stretched: bool = False

    def read(self, outputs: Outputs, size: tuple[int, int]) -> Scored:
        """The boxes around the points."""
        points, sides = [], []
        for stride in STRIDES:
            y, x = np.mgrid[: -(-size[0] // stride), : -(-size[1] // stride)]
            points.append(np.stack([x, y], axis=-1).reshape(-1, 2) + 0.5)
            sides.append(np.full(len(points[-1]), stride))
        point, side = np.concatenate(points), np.concatenate(sides)[:, None]
        reach = outputs["distances"][0]
        boxes = np.hstack([point - reach[:, :2], point + reach[:, 2:]]) * side
        return Scored(boxes, outputs["scores"][0].T)


def recognise(source: str, outputs: Outputs, C: int) -> Head:
    """Which of the known heads this is, of an image without objects.

    Args:
        source: what messages call the model.
        outputs: of the model, by name.
        C: number of classes.

    Raises:
        DetectorError: it is none of them.
    """
    shapes = {name: each.shape for name, each in outputs.items()}
    if set(shapes) == {"scores", "distances"}:
        _agree(source, shapes["scores"][1], C)
        return Distances()
    if set(shapes) == {"places", "chances"}:
        _agree(source, shapes["chances"][2], C)
        return Detr("places", "chances", C, certain=True)
    if set(shapes) == {"labels", "boxes", "scores"} and len(shapes["labels"]) == 2:
        return Final()
    if len(shapes) == 1:
        return _yolo(source, next(iter(outputs.values())), C)
    return _detr(source, outputs, C)


def _agree(source: str, classes: int, C: int) -> None:
    """Refuse a network of another number of classes."""
    if classes != C:
        raise DetectorError(f"{source}: it has {classes} classes, and there are {C} class names")


def _yolo(source: str, output: Array, C: int) -> Yolo:
    shape = output.shape
    if len(shape) == 3 and shape[0] == 1:
        # With one class, two outputs have the same shape. A last column of zeros is class numbers:
        # a probability is never quite 0.
        if shape[2] == 6 and (C != 1 or not output[..., 5].any()):
            return Yolo("final")
        if shape[2] == 5 + C:
            return Yolo("objectness")
        if shape[1] == 4 + C:
            return Yolo("classes")
    known = f"(1, 4 + {C}, N), (1, N, 5 + {C}) or (1, N, 6)"
    text = f"with {C} class names it must give {known}, and it gives {shape}"
    raise DetectorError(f"{source}: not a detector of the YOLO family: {text}")


def _detr(source: str, outputs: Outputs, C: int) -> Detr:
    """Boxes and logits, told apart by their names or else by their shapes."""
    fits = {name: each for name, each in outputs.items() if each.ndim == 3 and len(each) == 1}
    boxes = [name for name, each in fits.items() if each.shape[2] == 4]
    logits = [name for name, each in fits.items() if each.shape[2] in (C, C + 1)]
    box = _called(boxes, BOXES) or next((name for name in boxes if name not in logits), None)
    logit = _called([name for name in logits if name != box], LOGITS)
    logit = logit or next((name for name in logits if name != box), None)
    if box is None or logit is None or fits[box].shape[1] != fits[logit].shape[1]:
        gives = ", ".join(f"{name} {each.shape}" for name, each in outputs.items())
        known = f"one output, or boxes (1, Q, 4) and logits (1, Q, {C} or {C + 1})"
        text = f"with {C} class names it must give {known}, and it gives {gives}"
        raise DetectorError(f"{source}: not a detector of the YOLO or DETR family: {text}")
    scores = fits[logit]
    return Detr(box, logit, C, bool(((scores >= 0) & (scores <= 1)).all()))


def _called(names: Sequence[str], usual: Sequence[str]) -> str | None:
    return next((name for name in usual if name in names), None)
