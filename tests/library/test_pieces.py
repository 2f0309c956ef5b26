"""Long videos as several pieces of work, and parts of videos."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from typer.testing import CliRunner

from sentrack.cli import app
from sentrack.errors import SentrackError
from sentrack.library import Entry, Store, work_left
from sentrack.tasks.library import index
from sentrack.vision import ClipError, load_clip, save_clip
from sentrack.vision.scan import Image, ImageCandidates
from sentrack.vision.scan import pieces as module
from sentrack.workers import Executor
from tests.library.scenes import assert_equal, scene
from tests.vision.moving import Finder, there_and_back

In = TypeVar("In")
Out = TypeVar("Out")


class Backwards(Executor):
    """Does the last item first, as other machines may; the cache of the others is not theirs."""

    def __init__(self, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(size=2)
        self._elsewhere, self._patch = elsewhere, monkeypatch

    def map(self, function: Callable[[In], Out], items: Iterable[In]) -> Iterator[Out]:
        with self._patch.context() as patch:
            patch.setenv("SENTRACK_CACHE", str(self._elsewhere))
            found = [function(item) for item in reversed(list(items))]
        yield from reversed(found)


@pytest.fixture
def finder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Finder:
    """Finds the box; pieces last one second."""
    found = Finder(blind=(9, 10, 19, 20, 21, 28))
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sentrack.vision.scan.scanner.open_detector", lambda *_, **__: found)
    monkeypatch.setattr("sentrack.vision.scan.piece_files.open_detector", lambda *_, **__: found)
    monkeypatch.setattr("sentrack.vision.scan.scanner.detector_parts", lambda *_: ())
    monkeypatch.setattr(module, "SECONDS", 1.0)
    return found


@pytest.mark.usefixtures("finder")
@pytest.mark.parametrize("every", [True, False])
def test_the_library_is_the_same_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: bool
) -> None:
    film = there_and_back(tmp_path / "a.mp4")
    boxes = tmp_path / "b.parquet"
    save_clip(scene(0), boxes)
    broken = tmp_path / "c.mp4"
    broken.write_bytes(film.read_bytes()[:300])
    contents, told = [], list[tuple[str, float, float | None]]()
    # What they compute with is no part of what they find.
    how: dict[str, Any] = {"device": "cpu", "detector_threads": 2}
    for name, executor, options in (
        ("alone", Executor(), {}),
        ("many", Backwards(tmp_path / "there", monkeypatch), how),
    ):
        monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / f"cache-{name}"))
        store = Store(tmp_path / name)
        tasks = store.plan([film, boxes], every_frame=every, **options) + store.plan([broken])
        told.clear()
        works = [work_left(task) for task in tasks]
        assert [(work.frames, work.calls) for work in works] == [(50, 2), (0, 1), (0, 1)]
        done = list(index(store.url, works, executor, lambda *step: told.append(step)))
        assert [type(each) for each in done[:2]] == [Entry, Entry]
        assert isinstance(done[2], ClipError)
        contents.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert contents[0] == contents[1]
    assert len([name for name in contents[0] if name.endswith(".parquet")]) == 2
    assert [(done, total) for stage, done, total in told if stage == "index"] == [
        (n, 3) for n in range(4)
    ]
    looked = [(done, total) for stage, done, total in told if stage == "looking"]
    assert looked[0] == (0, 50)
    assert looked[6] == pytest.approx((50, 50))


def test_a_piece_that_cannot_be_scanned_is_told(
    tmp_path: Path, finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = there_and_back(tmp_path / "a.mp4")

    def fails(*_: object) -> ImageCandidates:
        raise ClipError("this machine cannot do it")

    monkeypatch.setattr(finder, "detect", fails)
    store = Store(tmp_path / "lib")
    executor = Backwards(tmp_path / "there", monkeypatch)
    (result,) = index(store.url, [work_left(t) for t in store.plan([film])], executor)
    assert str(result) == "this machine cannot do it"
    assert len(store) == 0


def test_an_interrupt_says_what_is_kept_of_a_video(
    tmp_path: Path, finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = there_and_back(tmp_path / "a.mp4")
    command = ["index", str(film), "--library", str(tmp_path / "lib")]
    plain = finder.detect

    def interrupted(image: Image) -> ImageCandidates:
        if finder.calls == 35:
            raise KeyboardInterrupt
        return plain(image)

    with monkeypatch.context() as patch:
        patch.setattr(finder, "detect", interrupted)
        stopped = CliRunner().invoke(app, command)
    assert stopped.exit_code == 130
    kept = "stopped: 0 of 1 clips are done and kept, and so are 20 frames of the others"
    assert stopped.stderr == f"sentrack: {kept}; the same command goes on from there\n"
    told = list[tuple[str, float, float | None]]()
    Store(tmp_path / "lib").add(film, report=lambda *step: told.append(step))
    assert told[-1] == ("looking", 30, 30)


def test_a_part_of_a_source(tmp_path: Path, finder: Finder) -> None:
    film = there_and_back(tmp_path / "a.mp4")
    store = Store(tmp_path / "lib")
    (entry,) = store.add(film, start=1, end=2.5)
    assert entry.T == 15
    assert entry.seconds == pytest.approx(1.5)
    assert (entry.origin.settings["start"], entry.origin.settings["end"]) == (1.0, 2.5)
    assert store.plan([film], start=1, end=2.5)[0].state == "there"
    calls = finder.calls
    (again,) = store.plan([film], start=1)
    assert (again.state, again.why) == ("changed", "end 2.5 → not given")
    (other,) = store.add(film, name="rest", start=2.5)
    assert finder.calls > calls
    assert sorted((each.name, each.T) for each in store.entries()) == [("a", 15), ("rest", 25)]
    assert store.clip(other).times[0] == pytest.approx(2.5)


def test_fewer_frames_are_looked_at_if_asked(tmp_path: Path, finder: Finder) -> None:
    film = there_and_back(tmp_path / "a.mp4")
    finder.blind = ()
    store = Store(tmp_path / "lib")
    (fewer,) = store.add(film, every_frame=False)
    assert finder.calls < fewer.T
    assert fewer.origin.settings["every_frame"] is False
    assert store.plan([film], every_frame=False)[0].state == "there"
    finder.calls = 0
    (every,) = store.add(film, every_frame=True)
    assert finder.calls >= every.T
    assert store.plan([film])[0].state == "there"
    assert_equal(store.clip(every), load_clip(film))


def test_a_part_of_detections(tmp_path: Path) -> None:
    save_clip(scene(0, 50), tmp_path / "b.parquet")
    store = Store(tmp_path / "lib")
    store.add(tmp_path / "b.parquet", start=1.0, end=3.0)
    assert_equal(store.clip("b"), scene(0, 50).within(1.0, 3.0))


@pytest.mark.parametrize(
    "span", [(2.0, 1.0), (1.0, 1.0), (float("nan"), None), (0.0, float("inf"))]
)
def test_parts_that_cannot_be(tmp_path: Path, span: tuple[float, float | None]) -> None:
    save_clip(scene(0), tmp_path / "b.parquet")
    with pytest.raises(SentrackError, match=r"must be before end|no number of seconds"):
        Store(tmp_path / "lib").add(tmp_path / "b.parquet", start=span[0], end=span[1])
