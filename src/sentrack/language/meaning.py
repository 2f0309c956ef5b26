"""What a sentence says: participants, words, and which participants each word speaks of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from sentrack.text import words_of


@dataclass(frozen=True)
class Participant:
    """A noun occurrence of the sentence, for which one track is sought.

    Attributes:
        noun: Name of the noun, a class of the detector.
        article: "the", "a" or "another".
        position: Number of the noun's word in the sentence, from 1; 0 if it was never said.
    """

    noun: str
    article: str = field(default="the", compare=False)
    position: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Word:
    """A content word of the sentence, linked to the participants that it speaks of.

    Attributes:
        word: Name of the word in the vocabulary.
        participants: Indices of participants, in the order of the word's roles.
        part: Part of speech, as in the vocabulary.
        text: The word as said; empty if it was never said.
    """

    word: str
    participants: tuple[int, ...]
    part: str
    text: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False)
class Meaning:
    """The meaning of a sentence.

    Two meanings are equal if they hold the same participants in the same order, the same words of
    the same participants, the same distinct pairs, and the same clauses in order. How it was said
    does not matter: a passive sentence equals its active counterpart.

    Attributes:
        sentence: The sentence as said.
        participants: Agent and object of the first clause, then the others in order of mention.
        words: Every content word, nouns included, in order of mention.
        distinct: Pairs of participants that are never the same object, each in ascending order.
        reading: How ambiguities were resolved, a plain sentence each.
        unchecked: What was said but cannot be seen in boxes, or has no model, as said. It does not
            matter to what is looked for.
        order: Clauses that happen one after the other, each by the indices of its words; words of
            no clause hold all the time.
    """

    sentence: str
    participants: tuple[Participant, ...]
    words: tuple[Word, ...]
    distinct: tuple[tuple[int, int], ...]
    reading: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    order: tuple[tuple[int, ...], ...] = ()

    @property
    def _content(self) -> tuple[object, ...]:
        said = [(word.word, word.part, word.participants) for word in self.words]
        order = tuple(tuple(sorted(said[w] for w in clause)) for clause in self.order)
        return self.participants, tuple(sorted(said)), frozenset(self.distinct), order

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Meaning):
            return NotImplemented
        return self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    def __str__(self) -> str:
        return tree(self)

    def renamed(self, nouns: Mapping[int, str]) -> "Meaning":
        """The same of other things, given new nouns by participant."""
        participants = tuple(
            Participant(nouns.get(i, p.noun)) for i, p in enumerate(self.participants)
        )
        words = tuple(
            Word(participants[w.participants[0]].noun, w.participants, "noun")
            if w.part == "noun"
            else w
            for w in self.words
        )
        distinct = distinct_pairs(participants, words)
        return replace(self, participants=participants, words=words, distinct=distinct)


@dataclass(frozen=True)
class Piece:
    """A part of a sentence as said; all parts together are the sentence.

    Attributes:
        text: the part.
        participant: index of the participant whose noun it is, or None.
    """

    text: str
    participant: int | None


def pieces(meaning: Meaning) -> tuple[Piece, ...]:
    """A sentence word by word, its nouns whole, with blanks and points in between."""
    said = meaning.sentence.split()
    nouns = {word.participants[0]: word.text for word in meaning.words if word.part == "noun"}
    begins = {p.position - 1: i for i, p in enumerate(meaning.participants) if p.position}
    found: list[Piece] = []
    k = 0
    while k < len(said):
        participant, first = begins.get(k), k
        left = 0 if participant is None else len(words_of(nouns[participant]))
        while left > 0 or k == first:  # "traffic cone" is two, "traffic-cone" is one
            left -= len(words_of(said[k]))
            k += 1
        text = " ".join(said[first:k])
        word = text.rstrip(".,;:!?…")
        rest = text[len(word) :] + (" " if k < len(said) else "")
        found += [Piece(word, participant)] + ([Piece(rest, None)] if rest else [])
    return tuple(found)


def distinct_pairs(
    participants: Sequence[Participant], words: Iterable[Word]
) -> tuple[tuple[int, int], ...]:
    """The pairs of participants that can never be the same object.

    These are the participants of one verb, preposition or motion word; and "another" noun with
    every participant of that noun that was mentioned before it.
    """
    pairs = {
        (min(pair), max(pair)) for word in words for pair in combinations(word.participants, 2)
    }
    for i, participant in enumerate(participants):
        if participant.article != "another":
            continue
        for j, other in enumerate(participants):
            earlier = (other.position, j) < (participant.position, i)
            if earlier and other.noun == participant.noun:
                pairs.add((min(i, j), max(i, j)))
    return tuple(sorted(pairs))


def tree(meaning: Meaning) -> str:
    """A small tree as text: the sentence, its participants, words, links and how it was read."""
    nouns = [participant.noun for participant in meaning.participants]

    def link(word: Word) -> str:
        said = f"  ({word.text!r})" if word.text and word.text != word.word else ""
        return f"{word.word}({', '.join(f'{nouns[i]} {i}' for i in word.participants)}){said}"

    branches = [
        ("participants", [f"{i}  {noun}" for i, noun in enumerate(nouns)]),
        ("words", [f"{word.part:<12}{link(word)}" for word in meaning.words]),
        (
            "never the same object",
            [f"{nouns[i]} {i}, {nouns[j]} {j}" for i, j in meaning.distinct],
        ),
        (
            "in this order",
            [", ".join(link(meaning.words[w]) for w in clause) for clause in meaning.order],
        ),
        ("read as", list(meaning.reading)),
        ("not checked", list(meaning.unchecked)),
    ]
    branches = [(title, leaves) for title, leaves in branches if leaves]
    lines = [meaning.sentence or "(unsaid)"]
    for number, (title, leaves) in enumerate(branches, 1):
        last_branch = number == len(branches)
        lines.append(f"{'└─' if last_branch else '├─'} {title}")
        stem = "   " if last_branch else "│  "
        for position, leaf in enumerate(leaves, 1):
            lines.append(f"{stem}{'└─' if position == len(leaves) else '├─'} {leaf}")
    return "\n".join(lines)
