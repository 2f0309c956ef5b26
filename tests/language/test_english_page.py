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
    """Participants, words other than nouns, and what is not checked, on one line."""
    nouns = " ".join(participant.noun for participant in meaning.participants)
    words = [
        f" {word.word}({','.join(map(str, word.participants))})"
        for word in meaning.words
        if word.part != "noun"
    ]
    left = f" | not checked: {', '.join(meaning.unchecked)}" if meaning.unchecked else ""
    return f"{nouns}:{''.join(words)}{left}"


@pytest.mark.parametrize(("sentence", "expected"), examples())
def test_example(sentence: str, expected: str) -> None:
    assert summary(parse(sentence, VOCABULARY)) == expected
