"""All headline figures beside their goals, read from the measured pages.

python -m benchmarks.headlines [--output docs/measured/headlines.md]
"""

import argparse
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PAGES = Path(__file__).parents[1] / "docs" / "measured"


@dataclass(frozen=True)
class Headline:
    """A figure of a page.

    Attributes:
        what: it is.
        page: where it is.
        found: a pattern with one group for each figure, of which the mean counts.
        goal: what was to be reached.
        most: whether the figure must be no more than the goal, instead of no less.
        after: text on the page that comes before the pattern.
    """

    what: str
    page: str
    found: str
    goal: float
    most: bool = False
    after: str = ""

    def figure(self, folder: Path = PAGES) -> float:
        """The figure; percentages as shares.

        Raises:
            LookupError: when the page does not have it.
        """
        text = (folder / self.page).read_text(encoding="utf-8")
        begin = text.find(self.after)
        match = re.search(self.found, text[begin:], re.MULTILINE | re.DOTALL)
        if begin < 0 or match is None:
            raise LookupError(f"{self.page} does not say: {self.what}")
        values = [
            float(group.strip(" %")) / (100 if group.endswith("%") else 1)
            for group in match.groups()
        ]
        return float(np.mean(values))


def who(name: str, goal: float) -> Headline:
    """Of a set of annotated video."""
    return Headline(f"who, {name}", "real.md", rf"^\| {name} \| \d+ \| ([\d.]+) ", goal)


def which(words: str, goal: float = 0.75) -> Headline:
    """Of a pair of opposites."""
    return Headline(f"which, {words}", "real.md", rf"^\| {words} \| \d+ \| ([\d.]+) ", goal)


def learned(subject: str) -> Headline:
    """Of words that were learned from one subject of CAD-120 and judged on the other."""
    what = f"CAD-120, all verbs with words learned from {subject}"
    found = r"^\| learned \| [\d.]+% \| ([\d.]+%)"
    return Headline(what, "learning.md", found, 0.65, after=f"### From {subject}")


def eight(nouns: str, T: int, J: int) -> Headline:
    """How many of ten instances with eight participants are certified in a minute."""
    return Headline(
        f"eight participants, {nouns} nouns, T={T}, J={J}: certified, of ten",
        "inference.md",
        rf"^\| {nouns} \| {T} \| {J} \| [^|]* \| (\d+)/10 ",
        8,
    )


def interval(nouns: str) -> Headline:
    """How long the best interval takes, beside all frames; of the first instances."""
    return Headline(
        f"the best interval, {nouns} nouns: time beside all frames",
        "inference.md",
        rf"^\| {nouns}, the best interval \| [\d/]+ \| [\d.]+ \| ([\d.]+) ",
        2.0,
        most=True,
        after="Free start and end",
    )


def cell(J: int, K: int) -> Headline:
    """The share of a cell of the paper's table that is certified."""
    what = f"the paper's table, J={J}, K={K}: clips certified"
    return Headline(what, "paper/paper.md", rf"^\| {J} \| {K} \| \d+ \| (\d+)/93 ", 93)


