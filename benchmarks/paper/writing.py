"""Markdown, CSV files and pictures of the paper's experiments."""

import csv
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from sentrack.files import whole

OURS, THEIRS = "#00798c", "#d1495b"
_PART = re.compile(r"<!-- part (\S+) -->\n(.*?)<!-- end -->\n", re.DOTALL)

HEAD = """# The paper's experiments

Section 5 of *A Faster Method for Tracking and Scoring Videos Corresponding to Sentences* (Yu,
Barrett, Siskind) again, with what it could not compute. Every figure is measured by the command
named below it, on the machine named there. `python -m benchmarks.paper` makes all of this page;
`--only` renews some of it, `--quick` takes fewer clips.
"""


def paragraph(text: str) -> Iterator[str]:
    """A text in lines of a page's width, with an empty line after it."""
    yield from textwrap.wrap(text, 100, break_on_hyphens=False)
    yield ""


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A Markdown table, with an empty line after it."""
    yield f"| {' | '.join(header)} |"
    yield "|---" * len(header) + "|"
    for row in rows:
        yield f"| {' | '.join(str(cell) for cell in row)} |"
    yield ""


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A CSV file, whole or not at all."""
    with whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def figure(rows: int, columns: int, width: float = 9.0, height: float = 3.0) -> tuple[Any, Any]:
    """A picture of panels (rows, columns), each `height` inches high."""
    made, axes = plt.subplots(
        rows, columns, figsize=(width, height * rows), dpi=90, squeeze=False, layout="constrained"
    )
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    return made, axes


def write_figure(made: Any, path: Path) -> None:
    """A PNG file, whole or not at all."""
    with whole(path) as temporary:
        made.savefig(temporary)
    plt.close(made)


def with_part(page: str, name: str, lines: Iterable[str], order: Sequence[str]) -> str:
    """The page with one part put in or replaced; parts keep an order."""
    parts = dict(_PART.findall(page))
    parts[name] = "\n".join(lines).strip("\n") + "\n"
    known = [part for part in order if part in parts]
    written = [f"<!-- part {part} -->\n{parts[part]}<!-- end -->\n" for part in known]
    return "\n".join([HEAD, *written])
