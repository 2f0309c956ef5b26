"""The formats of other programs: the examples of the page, round trips, peers and bad files."""

import csv
import doctest
import json
import logging
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
import supervision
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.errors import SentrackError
from sentrack.vision import (
    Clip,
    ClipError,
    clip_from_arrays,
    clip_from_detections,
    load_clip,
    save_clip,
    to_supervision,
    two_activities,
    videos,
)

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text("utf-8")
FENCE = re.compile(r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SECTIONS = {part.split("\n")[0]: part for part in re.split(r"^##+ ", PAGE, flags=re.MULTILINE)[1:]}

CASES = {
    "mot": "clip.txt",
    "kitti": "clip.txt",
    "coco": "clip.json",
    "coco-results": "clip.json",
    "yolo": "clip",
}


def names(clip: Clip) -> list[str]:
    return [clip.classes[k] for k in clip.label]


def small() -> Clip:
    """Three frames of the synthetic clip, with ids."""
    clip = two_activities(0)[0].cut(0, 3)
    ids = np.arange(len(clip.boxes)) % 7 - 1
    return clip_from_arrays(
        "small",
        clip.size,
        25.0,
        clip.frames[clip.frame_of],
        clip.classes,
        clip.boxes,
        clip.score,
        ids,
        label=clip.label,
    )


@pytest.mark.parametrize("section", SECTIONS)
def test_the_examples_of_the_page(
    section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    globs: dict[str, Any] = {"sentrack": sentrack, "Path": Path}
    ran = 0
    for kind, path, content in FENCE.findall(SECTIONS[section]):
        if path:
            Path(path).parent.mkdir(exist_ok=True)
            Path(path).write_text(content, "utf-8")
        elif kind == "python":
            example = doctest.DocTestParser().get_doctest(content, globs, section, None, 0)
            failures: list[str] = []
            runner = doctest.DocTestRunner(verbose=False)
            result = runner.run(example, out=failures.append, clear_globs=False)
            assert result.failed == 0, "".join(failures)
            globs |= example.globs
            ran += result.attempted
    assert ran >= 2


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    frames = sorted(draw(st.sets(st.integers(0, 99), min_size=1, max_size=6)))
    N = draw(st.integers(1, 8))

    def rows(element: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(element, min_size=N, max_size=N))

    corner, extent = st.floats(-1e4, 1e4), st.floats(0.1, 1e4)
    boxes = np.array(rows(st.tuples(corner, corner, extent, extent)), dtype=float)
    boxes[:, 2:] += boxes[:, :2]
    words = st.text("ab-é,\"'0 9", min_size=1, max_size=5).filter(str.strip)
    return clip_from_arrays(
        "made up",
        (draw(st.integers(1, 4000)), draw(st.integers(1, 4000))),
        draw(st.floats(0.1, 240)),
        np.array(rows(st.sampled_from(frames)), dtype=int),
        np.array(rows(words), dtype=str),
        boxes,
        np.array(rows(st.floats(-1e9, 1e9)), dtype=float),
        np.array(rows(st.integers(-1, 2**40)), dtype=int),
        frames=frames,
    )


@pytest.mark.parametrize("kind", CASES)
@settings(max_examples=30)
@given(clip=clips())
def test_what_is_saved_is_loaded(
    tmp_path_factory: pytest.TempPathFactory, kind: str, clip: Clip
) -> None:
    path = tmp_path_factory.mktemp("saved") / CASES[kind]
    save_clip(clip, path, kind)
    classes = clip.classes if kind == "coco-results" else None
    back = load_clip(path, size=clip.size, fps=clip.fps, names=classes)
    assert names(back) == names(clip)
    assert back.score.tolist() == clip.score.tolist()
    assert back.id.tolist() == clip.id.tolist()
    assert back.frames[back.frame_of].tolist() == clip.frames[clip.frame_of].tolist()
    np.testing.assert_allclose(back.boxes, clip.boxes, rtol=1e-9, atol=1e-8)
    if kind != "kitti":
        assert back.classes == clip.classes
    if kind == "coco":
        stored = load_clip(path)
        assert (stored.name, stored.size, stored.fps) == (clip.name, clip.size, clip.fps)
        assert stored.frames.tolist() == clip.frames.tolist()
    if kind == "yolo":
        assert set(clip.frames) <= set(back.frames)


@settings(max_examples=30)
@given(clip=clips())
def test_there_and_back_through_supervision(clip: Clip) -> None:
    back = clip_from_detections(to_supervision(clip), clip.size, clip.fps)
    assert back.T == clip.T
    assert names(back) == names(clip)
    for key in ("score", "id", "boxes", "start"):
        np.testing.assert_array_equal(getattr(back, key), getattr(clip, key), err_msg=key)


def test_what_is_written_says_what_the_clip_says(tmp_path: Path) -> None:
    clip = small()
    frame, box = clip.frames[clip.frame_of], clip.boxes
    x, y = box[:, 0], box[:, 1]
    width, height = box[:, 2] - x, box[:, 3] - y
    save_clip(clip, tmp_path / "mot.txt", "mot")
    with (tmp_path / "mot.txt").open(encoding="utf-8") as file:
        rows = np.array(list(csv.reader(file)), dtype=float)
    expected = [frame + 1, clip.id, x, y, width, height, clip.score, clip.label + 1, -1 + 0 * x]
    np.testing.assert_array_equal(rows, np.stack(expected, axis=1))
    save_clip(clip, tmp_path / "kitti.txt", "kitti")
    lines = [line.split(" ") for line in (tmp_path / "kitti.txt").read_text("utf-8").splitlines()]
    assert [line[2] for line in lines] == names(clip)
    np.testing.assert_array_equal(np.array([line[6:10] for line in lines], dtype=float), box)
    np.testing.assert_array_equal([float(line[17]) for line in lines], clip.score)
    save_clip(clip, tmp_path / "list.json", "coco-results")
    results = json.loads((tmp_path / "list.json").read_text("utf-8"))
    np.testing.assert_array_equal([each["bbox"][2] for each in results], width)
    assert [each["image_id"] for each in results] == frame.tolist()


def test_a_peer_reads_what_is_written(tmp_path: Path) -> None:
    clip = small()
    (tmp_path / "images").mkdir()
    for number in clip.frames:
        image = np.zeros((clip.size[1], clip.size[0], 3), dtype=np.uint8)
        cv2.imwrite(str(tmp_path / "images" / f"{number:06d}.jpg"), image)
    save_clip(clip, tmp_path / "clip.json")
    # With ids, a line of YOLO would be a triangle to this peer.
    save_clip(replace(clip, id=np.full_like(clip.id, -1)), tmp_path / "labels")
    (tmp_path / "labels" / "classes.txt").unlink()
    (tmp_path / "data.yaml").write_text(json.dumps({"names": clip.classes}), "utf-8")
    images = str(tmp_path / "images")
    read = supervision.DetectionDataset
    for dataset in (
        read.from_coco(images, str(tmp_path / "clip.json")),
        read.from_yolo(images, str(tmp_path / "labels"), str(tmp_path / "data.yaml")),
    ):
        assert dataset.classes == list(clip.classes)
        found = {Path(path).stem: boxes for path, _, boxes in dataset}
        for number, boxes in zip(clip.frames, to_supervision(clip), strict=True):
            peer = found[f"{number:06d}"]
            np.testing.assert_allclose(peer.xyxy, boxes.xyxy, rtol=1e-5, atol=1e-3)
            np.testing.assert_array_equal(peer.class_id, boxes.class_id)


# Each by hand.


def load(path: Path, content: str, **given: Any) -> Clip:
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, "utf-8")
    target = path.parent if path.parent.name == "yolo" else path
    return load_clip(target, **{"size": (640, 480), "fps": 20, **given})


def test_mot_columns_come_in_several_numbers(tmp_path: Path) -> None:
    clip = load(tmp_path / "a.txt", "2, 7, 10, 20, 30, 40\r\n\r\n1,-1,1,2,3,4\r\n")
    assert (names(clip), clip.frames.tolist(), clip.id.tolist()) == (
        ["person"] * 2,
        [0, 1],
        [-1, 7],
    )
    np.testing.assert_array_equal(clip.boxes, [[1, 2, 4, 6], [10, 20, 40, 60]])
    np.testing.assert_array_equal(clip.score, 1.0)
    world = load(tmp_path / "a.txt", "1,1,1,2,3,4,0.5,3,7,9\n")  # not of class 3
    assert (names(world), world.score.tolist()) == (["person"], [0.5])
    zero = load(tmp_path / "a.txt", "0,1,1,2,3,4\n3,1,1,2,3,4\n")
    assert zero.frames.tolist() == [0, 3]
    late = load(tmp_path / "a.txt", "11,1,1,2,3,4\n")
    assert late.frames.tolist() == [10]


def test_names_of_mot_classes_and_their_precedence(tmp_path: Path) -> None:
    def found(**given: Any) -> list[str]:
        return names(load(tmp_path / "a.txt", "1,1,1,2,3,4,1,2,1\n1,2,1,2,3,4,1,-1,1\n", **given))

    assert found() == ["person-on-vehicle", "person"]
    (tmp_path / "labels.txt").write_text("Dog\nBig Cat\n", "utf-8")
    assert found() == ["big-cat", "dog"]
    (tmp_path / "a.names").write_text("\ufeffcup\nbox\n", "utf-8")
    assert found() == ["box", "cup"]
    assert found(names=["pen", "ink"]) == ["ink", "pen"]
    categories = {"categories": [{"id": 5, "name": "kite"}, {"id": 2, "name": "ball"}]}
    (tmp_path / "n.json").write_text(json.dumps(categories), "utf-8")
    assert found(names=tmp_path / "n.json") == ["ball", "ball"]
    with pytest.raises(ClipError, match=r"a\.txt: class 2 has no name; names="):
        found(names=["pen"])


def test_the_challenges_own_layout(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    info = tmp_path / "seqinfo.ini"
    text = "[Sequence]\nname=S-1\nframeRate=14\nseqLength=9\nimWidth=1920\nimHeight=1080\n"
    info.write_text(text, "utf-8")
    row = "3,1,1,2,3,4,1,1,1\n"
    clip = load(tmp_path / "gt" / "gt.txt", row, size=None, fps=None)
    assert (clip.name, clip.size, clip.fps, clip.T) == ("S-1", (1920, 1080), 14.0, 9)
    assert not caplog.records
    assert load(tmp_path / "gt" / "gt.txt", "33" + row).frames.tolist() == [332]
    given = load(tmp_path / "gt" / "gt.txt", row)
    assert (given.size, given.fps) == ((640, 480), 20)
    info.write_text(text.replace("14", "fast"), "utf-8")
    with pytest.raises(ClipError, match=r"seqinfo\.ini has framerate = fast"):
        load(tmp_path / "gt" / "gt.txt", row)
    info.write_text("name=S\n", "utf-8")
    with pytest.raises(ClipError, match=r"seqinfo\.ini: no \[Sequence\]"):
        load(tmp_path / "gt" / "gt.txt", row)


def test_kitti_blanks_and_regions_not_cared_for(tmp_path: Path) -> None:
    tail = "0 0 0  10 20 30\t40  1 1 1 1 1 1 1"
    text = f"  2 -1 DontCare {tail} \r\n\n0 4 Person_sitting {tail}\n 1 -1 Car {tail}\n"
    clip = load(tmp_path / "a.txt", text)
    assert (names(clip), clip.id.tolist(), clip.T) == (["person-sitting", "car"], [4, -1], 3)
    np.testing.assert_array_equal(clip.boxes, [[10, 20, 30, 40]] * 2)


def test_coco_frames_by_name_or_by_order(tmp_path: Path) -> None:
    def frames(*images: dict[str, Any]) -> tuple[list[int], list[int]]:
        boxes = [{"image_id": images[0]["id"], "category_id": 1, "bbox": [1, 2, 3, 4]}]
        boxes.append({**boxes[0], "iscrowd": 1})
        document = {"images": images, "annotations": boxes}
        document["categories"] = [{"id": 1, "name": "cup"}]
        clip = load(tmp_path / "a.json", json.dumps(document))
        return clip.frames.tolist(), clip.frames[clip.frame_of].tolist()

    one, two = {"id": 9, "file_name": "a/b_004.jpg"}, {"id": 5, "file_name": "a/b_002.jpg"}
    assert frames(one, two) == ([2, 4], [4])
    assert frames({"id": 9}, {"id": 5}) == ([0, 1], [1])
    assert frames({"id": "y", "file_name": "1.jpg"}, {"id": "x", "file_name": "1.png"})[1] == [1]
    assert frames({**one, "frame_id": 30}, {**two, "frame_id": 7}) == ([7, 30], [30])
    with pytest.raises(ClipError, match="one 'frame_id'"):
        frames({**one, "frame_id": 7}, {**two, "frame_id": 7})


def test_coco_with_several_videos(tmp_path: Path) -> None:
    box = {"category_id": 1, "bbox": [1, 2, 3, 4]}
    document = {
        "videos": [{"id": 1, "name": "yard", "fps": 5}, {"id": 2, "name": "street"}],
        "images": [{"id": k, "video_id": 1 + k // 3, "frame_id": k % 3} for k in range(5)],
        "annotations": [{"image_id": k, "track_id": k, **box} for k in range(5)],
        "categories": [{"id": 1, "name": "cup"}],
    }
    clip = load(tmp_path / "a.json", json.dumps(document), video="yard", fps=None)
    assert (clip.name, clip.fps, clip.T, clip.id.tolist()) == ("yard", 5, 3, [0, 1, 2])
    assert load_clip(tmp_path / "a.json", video="street", size=(9, 9), fps=1).id.tolist() == [3, 4]
    assert videos(tmp_path / "a.json") == ["yard", "street"]
    with pytest.raises(ClipError, match="holds 2 videos"):
        load_clip(tmp_path / "a.json")
    with pytest.raises(ClipError, match="no video 'yart'; nearest name: 'yard'"):
        load_clip(tmp_path / "a.json", video="yart")


def test_coco_results_go_by_the_categories_of_an_annotations_file(tmp_path: Path) -> None:
    box = {"bbox": [1, 2, 3, 4], "score": 0.5}
    results = [
        {"image_id": "v_7", "category_id": 90, **box},
        {"image_id": 3, "category_id": 1, **box},
    ]
    categories = {"categories": [{"id": 90, "name": "tooth brush"}, {"id": 1, "name": "person"}]}
    (tmp_path / "gt.json").write_text(json.dumps(categories), "utf-8")
    clip = load(tmp_path / "a.json", json.dumps(results), names=tmp_path / "gt.json")
    assert (names(clip), clip.frames.tolist()) == (["person", "tooth-brush"], [3, 7])
    assert videos(tmp_path / "a.json") == []


def test_yolo_names_lie_in_the_folder_or_above(tmp_path: Path) -> None:
    file = tmp_path / "yolo" / "f_3.txt"
    text = "1 0.5 0.5 0.5 0.25\n\n0 0.5 0.5 1 1 0.25\n"
    with pytest.raises(ClipError, match=r"yolo: no classes\.txt in it; names="):
        load(file, text)
    (tmp_path / "obj.names").write_text("cup\npen\n", "utf-8")
    clip = load(file, text)
    assert (names(clip), clip.name, clip.frames.tolist()) == (["pen", "cup"], "yolo", [3])
    np.testing.assert_array_equal(clip.boxes, [[160, 180, 480, 300], [0, 0, 640, 480]])
    assert (clip.score.tolist(), clip.id.tolist()) == ([1.0, 0.25], [-1, -1])
    (file.parent / "classes.txt").write_text("dog\ncat", "utf-8")
    assert names(load(file, text)) == ["cat", "dog"]
    categories = {"categories": [{"id": 90, "name": "kite"}, {"id": 7, "name": "ball"}]}
    (tmp_path / "n.json").write_text(json.dumps(categories), "utf-8")
    assert names(load(file, text, names=str(tmp_path / "n.json"))) == ["kite", "ball"]


def test_boxes_that_are_none_are_dropped_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = ["1,1,1,2,3,4", "1,1,1,2,0,4", "1,1,nan,2,3,4", "1,1,1,2,1e300,1e300", "5,1,1,2,-3,4"]
    clip = load(tmp_path / "a.txt", "\n".join(rows))
    assert (len(clip.boxes), clip.T) == (1, 2)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "dropped 4 boxes" in record.getMessage()


KITTI = "0 1 Car 0 0 0 1 2 3 4 1 1 1 1 1 1 1\n"
BOX = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}


def coco(*boxes: Any) -> str:
    categories = [{"id": 1, "name": "cup"}]
    return json.dumps({"images": [{"id": 1}], "annotations": boxes, "categories": categories})


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("a.txt", "1,1,1,2,3,4\n\n1,1,1,2,3\n", ["line 3 has 5 columns", "6"]),
        ("a.txt", "1,1,1,2,3,4\n2,1,1,two,3,4\n", ["line 2", "'two'", "not a number"]),
        ("a.txt", "1,2,3,4\n", ["line 1 has 4 columns", "6, 7, 8, 9, 10"]),
        ("a.txt", "\n1,1,1,2,3,4\n\n1.5,1,1,2,3,4\n", ["line 4", "the frame is 1.5"]),
        ("a.txt", "1,1,1,2,3,4,1,30,1\n", ["class 30 has no name", "names="]),
        ("a.txt", "1,1,1,2,3,4\n2,1,1,2,3,4\n99999999999,1,1,2,3,4", ["spans"]),
        ("a.txt", "1 2 3\n", ["neither MOT", "nor KITTI"]),
        ("a.txt", "", ["neither MOT"]),
        ("a.txt", KITTI + KITTI.replace(" 3 ", " x "), ["line 2", "'x'"]),
        ("a.txt", KITTI + KITTI.replace(" 1\n", "\n"), ["line 2 has 16 columns", "17"]),
        ("a.json", "{", ["not JSON at line 1"]),
        ("a.json", "7", ["neither a COCO document nor a list"]),
        ("a.json", "{}", ["no list 'annotations'"]),
        ("a.json", '{"annotation": []}', ["'annotations'", "nearest key: 'annotation'"]),
        ("a.json", "[]", ["names="]),
        ("a.json", coco({}), ["no 'category_id'", "the box {}"]),
        ("a.json", coco(BOX, 5), ["the box 5"]),
        ("a.json", coco(BOX, BOX | {"bbox": [1, 2, 3]}), ["'bbox' of four", '"bbox": [1, 2, 3]']),
        ("a.json", coco(BOX, BOX | {"image_id": 8}), ["'image_id'", '"image_id": 8']),
        ("a.json", coco(BOX, BOX | {"score": None}), ["'score'", '"score": null']),
        ("a.json", coco(BOX, BOX | {"category_id": 8}), ["class 8 has no name"]),
        ("yolo/1.txt", "0 1 1 1\n", ["1.txt", "line 1 has 4 columns"]),
        ("yolo/1.txt", "0 1 1 1 x\n", ["1.txt", "line 1", "numbers"]),
        ("yolo/1.txt", "0.5 1 1 1 1\n", ["1.txt", "0.5 as its class"]),
        ("yolo/x.txt", "0 1 1 1 1\n", ["x.txt", "number of a frame"]),
        ("yolo/x.json", "", ["a folder", ".txt", "name one file"]),
    ],
)
def test_a_file_at_fault(tmp_path: Path, name: str, content: str, parts: list[str]) -> None:
    with pytest.raises(ClipError) as caught:
        load(tmp_path / name, content)
    for part in [*parts, Path(name).parts[0]]:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_files_of_one_frame(tmp_path: Path) -> None:
    load(tmp_path / "yolo" / "a_1.txt", "0 1 1 1 1\n", names=["cup"])
    with pytest.raises(ClipError, match=r"b_01\.txt: it is frame 1, and so is a_1\.txt"):
        load(tmp_path / "yolo" / "b_01.txt", "", names=["cup"])


def test_names_at_fault(tmp_path: Path) -> None:
    for content, message in (("{}", "no 'categories'"), ("{", "not JSON")):
        (tmp_path / "n.json").write_text(content, "utf-8")
        with pytest.raises(ClipError, match=message):
            load(tmp_path / "a.txt", "1,1,1,2,3,4\n", names=tmp_path / "n.json")
    with pytest.raises(ClipError, match=r"none\.txt: class names cannot be read"):
        load(tmp_path / "a.txt", "1,1,1,2,3,4\n", names=tmp_path / "none.txt")


def test_clips_that_cannot_be_written(tmp_path: Path) -> None:
    clip = clip_from_arrays("a", (9, 9), 1, [-1], ["cup"], [[0, 0, 1, 1]])
    for kind in ("mot", "yolo"):
        with pytest.raises(ClipError, match="frame -1 cannot be written"):
            save_clip(clip, tmp_path / "a", kind)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "1.txt").write_text("", "utf-8")
    for kind, path in CASES.items():
        with pytest.raises(SentrackError, match="cannot be written: No such file"):
            save_clip(small(), tmp_path / "none" / path, kind)
    with pytest.raises(ClipError, match="not empty"):
        save_clip(small(), tmp_path / "full")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]


