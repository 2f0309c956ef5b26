"""Words that no lexicon has."""

import pytest

from sentrack.language import SentenceError, parse
from sentrack.lexicon import Lexicon
from sentrack.tasks.learning.unknown_words import parse_unknown


@pytest.mark.parametrize(
    ("sentence", "expected_words"),
    [
        ("The robot glorped the gadget.", [("glorp", "verb", (0, 1))]),
        ("The robot stirred.", [("stir", "verb", (0,))]),
        ("The robot closed the cup.", [("close", "verb", (0, 1))]),
        ("The robot emptied the cup.", [("empty", "verb", (0, 1))]),
        ("The robot conked out.", [("conk-out", "verb", (0,))]),
        ("The robot wiped off the cup.", [("wipe-off", "verb", (0, 1))]),
        ("The robot sprang.", [("sprang", "verb", (0,))]),
        ("The robot walked wobbly.", [("walk", "verb", (0,)), ("wobbly", "adverb", (0,))]),
        ("The tall robot walked.", [("tall", "adjective", (0,)), ("walk", "verb", (0,))]),
        ("The robot is yonder the cup.", [("yonder", "preposition", (0, 1))]),
    ],
)
def test_unknown_words_are_what_the_grammar_has_room_for(
    sentence: str, expected_words: list[tuple[str, str, tuple[int, ...]]]
) -> None:
    meaning, vocabulary = parse_unknown(sentence, Lexicon.load("everyday").vocabulary())
    found = [(w.word, w.part, w.participants) for w in meaning.words if w.part != "noun"]
    assert found == expected_words
    assert parse(sentence, vocabulary) == meaning


def test_what_does_not_read_is_complained_about_as_before() -> None:
    vocabulary = Lexicon.load("everyday").vocabulary()
    for sentence in ("banana zoom the", "", "the the the", "Blah blah blah blah."):
        with pytest.raises(SentenceError):
            parse_unknown(sentence, vocabulary)
