"""A picture of which words are taken for which."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from sentrack.files import whole


def draw_confusion(
    panels: Sequence[tuple[str, npt.NDArray[np.int64]]], names: Sequence[str], path: str | Path
) -> None:
    """Write a picture of which words are taken for which.

    Args:
        panels: a title, and (V, V) how often a word (row) is taken for another (column), each.
        names: of the V words.
        path: of the picture: .png, .svg or .pdf.
    """
    size = 1.2 + 0.55 * len(names)
    # Higher than wide, for the title and the names below.
    figure = Figure(figsize=(size * len(panels), size + 0.8), layout="constrained")
    for place, (title, counts) in enumerate(panels, 1):
        axes = figure.add_subplot(1, len(panels), place)
        part = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        axes.imshow(part, vmin=0, vmax=1, cmap="Blues")
        axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
        axes.set_yticks(range(len(names)), names)
        axes.set_xlabel("answered")
        axes.set_ylabel("said")
        axes.set_title(title)
        for (i, j), count in np.ndenumerate(counts.astype(object)):
            if count:
                axes.text(j, i, count, ha="center", va="center", color="wk"[int(part[i, j] < 0.6)])
    with whole(path) as temporary:
        figure.savefig(temporary, dpi=110)
