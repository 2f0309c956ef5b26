"""ONNX detectors of the DETR family, made for the purpose, and where they run."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from sentrack.vision.scan.detectors import DetectorError, open_detector
from sentrack.vision.scan.detectors.devices import PROVIDERS, providers

TWO = {"names": "['tea cup', 'pen']"}
IMAGE = np.zeros((100, 200, 3), np.uint8)
# Centres and sizes as parts of the picture, which is stretched to the input.
PLACES = np.array([[0.5, 0.5, 0.4, 0.2], [0.25, 0.6, 0.1, 0.4]], np.float32)
EXPECTED = np.array([[60, 40, 140, 60], [40, 40, 60, 80]])


def made(
    path: Path,
    outputs: dict[str, npt.NDArray[Any]],
    facts: dict[str, str],
    sizes: str | None = None,
) -> Path:
    """A model that always gives these outputs; `sizes` is another input, which it only adds."""
    nodes = [
        helper.make_node("Constant", [], [name], value=numpy_helper.from_array(value))
        for name, value in outputs.items()
    ]
    given = [helper.make_tensor_value_info("images", 1, ["n", 3, 64, 64])]
    if sizes is not None:
        given.append(helper.make_tensor_value_info(sizes, 7, ["n", 2]))
    results = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), None)
        for name, value in outputs.items()
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "made", given, results),
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 13)],
    )
    helper.set_model_props(model, facts)
    onnx.save(model, str(path))
    return path


def logit(p: npt.ArrayLike) -> npt.NDArray[np.float32]:
    chance = np.asarray(p, np.float32)
    return np.asarray(np.log(chance / (1 - chance)), np.float32)


CHANCES = np.array([[0.8, 0.1], [0.001, 0.6]], np.float32)


@pytest.mark.parametrize("names", [("logits", "pred_boxes"), ("labels", "dets"), ("a", "b")])
@pytest.mark.parametrize("kind", ["sigmoid", "softmax", "probabilities"])
def test_boxes_and_logits(tmp_path: Path, names: tuple[str, str], kind: str) -> None:
    if kind == "sigmoid":
        scores = logit(CHANCES)
    elif kind == "probabilities":
        scores = CHANCES
    else:  # the last is of no object
        scores = 2 + np.log(np.hstack([CHANCES, 1 - CHANCES.sum(axis=1, keepdims=True)]))
    outputs = {names[0]: scores[None].astype(np.float32), names[1]: PLACES[None]}
    detector = open_detector(made(tmp_path / "a.onnx", outputs, TWO))
    found = detector.detect(IMAGE)
    assert detector.classes == ("tea-cup", "pen")
    np.testing.assert_array_equal(found.label, [0, 1, 1])
    np.testing.assert_allclose(found.score, [0.8, 0.6, 0.1], rtol=1e-5)
    np.testing.assert_allclose(found.boxes, EXPECTED[[0, 1, 0]], atol=1e-4)


def test_four_classes_have_logits_of_the_shape_of_boxes(tmp_path: Path) -> None:
    logits = logit([[0.9, 0.01, 0.01, 0.01], [0.01, 0.01, 0.01, 0.7]])
    facts = {"names": "['a', 'b', 'c', 'd']"}
    outputs = {"logits": logits[None], "pred_boxes": PLACES[None]}
    found = open_detector(made(tmp_path / "a.onnx", outputs, facts)).detect(IMAGE)
    np.testing.assert_array_equal(found.label, [0, 3])
    np.testing.assert_allclose(found.boxes, EXPECTED, atol=1e-4)


def test_labels_boxes_and_scores_with_the_size_as_an_input(tmp_path: Path) -> None:
    """The size is that of the input, 64x64, in which the boxes are."""
    nodes = [
        helper.make_node(
            "Constant", [], ["labels"], value=numpy_helper.from_array(np.array([[1, 0]]))
        ),
        helper.make_node(
            "Constant",
            [],
            ["scores"],
            value=numpy_helper.from_array(np.array([[0.7, 0.4]], np.float32)),
        ),
        helper.make_node(
            "Constant",
            [],
            ["part"],
            value=numpy_helper.from_array(
                np.array([[[0.1, 0.2, 0.5, 0.6], [0, 0, 1, 1]]], np.float32)
            ),
        ),
        helper.make_node("Cast", ["orig_target_sizes"], ["size"], to=1),
        helper.make_node("Concat", ["size", "size"], ["sides"], axis=1),
        helper.make_node("Mul", ["part", "sides"], ["boxes"]),
    ]
    given = [
        helper.make_tensor_value_info("images", 1, ["n", 3, 64, 64]),
        helper.make_tensor_value_info("orig_target_sizes", 7, ["n", 2]),
    ]
    results = [
        helper.make_tensor_value_info("labels", 7, [1, 2]),
        helper.make_tensor_value_info("boxes", 1, None),
        helper.make_tensor_value_info("scores", 1, [1, 2]),
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "made", given, results),
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 13)],
    )
    helper.set_model_props(model, TWO)
    onnx.save(model, str(tmp_path / "a.onnx"))
    found = open_detector(tmp_path / "a.onnx").detect(IMAGE)
    np.testing.assert_array_equal(found.label, [0, 1])
    np.testing.assert_allclose(found.boxes, [[0, 0, 200, 100], [20, 20, 100, 60]], atol=1e-3)


def test_names_and_range_of_the_input_beside_the_model(tmp_path: Path) -> None:
    """As `transformers` exports it: a network that gives back the mean of what it sees."""
    nodes = [
        helper.make_node("ReduceMean", ["images"], ["mean"], axes=[2, 3], keepdims=0),
        helper.make_node(
            "Constant", [], ["form"], value=numpy_helper.from_array(np.array([1, 1, 3]))
        ),
        helper.make_node("Reshape", ["mean", "form"], ["logits"]),
        helper.make_node(
            "Constant", [], ["pred_boxes"], value=numpy_helper.from_array(PLACES[None, :1])
        ),
    ]
    given = [helper.make_tensor_value_info("images", 1, ["n", 3, 64, 64])]
    results = [helper.make_tensor_value_info(name, 1, None) for name in ("logits", "pred_boxes")]
    model = helper.make_model(
        helper.make_graph(nodes, "made", given, results),
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 13)],
    )
    onnx.save(model, str(tmp_path / "model.onnx"))
    (tmp_path / "config.json").write_text(
        json.dumps({"id2label": {"0": "red", "1": "green", "2": "blue"}})
    )
    (tmp_path / "preprocessor_config.json").write_text(
        json.dumps(
            {"do_normalize": True, "image_mean": [0.5, 0.25, 0.1], "image_std": [0.1, 0.2, 0.3]}
        )
    )
    image = np.full((50, 70, 3), (51, 102, 204), np.uint8)  # blue, green, red
    found = open_detector(tmp_path / "model.onnx").detect(image)
    assert open_detector(tmp_path / "model.onnx").classes == ("red", "green", "blue")
    seen = np.array([(0.8 - 0.5) / 0.1, (0.4 - 0.25) / 0.2, (0.2 - 0.1) / 0.3])
    np.testing.assert_allclose(found.score, 1 / (1 + np.exp(-seen)), rtol=1e-5)


@pytest.mark.parametrize(
    "outputs",
    [
        {"logits": np.zeros((1, 5, 7)), "pred_boxes": np.zeros((1, 5, 4))},
        {"logits": np.zeros((1, 5, 2)), "pred_boxes": np.zeros((1, 6, 4))},
        {"logits": np.zeros((1, 5, 2)), "pred_boxes": np.zeros((1, 5, 5))},
        {"logits": np.zeros((2, 5, 2)), "pred_boxes": np.zeros((2, 5, 4))},
        {"a": np.zeros(3), "b": np.zeros(3)},
    ],
)
def test_outputs_that_are_no_boxes_and_logits(
    tmp_path: Path, outputs: dict[str, npt.NDArray[Any]]
) -> None:
    single = {name: value.astype(np.float32) for name, value in outputs.items()}
    path = made(tmp_path / "wrong.onnx", single, TWO)
    with pytest.raises(DetectorError, match="not a detector of the YOLO or DETR family") as caught:
        open_detector(path)
    assert "wrong.onnx" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_devices() -> None:
    here = ["CUDAExecutionProvider", "OpenVINOExecutionProvider", "CPUExecutionProvider"]
    assert providers("auto", here) == here
    assert providers("openvino", here) == here[1:]
    assert providers("cpu", here) == here[2:]
    with pytest.raises(DetectorError, match=r"no device 'coreml'.*there are auto, cuda, openvino"):
        providers("coreml", here)
    with pytest.raises(DetectorError, match=r"no device 'cudda'; nearest name: 'cuda'"):
        providers("cudda", here)


def test_a_device_that_is_not_here(tmp_path: Path) -> None:
    outputs = {"logits": logit(CHANCES)[None], "pred_boxes": PLACES[None]}
    path = made(tmp_path / "a.onnx", outputs, TWO)
    here = onnxruntime.get_available_providers()
    missing = next(name for name, each in PROVIDERS.items() if each not in here)
    with pytest.raises(DetectorError, match=f"no device '{missing}'"):
        open_detector(path, device=missing)
    same = open_detector(path, device="cpu")
    assert same.fingerprint == open_detector(path).fingerprint
