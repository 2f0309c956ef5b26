"""Several detectors as one, and detectors that users write."""

import hashlib
import inspect
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from sentrack.vision.clip import Floats
from sentrack.vision.scan.detectors.candidates import (
    OVERLAP,
    Detector,
    DetectorError,
    ImageCandidates,
    Selection,
)
from sentrack.vision.scan.detectors.suppression import suppress
from sentrack.vision.scan.video import Image


@runtime_checkable
class Own(Protocol):
    """What a user writes to have things found in their own way.

    What is seen in a video is kept under the name, the classes and the source of the Python class;
    a detector that finds other things with the same code needs another name.
    """

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def classes(self) -> Sequence[str]:
        """What it can find."""

    def detect(self, image: Image) -> tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]:
        """(N, 4) x1 y1 x2 y2, (N,) indices into the classes, (N,) probabilities.

        Of an image of (height, width, 3), blue, green, red.
        """


class Adapted:
    """A detector that a user wrote, with the best of its candidates.

    Args:
        own: it.
        best: the most candidates of a class.
        threshold: the lowest probability of a candidate.
    """

    def __init__(self, own: Own, best: int, threshold: float) -> None:
        self._own = own
        self.name = str(own.name)
        names = tuple(map(str, own.classes))
        if not names:
            raise DetectorError(f"detector {self.name}: its classes are none; it must name some")
        self._selection = Selection(f"detector {self.name}", names, best, threshold)
        self.classes = self._selection.classes
        self.fingerprint = self._selection.fingerprint(*own_parts(own))

    def detect(self, image: Image) -> ImageCandidates:
        """The candidates in an image of (height, width, 3), blue, green, red."""
        try:
            boxes, label, score = map(np.asarray, self._own.detect(image))
            boxes = boxes.astype(np.float64).reshape(-1, 4)
            label = label.astype(np.int64).reshape(len(boxes))
            score = score.astype(np.float64).reshape(len(boxes))
        except (TypeError, ValueError) as error:
            text = "detect must give (N, 4) boxes, (N,) classes and (N,) probabilities"
            raise DetectorError(f"detector {self.name}: {text}: {error}") from None
        return self._selection.of_rows(boxes, label, score, image)


def own_parts(own: Own) -> tuple[object, ...]:
    """What decides on what a user's detector finds."""
    kind = type(own)
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        source = kind.__qualname__
    return str(own.name), tuple(map(str, own.classes)), source


@runtime_checkable
class Close(Protocol):
    """A detector that finds small things better if it looks closely at larger ones."""

    @property
    def around(self) -> str:
        """The class of the larger things."""

    def detect_around(self, image: Image, boxes: Floats, score: Floats) -> ImageCandidates:
        """The candidates around (N, 4) boxes with (N,) scores in an image."""


class Several:
    """Several detectors as one: what two of them find in one place is one thing.

    Args:
        detectors: each of them.
        best: the most candidates of a class.
    """

    def __init__(self, detectors: Sequence[Detector], best: int) -> None:
        self._detectors = detectors
        self._best = best
        self.name = ",".join(each.name for each in detectors)
        self.classes = tuple(dict.fromkeys(name for each in detectors for name in each.classes))
        told = repr((best, OVERLAP, [each.fingerprint for each in detectors]))
        self.fingerprint = hashlib.sha256(told.encode()).hexdigest()[:32]
        self._label = [np.array([*map(self.classes.index, each.classes)]) for each in detectors]

    def detect(self, image: Image) -> ImageCandidates:
        """The candidates of all: of boxes of a class that overlap much, the surest."""
        parts: list[ImageCandidates] = []
        # Those that look closely come after those that find what to look at.
        order = sorted(range(len(self._detectors)), key=lambda k: self._is_close(k))
        for k in order:
            found = self._close(k, image, parts) if self._is_close(k) else None
            found = found or self._detectors[k].detect(image)
            parts.append(ImageCandidates(found.boxes, self._label[k][found.label], found.score))
        boxes, label, score = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("boxes", "label", "score")
        )
        stays = suppress(boxes, label, score, self._best, OVERLAP)
        return ImageCandidates(boxes[stays], label[stays], score[stays])

    def _is_close(self, k: int) -> bool:
        return isinstance(self._detectors[k], Close)

    def _close(
        self, k: int, image: Image, parts: Sequence[ImageCandidates]
    ) -> ImageCandidates | None:
        """What the k-th finds around what the others found; None if they don't know such things."""
        detector = self._detectors[k]
        assert isinstance(detector, Close)
        if detector.around not in self.classes:
            return None
        wanted = self.classes.index(detector.around)
        rows = [(part, part.label == wanted) for part in parts]
        boxes = np.concatenate([part.boxes[here] for part, here in rows])
        score = np.concatenate([part.score[here] for part, here in rows])
        return detector.detect_around(image, boxes, score)
