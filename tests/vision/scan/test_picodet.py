"""PicoDet: its program turned into an ONNX model, beside what another converter made of it."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper

from sentrack.progress import silent
from sentrack.vision.scan.detectors import DetectorError
from sentrack.vision.scan.detectors.heads import Distances
from sentrack.vision.scan.detectors.onnx_model import Graph
from sentrack.vision.scan.detectors.picodet import model
from sentrack.vision.scan.detectors.protobuf import decode, encode, signed
from sentrack.vision.scan.detectors.weights import fetch

# By paddle2onnx 1.1.0 and ONNX Runtime, and by OpenVINO 2026.4 in single precision, of the picture
# below: position, best class, its score and the box.
PEER = [
    (5, 0, 0.03398, [11.086, -0.023, 52.565, 16.406]),
    (3000, 0, 0.05356, [106.134, 84.076, 231.757, 281.914]),
    (3400, 0, 0.05893, [23.921, 0.189, 415.134, 228.437]),
    (3573, 15, 0.33181, [0.208, -0.073, 416.032, 416.121]),
    (3590, 19, 0.01631, [208.321, 130.711, 548.248, 428.940]),
]


@pytest.fixture(scope="module")
def network() -> bytes:
    files = fetch("picodet", silent)
    return model(files[".pdmodel"], files[".pdiparams"], files[".yml"])


def test_the_network_as_others_have_it(network: bytes) -> None:
    y, x = np.mgrid[:416, :416]
    waves = [np.sin(x / (9 + 5 * c)) * np.cos(y / (14 - 3 * c)) * 0.5 + 0.5 for c in range(3)]
    session = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
    scores, distances = session.run(None, {"images": np.stack(waves)[None].astype(np.float32)})
    assert scores.shape == (1, 80, 3598)
    found = Distances().read({"scores": scores, "distances": distances}, (416, 416))
    for position, label, score, box in PEER:
        assert found.scores[position].argmax() == label
        assert found.scores[position, label] == pytest.approx(score, abs=2e-4)
        np.testing.assert_allclose(found.boxes[position], box, atol=0.02)


@pytest.mark.parametrize(("height", "width"), [(384, 640), (32, 64), (64, 32)])
def test_inputs_of_any_size(network: bytes, height: int, width: int) -> None:
    session = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
    blank = np.zeros((1, 3, height, width), np.float32)
    scores, distances = session.run(None, {"images": blank})
    found = Distances().read({"scores": scores, "distances": distances}, (height, width))
    assert len(found.boxes) == len(found.scores)
    assert (found.boxes[:, 2:] >= found.boxes[:, :2]).all()


def test_the_model_is_sound(network: bytes) -> None:
    checked = onnx.load_from_string(network)
    onnx.checker.check_model(checked, full_check=True)
    facts = {fact.key: fact.value for fact in checked.metadata_props}
    assert facts["names"].startswith("['person', 'bicycle', 'car'")
    assert sum(node.op_type == "HardSwish" for node in checked.graph.node) == 78


def test_files_that_are_no_network(tmp_path: Path) -> None:
    files = fetch("picodet", silent)
    for content in (b"", b"\x0f", files[".pdmodel"].read_bytes()[:1000]):
        (tmp_path / "a.pdmodel").write_bytes(content)
        with pytest.raises(DetectorError, match=r"a\.pdmodel: not the network that is meant"):
            model(tmp_path / "a.pdmodel", files[".pdiparams"], files[".yml"])
    (tmp_path / "a.pdiparams").write_bytes(files[".pdiparams"].read_bytes() + b"more")
    with pytest.raises(DetectorError, match="4 bytes more than parameters"):
        model(files[".pdmodel"], tmp_path / "a.pdiparams", files[".yml"])


shapes = st.lists(st.integers(1, 4), max_size=4)
integers = st.integers(-(2**63), 2**63 - 1)


@given(shapes, st.integers(0, 1000), integers, st.floats(width=32, allow_nan=False))
def test_models_are_read_by_others(shape: list[int], seed: int, whole: int, part: float) -> None:
    value = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    graph = Graph()
    name = graph.constant("value", value)
    graph.add("Some", [name, "in"], "out", a=whole, b=part, c="ü", d=[whole, 0, -1])
    assert graph.missing == {"in"}
    read = onnx.load_from_string(graph.model({"in": (1, "n")}, {"out": (2,)}, {"key": "said"}))
    np.testing.assert_array_equal(numpy_helper.to_array(read.graph.initializer[0]), value)
    told = {
        each.name: onnx.helper.get_attribute_value(each) for each in read.graph.node[0].attribute
    }
    assert told == {"a": whole, "b": part, "c": "ü".encode(), "d": [whole, 0, -1]}
    sides = read.graph.input[0].type.tensor_type.shape.dim
    assert (sides[0].dim_value, sides[1].dim_param) == (1, "n")
    assert read.metadata_props[0].value == "said"


@given(st.lists(st.tuples(st.integers(1, 2**20), integers | st.binary(max_size=300))))
def test_messages_come_back(fields: list[tuple[int, int | bytes]]) -> None:
    read = decode(encode(fields))
    for number in {number for number, _ in fields}:
        expected = [value for key, value in fields if key == number]
        assert [signed(v) if isinstance(v, int) else v for v in read[number]] == expected


@given(st.binary(max_size=40))
def test_bytes_that_are_no_message(data: bytes) -> None:
    try:
        read = decode(data)
    except ValueError:
        return
    assert all(number >= 0 for number in read)
