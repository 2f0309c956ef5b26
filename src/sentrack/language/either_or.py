"""Sentences with "or": what each of the alternatives says in full."""

import re

from sentrack.language.errors import SentenceError
from sentrack.language.meaning import Meaning
from sentrack.language.parser import parse, parse_controlled
from sentrack.language.vocabulary import Vocabulary


def alternatives(sentence: str, vocabulary: Vocabulary) -> list[Meaning]:
    """What a sentence says, or each of the alternatives that "or" joins.

    Alternatives share what stands before or after both of them: "the person lifted the red or the
    blue cup" is two sentences of six words. The shortest completion that can be understood counts.

    Raises:
        SentenceError: when the sentence, or an alternative, cannot be understood.
    """
    # A class may have "or" in its name.
    if not re.search(r"\bor\b", sentence, flags=re.IGNORECASE):
        return [parse(sentence, vocabulary)]
    first, *others = re.split(r"\s+or\s+", sentence.strip().rstrip("."), flags=re.IGNORECASE)
    if not others or _understood(sentence.split(), vocabulary):
        return [parse(sentence, vocabulary)]
    found = [first.split()]
    for other in others:
        found = _joined(found, other.split(), vocabulary)
    meanings = [parse_controlled(" ".join(words) + ".", vocabulary) for words in found]
    return list({meaning.sentence: meaning for meaning in meanings}.values())


def _joined(before: list[list[str]], after: list[str], vocabulary: Vocabulary) -> list[list[str]]:
    """Alternatives so far and one more, each completed by what it shares with the other."""
    last = before[-1]
    for shared in range(len(after)):
        # What ends the last alternative may stand at the end, and what begins it at the start.
        whole = [[*words, *after[len(after) - shared :]] for words in before]
        if not all(_understood(words, vocabulary) for words in whole):
            continue
        # After as much of the beginning as makes sense; nothing is added to two whole sentences.
        alone = not shared and _understood(after, vocabulary)
        for kept in [0] if alone else range(len(last) - 1, -1, -1):
            if _understood(other := [*last[:kept], *after], vocabulary):
                return [*whole, [other[0].capitalize(), *other[1:]]]
    text = " ".join([*last, "or", *after])
    raise SentenceError(f"cannot tell what 'or' joins in {text!r}; say both sentences in full")


def _understood(words: list[str], vocabulary: Vocabulary) -> bool:
    try:
        parse_controlled(" ".join(words) + ".", vocabulary)
    except SentenceError:
        return False
    return True
