"""A sentence as tokens: words, and the punctuation that parts clauses."""

import re
import unicodedata
from dataclasses import dataclass

from sentrack.text import words_of

#: Marks that part clauses; all others part words only.
MARKS = {",": ",", ";": ";", ".": ";", ":": ",", "(": ",", ")": ",", "?": "?", "!": ";"}
_POSSESSIVE = re.compile(r"^(.+)('s|'re|'ve|'ll)$")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})


@dataclass(frozen=True)
class Token:
    """A word or a mark.

    Attributes:
        text: In lower case.
        number: Of the word as people count them, from 1.
        name: Whether it is written with a capital letter, other than the first of a sentence.
    """

    text: str
    number: int
    name: bool = False


def tokenize(sentence: str) -> tuple[Token, ...]:
    """The tokens of a sentence; marks at its ends, and repeated ones, are left out."""
    found: list[Token] = []
    plain = unicodedata.normalize("NFKC", sentence).translate(_APOSTROPHES)
    # NFKC may turn a character into a blank: count the words of the sentence as it is.
    counted = plain.split() if len(plain.split()) == len(sentence.split()) else sentence.split()
    for number, said in enumerate(counted, 1):
        for piece in re.split(r"([,;:()?!]|\.(?=\s|$))", said):
            if piece in MARKS:
                found.append(Token(MARKS[piece], number))
                continue
            for word in words_of(piece):
                first = not found or found[-1].text == ";"
                found += _split_ending(word, number, piece[:1].isupper() and not first)
    tokens: list[Token] = []
    for token in found:
        if token.text not in MARKS or (tokens and tokens[-1].text not in MARKS):
            tokens.append(token)
    while tokens and tokens[-1].text in MARKS and tokens[-1].text != "?":
        tokens.pop()
    return tuple(tokens)


def _split_ending(word: str, number: int, name: bool) -> list[Token]:
    """A word, or two where "'s" or the like is its end; "didn't" is one."""
    match = _POSSESSIVE.match(word)
    if match is None:
        return [Token(word, number, name)]
    return [Token(match[1], number, name), Token(match[2], number)]
