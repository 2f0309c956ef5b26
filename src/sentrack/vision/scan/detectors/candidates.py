"""What every detector gives: the candidates of an image, more of them than there are objects."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sentrack.errors import SentrackError
from sentrack.vision.clip import Floats, Ints, class_name
from sentrack.vision.scan.detectors.calibration import Curve
from sentrack.vision.scan.detectors.suppression import suppress
from sentrack.vision.scan.video import Image

Array = npt.NDArray[Any]  # of floats of any size

OVERLAP = 0.5  # the most that two candidates of a class overlap, as intersection over union


class DetectorError(SentrackError, ValueError):
    """A detector cannot be had or does not fit; the message says what it needs."""


@dataclass(frozen=True, eq=False)
class ImageCandidates:
    """The N candidates of an image, by class and then by falling score.

    Attributes:
        boxes: (N, 4) x1 y1 x2 y2, in pixels, within the image.
        label: (N,) index into the classes of the detector.
        score: (N,) probability, 0..1.
    """

    boxes: Floats
    label: Ints
    score: Floats


class Detector(Protocol):
    """Finds the objects of some classes in an image."""

    @property
    def name(self) -> str:
        """What users call it."""

    @property
    def fingerprint(self) -> str:
        """Hexadecimal; another one if `detect` may give other candidates."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes that it knows, with hyphens, all different."""

    def detect(self, image: Image) -> ImageCandidates:
        """The candidates in an image of (height, width, 3), blue, green, red."""


@dataclass(frozen=True)
class Selection:
    """Which boxes of a network become candidates: the best of every class.

    Attributes:
        source: what messages call the network.
        names: what the network calls its C classes; classes of one name are one class.
        best: the most candidates of a class.
        threshold: the lowest probability of a candidate.
        curve: turns scores into probabilities; None if they are.
    """

    source: str
    names: tuple[str, ...]
    best: int
    threshold: float
    curve: Curve | None = None

    def __post_init__(self) -> None:
        if self.best < 1:
            raise DetectorError(f"best must be at least 1, and it is {self.best}")
        if not 0 <= self.threshold <= 1:
            raise DetectorError(f"threshold must be from 0 to 1, and it is {self.threshold:g}")

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The names as clips spell them, all different."""
        return tuple(dict.fromkeys(map(class_name, self.names)))

    @cached_property
    def _merged(self) -> Ints:
        """(C,) index into `classes`."""
        return np.array([self.classes.index(class_name(name)) for name in self.names])

    def fingerprint(self, *parts: object) -> str:
        """Hexadecimal, for a network that is told by these parts."""
        text = repr((self.names, self.best, self.threshold, self.curve, OVERLAP, *parts))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def of_scores(self, boxes: Array, scores: Array, image: Image) -> ImageCandidates:
        """From (R, 4) boxes in pixels of the image and their (R, C) scores.

        A box may become a candidate of several classes.
        """
        least = self.threshold if self.curve is None else self.curve.inverse(self.threshold)
        likely = np.flatnonzero((scores >= least).any(axis=1))  # few, hence quick
        row, label = np.nonzero(scores[likely] >= least)
        row = likely[row]
        return self.of_rows(boxes[row], label, scores[row, label], image)

    def of_rows(self, boxes: Array, label: Ints, score: Array, image: Image) -> ImageCandidates:
        """From (M, 4) boxes in pixels of the image, each with one class and its score."""
        height, width = image.shape[:2]
        boxes = np.clip(boxes.astype(np.float64), 0, [width, height, width, height])
        chance = score.astype(np.float64) if self.curve is None else self.curve(score)
        sound = (boxes[:, 2:] > boxes[:, :2]).all(axis=1) & (chance >= self.threshold)
        boxes, label, score, chance = boxes[sound], label[sound], score[sound], chance[sound]
        if not ((label >= 0) & (label < len(self.names))).all():
            text = f"it found classes {label.min()} to {label.max()}, with {len(self.names)} names"
            raise DetectorError(f"{self.source}: {text}; give one name for every class from 0 on")
        # Halves may round up a little.
        if (score > 1.01).any():
            text = f"a score is {score.max():g}; scores must be probabilities"
            raise DetectorError(f"{self.source}: {text}")
        label, chance = self._merged[label], np.minimum(chance, 1.0)
        stays = suppress(boxes, label, chance, self.best, OVERLAP)
        return ImageCandidates(boxes[stays], label[stays], chance[stays])