WHEN = "## When: events"
FIGURES = (
    who("virat", 0.60),
    who("meva", 0.75),
    who("caviar", 0.88),
    who("svag_mot", 0.42),
    Headline("which, all pairs of opposites", "real.md", r"^\| all \| \d+ \| ([\d.]+) ", 0.85),
    which("to the left / to the right"),
    which("stood / walked"),
    which("entered / exited"),
    which("started / stopped"),
    which("behind / in front of"),
    which("above / below"),
    which("picked up / put down"),
    which("approached / left"),
    Headline(
        "when, the first moment, mean of virat and caviar",
        "real.md",
        r"virat \| \d+ \| ([\d.]+) .*?caviar \| \d+ \| ([\d.]+) ",
        0.40,
        after=WHEN,
    ),
    Headline(
        "when, one of three moments",
        "real.md",
        r"virat \| \d+ \| [\d.]+ \| ([\d.]+) .*?caviar \| \d+ \| [\d.]+ \| ([\d.]+) ",
        0.60,
        after=WHEN,
    ),
    Headline("true / false, AUC", "match.md", r"^AUC ([\d.]+) ", 0.85),
    Headline("true / false, right side of one half", "match.md", r"one half: ([\d.]+)\.", 0.80),
    Headline(
        "CAD-120, picked up or put down, all boxes",
        "sentences.md",
        r"^\| joint \| ([\d.]+%)",
        0.97,
        after="### All boxes",
    ),
    Headline(
        "CAD-120, the worse detector",
        "sentences.md",
        r"^\| joint \| ([\d.]+%)",
        0.93,
        after="### The worse detector",
    ),
    Headline("moments, the first", "search.md", r"^\| all \(108\) \| ([\d.]+%)", 0.65),
    Headline(
        "moments, one of three",
        "search.md",
        r"^\| all \(108\) \| [\d.]+% \| [\d.]+% \| ([\d.]+%)",
        0.82,
    ),
    Headline("English read, shipped nouns", "english.md", r"core\*\* \| \d+ \| \*\*([\d.]+)", 0.30),
    Headline(
        "English read, any noun",
        "english.md",
        r"core\*\* \| \d+ \| \*\*[\d.]+\*\* \| \*\*([\d.]+)",
        0.60,
    ),
    Headline(
        "six long sentences with confusable boxes, hard nouns: time beside toulbar2's",
        "inference.md",
        r"^\| hard \| [\d/]+ \|[^\n]* ([\d.]+) \|$",
        0.25,
        most=True,
        after="The six rows",
    ),
    Headline(
        "six long sentences with confusable boxes, soft nouns: time beside toulbar2's",
        "inference.md",
        r"^\| soft \| [\d/]+ \|[^\n]* ([\d.]+) \|$",
        0.05,
        most=True,
        after="The six rows",
    ),
    eight("soft", 300, 60),
    eight("soft", 300, 120),
    eight("hard", 1000, 198),
    eight("hard", 3000, 120),
    Headline(
        "eight participants, soft nouns, T=300, J=60: a second's worst answer, beside a minute's",
        "inference.md",
        r"^\| soft \| 300 \| 60 \| ([\d.]+) ",
        0.01,
        most=True,
        after="With a limit of one second",
    ),
    learned("subject1"),
    learned("subject3"),
    Headline(
        "an iteration of learning, beside scoring once",
        "learning.md",
        r"An iteration: [\d.]+ s,\n?\s*([\d.]+) times",
        0.15,
        most=True,
    ),
    interval("hard"),
    interval("soft"),
    cell(30, 3),
    cell(120, 3),
    cell(30, 9),
    cell(120, 9),
    Headline(
        "index, core seconds an hour", "scale.md", r"^\| looking \| ([\d.]+)", 1500, most=True
    ),
)


def page(folder: Path = PAGES) -> Iterator[str]:
    """What is short of its goal, then what is not."""
    figures = [(each, each.figure(folder)) for each in FIGURES]
    short = [pair for pair in figures if not _reached(*pair)]
    yield "# Headline figures"
    yield ""
    yield from textwrap.wrap(
        "Made by `python -m benchmarks.headlines` from the other pages, each of which names its "
        "command, machine and versions. All are of data that the words and constants were "
        "developed with; other halves of it are kept back. What is short of its goal comes first.",
        100,
    )
    for title, rows in (
        (f"## Short of the goal: {len(short)} of {len(figures)}", short),
        ("## Reached", [pair for pair in figures if _reached(*pair)]),
    ):
        yield from ("", title, "", "| what | measured | goal | page |", "|---|---|---|---|")
        for each, figure in rows:
            goal = f"at {'most' if each.most else 'least'} {each.goal:g}"
            yield f"| {each.what} | {figure:.4g} | {goal} | [{each.page}]({each.page}) |"


def _reached(headline: Headline, figure: float) -> bool:
    return figure <= headline.goal if headline.most else figure >= headline.goal


def main() -> None:
    """Print the page, and write it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--output", type=Path, default=PAGES / "headlines.md")
    options = parser.parse_args()
    text = "\n".join(page()) + "\n"
    print(text, end="")
    options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
