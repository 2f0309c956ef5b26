"""Words that no lexicon has, understood from the sentences that they are in."""

import re
from collections.abc import Iterator
from itertools import islice, product

from sentrack.language import (
    FUNCTION_WORDS,
    Headword,
    Meaning,
    SentenceError,
    Vocabulary,
    entries_of,
    inflect,
    parse_controlled,
)
from sentrack.text import words_of

# Readings of the unknown words of a sentence that are tried, and that are ranked to choose them.
TRIED = 200
RANKED = 100_000
# Words after a verb that may belong to it.
PARTICLES = ("up", "down", "out", "off", "away", "back", "over", "on", "in", "together")
# Endings of verbs, longest first, with what the base form ends in instead.
ENDINGS = {"ied": "y", "ying": "ie", "ies": "y", "ing": "", "ed": "", "es": "", "d": "", "s": ""}


def parse_unknown(sentence: str, vocabulary: Vocabulary) -> tuple[Meaning, Vocabulary]:
    """Parse a sentence that may have unknown words, and add these to the vocabulary.

    An unknown word is a noun where the grammar has room for a noun, a verb where it has room for a
    verb, and so on. The likeliest reading that parses is taken.

    Raises:
        SentenceError: no reading parses; the message is that of the sentence as it is.
    """
    try:
        return parse_controlled(sentence, vocabulary), vocabulary
    except SentenceError as error:
        first = error
    words = words_of(sentence)
    unknown = [i for i, word in enumerate(words) if not _known(word, vocabulary)]
    options = [list(_options(words, i)) for i in {words[i]: i for i in unknown}.values()]
    ranks = product(*(range(len(choices)) for choices in options)) if options else ()
    for rank in sorted(islice(ranks, RANKED), key=sum)[:TRIED]:
        chosen = [choices[n] for choices, n in zip(options, rank, strict=True)]
        fresh = [entry for entry in chosen if (entry.name, entry.part) not in _names(vocabulary)]
        wider = Vocabulary([*vocabulary, *fresh])
        try:
            return parse_controlled(sentence, wider), wider
        except SentenceError:
            continue
    raise first


def _names(vocabulary: Vocabulary) -> set[tuple[str, str]]:
    return {(entry.name, entry.part) for entry in vocabulary}


def _known(word: str, vocabulary: Vocabulary) -> bool:
    functions = {w for words in FUNCTION_WORDS.values() for w in words}
    return word in functions or word in PARTICLES or bool(entries_of(word, vocabulary))


def _options(words: tuple[str, ...], i: int) -> Iterator[Headword]:
    """What a word may be, the likeliest first."""
    word = words[i]
    yield Headword(word, "noun", (word,), ("it",))
    after = words[i + 1] if i + 1 < len(words) else ""
    for base, irregular in [*((base, {}) for base in _bases(word)), (word, {"past": word})]:
        for particle in (after, "") if after in PARTICLES else ("",):
            name = f"{base}-{particle}".rstrip("-")
            for roles in (("agent", "patient"), ("agent",)):
                yield Headword(name, "verb", (base,), roles, 0, irregular, particle)
    yield Headword(word, "adjective", (word,), ("it",))
    yield Headword(word, "adverb", (word,), ("it",))
    yield Headword(word, "preposition", (word,), ("it", "other"))
    yield Headword(word, "motion", (word,), ("it", "other"))
    yield Headword(word, "direction", (word,), ("it",))


def _bases(word: str) -> list[str]:
    """The regular verbs that a word may be a form of, the likeliest first."""
    found = []
    for ending, instead in ENDINGS.items():
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2:
            continue
        bases = [stem + instead]
        if not instead:
            # "close" and "handle" rather than "clos" and "handl".
            bases.insert(0 if re.search(r"([^aeioul]l|[cguvz]|[^s]s)$", stem) else 1, stem + "e")
            if stem[-1] == stem[-2]:
                # "stir" rather than "stirr", but "pass" rather than "pas".
                bases.insert(1 if stem[-1] in "slz" else 0, stem[:-1])
        found += [base for base in bases if word in inflect(base).values()]
    return list(dict.fromkeys(found))
