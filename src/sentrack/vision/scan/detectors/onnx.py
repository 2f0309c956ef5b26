"""Detectors in ONNX files, by ONNX Runtime."""

import hashlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state

from sentrack.cache import checksum
from sentrack.vision.clip import Floats
from sentrack.vision.scan.detectors.calibration import Curve
from sentrack.vision.scan.detectors.candidates import (
    Array,
    DetectorError,
    ImageCandidates,
    Selection,
)
from sentrack.vision.scan.detectors.devices import providers
from sentrack.vision.scan.detectors.heads import Labelled, Outputs, recognise
from sentrack.vision.scan.detectors.metadata import Metadata
from sentrack.vision.scan.video import Image
from sentrack.workers import cores

GREY = 114  # of the borders, as in training
ELEMENT_TYPES: dict[str, type[np.floating[Any]]] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
}

# What ONNX Runtime raises; these have no base of their own.
_Failure = tuple(
    kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)
)


class Onnx:
    """A detector in an ONNX file.

    Its input is an image of (1, 3, height, width), and the size of that image, if it asks for one.
    Its output is, for C classes, one of (1, N, 5 + C) with objectness, as YOLOv5 has it;
    (1, 4 + C, N) without, as YOLOv8 and YOLO11; both with centres and sizes; (1, N, 6) of
    x1 y1 x2 y2, score and class, as YOLOv10; or boxes and logits, or labels, boxes and scores, as
    the DETR family has them (`heads`).

    Args:
        source: the file, or a model in memory.
        name: what users call it.
        names: of its classes; by default they are in the model or beside it.
        best: the most candidates of a class.
        threshold: the lowest score of a candidate.
        device: see `devices`.
        curve: turns its scores into probabilities; by default they are.
        threads: that it computes with; by default one per core.
    """

    def __init__(
        self,
        source: Path | bytes,
        name: str,
        names: tuple[str, ...] | None,
        best: int,
        threshold: float,
        device: str = "auto",
        curve: Curve | None = None,
        threads: int | None = None,
    ) -> None:
        told = source if isinstance(source, Path) else name
        self._source = str(told)
        known = hashlib.sha256(source).hexdigest() if isinstance(source, bytes) else None
        weights = known or checksum(Path(told))
        self._session = open_session(source, self._source, device, threads)
        facts = self._session.get_modelmeta().custom_metadata_map
        self._outputs = [output.name for output in self._session.get_outputs()]
        self._input, self._type, shape, self._asks = _inputs(self._source, self._session)
        self._metadata = Metadata(self._source, facts, self._outputs)
        self._size = self._metadata.size(shape)
        self._stride = self._metadata.stride if shape == (None, None) else None
        spoken = self._metadata.names if names is None else names
        self._selection = Selection(self._source, spoken, best, threshold, curve)
        blank = np.full((*self._size, 3), GREY, np.uint8)
        self._head = recognise(self._source, self._run(blank), len(spoken))
        self.name = name
        self.classes = self._selection.classes
        self.fingerprint = self._selection.fingerprint(weights, self._size, self._metadata.normal)

    def detect(self, image: Image) -> ImageCandidates:
        """The candidates in an image of (height, width, 3), blue, green, red."""
        framed, scale, border = self._stretch(image) if self._head.stretched else self._frame(image)
        size = framed.shape[0], framed.shape[1]
        found = self._head.read(self._run(framed), size)
        boxes = (found.boxes.astype(np.float64) - np.tile(border, 2)) / np.tile(scale, 2)
        if isinstance(found, Labelled):
            return self._selection.of_rows(boxes, found.label, found.score, image)
        return self._selection.of_scores(boxes, found.scores, image)

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

    def _stretch(self, image: Image) -> tuple[Image, Floats, Floats]:
        """The image stretched to the input; (2,) scale and (2,) border, x and y."""
        height, width = image.shape[:2]
        H, W = self._size
        scale = np.array([W / width, H / height])
        return cv2.resize(image, (W, H)).astype(np.uint8, copy=False), scale, np.zeros(2)

    def _run(self, framed: Image) -> Outputs:
        blob = cv2.dnn.blobFromImage(framed, 1 / 255, swapRB=True)
        if self._metadata.normal is not None:
            mean, deviation = self._metadata.normal
            blob = (blob - np.reshape(mean, (1, 3, 1, 1))) / np.reshape(deviation, (1, 3, 1, 1))
        given = {self._input: blob.astype(self._type, copy=False)}
        if self._asks is not None:
            given[self._asks] = np.array([framed.shape[1::-1]], np.int64)
        try:
            found: list[Array] = self._session.run(None, given)
        except _Failure as error:
            text = f"it fails on an input of shape {blob.shape}: {_line(error)}"
            raise DetectorError(f"{self._source}: {text}") from None
        return dict(zip(self._outputs, found, strict=True))


def open_session(
    source: Path | bytes, name: str, device: str, threads: int | None
) -> onnxruntime.InferenceSession:
    """A network, ready to run.

    Args:
        source: the file, or a model in memory.
        name: what users call it.
        device: see `devices`.
        threads: that it computes with; by default one per core.

    Raises:
        DetectorError: it cannot be opened, or not there.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # By default it takes all cores of the machine, which may be more than this process has.
    options.intra_op_num_threads = threads or cores()
    # Threads that wait leave their cores to others, such as the decoder of the next frame.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    asked = providers(device, onnxruntime.get_available_providers())
    model = source if isinstance(source, bytes) else str(source)
    try:
        session = onnxruntime.InferenceSession(model, options, providers=asked)
    except _Failure as error:
        text = f"not a model that ONNX Runtime can open: {_line(error)}"
        raise DetectorError(f"{name}: {text}") from None
    if device not in ("auto", "cpu") and asked[0] not in session.get_providers():
        text = f"ONNX Runtime has {asked[0]} and cannot start it; its driver may be missing"
        raise DetectorError(f"{name}: no device {device!r}: {text}")
    return session


def _line(error: BaseException) -> str:
    """What ONNX Runtime says, as one short line without its codes."""
    return " ".join(str(error).split()).rpartition(" : ")[2][:160]


def _inputs(
    source: str, session: onnxruntime.InferenceSession
) -> tuple[str, type[np.floating[Any]], tuple[int | None, int | None], str | None]:
    """Name and type of the image, its height and width, None where they are free.

    Last, the name of another input that asks for the size of the image.
    """
    first, *others = inputs = session.get_inputs()
    said = ", ".join(f"{node.type} {node.shape}" for node in inputs)
    fits = first.type in ELEMENT_TYPES and len(first.shape) == 4
    # An axis of free length has a name or None instead of a number.
    batch, channels, *sides = first.shape if fits else [0] * 4
    for length, needed in ((batch, 1), (channels, 3)):
        fits = fits and (length == needed or not isinstance(length, int))
    asks = [node.name for node in others if node.type == "tensor(int64)" and node.shape[1:] == [2]]
    if not fits or len(asks) != len(others) or len(asks) > 1:
        need = "one image of floats (1, 3, height, width)"
        raise DetectorError(f"{source}: not a detector: it must take {need}, and it takes {said}")
    height, width = (side if isinstance(side, int) else None for side in sides)
    return first.name, ELEMENT_TYPES[first.type], (height, width), asks[0] if asks else None
