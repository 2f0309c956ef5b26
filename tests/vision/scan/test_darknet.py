"""Networks of Darknet: OpenCV, which reads them, too, is the oracle."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.progress import silent
from sentrack.vision.scan.detectors import DetectorError, open_detector
from sentrack.vision.scan.detectors.darknet import HEADER, OUTPUTS, model
from sentrack.vision.scan.detectors.weights import fetch

# All kinds of layers; the first convolution sees 3 channels, the last ones give 2 sizes of boxes
# with 3 classes.
LAYERS = """[net]
# of a made network
batch=1
width={width}
height={height}
channels=3

[convolutional]
batch_normalize=1
filters=8
size=3
stride={stride}
pad=1
activation=leaky

[route]
layers=-1
groups=2
group_id={part}

[convolutional]
batch_normalize=1
filters=6
size=1
stride=1
pad=1
activation=leaky

[route]
layers = -1,-2

[maxpool]
size=2
stride=2

[convolutional]
size=1
stride=1
pad=1
filters=16
activation=linear

[yolo]
mask = 1,2
anchors = 4,6,  10,14,  23,27
classes=3
num=3
scale_x_y = {reach}

[route]
layers = -3

[upsample]
stride=2

[route]
layers = -1, 2

[convolutional]
size=3
stride=1
pad=1
filters=16
activation=linear

[yolo]
mask = 0,1
anchors = 4,6,  10,14,  23,27
classes=3
num=3
scale_x_y = {reach}
"""
WEIGHTS = (4 * 8 + 27 * 8) + (4 * 6 + 4 * 6) + (16 + 10 * 16) + (16 + 16 * 9 * 16)
Rows = npt.NDArray[np.float32]


def write(folder: Path, text: str, weights: npt.NDArray[np.float32]) -> tuple[Path, Path]:
    cfg, file = folder / "made.cfg", folder / "made.weights"
    cfg.write_text(text)
    header = np.array([0, 2, 5, 0, 0], "<i4").tobytes()
    file.write_bytes(header + weights.astype("<f4").tobytes())
    return cfg, file


def made(folder: Path, seed: int, weights: int = WEIGHTS, **how: Any) -> tuple[Path, Path]:
    """A network with random weights, all above 0, since some are variances."""
    told = {"width": 32, "height": 32, "stride": 1, "part": 1, "reach": 1.05} | how
    drawn = np.random.default_rng(seed).uniform(0.05, 0.4, weights)
    return write(folder, LAYERS.format(**told), drawn.astype(np.float32))


def by_opencv(cfg: Path, weights: Path, blob: Any) -> Rows:
    """(N, 5 + C) centre and size as parts of the input, objectness, probabilities of classes."""
    # OpenCV sets probabilities to 0 that are not above its own threshold, by default 0.2.
    text = cfg.read_text("utf-8").replace("[yolo]", "[yolo]\nthresh=0").encode()
    network = cv2.dnn.readNetFromDarknet(
        np.frombuffer(text, np.uint8), np.fromfile(weights, np.uint8)
    )
    network.setInput(blob)
    return np.concatenate(network.forward(network.getUnconnectedOutLayersNames()))


def by_us(cfg: Path, weights: Path, names: list[str], blob: Any) -> tuple[Rows, Rows]:
    network = model(cfg, weights, names)
    session = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
    places, chances = session.run(list(OUTPUTS), {"images": blob})
    return places[0], chances[0]


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([1, 2]),
    st.sampled_from([0, 1]),
    st.sampled_from([1, 1.05, 1.2]),
)
def test_made_networks_as_opencv_has_them(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    across: int,
    down: int,
    stride: int,
    part: int,
    reach: float,
) -> None:
    size = {"width": 8 * across, "height": 8 * down, "stride": stride}
    files = made(tmp_path_factory.mktemp("net"), seed, part=part, reach=reach, **size)
    shape = (1, 3, 8 * down, 8 * across)
    blob = np.random.default_rng(seed).normal(0, 0.3, shape).astype(np.float32)
    places, chances = by_us(*files, ["a", "b", "c"], blob)
    expected = by_opencv(*files, blob)
    assert len(places) == 160 * across * down // stride**2
    np.testing.assert_allclose(places, expected[:, :4], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(chances, expected[:, 5:], rtol=1e-4, atol=1e-5)


def test_the_real_network_as_opencv_has_it() -> None:
    files = fetch("yolov4-tiny", silent)
    names = files[".names"].read_text().split("\n")[:80]
    noise = np.random.default_rng(0).uniform(0, 255, (13, 13, 3)).astype(np.uint8)
    blob = cv2.dnn.blobFromImage(cv2.resize(noise, (416, 416)), 1 / 255, swapRB=True)
    places, chances = by_us(files[".cfg"], files[".weights"], names, blob)
    expected = by_opencv(files[".cfg"], files[".weights"], blob)
    np.testing.assert_allclose(places, expected[:, :4], atol=1e-4)
    np.testing.assert_allclose(chances, expected[:, 5:], atol=1e-4)


def test_the_model_is_sound(tmp_path: Path) -> None:
    checked = onnx.load_from_string(model(*made(tmp_path, 0), ["a", "b", "c"]))
    onnx.checker.check_model(checked, full_check=True)
    assert [(each.key, each.value) for each in checked.metadata_props] == [
        ("names", "['a', 'b', 'c']")
    ]


def test_another_number_of_names() -> None:
    with pytest.raises(DetectorError, match="it has 80 classes, and there are 79 class names"):
        open_detector("yolov4-tiny", names=[f"thing {n}" for n in range(79)])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[upsample]", "[shortcut]", "the layer shortcut is not known"),
        ("activation=leaky", "activation=mish", "the activation mish is not known"),
        ("[maxpool]\nsize=2", "[maxpool]\nsize=3", "only the largest of two by two"),
        ("layers=-1\n", "layers=-1,-1\n", "a part of several layers is not known"),
        ("layers = -3", "layers = -30", "list index out of range"),
        ("filters=8\n", "", "'filters'"),
        ("filters=8", "filters=some", "invalid literal"),
        ("[net]", "net", "its text begins with convolutional"),
    ],
)
def test_layers_that_are_not_known(tmp_path: Path, old: str, new: str, message: str) -> None:
    cfg, weights = made(tmp_path, 0)
    text = cfg.read_text()
    assert old in text
    cfg.write_text(text.replace(old, new, 1))
    with pytest.raises(DetectorError, match=r"made\.cfg: not the network that is meant") as caught:
        model(cfg, weights, ["a", "b", "c"])
    assert message in str(caught.value)


@pytest.mark.parametrize(("off", "message"), [(-1, "1 weights more than it"), (2, "are 2 weights")])
def test_weights_of_another_network(tmp_path: Path, off: int, message: str) -> None:
    cfg, weights = made(tmp_path, 0, WEIGHTS + off)
    assert weights.stat().st_size == 4 * (HEADER + WEIGHTS + off)
    with pytest.raises(DetectorError, match=message):
        model(cfg, weights, ["a", "b", "c"])
