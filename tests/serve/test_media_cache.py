"""What is kept of files that can be made again."""

import os
import time
from pathlib import Path

from sentrack.serve.media_cache import HOUR, asked_for, trim


def test_what_was_not_asked_for_longest_goes_first(tmp_path: Path) -> None:
    for n in range(10):
        path = tmp_path / f"{n:032x}.mp4"
        path.write_bytes(bytes(100))
        os.utime(path, (1000 + n, 1000 + n))
    asked_for(tmp_path / f"{2:032x}.mp4")
    assert (tmp_path / f"{2:032x}.mp4").stat().st_mtime == 1002
    trim(tmp_path, 1000)
    assert len(list(tmp_path.iterdir())) == 10
    trim(tmp_path, 450)
    assert {int(path.stem, 16) for path in tmp_path.iterdir()} == {2, 7, 8, 9}
    trim(tmp_path, 0)
    assert not list(tmp_path.iterdir())


def test_files_being_written_are_left_alone_unless_nobody_writes_them(tmp_path: Path) -> None:
    (tmp_path / ".new.mp4").write_bytes(bytes(100))
    (tmp_path / ".old.mp4").write_bytes(bytes(100))
    (tmp_path / "other.txt").write_bytes(bytes(100))
    past = time.time() - HOUR - 1
    os.utime(tmp_path / ".old.mp4", (past, past))
    trim(tmp_path, 0)
    assert {path.name for path in tmp_path.iterdir()} == {".new.mp4", "other.txt"}
