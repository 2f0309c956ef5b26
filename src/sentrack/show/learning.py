"""What was learned: a word beside another one, and which words are taken for which."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sentrack.extras import requires
from sentrack.files import whole
from sentrack.lexicon import Lexicon, WordModel
from sentrack.show.terminal import plain

BAR = 8


def show_beside(learned: Lexicon, other: Lexicon, console: Console) -> None:
    """Every learned word that the other lexicon has too, beside it; nouns by their classes."""
    both = [key for key in learned.words if key in other.words]
    for part, name in both:
        ours, theirs = learned.words[part, name], other.words[part, name]
        if part != "noun":
            console.print()
            console.print(plain(name, "bold") + plain(f" {part}({', '.join(ours.roles)})"))
            panels = [(ours, "learned"), (theirs, other.name)]
            console.print(Columns([Panel(drawn(m), title=plain(title)) for m, title in panels]))
        elif ours.classes != theirs.classes:
            found, given = (", ".join(model.classes) or "any" for model in (ours, theirs))
            console.print()
            told = f" noun: {found} (in {other.name}: {given})"
            console.print(plain(name, "bold") + plain(told))
    alone = [name for part, name in learned.words if (part, name) not in other.words]
    if alone:
        console.print()
        console.print(plain(f"only learned: {', '.join(alone)}"))


def drawn(model: WordModel) -> Table:
    """A word as a table: a row for every bin, a column for every state with how long it lasts."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("")
    for k, name in enumerate(model.states):
        lasts = "" if model.seconds is None or k == model.K - 1 else f"{model.seconds[k]:.2g} s"
        table.add_column(plain(name) + Text(f"\n{lasts}"))
    for n, observed in enumerate(model.observed):
        about = ", ".join(model.roles[r] for r in observed.roles)
        table.add_row(plain(f"{observed.feature.name}({about})", "dim"))
        for b, bin_name in enumerate(observed.feature.bins):
            shares = [float(output) for output in model.outputs[n][:, b]]
            cells = [f"{'█' * round(BAR * p):<{BAR}} {p:.2f}" for p in shares]
            table.add_row(f"  {bin_name}", *cells)
    return table


def draw_confusion(
    panels: Sequence[tuple[str, npt.NDArray[np.int64]]], names: Sequence[str], path: str | Path
) -> None:
    """Write a picture of which words are taken for which.

    Args:
        panels: a title, and (V, V) how often a word (row) is taken for another (column), each.
        names: of the V words.
        path: of the picture: .png, .svg or .pdf.
    """
    with requires("sentrack[bench]"):
        from matplotlib.figure import Figure
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
