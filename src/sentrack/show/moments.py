"""Moments of a library, as a table and as annotated excerpts."""

import logging
import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sentrack.errors import SentrackError
from sentrack.extras import requires
from sentrack.files import new
from sentrack.progress import Report, silent
from sentrack.show.terminal import plain
from sentrack.tasks import Library, Moment, Moments
from sentrack.text import counted

_log = logging.getLogger("sentrack")


def show_moments(found: Moments) -> None:
    """Print a table: where, when, how well, why, and what where several things were asked."""
    several = len({moment.sentence for moment in found}) > 1
    table = Table(box=None, padding=(0, 2, 0, 0))
    columns = ["", "video", "from", "to", "match", "nats", "weakest point"]
    for column in [*columns, "sentence"] if several else columns:
        table.add_column(column, overflow="fold")
    for rank, moment in enumerate(found, 1):
        row = [str(rank), moment.video, f"{moment.start:.1f} s", f"{moment.end:.1f} s"]
        row += [f"{moment.match:.2f}", f"{moment.score:.1f}", moment.tracking.reason]
        table.add_row(*map(plain, [*row, moment.sentence] if several else row))
    console = Console()
    if len(found):
        console.print(table)
    else:
        console.print("no moment depicts it")
    unchecked = dict.fromkeys(said for moment in found for said in moment.tracking.unchecked)
    if unchecked:
        console.print(plain(f"not checked: {', '.join(unchecked)}"))
    console.print(
        f"{counted(found.clips, 'clip')}, {found.read} with all nouns, {found.solved} solved",
        style="dim",
    )


def write_excerpts(
    library: Library,
    found: Sequence[Moment],
    folder: Path,
    force: bool,
    report: Report = silent,
) -> list[Path]:
    """An annotated video of every moment, on the pixels of its source where that is still there."""
    with requires("sentrack[video]"):
        from sentrack.show.annotation import annotate
        from sentrack.show.pixels import pictures
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SentrackError(f"{folder}: it cannot be made: {error.strerror}") from None
    paths = [folder / _name(rank, moment) for rank, moment in enumerate(found, 1)]
    for path in paths:
        new(path, force)
    for path, moment in zip(paths, found, strict=True):
        clip = moment.tracking.objective.clip
        source = library.entry(moment.video).path
        if not source.is_file():
            _log.warning("%s is not there any more; drawing on a plain ground", source)
        annotate([moment.tracking], pictures(source, clip), path, report=report)
    return paths


def _name(rank: int, moment: Moment) -> str:
    video = re.sub(r"[^\w.-]+", "_", moment.video)
    return f"{rank:02d}-{video}-{moment.start:.1f}s.mp4"
