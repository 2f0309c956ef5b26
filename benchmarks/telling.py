"""Sections of a benchmark, printed as they come."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

Lines = Iterator[str]


def tell(sections: Mapping[str, Callable[[], Lines]], only: str) -> list[str]:
    """Run the sections that are named, by commas, and print them; all of their lines.

    Raises:
        SystemExit: there is no such section.
    """
    names = only.split(",")
    for name in names:
        if name not in sections:
            raise SystemExit(f"there is no section {name!r}; there are {', '.join(sections)}")
    return [line for name in names for line in printed(sections[name]())]


def printed(lines: Lines) -> Lines:
    """The lines, each of which is printed when it comes."""
    for line in lines:
        print(line, flush=True)
        yield line


def publish(lines: Lines, output: Path | None) -> None:
    """Print a page line by line, and write it when it is complete, where it is to go."""
    text = "".join(f"{line}\n" for line in printed(lines))
    if output is not None:
        output.write_text(text, encoding="utf-8")
