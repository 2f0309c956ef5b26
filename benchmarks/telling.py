"""Sections of a benchmark, printed as they come."""

from collections.abc import Callable, Iterator, Mapping

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
    written = []
    for name in names:
        for line in sections[name]():
            print(line, flush=True)
            written.append(line)
    return written
