"""Every example of docs/reference/grammar.md, read and compared with what the page says of it."""

import re
from pathlib import Path

import pytest

from sentrack.language import Meaning, SentenceError, parse

from .words import VOCABULARY

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "grammar.md").read_text("utf-8")


def blocks(kind: str) -> list[tuple[str, str]]:
    """Pairs of a sentence and the line below it, from all fenced blocks of a kind."""
    lines = [
        line.strip()
        for block in re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
        for line in block.splitlines()
    ]
    return list(zip(lines[::2], lines[1::2], strict=True))


def summary(meaning: Meaning, distinct: bool) -> str:
    nouns = " ".join(participant.noun for participant in meaning.participants)
    words = " ".join(
        f"{word.word}({','.join(map(str, word.participants))})"
        for word in meaning.words
        if word.part != "noun"
    )
    pairs = " distinct " + " ".join(f"{i}-{j}" for i, j in meaning.distinct)
    return f"{nouns}: {words}{pairs if distinct else ''}"


@pytest.mark.parametrize(("sentence", "expected"), blocks("examples"))
def test_example(sentence: str, expected: str) -> None:
    meaning = parse(sentence, VOCABULARY)
    assert summary(meaning, " distinct " in expected) == expected
    nouns = [word for word in meaning.words if word.part == "noun"]
    assert sorted(word.participants for word in nouns) == [
        (i,) for i in range(len(meaning.participants))
    ]
    assert all(meaning.participants[noun.participants[0]].noun == noun.word for noun in nouns)


@pytest.mark.parametrize(("sentence", "message"), blocks("refused"))
def test_refused(sentence: str, message: str) -> None:
    with pytest.raises(SentenceError) as caught:
        parse(sentence, VOCABULARY)
    assert str(caught.value) == message


def test_the_page_has_examples_of_every_construct() -> None:
    meanings = [parse(sentence, VOCABULARY) for sentence, _ in blocks("examples")]
    said = {word.part for meaning in meanings for word in meaning.words}
    assert said == {"noun", "verb", "adverb", "adjective", "preposition", "motion", "direction"}
    used = {(word.word, word.part) for meaning in meanings for word in meaning.words}
    prepositions = {(entry.name, entry.part) for entry in VOCABULARY.of("preposition")}
    assert prepositions <= used
    assert len(meanings) > 60
