"""The command `detectors`."""

from pathlib import Path

from sentrack.cli.options import AsJson
from sentrack.extras import requires
from sentrack.text import strict_json


def detectors(as_json: AsJson = False) -> None:
    """List the detectors that are known by name: weights, licences, and how they were measured."""
    with requires("sentrack[video]"):
        from sentrack.vision.scan import DETECTOR, KNOWN, files

    if as_json:
        rows = [
            {
                "name": name,
                "default": name == DETECTOR,
                "finds": known.finds,
                "licence": known.licence,
                "fetched": all(map(Path.exists, files(name))),
                "sources": [known.requirement, *dict.fromkeys(known.addresses.values())],
                "recall": known.recall,
                "milliseconds": known.milliseconds,
            }
            for name, known in KNOWN.items()
        ]
        print(strict_json({"detectors": rows}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("name", "finds", "licence", "weights", "recall", "ms a frame"):
        table.add_column(column)
    for name, known in KNOWN.items():
        fetched = all(map(Path.exists, files(name)))
        table.add_row(
            f"{name} (default)" if name == DETECTOR else name,
            known.finds,
            known.licence,
            "fetched" if fetched else f"to be fetched: {known.requirement}",
            "-" if known.recall is None else f"{known.recall:.2f}",
            "-" if known.milliseconds is None else f"{known.milliseconds:.0f}",
        )
    Console().print(table)
    print("recall: of annotated people where one box a frame is false, MOT17-05, -10 and -13;")
    print("ms: of one processor, of hands for one person; both by python -m benchmarks.vision")
