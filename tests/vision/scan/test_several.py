"""Several detectors as one, detectors of one's own, and probabilities."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.vision import load_clip
from sentrack.vision.clip import Floats
from sentrack.vision.scan import Image
from sentrack.vision.scan.detectors import KNOWN, DetectorError, ImageCandidates, open_detector
from sentrack.vision.scan.detectors.calibration import Curve
from sentrack.vision.scan.detectors.several import Several
from tests.vision.films import film

IMAGE = np.zeros((100, 200, 3), np.uint8)


class Fixed:
    """Finds always the same."""

    def __init__(self, name: str, classes: Sequence[str], *rows: tuple[Any, ...]) -> None:
        self.name, self.classes, self.rows = name, classes, rows

    def detect(self, _: Image) -> tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]:
        boxes, labels, scores = zip(*self.rows, strict=True) if self.rows else ([], [], [])
        return boxes, labels, scores


FIRST = Fixed(
    "first", ["Person", "tea cup"], ([10, 10, 50, 90], 0, 0.6), ([60, 60, 80, 80], 1, 0.5)
)
SECOND = Fixed(
    "second", ["tea-cup", "dog"], ([61, 60, 80, 80], 0, 0.9), ([100, 50, 150, 99], 1, 0.4)
)


def test_a_detector_of_ones_own() -> None:
    detector = open_detector(FIRST)
    assert (detector.name, detector.classes) == ("first", ("person", "tea-cup"))
    found = detector.detect(IMAGE)
    np.testing.assert_array_equal(found.label, [0, 1])
    np.testing.assert_allclose(found.boxes, [[10, 10, 50, 90], [60, 60, 80, 80]])
    assert detector.fingerprint == open_detector(FIRST).fingerprint
    assert detector.fingerprint != open_detector(Fixed("other", ["person"])).fingerprint
    assert len(open_detector(Fixed("none", ["person"])).detect(IMAGE).boxes) == 0


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (Fixed("mine", []), "mine: its classes are none"),
        (Fixed("mine", ["a"], ([1, 2, 3], 0, 0.5)), "mine: detect must give"),
        (Fixed("mine", ["a"], ([1, 2, 3, 4], 0, "high")), "mine: detect must give"),
        (Fixed("mine", ["a"], ([1, 2, 3, 4], 3, 0.5)), "mine: it found classes 3 to 3"),
        (Fixed("mine", ["a"], ([1, 2, 3, 4], 0, 50)), "a score is 50"),
    ],
)
def test_a_detector_of_ones_own_at_fault(own: Fixed, message: str) -> None:
    with pytest.raises(DetectorError, match=message) as caught:
        open_detector(own).detect(IMAGE)
    assert "\n" not in str(caught.value)


def test_several_as_one() -> None:
    detector = open_detector([FIRST, SECOND])
    assert detector.name == "first,second"
    assert detector.classes == ("person", "tea-cup", "dog")
    found = detector.detect(IMAGE)
    np.testing.assert_array_equal(found.label, [0, 1, 2])
    # Both found the cup: the surer box stays.
    np.testing.assert_allclose(found.score, [0.6, 0.9, 0.4])
    np.testing.assert_allclose(found.boxes[1], [61, 60, 80, 80])
    assert detector.fingerprint != open_detector([SECOND, FIRST]).fingerprint


def test_names_with_commas() -> None:
    detector = open_detector("yolov4-tiny, yolo11n")
    assert detector.name == "yolov4-tiny,yolo11n"
    with pytest.raises(DetectorError, match="no detector 'yolo12'; nearest name"):
        open_detector("yolo11n,yolo12")
    with pytest.raises(DetectorError, match="names= is of one detector"):
        open_detector("yolo11n,yolov4-tiny", names=["a"])


def test_one_that_looks_closely_comes_after_those_that_find_what_at() -> None:
    class Near:
        name, classes, fingerprint, around = "near", ("hand",), "1", "person"

        def detect(self, _: Image) -> ImageCandidates:
            raise AssertionError

        def detect_around(self, _: Image, boxes: Floats, score: Floats) -> ImageCandidates:
            np.testing.assert_allclose(boxes, [[10, 10, 50, 90]])
            np.testing.assert_allclose(score, [0.6])
            return ImageCandidates(np.array([[10.0, 40, 20, 50]]), np.array([0]), np.array([0.7]))

    found = Several([Near(), open_detector(FIRST)], 10)
    assert found.classes == ("hand", "person", "tea-cup")
    np.testing.assert_allclose(found.detect(IMAGE).score, [0.7, 0.6, 0.5])


def test_a_clip_by_a_detector_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "cache"))
    path = film(tmp_path / "a.mp4")
    clip = load_clip(path, detector=FIRST, fps=5)
    assert clip.classes == ("person", "tea-cup")
    assert (clip.score > 0.4).all()
    both = load_clip(path, detector=[FIRST, SECOND], fps=5)
    assert both.classes == ("person", "tea-cup", "dog")
    # What is seen is kept: neither is asked again.
    monkeypatch.setattr(Fixed, "detect", lambda *_: pytest.fail("it was asked again"))
    again = load_clip(path, detector=[FIRST, SECOND], fps=5)
    np.testing.assert_array_equal(again.boxes, both.boxes)


chances = st.floats(0.001, 0.999)


@given(st.floats(-3, 3), st.floats(0.2, 4), st.lists(chances, min_size=2, max_size=9))
def test_curves_grow_and_have_an_inverse(offset: float, slope: float, scores: list[float]) -> None:
    curve, ordered = Curve(offset, slope), np.sort(scores)
    found = curve(ordered)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= 0).all()
    back = [curve.inverse(float(each)) for each in found if 1e-6 < each < 1 - 1e-6]
    inside = ordered[(found > 1e-6) & (found < 1 - 1e-6)]
    np.testing.assert_allclose(back, inside, rtol=1e-4, atol=1e-6)


def test_scores_become_probabilities() -> None:
    image = np.random.default_rng(0).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    raw = open_detector("yolo11n", calibrated=False, threshold=0.0, best=3)
    told = open_detector("yolo11n", threshold=0.0, best=3)
    curve = KNOWN["yolo11n"].curve
    assert curve is not None
    score, chance = raw.detect(image).score, told.detect(image).score
    np.testing.assert_allclose(chance, curve(score), rtol=1e-6)
    assert raw.fingerprint != told.fingerprint
