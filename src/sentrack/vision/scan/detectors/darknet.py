"""Darknet networks, by OpenCV."""

import re
from pathlib import Path

import cv2
import numpy as np

from sentrack.boxes import around
from sentrack.cache import checksum
from sentrack.vision.scan.detectors.calibration import Curve
from sentrack.vision.scan.detectors.candidates import (
    Array,
    DetectorError,
    ImageCandidates,
    Selection,
)
from sentrack.vision.scan.video import Image


class Darknet:
    """A network of the YOLO family in Darknet's format.

    Args:
        name: what users call it.
        cfg: the text file that describes its layers and the size of its input.
        weights: the file of its weights.
        names: of its classes.
        best: the most candidates of a class.
        threshold: the lowest probability of a candidate.
        curve: turns its scores into probabilities; by default they are.
    """

    def __init__(
        self,
        name: str,
        cfg: Path,
        weights: Path,
        names: tuple[str, ...],
        best: int,
        threshold: float,
        curve: Curve | None = None,
    ) -> None:
        # OpenCV sets probabilities to 0 that are not above its own threshold, by default 0.2.
        layers = cfg.read_text("utf-8").replace("[yolo]", "[yolo]\nthresh=0")
        facts = {key: int(value) for key, value in re.findall(r"^(\w+) *= *(\d+) *$", layers, re.M)}
        self._selection = Selection(name, names, best, threshold, curve)
        if len(names) != facts["classes"]:
            needed = facts["classes"]
            raise DetectorError(f"{name} needs {needed} class names, and these are {len(names)}")
        self._size = facts["width"], facts["height"]
        text = np.frombuffer(layers.encode(), np.uint8)
        self._network = cv2.dnn.readNetFromDarknet(text, np.fromfile(weights, np.uint8))
        self._outputs = self._network.getUnconnectedOutLayersNames()
        self.name = name
        self.classes = self._selection.classes
        self.fingerprint = self._selection.fingerprint(layers, checksum(weights))

    def detect(self, image: Image) -> ImageCandidates:
        """The candidates in an image of (height, width, 3), blue, green, red.

        The image is stretched to the input, as in training. That finds slightly more than grey
        borders do, which leave fewer pixels to the objects.
        """
        height, width = image.shape[:2]
        self._network.setInput(cv2.dnn.blobFromImage(image, 1 / 255, self._size, swapRB=True))
        # Rows of: centre, size, objectness, and objectness times probability of every class.
        rows: Array = np.concatenate(self._network.forward(self._outputs))
        boxes = around(rows[:, :2], rows[:, 2:4]) * [width, height, width, height]
        return self._selection.of_scores(boxes, rows[:, 5:], image)
