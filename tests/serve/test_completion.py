"""Help while typing: completions lead on, and suggestions can be understood."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.language import SentenceError, Vocabulary, complete, generate, parse, suggestions
from sentrack.lexicon import Lexicon
from sentrack.serve.schemas import Misunderstood, Understood
from sentrack.serve.sentences import understand

EVERYDAY: Vocabulary = Lexicon.load("everyday").vocabulary()
OFTEN = {"person": 9, "cup": 5}


def said(text: str, limit: int = 8) -> list[tuple[str, str]]:
    return [(each.word, each.part) for each in complete(text, EVERYDAY, limit, OFTEN)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("the", "function")),
        ("T", ("the", "function")),
        ("The person ca", ("carried", "verb")),
        ("The person carr", ("carried", "verb")),
        ("The person is carr", ("carrying", "verb")),
        ("The person carried", ("the", "function")),
        ("The person picked", ("up", "verb")),
        ("The person is to the le", ("left of", "preposition")),
        ("The person carried the cup slow", ("slowly", "adverb")),
        ("The person picked the cup u", ("up", "verb")),
        ("the PERSON ca", ("carried", "verb")),
        ("The person carried the cup", (".", "end")),
        ("The ", ("person", "noun")),
        ("The c", ("cup", "noun")),
    ],
)
def test_the_first_completions(text: str, expected: tuple[str, str]) -> None:
    assert expected in said(text)[:4]


@pytest.mark.parametrize(
    "text", ["The frob ", "walked ", "The person carried the cup. ", "!?", "The ,"]
)
def test_nothing_follows_what_makes_no_sense(text: str) -> None:
    assert [part for _, part in said(text) if part == "verb"] == []


def test_completions_keep_what_was_typed_and_are_no_more_than_asked_for() -> None:
    for limit in (1, 3, 50):
        found = complete("The  Person ", EVERYDAY, limit, {})
        assert len(found) <= limit
        assert all(each.text.startswith("The Person ") for each in found)
        assert len({each.text for each in found}) == len(found)
    parts = [part for _, part in said("The person ", 8)]
    assert 0 < parts.count("verb") <= 4


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_every_beginning_of_a_sentence_can_be_continued(seed: int, cut: int) -> None:
    """The oracle is the generator, which says how one goes on."""
    sentence, _ = generate(EVERYDAY, Random(seed), words=14)
    words = sentence.rstrip(".").split()
    n = cut % len(words)
    before, word = " ".join(words[:n]), words[n]
    for letters in range(len(word)):
        typed = f"{before} {word[:letters]}".lstrip()
        found = complete(typed, EVERYDAY, 10**6, {})
        new = [each.text[len(before) :].split()[0].lower() for each in found]
        assert any(each.startswith(word[:letters].lower()) for each in new), typed
    ends = [each.text for each in complete(" ".join(words), EVERYDAY, 10**6, {})]
    assert " ".join(words) + "." in ends


@settings(max_examples=60)
@given(st.text(max_size=300))
def test_any_text_is_answered(text: str) -> None:
    assert len(complete(text, EVERYDAY, 8, {})) <= 8
    told = understand(text, EVERYDAY) if text else None
    if isinstance(told, Misunderstood):
        assert told.error
        assert len(told.error.splitlines()) == 1


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("The person cary the cup.", "The person carried the cup."),
        ("The person caried the cup.", "The person carried the cup."),
        ("The persn carried the cup.", "The person carried the cup."),
        ("Teh person walked.", "The person walked."),
        ("The persn caried the cpu.", "The person carried the cup."),
    ],
)
def test_what_may_be_meant(wrong: str, right: str) -> None:
    told = understand(wrong, EVERYDAY)
    assert isinstance(told, Misunderstood)
    assert right in told.suggestions
    assert len(told.suggestions) <= 3


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_suggestions_can_be_understood(seed: int, at: int) -> None:
    sentence, _ = generate(EVERYDAY, Random(seed), words=12)
    k = 1 + at % (len(sentence) - 2)
    wrong = sentence[:k] + sentence[k + 1 :]
    for each in suggestions(wrong, EVERYDAY):
        assert parse(each, EVERYDAY).words
    try:
        parse(wrong, EVERYDAY)
    except SentenceError:
        assert isinstance(understand(wrong, EVERYDAY), Misunderstood)
    else:
        assert isinstance(understand(wrong, EVERYDAY), Understood)
