"""Detectors of the YOLO family in ONNX files, by ONNX Runtime."""

import ast
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state

from sentrack.boxes import around
from sentrack.cache import checksum
from sentrack.vision.clip import Floats
from sentrack.vision.scan.detectors.candidates import Array, DetectorError, Found, Selection
from sentrack.vision.scan.video import Image
from sentrack.workers import cores

Head = Literal["objectness", "classes", "final"]

SIZE = 640  # of the input, for a model that does not tell
STRIDE = 32  # the sides of the input are multiples of it, for a model that does not tell
GREY = 114  # of the borders, as in training
TYPES: dict[str, type[np.floating[Any]]] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
}

# What ONNX Runtime raises; these have no base of their own.
_Failure = tuple(
    kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)
)


class Onnx:
    """A detector in an ONNX file.

    Its input is an image of (1, 3, height, width). Its output is, for C classes, one of
    (1, N, 5 + C) with objectness, as YOLOv5 has it; (1, 4 + C, N) without, as YOLOv8 and YOLO11;
    both with centres and sizes; (1, N, 6) of x1 y1 x2 y2, score and class, as YOLOv10.

    Args:
        path: the file.
        names: of its classes; by default they are in the model.
        best: the most candidates of a class.
        threshold: the lowest score of a candidate.
    """

    def __init__(
        self, path: Path, names: tuple[str, ...] | None, best: int, threshold: float
    ) -> None:
        weights = checksum(path)
        self._path = path
        self._session = _open(path)
        facts = self._session.get_modelmeta().custom_metadata_map
        self._input, self._type, shape = _input(path, self._session)
        self._size = _size(shape, facts)
        self._stride = _stride(facts) if shape == (None, None) else None
        spoken = _names(path, facts) if names is None else names
        self._selection = Selection(str(path), spoken, best, threshold)
        blank = np.full((*self._size, 3), GREY, np.uint8)
        self._head = _head(path, self._run(blank), len(spoken))
        self.name = path.stem
        self.classes = self._selection.classes
        self.fingerprint = self._selection.fingerprint(weights, self._size)

    def detect(self, image: Image) -> Found:
        """The candidates in an image of (height, width, 3), blue, green, red."""
        framed, scale, border = self._frame(image)
        output = self._run(framed)[0]
        if self._head == "classes":
            output = output.T
        place = output[:, :4].astype(np.float64)
        if self._head != "final":
            place = around(place[:, :2], place[:, 2:])
        boxes = (place - np.tile(border, 2)) / np.tile(scale, 2)
        if self._head == "final":
            return self._selection.of_rows(boxes, output[:, 5].astype(int), output[:, 4], image)
        scores = output[:, 4:] if self._head == "classes" else output[:, 4:5] * output[:, 5:]
        return self._selection.of_scores(boxes, scores, image)

    def _frame(self, image: Image) -> tuple[Image, Floats, Floats]:
        """The image scaled to the input within grey borders; (2,) scale and (2,) border, x and y.

        An input of free size has no more border than its sides need to be multiples of the stride.
        """
        height, width = image.shape[:2]
        H, W = self._size
        ratio = min(H / height, W / width)
        h, w = max(1, round(height * ratio)), max(1, round(width * ratio))
        if self._stride is not None:
            H, W = (-(-side // self._stride) * self._stride for side in (h, w))
        scaled = image if (h, w) == (height, width) else cv2.resize(image, (w, h))
        top, left = (H - h) // 2, (W - w) // 2
        framed: Array = cv2.copyMakeBorder(
            scaled, top, H - h - top, left, W - w - left, cv2.BORDER_CONSTANT, value=(GREY,) * 3
        )
        return framed, np.array([w / width, h / height]), np.array([left, top])

    def _run(self, framed: Image) -> Array:
        blob = cv2.dnn.blobFromImage(framed, 1 / 255, swapRB=True).astype(self._type, copy=False)
        try:
            output: Array = self._session.run(None, {self._input: blob})[0]
        except _Failure as error:
            text = f"it fails on an input of shape {blob.shape}: {_line(error)}"
            raise DetectorError(f"{self._path}: {text}") from None
        return output


def _open(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # By default it takes all cores of the machine, which may be more than this process has.
    options.intra_op_num_threads = cores()
    # Threads that wait leave their cores to others, such as the decoder of the next frame.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except _Failure as error:
        text = f"not a model that ONNX Runtime can open: {_line(error)}"
        raise DetectorError(f"{path}: {text}") from None


def _line(error: BaseException) -> str:
    """What ONNX Runtime says, as one short line without its codes."""
    return " ".join(str(error).split()).rpartition(" : ")[2][:160]


def _input(
    path: Path, session: onnxruntime.InferenceSession
) -> tuple[str, type[np.floating[Any]], tuple[int | None, int | None]]:
    """Name and type of the input, and its height and width, None where they are free."""
    inputs = session.get_inputs()
    said = ", ".join(f"{node.type} {node.shape}" for node in inputs)
    fits = len(inputs) == 1 and inputs[0].type in TYPES and len(inputs[0].shape) == 4
    # An axis of free length has a name or None instead of a number.
    batch, channels, *sides = inputs[0].shape if fits else [0] * 4
    for length, needed in ((batch, 1), (channels, 3)):
        fits = fits and (length == needed or not isinstance(length, int))
    if not fits:
        need = "one image of floats (1, 3, height, width)"
        raise DetectorError(f"{path}: not a detector: it must take {need}, and it takes {said}")
    height, width = (side if isinstance(side, int) else None for side in sides)
    return inputs[0].name, TYPES[inputs[0].type], (height, width)


def _fact(facts: dict[str, str], key: str) -> Any:
    """A value of the metadata, written as Python has it; None if there is none."""
    try:
        return ast.literal_eval(facts.get(key, "None"))
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: too deep
        return None


def _size(shape: tuple[int | None, int | None], facts: dict[str, str]) -> tuple[int, int]:
    """Height and width of the input: by its shape, else by the metadata."""
    stored = _fact(facts, "imgsz")
    match stored if isinstance(stored, list | tuple) else [stored, stored]:
        case [int(height), int(width)] if min(height, width) > 0:
            pass
        case _:
            height = width = SIZE
    return shape[0] or height, shape[1] or width


def _stride(facts: dict[str, str]) -> int:
    stored = _fact(facts, "stride")
    return stored if isinstance(stored, int) and stored > 0 else STRIDE


def _names(path: Path, facts: dict[str, str]) -> tuple[str, ...]:
    """The class names in the metadata: a list, or a dictionary by number."""
    stored = _fact(facts, "names")
    if isinstance(stored, dict):
        stored = [stored.get(number) for number in range(len(stored))]
    if stored and isinstance(stored, list) and all(isinstance(name, str) for name in stored):
        return tuple(stored)
    raise DetectorError(f"{path}: no class names in it; names= gives the names of classes")


def _head(path: Path, output: Array, C: int) -> Head:
    """Which of the known outputs this is, of an image without objects."""
    shape = output.shape
    if len(shape) == 3 and shape[0] == 1:
        # With one class, two outputs have the same shape. A last column of zeros is class numbers:
        # a probability is never quite 0.
        if shape[2] == 6 and (C != 1 or not output[..., 5].any()):
            return "final"
        if shape[2] == 5 + C:
            return "objectness"
        if shape[1] == 4 + C:
            return "classes"
    known = f"(1, 4 + {C}, N), (1, N, 5 + {C}) or (1, N, 6)"
    text = f"with {C} class names it must give {known}, and it gives {shape}"
    raise DetectorError(f"{path}: not a detector of the YOLO family: {text}")
