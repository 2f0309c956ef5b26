"""Hands: MediaPipe's palm detector, by ONNX Runtime, which looks closely at people."""

import zipfile
from pathlib import Path

import cv2
import numpy as np

from sentrack.boxes import around
from sentrack.cache import checksum
from sentrack.vision.clip import Floats
from sentrack.vision.scan.detectors.candidates import DetectorError, ImageCandidates, Selection
from sentrack.vision.scan.detectors.onnx import open_session
from sentrack.vision.scan.detectors.tflite import convert
from sentrack.vision.scan.video import Image

MEMBER = "hand_detector.tflite"
SIDE = 192  # pixels of the input
LEVELS = ((24, 2), (12, 6))  # squares of the input's side, and boxes that are proposed in each
WRIST, KNUCKLE = 0, 2  # among the seven points of a palm: the knuckle is that of the middle finger
# A hand has this many times the side of its palm, and its middle is so many sides of the palm
# farther towards the fingers.
HAND, FINGERS = 2.0, 0.35
PEOPLE = 4  # the most that are looked at closely in a frame, the largest first
LIKELY = 0.3  # probability of somebody who is looked at closely
TALL = 48  # pixels; hands of smaller people cannot be seen
# Where the hands of somebody are: in a square from the top of the box, of this part of its height,
# or of its width if that is more, with a margin.
REACH, MARGIN = 0.75, 1.1


class Hands:
    """Finds hands, best around people that others have found.

    Args:
        bundle: a zip archive that holds the network.
        best: the most candidates in an image.
        threshold: the lowest probability of a candidate.
        device: see `devices`.
        threads: that it computes with; by default one per core.
    """

    around = "person"

    def __init__(
        self,
        bundle: Path,
        best: int,
        threshold: float,
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        try:
            network = convert(zipfile.ZipFile(bundle).read(MEMBER))
        except (zipfile.BadZipFile, KeyError, ValueError) as error:
            text = " ".join(str(error).split())[:160]
            raise DetectorError(f"{bundle}: not the network that is meant: {text}") from None
        self._session = open_session(network, "hands", device, threads)
        self._selection = Selection("hands", ("hand",), best, threshold)
        self._centres = _centres()
        self.name = "hands"
        self.classes = self._selection.classes
        parts = HAND, FINGERS, PEOPLE, LIKELY, TALL, REACH, MARGIN
        self.fingerprint = self._selection.fingerprint(checksum(bundle), parts)

    def detect(self, image: Image) -> ImageCandidates:
        """The hands in an image of (height, width, 3): large ones alone, as it is seen at once."""
        height, width = image.shape[:2]
        side = max(height, width)
        low = [(width - side) / 2, (height - side) / 2]
        return self._look(image, np.array([[*low, low[0] + side, low[1] + side]]))

    def detect_around(self, image: Image, boxes: Floats, score: Floats) -> ImageCandidates:
        """The hands of (N, 4) people with (N,) probabilities."""
        size = boxes[:, 2:] - boxes[:, :2]
        likely = np.flatnonzero((score >= LIKELY) & (size[:, 1] >= TALL))
        largest = likely[np.argsort(-size[likely].prod(axis=1), kind="stable")[:PEOPLE]]
        width, height = size[largest].T
        side = MARGIN * np.maximum(width, REACH * height)
        x = boxes[largest, 0] + width / 2
        y = boxes[largest, 1] + np.minimum(REACH * height, height) / 2
        return self._look(image, around(np.stack([x, y], 1), np.stack([side, side], 1)))

    def _look(self, image: Image, squares: Floats) -> ImageCandidates:
        """The hands in (S, 4) squares, which may reach beyond the image."""
        boxes, score = np.zeros((0, 4)), np.zeros(0)
        if len(squares):
            boxes, score = self._palms(image, squares)
        label = np.zeros(len(score), dtype=np.int64)
        return self._selection.of_rows(boxes, label, score, image)

    def _palms(self, image: Image, squares: Floats) -> tuple[Floats, Floats]:
        """(S·2016, 4) hands and their (S·2016,) probabilities in (S, 4) squares of an image."""
        scale = (squares[:, 2] - squares[:, 0]) / SIDE
        shown = [
            _shown(image, square[:2], each) for square, each in zip(squares, scale, strict=True)
        ]
        given = {"images": cv2.dnn.blobFromImages(shown, 1 / 255, swapRB=True)}
        place, logit = map(np.asarray, self._session.run(["18", "1"], given))
        points = place.astype(np.float64).reshape(len(squares), -1, 9, 2)
        middle, size, marks = points[:, :, 0] + self._centres, points[:, :, 1], points[:, :, 2:]
        finger = marks[:, :, KNUCKLE] - marks[:, :, WRIST]
        finger = finger / np.maximum(np.linalg.norm(finger, axis=2, keepdims=True), 1e-9)
        middle = middle + FINGERS * finger * size
        boxes = around(middle, HAND * size) * scale[:, None, None]
        boxes += np.tile(squares[:, None, :2], 2)
        score = 1 / (1 + np.exp(-np.clip(logit.astype(np.float64), -50, 50)))
        return boxes.reshape(-1, 4), score.reshape(-1)


def _shown(image: Image, corner: Floats, scale: float) -> Image:
    """A square of an image, scaled to the input; what is beyond it is black, as in training."""
    back = np.array([[scale, 0, corner[0]], [0, scale, corner[1]]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(image, back, (SIDE, SIDE), flags=flags), dtype=np.uint8)


def _centres() -> Floats:
    """(2016, 2): the middles of the squares in which palms are proposed, in pixels of the input."""
    parts = []
    for squares, boxes in LEVELS:
        y, x = np.mgrid[:squares, :squares]
        middles = (np.stack([x, y], axis=-1).reshape(-1, 2) + 0.5) * SIDE / squares
        parts.append(np.repeat(middles, boxes, axis=0))
    return np.concatenate(parts)
