"""What was learned, shown."""

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from sentrack.lexicon import Lexicon
from sentrack.show.confusion import draw_confusion
from sentrack.show.lexicon import show_beside


def test_words_stand_side_by_side() -> None:
    everyday = Lexicon.load("everyday")
    some = {key: everyday.words[key] for key in (("verb", "pick-up"), ("verb", "push"))}
    console = Console(width=160, record=True, file=io.StringIO())
    show_beside(Lexicon("mine", "", some), Lexicon.load("paper"), console)
    text = console.export_text()
    assert "learned" in text
    assert "paper" in text
    assert "speed(patient)" in text
    assert "only learned: push" in text


def test_confusions_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    counts = np.array([[3, 1], [0, 4]])
    draw_confusion([("one", counts), ("two", counts.T)], ["pick", "place"], tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(tmp_path.iterdir())) == 1
