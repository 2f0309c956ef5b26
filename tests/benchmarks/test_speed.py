"""All that is promised is measured; whether it is kept is for `make bench` to say."""

from pathlib import Path

from benchmarks.speed import waits


def test_all_promises_are_measured(tmp_path: Path) -> None:
    found = list(waits(tmp_path, listed=30, searched=3, clients=3))
    assert len(found) >= 14
    assert all(wait.seconds > 0 for wait in found)
    assert len({wait.what for wait in found}) == len(found)
