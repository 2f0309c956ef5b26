"""Who is meant: participants for noun groups, and the participants that pronouns stand for."""

from dataclasses import dataclass, field

from .chunker import NounGroup
from .errors import SentenceError
from .forms import not_a_class
from .glossary import AGENTS, TRACKABLE, glossary
from .meaning import Participant, Word
from .tagger import VERBS, Tagged
from .vocabulary import Entry, Vocabulary

#: As many participants as one noun may be.
MOST = 10
#: What a bare plural is read as.
PLURAL = 2

_MALE = frozenset("he him himself his".split())
_FEMALE = frozenset("she her herself".split())
_NEUTER = frozenset("it itself its".split())
_PLURAL = frozenset("they them themselves their others the_others both each_other".split())
_EACH_OTHER = frozenset({"each other", "one another"})
_SOMEBODY = frozenset("someone somebody everyone everybody anyone i we you me us one".split())
#: The one who films or watches is no participant.
_VIEWER = frozenset("i we you me us myself yourself ourselves".split())


@dataclass(frozen=True)
class Referent:
    """What a noun group stands for.

    Attributes:
        text: As said.
        number: Of its first word.
        participants: Their indices; none where it is not tracked.
        kind: Of the noun, as in the glossary; "colour" for "in black".
        gender: "male", "female" or "".
        plural: Whether it stands for several.
        adjectives: Said without a noun: "black" in "in black".
    """

    text: str
    number: int
    participants: tuple[int, ...] = ()
    kind: str = "thing"
    gender: str = ""
    plural: bool = False
    adjectives: tuple[Tagged, ...] = ()

    @property
    def acts(self) -> bool:
        return self.kind in AGENTS

    def joined(self, other: "Referent", text: str) -> "Referent":
        """Both of them."""
        return Referent(
            text,
            self.number,
            tuple(dict.fromkeys(self.participants + other.participants)),
            self.kind if self.participants or not other.participants else other.kind,
            plural=True,
        )


@dataclass
class Remark:
    """Something that was said of participants and is not checked."""

    text: str
    number: int
    participants: tuple[int, ...] = ()


