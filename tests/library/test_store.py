"""A library as its users see it."""

import json
import uuid
from pathlib import Path

import fsspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sentrack.errors import SentrackError
from sentrack.library import LibraryError, Store, index_one
from sentrack.library.clip_file import read_facts
from sentrack.library.entry import Origin, entry_of
from sentrack.library.folder import Folder
from sentrack.library.manifest import write_rows
from sentrack.library.thing_file import thing_name
from sentrack.vision import Clip, clip_from_arrays, load_clip, save_clip
from tests.library.scenes import assert_equal, files, scene

BOXES = "frame,class,x1,y1,x2,y2,score\n0,cup,1,2,4,6,0.5\n1,cup,1,2,4,7,0.75\n1,dog,1,2,9,9,0.25\n"


@pytest.fixture(params=["folder", "file", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty library, by a path and by URLs."""
    if request.param == "memory":
        return f"memory://{uuid.uuid4().hex}/lib"
    return str(tmp_path / "lib") if request.param == "folder" else f"file://{tmp_path}/lib"


def test_clips_come_back(url: str) -> None:
    store = Store(url)
    assert (len(store), store.entries(), store.exists()) == (0, [], False)
    clips = {f"part/{seed}": scene(seed) for seed in range(4)}
    added = [entry for name, clip in clips.items() for entry in store.add(clip, name=name)]
    for opened in (store, Store(url), Store(store.url)):
        assert opened.entries() == added
        assert [entry.name for entry in opened.entries()] == list(clips)
        for name, clip in clips.items():
            assert name in opened
            assert opened.clip(name).name == name
            assert_equal(opened.clip(name), clip)
    store.refresh()
    assert Store(url).entries() == added
    store.remove("part/2")
    assert "part/2" not in Store(url)
    assert len(store) == 3
    assert Store(url).exists()
    with pytest.raises(LibraryError, match=r"no clip 'part/2'; nearest name: 'part/"):
        store.clip("part/2")


def test_what_an_entry_says(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text(BOXES)
    (entry,) = Store(tmp_path / "lib").add(path, size=(64, 48), fps=2)
    assert (entry.name, entry.source, entry.detector) == ("small", str(path), None)
    assert (entry.T, entry.seconds, entry.size, entry.fps) == (2, 1.0, (64, 48), 2.0)
    presence = {name: (seen.frames, seen.best) for name, seen in entry.classes.items()}
    assert presence == {"cup": (2, 0.75), "dog": (1, 0.25)}
    assert entry.origin.settings == {"fps": 2.0, "size": [64, 48]}
    assert entry.bytes == (tmp_path / "lib" / entry.file).stat().st_size
    # Any reader of detections can read the file.
    assert_equal(load_clip(tmp_path / "lib" / entry.file), load_clip(path, size=(64, 48), fps=2))


def test_the_presence_of_classes_by_counting(tmp_path: Path) -> None:
    clip = scene(5)
    (entry,) = Store(tmp_path / "lib").add(clip)
    assert entry.known == ("person", "cup", "dog", "zebra")
    for k, name in enumerate(clip.classes):
        mine = clip.label == k
        frames = {int(t) for t in clip.frame_of[mine]}
        assert (name in entry.classes) == bool(frames)
        if frames:
            assert entry.classes[name].frames == len(frames)
            assert entry.classes[name].best == np.float32(clip.score[mine].max())


def test_what_is_there_is_skipped_and_what_changed_is_indexed_anew(tmp_path: Path) -> None:
    path, store = tmp_path / "small.csv", Store(tmp_path / "lib")
    path.write_text(BOXES)

    def state(**options: float) -> tuple[str, str]:
        (task,) = store.plan([path], size=(64, 48), **options)  # type: ignore[arg-type]
        return task.state, task.why

    def add(**options: float) -> str:
        (entry,) = store.add(path, size=(64, 48), **options)  # type: ignore[arg-type]
        assert [each.file for each in store.entries()] == [entry.file]
        assert {p.name for p in (tmp_path / "lib").iterdir()} == {
            entry.file,
            thing_name(entry.file),
        }
        return entry.file

    assert state(fps=2) == ("new", "")
    first = add(fps=2)
    written = (tmp_path / "lib" / first).stat().st_mtime_ns
    assert state(fps=2) == ("there", "nothing has changed")
    assert add(fps=2) == first
    assert (tmp_path / "lib" / first).stat().st_mtime_ns == written
    assert state(fps=5) == ("changed", "fps 2.0 → 5.0")
    second = add(fps=5)
    assert store.entry("small").fps == 5
    path.write_text(BOXES + "2,dog,1,2,9,9,0.25\n")
    assert state(fps=5) == ("changed", "content")
    third = add(fps=5)
    assert store.clip("small").T == 3
    path.write_text(BOXES)
    fourth = add(fps=2)  # as at first, yet the latest
    assert len({first, second, third, fourth}) == 4
    assert store.entry("small").origin.generation == 4
    assert state(fps=2, force=True) == ("changed", "as asked")


def test_a_killed_indexer_leaves_the_old_file_and_the_new_one_counts(tmp_path: Path) -> None:
    store = Store(tmp_path / "lib")
    (old,) = store.add(scene(0), name="a")
    content = (tmp_path / "lib" / old.file).read_bytes()
    (new,) = store.add(scene(1), name="a")
    (tmp_path / "lib" / old.file).write_bytes(content)
    for opened in (store, Store(store.url)):
        assert opened.entries() == [new]
        assert_equal(opened.clip("a"), scene(1))
    store.remove("a")
    assert Store(store.url).entries() == []


def test_names_of_the_same_stem_differ(tmp_path: Path) -> None:
    for seed, place in enumerate(("one", "two", "three")):
        files(tmp_path / place, range(1))
        save_clip(scene(seed), tmp_path / place / "scene-0.parquet")
    paths = [tmp_path / place / "scene-0.parquet" for place in ("one", "two", "three")]
    store = Store(tmp_path / "lib")
    for path in paths:
        store.add(path)
    sources = {entry.name: Path(entry.source) for entry in store.entries()}
    assert sources == dict(zip(["scene-0", "scene-0-2", "scene-0-3"], paths, strict=True))
    again = [task.state for task in Store(store.url).plan(reversed(paths))]
    assert again == ["there"] * 3


def test_a_name_that_is_given(tmp_path: Path) -> None:
    files(tmp_path, range(2))
    first, second = tmp_path / "scene-0.parquet", tmp_path / "scene-1.parquet"
    store = Store(tmp_path / "lib")
    assert [entry.name for entry in store.add(first, name="mine")] == ["mine"]
    assert [entry.name for entry in store.add(first)] == ["mine"]
    assert [entry.name for entry in store.add(first, name="other")] == ["other"]
    with pytest.raises(LibraryError, match=r"'mine' is in the library, from .*scene-0\.parquet"):
        store.add(second, name="mine")
    store.add(second, name="mine", force=True)
    assert_equal(store.clip("mine"), scene(1))
    assert_equal(store.clip("other"), scene(0))
    with pytest.raises(LibraryError, match="'other' is in the library"):
        store.add(scene(1), name="other")
    with pytest.raises(LibraryError, match="a clip does not take fps="):
        store.add(scene(1), fps=3)


def test_clips_of_one_name_from_two_indexers_are_both_kept(tmp_path: Path) -> None:
    url = str(tmp_path / "lib")
    tasks = []
    for place, seed in (("one", 1), ("two", 2)):
        files(tmp_path / place, range(1))
        save_clip(scene(seed), tmp_path / place / "scene-0.parquet")
        tasks += Store(url).plan([tmp_path / place])  # neither knows of the other
    assert [task.origin.name for task in tasks] == ["scene-0", "scene-0"]
    for task in reversed(tasks):
        index_one(url, task)
    store = Store(url)
    assert [entry.name for entry in store.entries()] == ["scene-0", "scene-0-2"]
    assert_equal(store.clip("scene-0"), scene(1))
    assert_equal(store.clip("scene-0-2"), scene(2))
    assert [task.state for task in store.plan([tmp_path / "two"])] == ["there"]
    store.remove("scene-0-2")
    assert_equal(store.clip("scene-0"), scene(1))


def test_an_entry_outlives_the_file_that_it_names(tmp_path: Path) -> None:
    store = Store(tmp_path / "lib")
    (old,) = store.add(scene(0), name="a")
    Store(store.url).add(scene(1), name="a")
    assert_equal(store.clip(old), scene(1))
    Store(store.url).remove("a")
    with pytest.raises(LibraryError, match="no clip 'a'"):
        store.clip(old)


@pytest.mark.parametrize(
    ("url", "message"),
    [("zzz://lib", "zzz://lib: Protocol not known"), ("file.txt", "it cannot be listed")],
)
def test_places_that_hold_no_library(tmp_path: Path, url: str, message: str) -> None:
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(SentrackError, match=message):
        Store(url if "://" in url else tmp_path / url).entries()
    if "://" not in url:
        with pytest.raises(SentrackError, match=r"file\.txt"):
            Store(tmp_path / url).add(scene(0))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"frames": "many"}, r"Expected `int`, got `str` - at `\$\.frames`"),
        ({"origin": {"name": "a"}}, r"missing required field `source` - at `\$\.origin`"),
        ({"present": {"cup": [1]}}, r"at `\$\[\.\.\.\]`"),  # when it is first asked for
        (None, "Expected `object`"),
    ],
)
def test_facts_that_make_no_sense(
    change: dict[str, object] | None, fault: str, tmp_path: Path
) -> None:
    (entry,) = Store(tmp_path).add(scene(0))
    facts = json.loads(read_facts(Folder(tmp_path), entry.file))
    assert entry_of(entry.file, entry.bytes, json.dumps(facts)) == entry
    wrong = json.dumps(facts | change if change else [facts])
    with pytest.raises(SentrackError, match=rf"a\.parquet: .*makes no sense: .*{fault}"):
        _ = entry_of("a.parquet", 1, wrong).classes


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_facts_that_are_no_json(text: str) -> None:
    with pytest.raises(SentrackError, match=r"a\.parquet: what it says of the clip makes no sense"):
        entry_of("a.parquet", 1, text)


def test_five_thousand_clips_are_listed_without_opening_them(tmp_path: Path) -> None:
    classes = [f"class-{k}" for k in range(80)]
    clip = clip_from_arrays("a", (64, 48), 25, [0, 2], classes, [[1, 2, 3, 4]] * 2, label=[0, 1])
    (entry,) = Store(tmp_path).add(clip)
    text = read_facts(Folder(tmp_path), entry.file)
    Store(tmp_path).remove("a")
    catalogue = {}
    for k in range(5000):
        origin = Origin(f"clip-{k:04d}", f"/videos/{k}.mp4", None, f"{k:064x}", {"fps": 10.0})
        facts = json.loads(text) | {"origin": vars(origin)}
        catalogue[origin.file] = (5000 + k, json.dumps(facts))
        (tmp_path / origin.file).touch()  # it is not opened
    write_rows(Folder(tmp_path), catalogue.items())
    opened = Store(tmp_path)
    entries = opened.entries()
    assert entries == opened.entries()
    assert [entry.bytes for entry in entries] == list(range(5000, 10_000))
    assert (entries[4999].name, entries[4999].known) == ("clip-4999", tuple(classes))


numbers = st.floats(-1e4, 1e4)


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    frames = sorted(draw(st.sets(st.integers(0, 10_000), min_size=1, max_size=5)))
    frame = draw(st.lists(st.sampled_from(frames), max_size=6))
    N = len(frame)
    low = draw(hnp.arrays(np.float64, (N, 2), elements=numbers))
    sides = draw(hnp.arrays(np.float64, (N, 2), elements=st.floats(1e-5, 1e4)))
    low = np.where(low + sides - low < 2e-6, 0.0, low)  # what has no area is no box
    unknown = st.just(np.nan) | st.floats(0, 360)
    classes = draw(st.lists(st.from_regex(r"[a-z]{1,5}(-[a-z]{1,5})?", fullmatch=True), min_size=1))
    return clip_from_arrays(
        draw(st.text(min_size=1)),
        (draw(st.integers(1, 9999)), draw(st.integers(1, 9999))),
        draw(st.floats(0.1, 1000)),
        frame,
        classes,
        np.concatenate([low, low + sides], axis=1),
        draw(hnp.arrays(np.float64, N, elements=st.floats(-1e300, 1e300) | st.floats(0, 1))),
        draw(hnp.arrays(np.int64, N, elements=st.integers(-1, 2**50))),
        label=draw(hnp.arrays(np.int64, N, elements=st.integers(0, len(classes) - 1))),
        frames=frames,
        times=np.cumsum(draw(st.lists(st.floats(1e-3, 10), min_size=5, max_size=5)))[: len(frames)],
        velocity=draw(hnp.arrays(np.float64, (N, 2), elements=numbers)),
        camera=draw(hnp.arrays(np.float64, (N, 2), elements=numbers)),
        colour=draw(hnp.arrays(np.float64, (N, 3), elements=unknown)),
        projected=draw(hnp.arrays(np.bool_, N)),
    )


@settings(max_examples=80)
@given(clip=clips())
def test_any_clip_comes_back(clip: Clip) -> None:
    store = Store(f"memory://{uuid.uuid4().hex}")
    (entry,) = store.add(clip)
    found = Store(store.url).clip(clip.name)
    assert found.name == entry.name == clip.name
    assert_equal(found, clip)
    assert [problem.kind for problem in store.check()] == ["catalogue"]
    fsspec.filesystem("memory").rm(store.url, recursive=True)
