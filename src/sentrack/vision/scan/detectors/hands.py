"""Hands: MediaPipe's palm detector, by ONNX Runtime, which looks closely at people."""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from sentrack.boxes import around, centre, extent
from sentrack.cache import checksum
from sentrack.vision.clip import Floats
from sentrack.vision.scan.detectors.calibration import NEAR
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
SCORED = 0.02  # the least score of a candidate


@dataclass(frozen=True)
class Chance:
    """How often a box around somebody shows a hand: σ of a sum, by its score and where it is.

    The network sees hands in faces, bags and shoes, and is as sure of them: what is too large for a
    hand of this person, or where the head is, is probably none. Fitted to boxes that were judged by
    eye, by `python -m benchmarks.vision --only hands`.

    Attributes:
        constant: of the sum.
        logit: for every unit of logit(score).
        side: for every unit of ln(side / √(area of the person's box)).
        down: for the whole way from the top of the person's box to its bottom.
    """

    constant: float
    logit: float
    side: float
    down: float

    def __call__(self, boxes: Floats, score: Floats, people: Floats) -> Floats:
        """Probabilities, (N,), of (N, 4) boxes with (N,) scores around (N, 4) people."""
        return np.asarray(1 / (1 + np.exp(-traits(boxes, score, people) @ self._weights)))

    @property
    def _weights(self) -> Floats:
        return np.array([self.constant, self.logit, self.side, self.down])


def traits(boxes: Floats, score: Floats, people: Floats) -> Floats:
    """What the chance of a hand depends on, (N, 4): one, and as `Chance` has them."""
    inside = np.clip(score, NEAR, 1 - NEAR)
    side = extent(boxes).max(axis=1) / np.sqrt(extent(people).prod(axis=1))
    down = (centre(boxes)[:, 1] - people[:, 1]) / extent(people)[:, 1]
    return np.stack([np.ones(len(boxes)), np.log(inside / (1 - inside)), np.log(side), down], 1)


def nearest_person(boxes: Floats, people: Floats) -> npt.NDArray[np.int64]:
    """(N,) in whose middle of (P, 4) people (N, 4) boxes nearly are, in heights of that person."""
    apart = centre(boxes)[:, None] - centre(people)[None]
    return np.asarray(np.argmin(np.hypot(*np.moveaxis(apart, 2, 0)) / extent(people)[:, 1], axis=1))


CHANCE = Chance(constant=-4.525, logit=0.266, side=-2.025, down=2.019)


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
        self._scored = Selection("hands", ("hand",), best, SCORED)
        self._centres = _centres()
        self.name = "hands"
        self.classes = self._selection.classes
        parts = HAND, FINGERS, PEOPLE, LIKELY, TALL, REACH, MARGIN, SCORED, CHANCE
        self.fingerprint = self._selection.fingerprint(checksum(bundle), parts)

    def detect(self, image: Image) -> ImageCandidates:
        """The hands in an image of (height, width, 3): large ones alone, as it is seen at once.

        Their scores are as the network has them.
        """
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
        squares = around(np.stack([x, y], 1), np.stack([side, side], 1))
        return self._look(image, squares, boxes[largest])

    def _look(self, image: Image, squares: Floats, people: Floats | None = None) -> ImageCandidates:
        """The hands in (S, 4) squares, which may reach beyond the image, around (P, 4) people.

        Which boxes are candidates is decided by the network's scores, how probable they are by the
        person whose middle is nearest, too.
        """
        boxes, score = np.zeros((0, 4)), np.zeros(0)
        if len(squares):
            boxes, score = self._palms(image, squares)
        label = np.zeros(len(score), dtype=np.int64)
        if people is None or not len(people):
            return self._selection.of_rows(boxes, label, score, image)
        found = self._scored.of_rows(boxes, label, score, image)
        whose = people[nearest_person(found.boxes, people)]
        chance = CHANCE(found.boxes, found.score, whose)
        return self._selection.of_rows(found.boxes, found.label, chance, image)

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
