"""Which sources are found, what they are called, and when they are looked at anew."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sentrack.library import LibraryError, Store, index_one
from sentrack.vision import ClipError, load_clip, save_clip
from sentrack.vision.scan import scanner
from sentrack.vision.scan.detectors import ImageCandidates
from tests.library.scenes import assert_equal, files, scene
from tests.vision.films import film

MOT = "1,7,1,2,3,4,0.5,-1,-1,-1\n2,7,1,2,3,4,0.5,-1,-1,-1\n"
MANY = """video,frame,class,x1,y1,x2,y2
street,0,person,100,80,160,260
yard,0,dog,10,20,90,70
yard,1,dog,10,20,90,70
"""


class Stub:
    """Finds one thing in every image, without weights."""

    classes = ("person", "dog")

    def __init__(self, name: str, best: int = 10, **_: Any) -> None:
        self.name, self.fingerprint = name, f"{name}/{best}"

    def detect(self, image: Any) -> ImageCandidates:
        height, width = image.shape[:2]
        box = np.array([[0.25 * width, 0.25 * height, 0.75 * width, height]])
        return ImageCandidates(box, np.array([0]), np.array([0.5]))


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Videos are looked at by the stub, and remembered in a place of their own."""
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(scanner, "open_detector", Stub)


def test_folders_are_searched_for_what_holds_detections(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    files(folder, range(1))
    files(folder / "deep", range(1, 2))
    files(folder / ".hidden", range(2, 3))
    save_clip(scene(3), folder / "deep" / "coco.json")
    save_clip(scene(4), folder / "deep" / "table.csv.gz")
    others = {
        ".hidden.csv": MANY,
        "many.csv": MANY,
        "mot.txt": MOT,
        "labels.csv": "video,start,end\nstreet,1,2\n",
        "readme.txt": "Read me.\n",
        "package.json": '{"name": "package"}',
        "broken.json": "{",
        "empty.csv": "",
        "archive.gz": "",
        "program.py": "",
    }
    for name, text in others.items():
        (folder / "deep" / name).write_text(text)
    store = Store(folder / "library")
    store.add(folder / "deep" / "mot.txt", size=(64, 48), fps=5, names=["cup"])
    tasks = Store(store.url).plan([folder])
    found = {(task.origin.name, Path(task.origin.source).name, task.state) for task in tasks}
    assert found == {
        ("scene-0", "scene-0.parquet", "new"),
        ("deep/scene-1", "scene-1.parquet", "new"),
        ("deep/scene-3", "coco.json", "new"),
        ("deep/table", "table.csv.gz", "new"),
        ("deep/street", "many.csv", "new"),
        ("deep/yard", "many.csv", "new"),
        ("mot", "mot.txt", "changed"),
    }
    again = [task.origin.file for task in Store(store.url).plan([folder])]
    assert again == [task.origin.file for task in tasks]


def test_a_file_with_many_videos(tmp_path: Path) -> None:
    path, store = tmp_path / "many.csv", Store(tmp_path / "lib")
    path.write_text(MANY)
    assert [e.name for e in store.add(path, size=(640, 480), fps=2)] == ["street", "yard"]
    assert {e.name: (e.T, e.origin.video) for e in store.entries()} == {
        "street": (1, "street"),
        "yard": (2, "yard"),
    }
    named = store.add(path, size=(640, 480), fps=2, name="mine")
    assert [entry.name for entry in named] == ["mine/street", "mine/yard"]


def test_a_copy_of_what_is_there_is_not_indexed(tmp_path: Path) -> None:
    files(tmp_path / "one", range(1))
    files(tmp_path / "two", range(1))
    (tmp_path / "two" / "scene-0.parquet").rename(tmp_path / "two" / "copy.parquet")
    store = Store(tmp_path / "lib")
    told = [
        (t.origin.name, t.state, t.why) for t in store.plan([tmp_path / "one", tmp_path / "two"])
    ]
    assert told == [("scene-0", "new", ""), ("scene-0", "there", "the same as scene-0")]
    assert [e.name for e in store.add(tmp_path)] == ["one/scene-0", "one/scene-0"]
    assert len(store) == 1


def test_a_task_works_in_another_process(tmp_path: Path) -> None:
    files(tmp_path / "sources", range(2))
    store = Store(tmp_path / "lib")
    for task in store.plan([tmp_path / "sources"]):
        sent = pickle.loads(pickle.dumps(task))
        assert sent == task
        entry = pickle.loads(pickle.dumps(index_one(store.url, sent)))
        assert entry == index_one(store.url, task)  # done already
        assert entry == store.entry(entry.name)
        assert entry.file == task.origin.file


def test_the_same_sources_give_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    files(tmp_path / "sources", range(4))
    contents = []
    for k, order in enumerate((1, -1)):
        store = Store(tmp_path / f"lib-{k}")
        for task in store.plan([tmp_path / "sources"])[::order]:
            index_one(store.url, task)
        store.refresh()
        contents.append({p.name: p.read_bytes() for p in (tmp_path / f"lib-{k}").iterdir()})
    assert len(contents[0]) == 5
    assert contents[0] == contents[1]


def test_what_cannot_be_planned(tmp_path: Path) -> None:
    files(tmp_path, range(1))
    store, path = Store(tmp_path / "lib"), tmp_path / "scene-0.parquet"
    with pytest.raises(ClipError, match=r"none\.mp4: no such file"):
        store.plan([path, tmp_path / "none.mp4"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(LibraryError, match="empty: neither a video nor detections"):
        store.plan([tmp_path / "empty"])
    with pytest.raises(LibraryError, match="none of the sources takes detector="):
        store.plan([path], detector="yolo11n")
    assert not store.exists()


@pytest.mark.usefixtures("stub")
def test_a_video_is_looked_at_and_noticed_when_settings_change(tmp_path: Path) -> None:
    path, store = film(tmp_path / "street.mp4"), Store(tmp_path / "lib")
    told: list[tuple[str, float]] = []
    (entry,) = store.add(path, report=lambda stage, done, _: told.append((stage, done)))
    assert told[-1] == ("looking", entry.T)
    assert (entry.name, entry.detector, entry.size) == ("street", "yolov4-tiny", (64, 48))
    assert abs(entry.T - 20) <= 1
    assert entry.seconds == pytest.approx(2.0, abs=0.11)
    assert entry.known == ("person", "dog")
    assert {k: (p.frames, p.best) for k, p in entry.classes.items()} == {"person": (entry.T, 0.5)}
    assert entry.origin.settings == {
        "detector": "yolov4-tiny",
        "fingerprint": "yolov4-tiny/10",
        "best": 10,
        "fps": 10.0,
        "version": scanner.VERSION,
    }
    assert_equal(store.clip("street"), load_clip(path))

    def state(**options: Any) -> tuple[str, str]:
        (task,) = store.plan([path], **options)
        return task.state, task.why

    assert state() == ("there", "nothing has changed")
    assert state(fps=10, best=10) == ("there", "nothing has changed")
    assert state(fps=5) == ("changed", "fps 10.0 → 5.0")
    assert state(detector="other") == ("changed", "detector yolov4-tiny → other")
    assert state(best=3) == ("changed", "best 10 → 3, fingerprint")
    (entry,) = store.add(path, fps=5)
    assert abs(entry.T - 10) <= 1
    assert [each.T for each in store.entries()] == [entry.T]


@pytest.mark.usefixtures("stub")
def test_what_was_scanned_is_indexed_without_another_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, store = film(tmp_path / "street.mp4"), Store(tmp_path / "lib")
    clip = load_clip(path)
    (task,) = store.plan([path])
    for name in ("Video", "open_detector", "checksum"):
        monkeypatch.setattr(scanner, name, None)
    assert_equal(store.clip(index_one(store.url, task)), clip)


@pytest.mark.usefixtures("stub")
def test_options_go_to_the_sources_that_take_them(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    film(folder / "street.mp4")
    (folder / "boxes.csv").write_text("frame,class,x1,y1,x2,y2\n0,cup,1,2,4,6\n")
    store = Store(tmp_path / "lib")
    store.add(folder, detector="other", size=(64, 48), fps=5)
    settings = {entry.name: entry.origin.settings for entry in store.entries()}
    assert settings["boxes"] == {"fps": 5.0, "size": [64, 48]}
    assert (settings["street"]["detector"], settings["street"]["fps"]) == ("other", 5.0)
    (folder / "broken.mp4").write_bytes(b"no video")
    tasks = {task.origin.name: task for task in store.plan([folder])}
    with pytest.raises(ClipError, match=r"broken\.mp4"):
        index_one(store.url, tasks["broken"])
