"""The picture of which words are taken for which."""

from pathlib import Path

import numpy as np

from benchmarks.confusion import draw_confusion


def test_confusions_are_drawn(tmp_path: Path) -> None:
    counts = np.array([[3, 1], [0, 4]])
    draw_confusion([("one", counts), ("two", counts.T)], ["pick", "place"], tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(tmp_path.iterdir())) == 1