def test_clips_without_a_box(tmp_path: Path) -> None:
    clip = clip_from_arrays("a", (9, 9), 1, [], ["cup"], [], label=[], frames=[0, 1, 2])
    for kind, name in CASES.items():
        path = tmp_path / kind / name
        path.parent.mkdir()
        save_clip(clip, path, kind)
        if kind in ("coco", "yolo"):
            back = load_clip(path, size=(9, 9))
            assert (back.T, len(back.boxes), back.classes) == (3, 0, ("cup",))
        else:
            names = None if kind == "kitti" else ["cup"]
            with pytest.raises(ClipError, match=r"no row|no frame"):
                load_clip(path, format=kind, names=names)
    assert [len(each) for each in to_supervision(clip)] == [0, 0, 0]


def test_detections_of_supervision() -> None:
    frames = [
        supervision.Detections(
            xyxy=np.array([[1, 2, 3, 4], [5, 6, 8, 9]], dtype=np.float32),
            class_id=np.array([1, 0]),
        ),
        supervision.Detections.empty(),
        supervision.Detections(
            xyxy=np.array([[1.0, 2, 3, 4]]),
            confidence=np.array([0.5]),
            tracker_id=np.array([7]),
            data={"class_name": np.array(["Tea Cup"])},
        ),
    ]
    clip = clip_from_detections(iter(frames), (640, 480), 10, names=["pen", "dog", "box"])
    assert names(clip) == ["dog", "pen", "tea-cup"]
    assert clip.classes == ("pen", "dog", "box", "tea-cup")
    np.testing.assert_array_equal(clip.start, [0, 2, 2, 3])
    assert (clip.score.tolist(), clip.id.tolist()) == ([1, 1, 0.5], [-1, -1, 7])
    back = to_supervision(clip)
    assert [len(each) for each in back] == [2, 0, 1]
    assert all(isinstance(each, supervision.Detections) for each in back)
    assert np.concatenate([each.tracker_id for each in back]).tolist() == [-1, -1, 7]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no frame"),
        ([5], "frame 0: not detections"),
        ([SimpleNamespace(xyxy=[[1, 2, 3]])], "frame 0: not detections"),
        ([supervision.Detections(xyxy=np.ones((1, 4)))], "a class for every box"),
        ([supervision.Detections(xyxy=np.ones((1, 4)), class_id=np.array([3]))], "class 3 has no"),
    ],
)
def test_objects_that_are_no_detections(given: list[Any], message: str) -> None:
    with pytest.raises(ClipError, match=message) as caught:
        clip_from_detections(given, (640, 480), 10)
    assert "\n" not in str(caught.value)


def test_without_the_supervision_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "supervision", None)
    with pytest.raises(SentrackError, match="pip install supervision"):
        to_supervision(small())
