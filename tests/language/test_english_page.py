"""Every example of docs/guides/english.md, read and compared with what the page says of it."""

import re
from pathlib import Path

import pytest

from sentrack.language import Meaning, parse
from sentrack.lexicon import Lexicon

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "english.md").read_text("utf-8")
VOCABULARY = Lexicon.load().vocabulary()


def examples() -> list[tuple[str, str]]:
    """Pairs of a sentence and the line below it."""
    lines = [
        line.strip()
        for block in re.findall(r"```english\n(.*?)```", PAGE, re.DOTALL)
        for line in block.splitlines()
    ]
    return list(zip(lines[::2], lines[1::2], strict=True))


def summary(meaning: Meaning) -> str:
    """Participants, words other than nouns, and what is not checked, on one line.

    Clauses in order come last, with "then" between them.
    """
    nouns = " ".join(participant.noun for participant in meaning.participants)
    ordered = [w for clause in meaning.order for w in clause]
    first = {clause[0] for clause in meaning.order[1:]}
    others = [w for w, word in enumerate(meaning.words) if word.part != "noun"]
    words = [
        f"{' then' if w in first else ''} {meaning.words[w].word}"
        f"({','.join(map(str, meaning.words[w].participants))})"
        for w in [*(w for w in others if w not in ordered), *ordered]
    ]
    left = f" | not checked: {', '.join(meaning.unchecked)}" if meaning.unchecked else ""
    return f"{nouns}:{''.join(words)}{left}"


@pytest.mark.parametrize(("sentence", "expected"), examples())
def test_example(sentence: str, expected: str) -> None:
    assert summary(parse(sentence, VOCABULARY)) == expected
