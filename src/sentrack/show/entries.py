"""The clips of a library as a table on the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from sentrack.library import Entry
from sentrack.show.terminal import plain


def show_entries(entries: Sequence[Entry]) -> None:
    """Print a row for every clip: how long it is, what is seen in it, and by which detector."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("name", "seconds", "frames", "seen", "detector", "size", "kB"):
        table.add_column(
            column,
            justify="right" if column in ("seconds", "frames", "kB") else "left",
            overflow="fold",
        )
    for entry in entries:
        often = list(entry.seen)
        more = f" and {len(often) - 4} more" if len(often) > 4 else ""
        table.add_row(
            plain(entry.name),
            f"{entry.seconds:.1f}",
            str(entry.T),
            plain(", ".join(often[:4]) + more or "-"),
            plain(entry.detector or "-"),
            "{}x{}".format(*entry.size),
            f"{entry.bytes / 1000:.0f}",
        )
    Console().print(table)
