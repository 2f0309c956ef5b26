"""Which reader and which writer a path gets, and what is said when it gets none."""

import sys
from pathlib import Path
from typing import Any

import pytest

from sentrack.vision import Clip, ClipError, load_clip, save_clip, scan, two_activities, videos

KITTI = "0 1 Car 0 0 0 1 2 3 4 1 1 1 1 1 1 1\n"
MOT = "1,7,1,2,3,4,0.5,-1,-1,-1\n"
TABLE = "frame,class,x1,y1,x2,y2\n0,cup,1,2,4,6\n"


def write(path: Path, content: str) -> Path:
    path.write_text(content, "utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "content", "classes"),
    [
        ("a.csv", TABLE, ("cup",)),
        ("A.CSV", TABLE, ("cup",)),
        ("a.csv", MOT, None),
        ("a.txt", "\n" + MOT, None),
        ("a.txt", "1, 7, 1, 2, 3, 4\n", None),
        ("a.txt", KITTI, ("car",)),
        ("a.txt", KITTI.replace("Car", "Car,van"), ("car-van",)),
    ],
)
def test_content_decides_where_the_name_does_not(
    tmp_path: Path, name: str, content: str, classes: tuple[str, ...] | None
) -> None:
    clip = load_clip(write(tmp_path / name, content), size=(9, 9), fps=1)
    assert (clip.name.lower(), clip.frames.tolist()) == ("a", [0])
    assert clip.classes == classes or (classes is None and clip.classes[clip.label[0]] == "person")


def test_a_format_that_is_named_counts_most(tmp_path: Path) -> None:
    path = write(tmp_path / "boxes.dat", MOT)
    assert load_clip(path, size=(9, 9), fps=1, format="mot").id.tolist() == [7]
    table = write(tmp_path / "boxes.txt", TABLE)
    assert load_clip(table, size=(9, 9), fps=1, format="table").classes == ("cup",)
    with pytest.raises(ClipError, match="no format 'motx'; nearest: 'mot'"):
        load_clip(path, format="motx")
    with pytest.raises(ClipError, match=r"boxes\.dat"):
        load_clip(path, format="yolo", size=(9, 9))
    with pytest.raises(ClipError, match=r"none\.dat"):
        load_clip(tmp_path / "none.dat", format="kitti")


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet", "a.json", "folder"])
def test_a_suffix_decides_how_to_write(tmp_path: Path, name: str) -> None:
    clip = two_activities(0)[0].cut(0, 3)
    save_clip(clip, tmp_path / name)
    back = load_clip(tmp_path / name, size=clip.size, fps=clip.fps)
    assert back.score.tolist() == clip.score.tolist()


def test_a_suffix_that_does_not_decide(tmp_path: Path) -> None:
    clip = two_activities(0)[0].cut(0, 3)
    with pytest.raises(ClipError, match="format='mot' or format='kitti'"):
        save_clip(clip, tmp_path / "a.txt")
    with pytest.raises(ClipError, match=r"suffix '\.avi'; known: \.csv"):
        save_clip(clip, tmp_path / "a.avi")
    with pytest.raises(ClipError, match="no format 'coc'; nearest: 'coco'"):
        save_clip(clip, tmp_path / "a.json", format="coc")
    assert list(tmp_path.iterdir()) == []


def test_arguments_that_a_source_does_not_take(tmp_path: Path) -> None:
    mot, table = write(tmp_path / "a.txt", MOT), write(tmp_path / "a.csv", TABLE)
    movie = write(tmp_path / "a.mp4", "")
    cases: list[tuple[Path, dict[str, Any]]] = [
        (mot, {"video": "x"}),
        (mot, {"detector": "yolo11n"}),
        (table, {"names": ["cup"]}),
        (movie, {"size": (9, 9)}),
        (movie, {"video": "x"}),
    ]
    for path, given in cases:
        with pytest.raises(ClipError, match=f"{path.name}: .* does not take {next(iter(given))}="):
            load_clip(path, **given)
    assert videos(mot) == []


def test_what_is_not_there(tmp_path: Path) -> None:
    for name in ("a.mp4", "a.csv", "a.txt", "a.json", "folder"):
        with pytest.raises(ClipError, match=f"{name}: no such file"):
            load_clip(tmp_path / name)
    (tmp_path / "videos").mkdir()
    with pytest.raises(ClipError, match=r"videos: this is a folder, .*; name one file"):
        load_clip(tmp_path / "videos")


def test_anything_else_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "street.mp4", "moving pictures")
    asked: dict[str, Any] = {}
    seen = two_activities(0)[0]

    class Scan:
        def __init__(self, source: Path, **options: Any) -> None:
            asked.update(options, source=source)

        def clip(self, start: float | None, end: float | None) -> Clip:
            assert (start, end) == (asked["start"], asked["end"])
            return seen

    monkeypatch.setattr(scan, "scan_video", Scan)
    assert load_clip(path, start=1, end=2, fps=5, detector="own.onnx", names=["cup"]) is seen
    assert {key: asked[key] for key in ("source", "start", "end", "fps", "detector", "names")} == {
        "source": path,
        "start": 1,
        "end": 2,
        "fps": 5,
        "detector": "own.onnx",
        "names": ["cup"],
    }
    assert callable(asked["report"])
    load_clip(write(tmp_path / "plain", "moving pictures"))
    assert asked["source"].name == "plain"


def test_without_the_extra_for_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("sentrack.vision.scan")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("av", "cv2", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ClipError, match=r'a\.mp4: .*pip install "sentrack\[video\]"'):
        load_clip(write(tmp_path / "a.mp4", ""))
    # Detections need none of it.
    assert load_clip(write(tmp_path / "a.txt", MOT), size=(9, 9), fps=1).T == 1
