"""The words that sentences may use: what the grammar needs to know of each."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sentrack.text import canonical, words_of

from .errors import VocabularyError

#: Parts of speech, and how many participants a word of each may speak of.
PARTS: Mapping[str, tuple[int, ...]] = {
    "noun": (1,),
    "verb": (1, 2, 3),
    "adverb": (1,),
    "adjective": (1,),
    "preposition": (2,),
    "motion": (2,),
    "direction": (1,),
}

INFLECTIONS = frozenset({"past", "participle", "present", "progressive"})


@dataclass(frozen=True)
class Headword:
    """A word, as the grammar sees it.

    A verb is its head (the base form that inflects: "pick"), then an optional particle ("up") and
    an optional preposition ("with" in collide with). Its `forms` are heads; particle and
    preposition may be repeated in them ("pick up") and make no difference there.

    Attributes:
        name: Canonical name, hyphenated: "carry", "pick-up", "left-of", "slowly", "person".
        part: "noun", "verb", "adverb", "adjective", "preposition", "motion" or "direction".
        forms: How it is said: "to the left of", "left of"; for verbs the base forms.
        roles: Names of its participants in order: "agent", "patient".
        moves: For verbs, the index of the participant that the verb moves.
        irregular: For verbs, the irregular "past", "participle", "present" and "progressive" of
            the first form's head. Common irregular verbs are known without it.
        particle: For verbs, a word that stands after the head or after the object: "up".
        preposition: For verbs, the word before the object ("with" in collide with), or before the
            third participant ("to" in gave the cup to the person).
        opposite: Name of a word that cannot be said of the same participants at once.
    """

    name: str
    part: str
    forms: tuple[str, ...]
    roles: tuple[str, ...]
    moves: int = 0
    irregular: Mapping[str, str] = field(default_factory=dict, hash=False)
    particle: str = ""
    preposition: str = ""
    opposite: str = ""


@dataclass(frozen=True)
class Vocabulary:
    """All words that a sentence may use; immutable.

    Where two entries share a form of the same part of speech, the earlier one is meant.

    Attributes:
        entries: The words known.
        foreign: Nouns known to English but not to the detector of the clip at hand; they are
            refused with a message that says so. Only `with_nouns` fills it.
        of_detector: Whether the nouns are those of a detector.
    """

    entries: tuple[Headword, ...]
    foreign: tuple[Headword, ...] = ()
    of_detector: bool = False

    def __init__(
        self,
        entries: Iterable[Headword],
        foreign: Iterable[Headword] = (),
        of_detector: bool = False,
    ) -> None:
        object.__setattr__(self, "entries", tuple(entries))
        object.__setattr__(self, "foreign", tuple(foreign))
        object.__setattr__(self, "of_detector", of_detector)
        seen: set[tuple[str, str]] = set()
        for entry in self.entries:
            _check(entry)
            if (entry.name, entry.part) in seen:
                raise VocabularyError(f"the vocabulary has two {entry.part}s named '{entry.name}'")
            seen.add((entry.name, entry.part))

    def __iter__(self) -> Iterator[Headword]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def _hash(self) -> int:
        return hash((self.entries, self.foreign, self.of_detector))

    def __hash__(self) -> int:
        return self._hash  # what is made of thousands of nouns is looked up by it

    def __contains__(self, name: object) -> bool:
        return any(entry.name == name for entry in self.entries)

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Headword]:
        return {(entry.name, entry.part): entry for entry in self.entries}

    def entry(self, name: str, part: str) -> Headword:
        """The entry of that name and part of speech.

        Raises:
            VocabularyError: The vocabulary has none.
        """
        try:
            return self._by_name[name, part]
        except KeyError:
            raise VocabularyError(f"the vocabulary has no {part} named '{name}'") from None

    @cached_property
    def _by_form(self) -> Mapping[tuple[str, str], Headword]:
        found: dict[tuple[str, str], Headword] = {}
        for entry in self.entries:
            for form in (*map(str, entry.forms), entry.name.replace("-", " ")):
                found.setdefault((" ".join(words_of(form)), entry.part), entry)
        return found

    def said(self, form: str, parts: Iterable[str]) -> Headword | None:
        """The entry of that form, or name, and of one of these parts of speech; verbs by a head."""
        text = " ".join(words_of(form))
        found = (self._by_form.get((text, part)) for part in parts)
        return next((entry for entry in found if entry), None)

    def named(self, name: str, part: str) -> Headword | None:
        """The entry of that name and part of speech, if there is one."""
        return self._by_name.get((name, part))

    def of(self, part: str) -> tuple[Headword, ...]:
        """All entries of a part of speech, in order."""
        return tuple(entry for entry in self.entries if entry.part == part)

    def with_nouns(self, classes: Iterable[str]) -> "Vocabulary":
        """The same vocabulary with exactly these classes of a detector as its nouns.

        A class keeps the synonyms that this vocabulary has for it, under either name; a synonym
        that is a class of its own belongs to that class alone. A class without a letter, digit or
        symbol in its name cannot be said.
        """
        names = list(dict.fromkeys(filter(None, map(canonical, classes))))
        known = [entry for entry in (*self.entries, *self.foreign) if entry.part == "noun"]
        nouns, kept = [], set()
        for name in names:
            same = [
                entry
                for entry in known
                if name == entry.name or name in map(canonical, entry.forms)
            ]
            # A noun of that very name comes before one that merely lists it as a synonym.
            same.sort(key=lambda entry: entry.name != name)
            said = [" ".join(words_of(name))]
            for entry in same[:1]:
                kept.add(entry.name)
                said += [entry.name, *entry.forms]
            forms = [" ".join(words_of(form)) for form in said]
            own = [
                form for form in forms if canonical(form) == name or canonical(form) not in names
            ]
            roles = same[0].roles if same else ("thing",)
            nouns.append(Headword(name, "noun", tuple(dict.fromkeys(own)), roles))
        rest = [entry for entry in self.entries if entry.part != "noun"]
        foreign = [entry for entry in known if entry.name not in kept]
        return Vocabulary([*nouns, *rest], foreign, of_detector=True)

    def and_nouns(self, classes: Iterable[str]) -> "Vocabulary":
        """The same vocabulary with these classes as further nouns.

        A synonym that is a class of its own belongs to that class alone.
        """
        names = dict.fromkeys(filter(None, map(canonical, classes)))
        kept = []
        for entry in self.entries:
            if entry.part == "noun":
                own_name = entry.name.replace("-", " ")
                forms = [f for f in entry.forms if canonical(f) not in names or f == own_name]
                kept.append(replace(entry, forms=tuple(forms) or (own_name,)))
            else:
                kept.append(entry)
        own = {entry.name for entry in kept if entry.part == "noun"}
        fresh = [
            Headword(name, "noun", (name.replace("-", " "),), ("thing",))
            for name in names
            if name not in own
        ]
        return Vocabulary([*kept, *fresh], self.foreign, self.of_detector)


def _check(entry: Headword) -> None:
    """Refuses an entry that the grammar could not use."""

    def refuse(why: str) -> None:
        raise VocabularyError(f"the word '{entry.name}' {why}")

    if not entry.name or entry.name != canonical(entry.name):
        refuse(f"needs a lower-case, hyphenated name such as '{canonical(entry.name) or 'carry'}'")
    if entry.part not in PARTS:
        refuse(f"has the part of speech '{entry.part}'; use one of {', '.join(PARTS)}")
    if len(entry.roles) not in PARTS[entry.part]:
        allowed = " or ".join(map(str, PARTS[entry.part]))
        refuse(f"has {len(entry.roles)} roles; a {entry.part} needs {allowed}")
    if not entry.forms or not all(words_of(form) for form in entry.forms):
        refuse("needs at least one form, and none of them empty")
    if entry.part != "verb":
        if entry.irregular or entry.particle or entry.preposition or entry.moves:
            refuse("is no verb and cannot have verb attributes")
        return
    if not 0 <= entry.moves < len(entry.roles):
        refuse(f"moves participant {entry.moves} but has only {len(entry.roles)}")
    for text in (entry.particle, entry.preposition):
        if text != " ".join(words_of(text)):
            refuse(f"needs '{text}' in lower case, with single blanks")
    if set(entry.irregular) - INFLECTIONS:
        unknown = ", ".join(sorted(set(entry.irregular) - INFLECTIONS))
        refuse(f"has the unknown inflection {unknown}; use {', '.join(sorted(INFLECTIONS))}")
    if len(entry.roles) == 3 and not entry.preposition:
        refuse("has three participants and needs the preposition before the third, such as 'to'")
    if len(entry.roles) == 1 and entry.preposition:
        refuse("has one participant: a preposition would have nothing to stand before")


def heads(entry: Headword) -> tuple[str, ...]:
    """The base forms of a verb without its particle and preposition."""
    found = []
    for form in entry.forms:
        head = " ".join(words_of(form))
        for tail in (entry.preposition, entry.particle):
            head = head.removesuffix(f" {tail}") if tail else head
        found.append(head)
    return tuple(dict.fromkeys(found))
