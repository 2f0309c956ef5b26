"""A little of what `make soak` does for an hour."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import soak


@pytest.mark.parametrize(
    ("harm", "count"),
    [
        (soak.flipped_bits, 60),
        (soak.kills, 8),
        (soak.damaged_inputs, 350),
        (soak.full_disks, 2),
        (soak.searches, 12),
        (soak.silent_clients, 1),
    ],
)
def test_nothing_is_lost(harm: Callable[..., int], count: int, tmp_path: Path) -> None:
    assert harm(tmp_path, random.Random(count), count) >= count


def test_a_fault_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sentrack.library.clip_file.check", lambda _: None)
    with pytest.raises(AssertionError, match="bit"):
        soak.flipped_bits(tmp_path, random.Random(0), 200)
