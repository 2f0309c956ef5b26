"""Minimal pairs: sentences that differ from another in one word, one noun or the roles."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sentrack.language import Meaning, SentenceError, Vocabulary, Word, parse, say
from sentrack.tasks.learning.examples import Key


def minimal_pairs(
    meaning: Meaning, words: Sequence[Key], vocabulary: Vocabulary
) -> Iterator[Meaning]:
    """The minimal pairs of a sentence that the grammar can say: one word, noun or role changed.

    Args:
        meaning: of the sentence.
        words: all that may be put in, nouns among them.
        vocabulary: of the grammar.
    """
    for changed in _changed(meaning, words, vocabulary):
        try:
            yield parse(say(changed, vocabulary), vocabulary)
        except SentenceError:
            continue


def _changed(meaning: Meaning, words: Sequence[Key], vocabulary: Vocabulary) -> Iterator[Meaning]:
    for i, word in enumerate(meaning.words):
        for part, name in words:
            if part != word.part or name == word.word:
                continue
            if part == "noun":
                yield meaning.renamed({word.participants[0]: name})
            elif len(vocabulary.entry(name, part).roles) == len(word.participants):
                other = Word(name, word.participants, part)
                yield replace(meaning, words=(*meaning.words[:i], other, *meaning.words[i + 1 :]))
    nouns = [participant.noun for participant in meaning.participants]
    for a, b in meaning.distinct:
        if nouns[a] != nouns[b]:
            yield meaning.renamed({a: nouns[b], b: nouns[a]})
