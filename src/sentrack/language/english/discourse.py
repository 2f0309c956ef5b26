"""All that a sentence says, while it is read: participants, words, and what is not checked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from sentrack.language.english.chunker import NounGroup
from sentrack.language.english.clause_order import ClauseOrder, passes
from sentrack.language.english.coreference import antecedent, pronoun_kind
from sentrack.language.english.referent import Referent, Remark
from sentrack.language.english.tagger import VERB_TAGS, Tagged
from sentrack.language.errors import SentenceError
from sentrack.language.forms import not_a_class
from sentrack.language.glossary import TRACKABLE, glossary
from sentrack.language.meaning import Participant, Word
from sentrack.language.places import REGIONS, has_sides
from sentrack.language.vocabulary import Headword, Vocabulary

#: As many participants as one noun may be.
MOST_PARTICIPANTS = 10
#: What a plural without a number is read as.
PLURAL = 2

_QUANTITIES = frozenset(
    ["many", "several", "few", "most", "more", "all", "every", "each", "various", "numerous"]
)
_COUNTS = frozenset(
    {
        *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        *("couple", "pair"),
    }
)
#: Adjectives that say nothing of their own: the article says it.
_SILENT = frozenset(["other", "own"])
#: What to say of things of a kind that are no class of their own.
_BROADER = {"animal": "animal", "vehicle": "vehicle", "person": "person"}
#: Clothes whose colour is that of the whole person.
_WHOLE = frozenset(["clothes", "clothing", "color", "colour", "attire", "outfit"])


@dataclass
class Discourse:
    """What was said so far.

    Attributes:
        vocabulary: The words that are checked.
        participants: All of them.
        words: Each with the number of its word in the sentence, and its entry.
        unchecked: What was said and is not checked.
        notes: How it was read.
        mentioned: What noun groups stand for, the last one last.
        distinct: Pairs of participants that are never the same object.
        states: Participles said before a noun, with what the noun stands for.
        order: In which its clauses happen.
    """

    vocabulary: Vocabulary
    participants: list[Participant] = field(default_factory=list)
    words: list[tuple[int, Word, Headword]] = field(default_factory=list)
    unchecked: list[Remark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    mentioned: list[Referent] = field(default_factory=list)
    distinct: list[tuple[int, int]] = field(default_factory=list)
    states: list[tuple[Tagged, Referent]] = field(default_factory=list)
    order: ClauseOrder = field(default_factory=ClauseOrder)

    def say(self, entry: Headword, about: tuple[int, ...], text: str, number: int) -> None:
        """Adds a word, once in a clause; one that contradicts an earlier one is not checked."""
        word = Word(entry.name, about, entry.part, text)
        if (other := self.contradicted(entry, about, number)) is not None:
            self.note(f"'{text}' contradicts '{other.text}', unless it comes before or after")
            self.leave_unchecked(text, number, about)
        elif all(word != other for _, other, _ in self._beside(word, number)):
            self.words.append((number, word, entry))

    def contradicted(self, entry: Headword, about: tuple[int, ...], number: int) -> Word | None:
        """The word that says the opposite of the same participants at the same time."""
        word = Word(entry.name, about, entry.part)
        for _, other, before in self._beside(word, number):
            if other.participants != about or before.part != entry.part:
                continue
            if entry.opposite == other.word or before.opposite == word.word:
                return other
        return None

    def _beside(self, word: Word, number: int) -> list[tuple[int, Word, Headword]]:
        """The words of the same time."""
        clause = self.order.clause
        return [
            said
            for said in self.words
            if not passes(word) or clause(said[0]) == clause(number) or not passes(said[1])
        ]

    def leave_unchecked(self, text: str, number: int, about: tuple[int, ...] = ()) -> None:
        """Keeps what was said but is not checked."""
        if all((text, number) != (other.text, other.number) for other in self.unchecked):
            self.unchecked.append(Remark(text, number, about))

    def note(self, text: str) -> None:
        """Keeps how something was read."""
        if text not in self.notes:
            self.notes.append(text)

    def never_the_same(self, participants: Sequence[int]) -> None:
        """Keeps that these are different objects."""
        self.distinct += combinations(sorted(participants), 2)

    def noun_of(self, thing: Referent) -> str:
        """The noun of what is tracked, as people say it."""
        return self.participants[thing.participants[0]].noun.replace("-", " ")

    # Noun groups

    def refer(self, group: NounGroup, subject: Referent | None = None) -> Referent:
        """What a noun group stands for; `subject` is that of the verb whose object it is."""
        head = group.head
        if head is not None and head.tag == "pron":
            found = self._pronoun(group, head.text, subject)
        elif head is None or head.kind == "colour" or _is_of_colour(group, head):
            found = self._without_noun(group)
        else:
            found = self._noun(group, head)
        self.mentioned.append(found)
        return found

    def _noun(self, group: NounGroup, head: Tagged) -> Referent:
        if group.possessor is not None:
            self.refer(group.possessor)
        noun, kind = self._tracked(head), head.kind
        if kind == "group":
            noun, kind = self.vocabulary.named("person", "noun"), "person"
        if noun is None and kind in TRACKABLE:
            raise self._no_class(head)
        gender = _gender(head.lemma)
        if noun is None:
            worn = kind == "clothes"
            return Referent(
                group.text,
                group.number,
                (),
                kind,
                gender,
                head.tag == "nouns",
                tuple(group.modifiers) if worn else (),
                head.lemma if worn else "",
            )
        count = self._count(group, head)
        first = len(self.participants)
        indices = tuple(range(first, first + count))
        for index in indices:
            self.participants.append(Participant(noun.name, _article(group), head.number))
            self.say(noun, (index,), head.text, head.number)
        self.never_the_same(indices)
        self._name(head, noun, kind, indices)
        found = Referent(group.text, group.number, indices, kind, gender, count > 1)
        self._describe(group, found)
        return found

    def _no_class(self, head: Tagged) -> SentenceError:
        where = f"'{head.text}' at word {head.number}"
        classes = [entry.name.replace("-", " ") for entry in self.vocabulary.of("noun")]
        if self.vocabulary.of_detector:
            return SentenceError(f"{where}: {not_a_class(head.lemma, classes)}")
        broader = _BROADER.get(head.kind, "object")
        known = self.vocabulary.named(broader, "noun")
        instead = f"say '{broader}' for any {broader}" if known else "leave it out"
        return SentenceError(
            f"{where} is no class that can be tracked; {instead}, or name the classes of your "
            "detector ('sentrack words' lists those known)"
        )

    def _tracked(self, head: Tagged) -> Headword | None:
        """The noun of the vocabulary that a noun is read as."""
        if head.lemma in glossary().sets["places.nouns"]:
            return None
        if head.entry is not None:
            return head.entry
        same = glossary().same["nouns"].get(head.lemma)
        return self.vocabulary.said(same, ["noun"]) if same else None

    def _name(self, head: Tagged, noun: Headword, kind: str, about: tuple[int, ...]) -> None:
        """Says what a noun was read as, where that is less than it says."""
        if head.lemma.replace(" ", "-") == noun.name:
            return
        if kind == "person" and head.lemma not in glossary().sets["nouns.person.plain"]:
            self.leave_unchecked(head.text, head.number, about)
        if head.entry is None or kind == "person":
            self.note(f"{head.text}: read as {noun.name.replace('-', ' ')}")

    def _count(self, group: NounGroup, head: Tagged) -> int:
        """How many participants a noun group is."""
        determiners = {word.text for word in group.determiners}
        said = group.count
        if "each" in determiners or any(word.endswith("one of") for word in determiners):
            return 1
        if said is not None and said > MOST_PARTICIPANTS:
            self.note(f"{group.text}: read as {MOST_PARTICIPANTS}")
            self.leave_unchecked(group.text, group.number)
        if said is not None:
            return max(1, min(said, MOST_PARTICIPANTS))
        if head.lemma == "trio":
            return 3
        if head.kind == "group":
            several = True
        elif determiners & {"a", "an", "another"} or head.kind in ("scenery", "clothes", "body"):
            return 1
        else:
            of_group = glossary().sets["closed.quantity"]
            several = any(word.lemma in of_group for word in group.determiners)
            named = head.entry is not None and head.text in head.entry.forms  # "scissors"
            several = several or (head.tag == "nouns" and not named)
        if several:
            self.note(f"{group.text}: read as {PLURAL}, the best ones")
        return PLURAL if several else 1

    def _describe(self, group: NounGroup, thing: Referent) -> None:
        """Says all that stands before a noun."""
        for word in group.determiners:
            counted = any(part in _COUNTS for part in word.text.split())
            if not counted and (word.text in _QUANTITIES or " " in word.text):
                self.leave_unchecked(word.text, word.number, thing.participants)
        colours = [w for w in group.modifiers if w.text in glossary().sets["adjectives.colours"]]
        if len(colours) > 1:
            # What is of two colours is mostly of neither.
            both = " and ".join(word.text for word in colours)
            self.leave_unchecked(both, colours[0].number, thing.participants)
        for word in group.modifiers:
            if len(colours) == 1 and word.text == "light":  # "light grey", not "a light bag"
                self.modify(replace(word, lemma="light-coloured"), thing)
            elif len(colours) < 2 or word not in colours:
                self.modify(word, thing)

    def modify(self, word: Tagged, thing: Referent) -> None:
        """Says an adjective, a participle or a noun of what it stands before."""
        if word.tag in VERB_TAGS:
            self.states.append((word, thing))
            return
        if word.tag == "adj" or word.kind == "colour":
            name = glossary().same["adjectives"].get(word.lemma, word.lemma)
            entry = self.vocabulary.said(word.text, ["adjective"])
            if entry is None and (entry := self.vocabulary.named(name, "adjective")):
                self.note(f"{word.text}: read as {name}")
            if entry is not None and thing.participants and not self._own_side(entry, thing):
                for index in thing.participants:
                    self.say(entry, (index,), word.text, word.number)
                return
        if word.text not in _SILENT:
            self.leave_unchecked(word.text, word.number, thing.participants)

    def _own_side(self, entry: Headword, thing: Referent) -> bool:
        return entry.name in REGIONS and has_sides(self.noun_of(thing))

    # Groups without a noun

    def _without_noun(self, group: NounGroup) -> Referent:
        """What "in black" or "the other" stands for."""
        said = {word.text for word in (*group.determiners, *group.modifiers)}
        if said & {"other", "another"} and (found := self._another(group)):
            return found
        adjectives = tuple(word for word in group.modifiers if word.tag == "adj")
        if group.head is not None and group.head.kind == "colour":
            adjectives += (group.head,)
        kind = "colour" if adjectives else "abstract"
        return Referent(group.text, group.number, (), kind, adjectives=adjectives)

    def _another(self, group: NounGroup) -> Referent | None:
        """Another one of the kind that was mentioned last."""
        like = next((thing for thing in reversed(self.mentioned) if thing.participants), None)
        if like is None:
            return None
        return self.fresh(group, self.noun_of(like), like.kind, "another")

    def fresh(self, group: NounGroup, noun: str, kind: str, article: str = "a") -> Referent:
        """A participant that no noun names."""
        entry = self.vocabulary.said(noun, ["noun"])
        if entry is None:
            return Referent(group.text, group.number, (), kind)
        index = len(self.participants)
        self.participants.append(Participant(entry.name, article, group.number))
        self.say(entry, (index,), group.words[-1].text, group.number)
        name = entry.name.replace("-", " ")
        self.note(f"{group.text}: read as {'an' if name[0] in 'aeiou' else 'a'} {name}")
        found = Referent(group.text, group.number, (index,), kind)
        for word in group.modifiers:
            self.modify(word, found)
        return found

    def _pronoun(self, group: NounGroup, said: str, subject: Referent | None) -> Referent:
        kind = pronoun_kind(said)
        if kind == "viewer":
            return Referent(said, group.number, (), "viewer")
        if kind == "another":
            return self._another(group) or self.fresh(group, "person", "person")
        meant = antecedent(said, self.mentioned, subject)
        if meant is not None:
            names = [f"{self.participants[i].noun} {i}" for i in meant.participants]
            if names:
                self.note(f"'{said}' is {' and '.join(names)}")
            about = meant.participants
            return Referent(said, group.number, about, meant.kind, meant.gender, meant.plural)
        if kind == "person":
            return self.fresh(group, "person", "person")
        if kind == "persons":
            first, second = (self.fresh(group, "person", "person") for _ in range(PLURAL))
            both = first.joined(second, said)
            self.never_the_same(both.participants)
            self.note(f"'{said}': read as {PLURAL} persons, the best ones")
            return both
        if kind == "thing":
            return self.fresh(group, "object", "thing")
        return Referent(said, group.number, (), "abstract")


def _gender(noun: str) -> str:
    """The gender of who a noun names, where it says one."""
    sets = glossary().sets
    found = [gender for gender in ("male", "female") if noun in sets[f"nouns.person.{gender}"]]
    return found[0] if found else ""


def _is_of_colour(group: NounGroup, head: Tagged) -> bool:
    """Whether a noun group says the colour of the whole: "in black clothes", "in dark color"."""
    adjectives = all(word.tag == "adj" for word in group.modifiers)
    return head.lemma in _WHOLE and bool(group.modifiers) and adjectives


def _article(group: NounGroup) -> str:
    said = {word.text for word in (*group.determiners, *group.modifiers)}
    if said & {"another", "other", "different"}:
        return "another"
    return "the" if "the" in said else "a"
