"""What a sentence says, as the page shows it."""

from sentrack.language import (
    Piece,
    SentenceError,
    Vocabulary,
    alternatives,
    paraphrase,
    pieces,
    suggestions,
)
from sentrack.serve.schemas import LinkedWord, Misunderstood, Noun, Understood
from sentrack.show import hexadecimal


def understand(sentence: str, vocabulary: Vocabulary) -> Understood | Misunderstood:
    """What a sentence says; or why it cannot be understood, and what may be meant."""
    try:
        meanings = alternatives(sentence, vocabulary)
    except SentenceError as error:
        return Misunderstood(False, str(error), suggestions(sentence, vocabulary))
    nouns: list[Noun] = []
    words: list[LinkedWord] = []
    for meaning in meanings:
        first = len(nouns)
        nouns += [Noun(p.noun, hexadecimal(i)) for i, p in enumerate(meaning.participants)]
        words += [
            LinkedWord(word.word, word.part, [first + i for i in word.participants])
            for word in meaning.words
        ]
    reading = [note for meaning in meanings for note in meaning.reading]
    parts = [Piece(sentence, None)]
    if len(meanings) == 1:
        parts = list(pieces(meanings[0]))
    else:
        reading = [f"either of: {' '.join(m.sentence for m in meanings)}", *reading]
    unchecked = list(dict.fromkeys(said for meaning in meanings for said in meaning.unchecked))
    read_as = "; or: ".join(paraphrase(meaning) for meaning in meanings)
    return Understood(True, sentence, parts, nouns, words, read_as, reading, unchecked)
