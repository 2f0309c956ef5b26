"""From a sentence to its meaning.

The grammar reads the sentences that sentrack makes, a controlled English; what it cannot read, the
reader of English as people write it does.

A word may be several terminals of the grammar ("with" is a motion word or belongs to a verb), and
several words may be one ("to the left of"). All readings are followed side by side, so the result
does not depend on luck: of those that reach the end, the one with the longest and most preferred
forms, from left to right, is meant.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, cast

from lark import Token, Tree
from lark.exceptions import UnexpectedToken

from sentrack.text import words_of

from .error_messages import Stop, complaint, unknown_word
from .errors import MisfitError, NotLiteralError, SentenceError
from .forms import Form, Surface, surface
from .grammar import PREFERENCE, Said, grammar
from .linking import link
from .meaning import Meaning
from .vocabulary import Vocabulary

#: A sentence may have this many words.
MAX_WORDS = 60

#: A longer text is not even split into words.
_MAX_CHARACTERS = 4000


class _Parser(Protocol):
    """What is used of Lark's interactive parser, whose own methods are not typed."""

    parser_state: Any

    def feed_token(self, token: Token) -> None: ...
    def feed_eof(self) -> Tree[Token]: ...
    def choices(self) -> Mapping[str, object]: ...
    def accepts(self) -> set[str]: ...
    def copy(self) -> "_Parser": ...


@dataclass(frozen=True)
class _Path:
    """One way to read the sentence so far; the smallest key is the preferred one."""

    key: tuple[tuple[int, int], ...]
    parser: _Parser


def parse(sentence: str, vocabulary: Vocabulary) -> Meaning:
    """The meaning of a sentence.

    Args:
        sentence: One English sentence. Case and blanks make no difference.
        vocabulary: The words that are checked; of others, those of the glossary are understood.

    Raises:
        SentenceError: It cannot be understood, or it contradicts itself. The message says what is
            wrong, where, and what to do.
    """
    words, numbers = _split(sentence)
    outcome = _read(words, numbers, surface(vocabulary))
    if not isinstance(outcome, Stop):
        with suppress(NotLiteralError):
            return _linked(outcome, sentence)
    # The grammar reads most sentences that are typed for the first time; it does without these.
    from .english import UnknownWordError, read

    try:
        return read(sentence, vocabulary)
    except UnknownWordError as unknown:
        word, number = unknown.token.text, unknown.token.number
        if isinstance(outcome, Stop) and outcome.rest[:1] == (word,):
            raise complaint(outcome, surface(vocabulary), vocabulary) from None
        raise unknown_word(word, number, surface(vocabulary), vocabulary) from None
    except MisfitError:
        # The grammar says better what is missing, where it knows the word at which it stopped.
        if isinstance(outcome, Stop) and (
            not outcome.rest or surface(vocabulary).knows(outcome.rest)
        ):
            raise complaint(outcome, surface(vocabulary), vocabulary) from None
        raise


def parse_controlled(sentence: str, vocabulary: Vocabulary) -> Meaning:
    """The meaning of a sentence of the grammar.

    Raises:
        SentenceError: It is none, or it contradicts itself.
    """
    words, numbers = _split(sentence)
    outcome = _read(words, numbers, surface(vocabulary))
    if isinstance(outcome, Stop):
        raise complaint(outcome, surface(vocabulary), vocabulary)
    return _linked(outcome, sentence)


def _linked(trees: list[Tree[Token]], sentence: str) -> Meaning:
    """The meaning of the first tree that has one."""
    error = None
    for tree in trees:
        try:
            return link(tree, sentence)
        except SentenceError as mismatch:
            error = error or mismatch
    raise error or SentenceError("the sentence cannot be read")


def _split(sentence: str) -> tuple[Form, tuple[int, ...]]:
    """The words of a sentence, and the number of each as people count them."""
    if not isinstance(sentence, str):
        raise SentenceError(f"a sentence must be text, not {type(sentence).__name__}")
    if len(sentence) > _MAX_CHARACTERS:
        raise SentenceError(f"the sentence is too long: {len(sentence)} characters")
    pairs = [
        (word, number) for number, said in enumerate(sentence.split(), 1) for word in words_of(said)
    ]
    if not pairs:
        raise SentenceError(
            "the sentence is empty; say for example 'The person carried the backpack.'"
        )
    if len(pairs) > MAX_WORDS:
        raise SentenceError(
            f"the sentence is too long: {len(pairs)} words, at most {MAX_WORDS} are read; "
            "split it into several sentences"
        )
    return tuple(word for word, _ in pairs), tuple(number for _, number in pairs)


def _read(words: Form, numbers: tuple[int, ...], table: Surface) -> "list[Tree[Token]] | Stop":
    """The trees of all readings, the preferred one first; or where the grammar stops."""
    paths: list[list[_Path]] = [[] for _ in range(len(words) + 1)]
    paths[0] = [_Path((), cast("_Parser", grammar().parse_interactive()))]
    furthest = 0
    for start in range(len(words)):
        paths[start] = alive = _distinct(paths[start])
        if not alive:
            continue
        furthest = start
        for length, readings in table.matches(words[start:]):
            said = " ".join(words[start : start + length])
            for reading in readings:
                value = Said(said, numbers[start], reading.entries)
                step = (-length, PREFERENCE.index(reading.terminal))
                for path in alive:
                    parser = _advance(path.parser, Token(reading.terminal, value))
                    if parser:
                        paths[start + length].append(_Path((*path.key, step), parser))
    finished = _distinct(paths[-1])
    trees = [path.parser.feed_eof() for path in finished if "$END" in path.parser.accepts()]
    if not trees:
        at = len(words) if finished else furthest
        stopped = finished or paths[furthest]
        expected = set[str]().union(*(path.parser.accepts() for path in stopped))
        return Stop(words, numbers, at, expected)
    return trees


def _advance(parser: _Parser, token: Token) -> _Parser | None:
    """The parser after a token, or None if the token cannot follow; leaves the given one alone."""
    if token.type not in parser.choices():
        return None
    ahead = parser.copy()
    try:
        ahead.feed_token(token)
    except UnexpectedToken:
        return None
    return ahead


def _distinct(paths: list[_Path]) -> list[_Path]:
    """The preferred path of each state of the parser: what follows is the same for all others."""
    best: dict[tuple[int, ...], _Path] = {}
    for path in sorted(paths, key=lambda path: path.key):
        best.setdefault(tuple(path.parser.parser_state.state_stack), path)
    return list(best.values())
