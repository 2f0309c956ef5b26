"""Files that are written whole or not at all."""

import os
from pathlib import Path

import pytest

from sentrack.errors import SentrackError
from sentrack.files import whole


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    flush = os.fsync

    def fsync(handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        there = (tmp_path / "a.txt").exists()
        told.append(f"{'folder' if path == tmp_path else 'file'}, named: {there}")
        flush(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with whole(tmp_path / "a.txt") as draft:
        draft.write_text("a")
    assert told == ["file, named: False", "folder, named: True"]
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(SentrackError, match=r"a\.txt: it cannot be written: No space left"):  # noqa: PT012, SIM117
        with whole(path) as draft:
            draft.write_text("half")
            raise OSError(28, "No space left on device")
    assert [each.read_text() for each in tmp_path.iterdir()] == ["before"]