@dataclass
class Discourse:
    """All that was said so far."""

    vocabulary: Vocabulary
    participants: list[Participant] = field(default_factory=list)
    words: list[tuple[int, Word, Entry]] = field(default_factory=list)
    unchecked: list[Remark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    mentioned: list[Referent] = field(default_factory=list)
    distinct: list[tuple[int, int]] = field(default_factory=list)
    states: list[tuple[Tagged, Referent]] = field(default_factory=list)

    def say(self, entry: Entry, about: tuple[int, ...], text: str, number: int) -> None:
        """Adds a word, once; one that contradicts an earlier one is not checked.

        What comes first and what next is not checked: "picked it up and put it down".
        """
        word = Word(entry.name, about, entry.part, text)
        for _, other, before in self.words:
            if other.participants != about or before.part != entry.part:
                continue
            if entry.opposite == other.word or before.opposite == word.word:
                self.note(f"'{text}' contradicts '{other.text}', unless it comes before or after")
                self.leave_unchecked(text, number, about)
                return
        if all(word != other for _, other, _ in self.words):
            self.words.append((number, word, entry))

    def leave_unchecked(self, text: str, number: int, about: tuple[int, ...] = ()) -> None:
        """Keeps what was said but is not checked."""
        if all((text, number) != (other.text, other.number) for other in self.unchecked):
            self.unchecked.append(Remark(text, number, about))

    def note(self, text: str) -> None:
        """Keeps how something was read."""
        if text not in self.notes:
            self.notes.append(text)

    def entry(self, name: str, *parts: str) -> Entry | None:
        """The entry of that name or form and one of these parts of speech, if there is one."""
        return self.vocabulary.said(name, parts)

    def refer(self, group: NounGroup) -> Referent:
        """What a noun group stands for."""
        if group.head is not None and group.head.tag == "pron":
            found = self._pronoun(group)
        elif group.head is None or group.head.kind == "colour" or _is_of_colour(group):
            found = self._without_noun(group)
        else:
            found = self._noun(group, group.head)
        self.mentioned.append(found)
        return found

    def _noun(self, group: NounGroup, head: Tagged) -> Referent:
        if group.possessor is not None:
            self.refer(group.possessor)
        noun, kind = self._tracked(head), head.kind
        if kind == "group":
            noun, kind = self.entry("person", "noun"), "person"
        gender = next((g for g in ("male", "female") if head.lemma in _nouns(g)), "")
        text = group.text
        if noun is None and kind in TRACKABLE:
            raise self._no_class(head)
        if noun is None:
            return Referent(text, group.number, (), kind, gender, head.tag == "nouns")
        count = self._count(group, head)
        article = _article(group)
        first = len(self.participants)
        indices = tuple(range(first, first + count))
        for index in indices:
            self.participants.append(Participant(noun.name, article, head.number))
            self.say(noun, (index,), head.text, head.number)
        self.distinct += [(i, j) for i in indices for j in indices if i < j]
        self._name(head, noun, kind, indices)
        found = Referent(text, group.number, indices, kind, gender, count > 1)
        for word in group.determiners:
            if word.text in _UNCHECKED_QUANTITIES or " " in word.text:
                self._quantity(word, indices)
        colours = [w for w in group.modifiers if w.text in glossary().sets["adjectives.colours"]]
        if len(colours) > 1:
            # What is of two colours is mostly of neither.
            both = " and ".join(word.text for word in colours)
            self.leave_unchecked(both, colours[0].number, indices)
        for word in group.modifiers:
            if len(colours) < 2 or word not in colours:
                self.modify(word, found)
        return found

    def _no_class(self, head: Tagged) -> SentenceError:
        where = f"'{head.text}' at word {head.number}"
        classes = [entry.name.replace("-", " ") for entry in self.vocabulary.of("noun")]
        if self.vocabulary.of_detector:
            return SentenceError(f"{where}: {not_a_class(head.lemma, classes)}")
        return SentenceError(
            f"{where} is no class that can be tracked; leave it out, or name the classes of your "
            "detector ('sentrack words' lists those known)"
        )

    def _name(self, head: Tagged, noun: Entry, kind: str, about: tuple[int, ...]) -> None:
        """Says what a noun was read as, where that is less than it says."""
        said = head.lemma.replace(" ", "-")
        if said == noun.name:
            return
        if kind == "person" and head.lemma not in glossary().sets["nouns.person.plain"]:
            self.leave_unchecked(head.text, head.number, about)
        if head.entry is None or kind == "person":
            self.note(f"{head.text}: read as {noun.name.replace('-', ' ')}")

    def _quantity(self, word: Tagged, about: tuple[int, ...]) -> None:
        if any(part in _PLAIN_QUANTITIES for part in word.text.split()):
            return
        self.leave_unchecked(word.text, word.number, about)

    def _tracked(self, head: Tagged) -> Entry | None:
        """The noun of the vocabulary that a noun is read as."""
        if head.lemma in glossary().sets["places.nouns"]:
            return None
        if head.entry is not None:
            return head.entry
        same = glossary().same["nouns"].get(head.lemma)
        return self.entry(same, "noun") if same else None

    def _count(self, group: NounGroup, head: Tagged) -> int:
        said = group.count
        if any(word.text.endswith("one of") or word.text == "each" for word in group.determiners):
            return 1
        single = any(word.text in ("a", "an", "another") for word in group.determiners)
        if said is None and (single or head.kind in ("scenery", "clothes", "body")):
            if head.kind != "group":
                return 1
        if said is not None:
            if said > MOST:
                self.note(f"{group.text}: read as {MOST}")
                self.leave_unchecked(group.text, group.number)
            return max(1, min(said, MOST))
        of_group = any(word.lemma in _nouns_quantity() for word in group.determiners)
        several = head.tag == "nouns" or (head.kind == "group" and head.lemma != "trio") or of_group
        if head.tag == "nouns" and head.entry is not None and head.text in head.entry.forms:
            several = False  # "scissors"
        if head.kind == "group" and head.lemma == "trio":
            return 3
        if several:
            self.note(f"{group.text}: read as {PLURAL}, the best ones")
        return PLURAL if several else 1

    def modify(self, word: Tagged, thing: Referent) -> None:
        """Says an adjective, a participle or a noun of what it stands before."""
        same = glossary().same
        if word.tag == "adj" or word.kind == "colour":
            name = same["adjectives"].get(word.lemma)
            entry = self.entry(word.text, "adjective")
            if entry is None and name and (entry := self.entry(name, "adjective")):
                self.note(f"{word.text}: read as {name}")
            if entry is not None and thing.participants:
                for index in thing.participants:
                    self.say(entry, (index,), word.text, word.number)
                return
        elif word.tag in VERBS:
            self.states.append((word, thing))
            return
        if word.text not in _SILENT:
            self.leave_unchecked(word.text, word.number, thing.participants)

    def _without_noun(self, group: NounGroup) -> Referent:
        """ "in black", "the other", "two of them", "the red one"."""
        said = {word.text for word in (*group.determiners, *group.modifiers)}
        if said & {"other", "another", "others"}:
            like = next((r for r in reversed(self.mentioned) if r.participants), None)
            if like is not None:
                noun = self.participants[like.participants[0]].noun
                return self._fresh(group, noun, like.kind, "another")
        adjectives = tuple(word for word in group.modifiers if word.tag == "adj")
        if group.head is not None and group.head.kind == "colour":
            adjectives += (group.head,)
        kind = "colour" if adjectives else "abstract"
        return Referent(group.text, group.number, (), kind, adjectives=adjectives)

    def _fresh(self, group: NounGroup, noun: str, kind: str, article: str = "a") -> Referent:
        """A participant that no noun names."""
        entry = self.entry(noun, "noun")
        if entry is None:
            return Referent(group.text, group.number, (), kind)
        index = len(self.participants)
        self.participants.append(Participant(entry.name, article, group.number))
        self.say(entry, (index,), group.words[-1].text, group.number)
        self.note(f"{group.text}: read as {_with_article(entry.name.replace('-', ' '))}")
        for word in group.modifiers:
            self.modify(word, Referent(group.text, group.number, (index,), kind))
        return Referent(group.text, group.number, (index,), kind)

    def _pronoun(self, group: NounGroup) -> Referent:
        assert group.head is not None
        said = group.head.text
        if said in _VIEWER:
            return Referent(said, group.number, (), "viewer")
        if said in ("another one", "the other", "the others", "others"):
            like = next((r for r in reversed(self.mentioned) if r.participants), None)
            if like is not None:
                noun = self.participants[like.participants[0]].noun
                return self._fresh(group, noun, like.kind, "another")
            return self._fresh(group, "person", "person")
        antecedent = self.antecedent(said)
        if antecedent is not None:
            if antecedent.participants:
                names = " and ".join(
                    f"{self.participants[i].noun} {i}" for i in antecedent.participants
                )
                self.note(f"'{said}' is {names}")
            return Referent(
                said,
                group.number,
                antecedent.participants,
                antecedent.kind,
                antecedent.gender,
                antecedent.plural,
            )
        if said in _MALE | _FEMALE | _SOMEBODY:
            return self._fresh(group, "person", "person")
        if said in _PLURAL or said in _EACH_OTHER:
            first = self._fresh(group, "person", "person")
            if not first.participants:
                return first
            second = self._fresh(group, "person", "person")
            self.distinct.append((first.participants[0], second.participants[0]))
            self.note(f"'{said}': read as {PLURAL} persons, the best ones")
            return first.joined(second, said)
        if said in _NEUTER | {"something"}:
            return self._fresh(group, "object", "thing")
        return Referent(said, group.number, (), "abstract")

    def antecedent(self, said: str) -> Referent | None:
        """The nearest thing mentioned that a pronoun agrees with."""
        others = [r for r in self.mentioned if r.kind not in ("colour", "viewer")]
        if said in _MALE or said in _FEMALE:
            wrong = "female" if said in _MALE else "male"
            agreeing = [r for r in others if r.kind == "person" and r.gender != wrong]
            agreeing = [r for r in agreeing if not r.plural] or agreeing
            return (
                agreeing[-1]
                if agreeing
                else next(
                    (r for r in reversed(others) if r.kind == "animal" and r.participants), None
                )
            )
        if said in _NEUTER:
            agreeing = [r for r in others if r.kind != "person" and not r.plural]
            things = [r for r in agreeing if r.participants or r.kind in _THINGS] or agreeing
            return things[-1] if things else None
        if said in _PLURAL or said in _EACH_OTHER:
            several = [r for r in others if r.plural]
            if several:
                return several[-1]
            persons = [r for r in others if r.kind == "person" and r.participants]
            return persons[-1] if persons and said in _PLURAL else None
        return None


#: Kinds of nouns that "it" may stand for without being tracked.
_THINGS = frozenset({"thing", "animal", "vehicle", "clothes", "stuff"})


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


_UNCHECKED_QUANTITIES = frozenset(
    "many several few most more all every each various numerous".split()
)
_PLAIN_QUANTITIES = frozenset(
    "one two three four five six seven eight nine ten couple pair".split()
)
#: Adjectives that say nothing of their own: the count and the article say it.
_SILENT = frozenset({"other", "own"})


def _is_of_colour(group: NounGroup) -> bool:
    """ "in black clothes", "in dark color": the colour of the whole."""
    assert group.head is not None
    whole = group.head.lemma in ("clothes", "clothing", "color", "colour", "attire", "outfit")
    return whole and bool(group.modifiers) and all(w.tag == "adj" for w in group.modifiers)


def _article(group: NounGroup) -> str:
    said = {word.text for word in (*group.determiners, *group.modifiers)}
    if said & {"another", "other", "different"}:
        return "another"
    return "the" if "the" in said else "a"


def _nouns(gender: str) -> frozenset[str]:
    return glossary().sets[f"nouns.person.{gender}"]


def _nouns_quantity() -> frozenset[str]:
    return glossary().sets["closed.quantity"]


def refuse_untracked(discourse: Discourse, things: list[Referent]) -> None:
    """Refuses a sentence in which nothing can be tracked."""
    if discourse.participants:
        return
    named = [f"'{thing.text}'" for thing in things if thing.kind not in ("viewer", "colour")]
    what = ", ".join(named[:3]) or "the sentence"
    raise SentenceError(
        f"nothing in it can be tracked: {what} names no class of the detector; "
        "name a person, an animal or a thing of it ('sentrack words' lists all)"
    )
