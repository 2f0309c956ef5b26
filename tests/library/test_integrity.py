"""Damage of every kind, done by hand."""

import os
import time
import uuid
from pathlib import Path

import fsspec
import numpy as np
import pyarrow.parquet
import pytest

from sentrack.library import DamagedError, Store
from sentrack.library.manifest import MANY
from sentrack.library.seal import seal
from tests.library.damage import assert_flip_is_found, unsealed
from tests.library.scenes import assert_equal, files, scene


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A library of four files, in order."""
    files(tmp_path / "sources", range(4))
    store = Store(tmp_path / "lib")
    store.add(tmp_path / "sources")
    store.refresh()
    assert store.check() == []
    return store


def kinds(store: Store, age: float = 3600) -> list[str]:
    return [problem.kind for problem in store.check(age)]


@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "swapped"])
def test_a_damaged_clip_is_found_dropped_and_completed(
    store: Store, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    entry = store.entry("scene-2")
    path = tmp_path / "lib" / entry.file
    content = path.read_bytes()
    other = (tmp_path / "lib" / store.entry("scene-1").file).read_bytes()
    bad = {
        "cut": content[:-100],
        "empty": b"",
        "noise": bytes(len(content)),
        "swapped": other,
    }
    path.write_bytes(bad[damage])
    (problem,) = Store(store.url).check()
    assert (problem.kind, problem.what, problem.note) == ("corrupt", entry.file, False)
    # Without the catalogue, too, the others are there.
    (tmp_path / "lib" / "catalogue.parquet").unlink()
    opened = Store(store.url)
    for name in ("scene-0", "scene-1", "scene-3"):
        assert_equal(opened.clip(name), scene(int(name[-1])))
    assert ("scene-2" in opened) is False
    assert entry.file in caplog.text
    assert sorted(p.kind for p in opened.repair()) == ["catalogue", "corrupt"]
    assert kinds(opened) == []
    assert not path.exists()
    states = [task.state for task in opened.plan([tmp_path / "sources"])]
    assert states == ["there", "there", "new", "there"]
    opened.add(tmp_path / "sources")
    assert_equal(opened.clip("scene-2"), scene(2))


def test_indexing_again_replaces_a_clip_that_is_cut_off(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "lib" / store.entry("scene-2").file
    path.write_bytes(path.read_bytes()[:1000])
    (tmp_path / "lib" / "catalogue.parquet").unlink()
    opened = Store(store.url)
    opened.add(tmp_path / "sources")
    assert_equal(opened.clip("scene-2"), scene(2))
    assert [problem.kind for problem in opened.check()] == ["catalogue"]


def test_a_clip_that_the_catalogue_lists_but_nobody_can_read(store: Store, tmp_path: Path) -> None:
    (tmp_path / "lib" / store.entry("scene-2").file).write_bytes(b"")
    with pytest.raises(
        DamagedError, match=r"scene-2 cannot be read: .* index .*scene-2.parquet again"
    ):
        Store(store.url).clip("scene-2")


def test_any_flipped_bit_is_found(tmp_path: Path) -> None:
    """Some bits of a clip and of the catalogue; `make soak` flips them all."""
    store = Store(tmp_path / "lib")
    (entry,) = store.add(scene(0, T=2), name="a")
    store.refresh()
    rng = np.random.default_rng(0)
    for file in (entry.file, "catalogue.parquet"):
        content = (tmp_path / "lib" / file).read_bytes()
        for bit in rng.choice(8 * len(content), 400, replace=False).tolist():
            assert_flip_is_found(tmp_path / "lib", file, content, bit)
    assert kinds(Store(store.url)) == []


def test_files_of_earlier_releases_are_read_and_their_rows_checked(
    store: Store, tmp_path: Path
) -> None:
    """They carry no digest of all bytes, but checksums of pages and a digest of what they say."""
    path = tmp_path / "lib" / store.entry("scene-2").file
    unsealed(path)
    assert kinds(Store(store.url)) == []
    assert_equal(Store(store.url).clip("scene-2"), scene(2))
    content = path.read_bytes()
    with pyarrow.parquet.ParquetFile(path) as file:
        columns = [file.metadata.row_group(0).column(k) for k in range(file.metadata.num_columns)]
    for column in columns:
        # The last byte of a column is of a page's content, not of its header.
        first = column.dictionary_page_offset or column.data_page_offset
        flipped = bytearray(content)
        flipped[first + column.total_compressed_size - 1] ^= 4
        path.write_bytes(flipped)
        assert kinds(store) == ["corrupt"], column.path_in_schema


def test_a_damaged_clip_is_made_anew_when_its_source_is_indexed(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "lib" / store.entry("scene-2").file
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + b"?" + content[len(content) // 2 + 1 :])
    opened = Store(store.url)
    (task,) = [task for task in opened.plan([tmp_path / "sources"]) if task.state != "there"]
    assert (task.origin.name, task.state, task.why) == (
        "scene-2",
        "changed",
        "its file was damaged",
    )
    opened.add(tmp_path / "sources")
    assert path.read_bytes() == content
    assert kinds(opened) == []


def test_a_copy_of_a_source_replaces_no_damaged_clip_in_silence(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "lib" / store.entry("scene-2").file
    path.write_bytes(b"")
    copy = tmp_path / "copy.parquet"
    copy.write_bytes((tmp_path / "sources" / "scene-2.parquet").read_bytes())
    (entry,) = Store(store.url).add(copy)
    assert entry.name == "copy"
    assert_equal(Store(store.url).clip("copy"), scene(2))
    assert kinds(store) == ["corrupt", "catalogue"]


@pytest.mark.parametrize(("old", "new"), [("person", "parson"), ("640", "641"), ("0.", "1.")])
def test_facts_that_were_changed_are_found(
    store: Store, tmp_path: Path, old: str, new: str
) -> None:
    path = tmp_path / "lib" / store.entry("scene-2").file
    with pyarrow.parquet.ParquetFile(path) as file:
        table = file.read()
    facts = table.schema.metadata[b"sentrack"].decode()
    for text, expected in ((facts, []), (facts.replace(old, new, 1), ["corrupt"])):
        path.write_bytes(seal(table.replace_schema_metadata({b"sentrack": text.encode()})))
        assert kinds(store) == expected


def test_leftovers_are_removed_when_they_are_old(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    names = [store.entry("scene-2").file, "catalogue.parquet"]
    drafts = [folder / f".{uuid.uuid4().hex[:12]}.{name}" for name in names]
    for draft in drafts:
        draft.write_bytes(b"half")
    foreign = [folder / ".hidden.parquet", folder / "mine.parquet", folder / "readme.txt"]
    for path in foreign:
        path.write_text("not of the library")
    assert kinds(store) == []
    assert kinds(store, age=0) == ["leftover", "leftover"]
    os.utime(drafts[0], times=(time.time() - 7200,) * 2)
    assert kinds(store) == ["leftover"]
    assert [problem.what for problem in store.repair()] == [drafts[0].name]
    assert [draft.exists() for draft in drafts] == [False, True]
    assert [problem.what for problem in store.repair(age=0)] == [drafts[1].name]
    assert all(path.exists() for path in foreign)
    assert [entry.name for entry in store.entries()] == [f"scene-{k}" for k in range(4)]


def test_what_was_indexed_anew_is_cleared_away(store: Store, tmp_path: Path) -> None:
    old = store.entry("scene-2").file
    content = (tmp_path / "lib" / old).read_bytes()
    store.add(tmp_path / "sources" / "scene-2.parquet", force=True)
    (tmp_path / "lib" / old).write_bytes(content)
    store.refresh()
    assert [(p.kind, p.what) for p in store.check()] == [("superseded", old)]
    assert [p.kind for p in store.repair()] == ["superseded", "catalogue"]
    assert not (tmp_path / "lib" / old).exists()
    assert kinds(store) == []
    # Where the newer one is damaged, the older one is what is left.
    new = store.entry("scene-2").file
    (tmp_path / "lib" / new).write_bytes(b"")
    (tmp_path / "lib" / old).write_bytes(content)
    opened = Store(store.url)
    opened.repair()
    assert opened.entry("scene-2").file == old
    assert_equal(opened.clip("scene-2"), scene(2))


@pytest.mark.parametrize("content", [None, b"", b"nonsense", "behind"])
def test_the_catalogue_is_only_a_cache(
    store: Store, tmp_path: Path, content: bytes | str | None
) -> None:
    path = tmp_path / "lib" / "catalogue.parquet"
    if content == "behind":
        store.add(scene(7), name="more")
        store.remove("scene-0")
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.unlink()
    opened = Store(store.url)
    names = [f"scene-{k}" for k in range(4)] if content != "behind" else None
    assert [e.name for e in opened.entries()] == (
        names or ["more", "scene-1", "scene-2", "scene-3"]
    )
    (problem,) = opened.check()
    assert (problem.kind, problem.note) == ("catalogue", True)
    opened.repair()
    assert kinds(opened) == []


def test_whoever_opens_many_files_writes_the_catalogue(tmp_path: Path) -> None:
    store = Store(tmp_path / "lib")
    for k in range(MANY + 1):
        store.add(scene(k, T=2))
    assert not (tmp_path / "lib" / "catalogue.parquet").exists()
    assert len(Store(store.url)) == MANY + 1
    assert kinds(store) == []


def test_sources_that_moved_or_changed_are_noted(store: Store, tmp_path: Path) -> None:
    (tmp_path / "sources" / "scene-1.parquet").unlink()
    (tmp_path / "sources" / "scene-2.parquet").write_bytes(b"other")
    store.add(scene(8), name="no file")
    store.refresh()
    found = store.check()
    assert [(p.kind, p.what) for p in found] == [
        ("source gone", "scene-1"),
        ("source changed", "scene-2"),
    ]
    assert all(problem.note for problem in found)
    assert store.repair() == []
    assert len(store) == 5


def test_another_file_system_is_checked_and_repaired_too() -> None:
    store = Store(f"memory://{uuid.uuid4().hex}")
    (entry,) = store.add(scene(0), name="a")
    store.add(scene(1), name="b")
    files = fsspec.filesystem("memory")
    files.pipe_file(f"{store.url}/.0123456789ab.{entry.file}", b"half")
    files.pipe_file(f"{store.url}/{entry.file}", b"damaged")
    assert kinds(store, age=0) == ["corrupt", "leftover", "catalogue"]
    assert [p.kind for p in store.repair()] == ["corrupt", "catalogue"]
    assert [p.kind for p in store.repair(age=0)] == ["leftover"]
    assert [each.name for each in Store(store.url).entries()] == ["b"]
    assert kinds(store, age=0) == []
