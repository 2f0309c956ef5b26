"""Hands: the palm detector on a real picture, and its network beside its own runtime's figures."""

import zipfile
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.boxes import iou
from sentrack.progress import silent
from sentrack.vision import load_clip
from sentrack.vision.scan.detectors import DetectorError, open_detector
from sentrack.vision.scan.detectors.hands import CHANCE, MEMBER, Hands
from sentrack.vision.scan.detectors.tflite import convert
from sentrack.vision.scan.detectors.weights import fetch
from sentrack.vision.scan.video import Image
from tests.vision.films import film
from tests.vision.scan.test_detectors import PEOPLE, picture

__all__ = ["picture"]

# Drawn by hand, in the picture of the other detectors.
HANDS = np.array([[241, 495, 286, 543], [242, 637, 296, 690], [35, 747, 88, 800]], dtype=float)
# By LiteRT 2.3 of the waves below: the logit and the first four numbers of some proposals.
PEER = {
    100: (-3.2913, [-3.024, -1.728, 23.849, 23.849]),
    1000: (-7.2669, [0.129, 1.148, 21.049, 21.050]),
    1500: (-9.0488, [3.205, 3.735, 35.869, 35.907]),
    2000: (-10.8754, [6.968, 2.802, 81.621, 81.782]),
}


@pytest.fixture(scope="module")
def hands() -> Hands:
    found = open_detector("hands")
    assert isinstance(found, Hands)
    return found


def test_the_network_as_its_own_runtime_and_opencv_have_it(picture: Image) -> None:
    """Two pictures at once: what LiteRT gives of the waves, and OpenCV's reader of both."""
    network = zipfile.ZipFile(fetch("hands", silent)[".task"]).read(MEMBER)
    y, x = np.mgrid[:192, :192]
    waves = [np.sin(x / (9 + 5 * c)) * np.cos(y / (14 - 3 * c)) * 0.5 + 0.5 for c in range(3)]
    people = np.moveaxis(picture[420:612, 170:362], 2, 0) / 255
    both = np.stack([np.stack(waves), people]).astype(np.float32)
    session = onnxruntime.InferenceSession(convert(network), providers=["CPUExecutionProvider"])
    place, logit = session.run(["18", "1"], {"images": both})
    for row, (expected, numbers) in PEER.items():
        assert logit[0, row, 0] == pytest.approx(expected, abs=1e-3)
        np.testing.assert_allclose(place[0, row, :4], numbers, atol=5e-3)
    net = cv2.dnn.readNetFromTFLite(np.frombuffer(network, np.uint8))
    for n in range(2):
        net.setInput(both[n : n + 1])
        found = net.forward(net.getUnconnectedOutLayersNames())
        boxes, scores = sorted((each[0] for each in found), key=lambda each: -each.shape[1])
        np.testing.assert_allclose(place[n], boxes, atol=2e-3)
        np.testing.assert_allclose(logit[n], scores, atol=2e-3)


@given(st.data())
def test_a_network_that_is_damaged_and_cut_off_is_refused(data: st.DataObject) -> None:
    """By one kind of error, whatever else is wrong with it."""
    network = bytearray(zipfile.ZipFile(fetch("hands", silent)[".task"]).read(MEMBER)[:20_000])
    for _ in range(data.draw(st.integers(0, 8))):
        network[data.draw(st.integers(0, len(network) - 1))] = data.draw(st.integers(0, 255))
    with pytest.raises(ValueError):
        convert(bytes(network))


def test_hands_of_people(hands: Hands, picture: Image) -> None:
    people = np.array(PEOPLE, dtype=float)
    found = hands.detect_around(picture, people, np.ones(len(people)))
    best = iou(HANDS[:, None], found.boxes[None])
    assert (best.max(axis=1) > 0.4).all()
    assert (found.score[best.argmax(axis=1)] > 0.3).all()
    # Whoever is unlikely or far away is not looked at.
    assert len(hands.detect_around(picture, people, np.full(len(people), 0.1)).boxes) == 0
    assert len(hands.detect_around(picture, people / 20, np.ones(len(people))).boxes) == 0


def test_what_is_too_large_or_where_the_head_is_is_hardly_a_hand() -> None:
    person = np.array([[0.0, 0.0, 60.0, 200.0]])
    score = np.array([0.9])

    def chance(x: float, y: float, side: float) -> float:
        return float(CHANCE(np.array([[x, y, x + side, y + side]]), score, person)[0])

    assert chance(0, 90, 22) > 0.5
    assert chance(10, 0, 40) < 0.2
    assert chance(0, 90, 60) < chance(0, 90, 40) < chance(0, 90, 22)
    assert chance(0, 10, 22) < chance(0, 60, 22)


def test_a_close_hand_in_the_whole_picture(hands: Hands, picture: Image) -> None:
    close = picture[420:620, 170:370]
    found = hands.detect(close)
    expected = HANDS[:1] - [170, 420, 170, 420]
    assert iou(expected, found.boxes[:1])[0] > 0.4
    assert hands.classes == ("hand",)


def test_hands_beside_another_detector(picture: Image) -> None:
    both = open_detector("picodet,hands")
    assert both.classes[-1] == "hand"
    assert len(both.classes) == 81
    found = both.detect(picture)
    own = found.boxes[found.label == 80]
    assert (iou(HANDS[:, None], own[None]).max(axis=1) > 0.4).all()


def test_a_bundle_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.task"
    path.write_bytes(b"nothing")
    with pytest.raises(DetectorError, match=r"a\.task: not the network that is meant"):
        Hands(path, 10, 0.02)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, b"nothing either")
    with pytest.raises(DetectorError, match=r"a\.task: not the network that is meant") as caught:
        Hands(path, 10, 0.02)
    assert "\n" not in str(caught.value)


def test_hands_of_a_video(tmp_path: Path) -> None:
    clip = load_clip(film(tmp_path / "a.mp4"), detector="hands", fps=2)
    assert clip.classes == ("hand",)
