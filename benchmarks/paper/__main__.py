"""Run the paper's experiments.

    python -m benchmarks.paper [--quick] [--only corpus,...] [--seed 0]
        [--output docs/measured/paper]

Prints Markdown and writes it to paper.md, with CSV files and pictures beside it. Running some
sections alone replaces only their parts of the page.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import sentrack
from benchmarks.inference import machine
from benchmarks.paper import (
    applications,
    corpus,
    crowd,
    joint,
    long_sentences,
    relative_error,
    scaling,
)
from benchmarks.paper.sizes import FULL, QUICK, Section, Size
from benchmarks.paper.writing import with_part
from benchmarks.scenes import ROWS, scene
from sentrack.files import whole
from sentrack.progress import Report

SECTIONS: dict[str, Section] = {
    "corpus": corpus.section,
    "relative_error": relative_error.section,
    "long_sentences": long_sentences.section,
    "scaling": scaling.section,
    "joint": joint.section,
    "crowd": crowd.section,
    "applications": applications.section,
}
FOLDER = Path(__file__).parents[2] / "docs" / "measured" / "paper"


def main() -> None:
    """Run the sections asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="fewer clips: minutes, not hours")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections to run")
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder of the page")
    parser.add_argument("--seed", type=int, default=0, help="of everything random")
    options = parser.parse_args()
    names = options.only.split(",")
    for name in names:
        if name not in SECTIONS:
            parser.error(f"there is no section {name!r}; there are {', '.join(SECTIONS)}")
    size = replace(QUICK if options.quick else FULL, seed=options.seed)
    command = " ".join(["python -m benchmarks.paper", *sys.argv[1:]])
    # Compile before anything is timed: the kernels of small lattices, of large ones, and of growth.
    sentrack.solve(scene(ROWS[4], 0))
    sentrack.solve(scene(ROWS[3], 0), "viterbi")
    sentrack.solve(scene(ROWS[4], 0), sentrack.Growth(20, 1, 1))
    run(names, size, options.output, command, progress)


def run(names: list[str], size: Size, output: Path, command: str, report: Report) -> None:
    """Run sections, print them, and put each into paper.md as soon as it is done."""
    output.mkdir(parents=True, exist_ok=True)
    path = output / "paper.md"
    for name in names:
        lines = []
        for line in SECTIONS[name](size, output, report):
            print(line, flush=True)
            lines.append(line)
        lines.append(f"Made by `{command}` on {machine()}.")
        page = path.read_text(encoding="utf-8") if path.exists() else ""
        with whole(path) as temporary:
            temporary.write_text(with_part(page, name, lines, list(SECTIONS)), encoding="utf-8")


def progress(stage: str, done: float, total: float | None) -> None:
    """Say on standard error how far a section is."""
    print(f"\r{stage}: {done:g} of {total:g}" if total else f"\r{stage}", end="", file=sys.stderr)
    if done == total:
        print(file=sys.stderr)


if __name__ == "__main__":
    main()
