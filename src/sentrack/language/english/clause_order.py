"""In which order the clauses of a sentence happen: "X, then Y", "Y after X", "before Y, X".

A clause is a stretch of the sentence. Words such as "then" and "before" begin a new one, which
happens right after the one at hand, or right before it; "while" begins none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sentrack.language.english.event import Event
from sentrack.language.meaning import Word
from sentrack.language.places import REGIONS

#: Adverbs of a clause that happens next.
THEN = frozenset(
    {
        *("then", "next", "later", "afterwards", "afterward", "after that", "thereafter"),
        *("subsequently", "finally", "eventually", "lastly"),
    }
)
FIRST = frozenset(["first", "firstly", "at first"])
#: What happens before the clause that follows these words.
BEFORE = frozenset(["before", "just before", "right before", "shortly before", "until", "till"])
#: And what happens after it.
AFTER = frozenset(["after", "just after", "right after", "shortly after", "once", "as soon as"])


@dataclass
class ClauseOrder:
    """The clauses of a sentence, each named by the number of its first word.

    Attributes:
        clauses: In the order in which they happen.
        said: The words that tell the order: text, number, and the clauses that they tell of.
        fronted: A word at the beginning of a subordinate clause that stands before the main one.
    """

    clauses: list[int] = field(default_factory=lambda: [0])
    said: list[tuple[str, int, tuple[int, ...]]] = field(default_factory=list)
    fronted: tuple[str, int] | None = None

    def also(self, text: str, number: int) -> None:
        """Keeps a word that says of the clause at hand what is known: "before finally turning"."""
        self.said.append((text, number, (self.clause(number),)))

    def clause(self, number: int) -> int:
        """The clause in which a word stands, given the number of the word."""
        return max(clause for clause in self.clauses if clause <= number)

    def begin(self, number: int, after: bool = True, said: tuple[str, int] | None = None) -> None:
        """Begins a clause that happens right after the one at hand, or right before it.

        Args:
            number: Of its first word.
            after: Or before.
            said: The word that says so, and its number.
        """
        if number in self.clauses:
            return
        at_hand = self.clause(number)
        self.clauses.insert(self.clauses.index(at_hand) + after, number)
        if said is not None:
            self.said.append((*said, (at_hand, number)))

    def main(self, number: int) -> None:
        """Begins the main clause after a subordinate one: "after X, Y"."""
        if self.fronted is not None:
            self.begin(number, self.fronted[0] in AFTER, self.fronted)
            self.fronted = None

    def follow_verbs(self, events: Sequence[Event]) -> None:
        """Where an order is told, verbs of one subject that "and" joins follow each other."""
        if len(self.clauses) > 1:
            for before, event in pairwise(events):
                if event.joined and self.clause(before.number) == self.clause(event.number):
                    self.begin(event.number)

    def of(self, words: Sequence[tuple[int, Word]]) -> tuple[tuple[int, ...], ...]:
        """The clauses by the indices of their words, given with their numbers; none if but one."""
        found: dict[int, list[int]] = {clause: [] for clause in self.clauses}
        for index, (number, word) in enumerate(words):
            if passes(word):
                found[self.clause(number)].append(index)
        told = tuple(tuple(indices) for indices in found.values() if indices)
        return told if len(told) > 1 else ()

    def untold(self, words: Iterable[tuple[int, Word]]) -> list[tuple[str, int]]:
        """The words, with their numbers, that tell the order of clauses that are not checked."""
        told = {self.clause(number) for number, word in words if passes(word)}
        if len(told) < 2:
            told = set()
        said = [(text, number) for text, number, own in self.said if not told.issuperset(own)]
        return said if self.fronted is None else [*said, self.fronted]


def passes(word: Word) -> bool:
    """Whether what a word says may hold at one time and not at another."""
    return word.part != "noun" and (word.part != "adjective" or word.word in REGIONS)
