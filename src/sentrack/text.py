"""Text of others: its words, what is meant by them, and how it is printed so that it stays text."""

import difflib
import json
import math
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

# Apostrophes and the minus sign in the spellings that keyboards have for them.
_SPELLINGS = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2212": "-"})
# Blanks that Python does not call printable, and that do no harm.
_BLANKS = "\u00a0\u2002\u2003\u2009\u202f\u3000"
_EDGE = re.compile(r"(?<!\S)'+|'+(?!\S)")


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, whatever its case, blanks and punctuation.

    A word is made of letters, digits and symbols, with apostrophes in between: "driver's", "c++".
    """
    plain = unicodedata.normalize("NFKC", text).translate(_SPELLINGS)
    bare = "".join(map(_bare, plain)).lower()
    return tuple(_EDGE.sub(" ", unicodedata.normalize("NFKC", bare)).split())


@lru_cache(maxsize=4096)
def _bare(letter: str) -> str:
    """A letter itself, a blank for what parts words, and nothing for what is not seen."""
    category = unicodedata.category(letter)
    if category == "Cf":
        return ""
    return " " if category[0] in "CPZ" and letter != "'" else letter


def canonical(name: str) -> str:
    """The name of a noun, a word or a class, with hyphens: "Traffic, cone" is "traffic-cone"."""
    return "-".join(words_of(name))


def similar(word: str, words: Iterable[str], n: int = 3, least: float = 0.0) -> list[str]:
    """Up to n of some words, the most similar first, all at least so similar (0..1)."""
    return difflib.get_close_matches(word, list(words), n, least)


def nearest(word: object, words: Iterable[str]) -> str:
    """The most similar of some words: one that contains it, else by common letters; "" of none."""
    words = list(words)
    containing = (other for other in words if str(word).lower() in other.lower())
    return next(containing, None) or "".join(similar(str(word), words, 1))


def counted(n: int, noun: str) -> str:
    """So many of something: "1 clip", "2 clips"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def unknown(kind: str, name: object, words: Iterable[str]) -> str:
    """Says that there is no such thing, and which one may be meant."""
    near = nearest(name, words)
    return f"there is no {kind} {name!r}" + (f"; did you mean {near!r}?" if near else "")


def visible(text: object) -> str:
    """Text on one line in which nothing commands a terminal: such characters as Python has them."""
    return "".join(
        letter if letter.isprintable() or letter in _BLANKS else ascii(letter)[1:-1]
        for letter in str(text)
    )


def strict_json(value: Any, **options: Any) -> str:
    """One JSON document as RFC 8259 has it: null stands for a number that is not finite.

    Args:
        value: numbers, text, lists and dictionaries.
        options: of `json.dumps`.
    """
    try:
        return json.dumps(value, allow_nan=False, **options)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, **options)


def _finite(value: Any) -> Any:
    """The same with None for every number in it that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
