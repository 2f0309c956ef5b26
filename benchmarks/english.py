"""How much English that people wrote about video is read, by source.

    python -m benchmarks.english [--folder FOLDER] [--most 200] [--output docs/measured/english.md]

FOLDER has one file of sentences per source, SOURCE.txt, and nouns.lst, the nouns in them. Prints
Markdown. The data lies beside the project.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sentrack
from benchmarks.inference import machine
from sentrack.language.glossary import glossary

DATA = Path(__file__).parents[2] / "shared" / "data" / "english"
GROUNDING = ("cityflow", "vidstg_captions", "ref_youtube_vos", "a2d_sentences")
CORE = (
    *GROUNDING,
    *("charades_sta", "activitynet", "didemo", "msvd", "msrvtt", "qvhighlights", "tacos"),
)


@dataclass(frozen=True)
class Coverage:
    """How much of some sentences is read.

    Attributes:
        sentences: How many there are.
        shipped: Share read with the shipped nouns.
        any_noun: Share read if all nouns in them are classes.
        checked: Share of which all is checked then.
        milliseconds: Of the processor, to read or refuse one, on average.
        why: Per sentence that is read then, the kinds of what is not checked in it.
    """

    sentences: int
    shipped: float
    any_noun: float
    checked: float
    milliseconds: float
    why: tuple[frozenset[str], ...] = ()


def main() -> None:
    """Read all sources and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--folder", type=Path, default=DATA, help="of the sentences")
    parser.add_argument("--most", type=int, default=200, help="sentences of a source at most")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    options = parser.parse_args()
    nouns = _lines(options.folder / "nouns.lst")
    found = {
        path.stem: coverage(_lines(path)[: options.most], nouns)
        for path in sorted(options.folder.glob("*.txt"))
    }
    written = [*table(found), "", *why([found[name] for name in CORE if name in found])]
    print("\n".join(written))
    if options.output:
        command = "python -m benchmarks.english " + " ".join(sys.argv[1:])
        head = f"# English, measured\n\nMade by `{command.strip()}` on {machine()}.\n\n"
        options.output.write_text(head + "\n".join(written) + "\n", "utf-8")


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]


def coverage(sentences: Sequence[str], nouns: Sequence[str]) -> Coverage:
    """How much of some sentences is read."""
    for classes in (None, nouns):
        _read("The person walked.", classes)  # the vocabularies are made before time is taken
    start = time.process_time()
    shipped = [_read(sentence, None) for sentence in sentences]
    any_noun = [_read(sentence, nouns) for sentence in sentences]
    seconds = time.process_time() - start
    n = len(sentences)
    return Coverage(
        n,
        sum(unchecked is not None for unchecked in shipped) / n,
        sum(unchecked is not None for unchecked in any_noun) / n,
        sum(unchecked == () for unchecked in any_noun) / n,
        1000 * seconds / (2 * n),
        tuple(frozenset(map(kind, said)) for said in any_noun if said is not None),
    )


#: Kinds of what is not checked, by the classes of its first word.
_KINDS = (
    ("verbs without a model", {"base", "pres", "past", "part", "ing", "aux"}),
    ("phrases: scenery, clothes, stuff and parts, topics", {"prep"}),
    ("adverbs, and an order of what is not checked", {"adv", "sub", "dir"}),
    ("adjectives: age, material, two colours", {"adj"}),
    ("how many: several, a group of", {"det"}),
)


def kind(said: str) -> str:
    """Which kind of word or phrase is not checked."""
    first, known = said.split()[0], glossary().lexemes
    tags = {
        lexeme.tag for form in ((first,), tuple(said.split())) for lexeme in known.get(form, ())
    }
    phrase = " " in said and "prep" in tags
    for name, own in _KINDS:
        if tags & own and phrase == ("prep" in own):
            return name
    return "nouns, and others"


def why(found: Sequence[Coverage]) -> list[str]:
    """How many sentences have something of a kind unchecked, and how many nothing else."""
    sentences = [each for told in found for each in told.why]
    n, whole = len(sentences), sentences.count(frozenset())
    lines = [
        f"Of {n} core sentences that are read with any noun, {whole} are checked",
        "in all they say. The others have something that boxes do not show, or that has no model:",
        "",
        "| not checked | sentences with it | with nothing else |",
        "|---|---|---|",
    ]
    names = [name for name, _ in _KINDS] + ["nouns, and others"]
    for name in sorted(names, key=lambda name: -sum(name in each for each in sentences)):
        alone = sentences.count(frozenset([name]))
        lines.append(f"| {name} | {sum(name in each for each in sentences)} | {alone} |")
    return lines


def _read(sentence: str, nouns: Sequence[str] | None) -> tuple[str, ...] | None:
    """What of a sentence is not checked; None if it is refused."""
    try:
        return sentrack.parse(sentence, nouns=nouns).unchecked
    except sentrack.SentenceError:
        return None


def table(found: dict[str, Coverage]) -> list[str]:
    """The shares as Markdown, with the means of the core and of grounding."""
    lines = [
        "How much of what people wrote about video is read: with the nouns of `everyday`, and if",
        "every noun in them is a class of the detector. *All checked* is the share, of all",
        "sentences, that is read then with nothing left unchecked. Core is the mean of eleven",
        "sources, grounding that of the four marked with a star. The sentences are those that the",
        "reader was developed with; others are kept back. Milliseconds are those of the processor.",
        "",
        "| source | sentences | shipped nouns | any noun | all checked | ms a sentence |",
        "|---|---|---|---|---|---|",
    ]
    for source, told in found.items():
        star = " \\*" if source in GROUNDING else ""
        lines.append(
            f"| {source}{star} | {told.sentences} | {told.shipped:.3f} | {told.any_noun:.3f} "
            f"| {told.checked:.3f} | {told.milliseconds:.1f} |"
        )
    for name, sources in (("core", CORE), ("grounding", GROUNDING)):
        rows = [found[source] for source in sources if source in found]
        if rows:
            means = [
                sum(getattr(row, column) for row in rows) / len(rows)
                for column in ("shipped", "any_noun", "checked")
            ]
            shares = " | ".join(f"**{mean:.3f}**" for mean in means)
            count = sum(row.sentences for row in rows)
            lines.append(f"| **{name}** | {count} | {shares} | |")
    return lines


if __name__ == "__main__":
    main()
