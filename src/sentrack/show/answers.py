"""Answers as tables on the terminal."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from sentrack.show.terminal import plain
from sentrack.tasks import Tracking

BLOCKS = " ▁▂▃▄▅▆▇█"


def show_trackings(trackings: Sequence[Tracking], console: Console) -> None:
    """One block per sentence: how well it is depicted, by whom, and why."""
    for tracking in trackings:
        proof = "no better tracks exist" if tracking.certified else _gap(tracking)
        verdict = "depicted" if tracking.depicted else "not depicted"
        console.print()
        console.print(plain(tracking.sentence, "bold"))
        console.print(
            f"  [bold]{verdict}[/bold], match [bold]{tracking.match:.2f}[/bold], "
            f"{tracking.start:.1f} to {tracking.end:.1f} s   "
            f"score {tracking.score:.2f} nats, {proof}   ({tracking.seconds:.2f} s)"
        )
        console.print(plain(f"  {tracking.reason}"))
        if tracking.unchecked:
            console.print(plain(f"  not checked: {', '.join(tracking.unchecked)}"))
        table = Table(box=None, padding=(0, 2, 0, 2))
        for column in ("who", "from", "to", "first box", "last box", "detected"):
            table.add_column(column, style="dim" if column == "detected" else None)
        for p in tracking.participants:
            there = np.flatnonzero(p.seen)
            ends = there[[0, -1]].tolist() if len(there) else []  # it may be hidden all the time
            table.add_row(
                plain(p.noun),
                *([f"{p.times[t]:.1f} s" for t in ends] or ["", ""]),
                *([" ".join(f"{v:.0f}" for v in p.boxes[t]) for t in ends] or ["", ""]),
                f"{len(there)} of {len(p.times)} frames",
            )
        console.print(table)
        table = Table(box=None, padding=(0, 2, 0, 2))
        for column in ("word", "about", "phases", "evidence over time", "nats per frame"):
            table.add_column(column)
        for word in tracking.words:
            if word.part == "noun":
                continue
            nouns = [tracking.participants[p].noun for p in word.participants]
            table.add_row(
                plain(word.word),
                plain(", ".join(nouns)),
                plain(_phases(word.states, tracking.objective.clip.times)),
                sparkline(word.evidence),
                f"{word.margin:+.2f}",
            )
        console.print(table)


def sparkline(values: np.ndarray, width: int = 24) -> str:
    """Values over time as a row of bars: none is -2 nats or less, full +4 or more."""
    parts = np.array_split(values, min(width, len(values)))
    levels = [(float(part.mean()) + 2) / 6 for part in parts]
    return "".join(BLOCKS[round(8 * min(max(level, 0.0), 1.0))] for level in levels)


def _phases(states: Sequence[str], times: np.ndarray) -> str:
    changes = [t for t in range(len(states)) if t == 0 or states[t] != states[t - 1]]
    if len(changes) == 1:
        return ""
    return ", ".join(f"{states[t]} from {times[t]:.1f} s" for t in changes)


def _gap(tracking: Tracking) -> str:
    return f"at most {tracking.upper_bound - tracking.score:.2g} nats below the best"
