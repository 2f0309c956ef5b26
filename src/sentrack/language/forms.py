"""From the words of a vocabulary to everything that may be said: the terminals of the grammar."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sentrack.text import similar, words_of

from .glossary import kind_of_class
from .grammar import FUNCTION_WORDS, PREFERENCE, TERMINAL_OF_PART
from .inflection import inflect
from .vocabulary import Headword, Vocabulary, heads

Form = tuple[str, ...]

#: English that people may well try, and why it is refused.
_REFUSED = {
    "not never no": "sentrack looks for what happens, not for what does not; leave it out",
    "or either nor": "one sentence says one thing; ask twice instead",
}


class Reading(NamedTuple):
    """A terminal that a form may be, with its meanings, the preferred one first."""

    terminal: str
    entries: tuple[Headword, ...]


@dataclass(frozen=True)
class Surface:
    """Everything that may be said with a vocabulary.

    Attributes:
        readings: What each form may be, the preferred reading first.
        refused: Forms that are understood but refused, with the reason; "" for nouns that are no
            classes of the detector, whose reason takes a while to find.
        classes: What the detector knows.
        forms: The forms of each terminal with their meanings.
        longest: Number of words in the longest form.
    """

    readings: Mapping[Form, tuple[Reading, ...]]
    refused: Mapping[Form, str]
    classes: tuple[str, ...]
    forms: Mapping[str, tuple[tuple[Form, Headword], ...]]
    longest: int

    def matches(self, words: Form) -> Iterator[tuple[int, tuple[Reading, ...]]]:
        """The forms that a sequence of words begins with, the longest first."""
        for length in range(min(self.longest, len(words)), 0, -1):
            readings = self.readings.get(words[:length])
            if readings:
                yield length, readings

    def knows(self, words: Form) -> bool:
        """Whether a sequence of words begins with a form that is known or refused."""
        return any(True for _ in self.matches(words)) or words[:1] in self.refused

    def refusal(self, words: Form) -> str:
        """Why a form is refused, or nothing if it is not."""
        if words not in self.refused:
            return ""
        return self.refused[words] or not_a_class(" ".join(words), self.classes)

    def nearest(self, word: str, terminals: set[str], n: int = 3) -> list[str]:
        """The forms most similar to a word: of these terminals, or if there are none of any."""
        fitting, others = set[str](), set[str]()
        for form, readings in self.readings.items():
            fits = any(reading.terminal in terminals for reading in readings)
            (fitting if fits else others).add(" ".join(form))
        return similar(word, sorted(fitting), n, 0.7) or similar(word, sorted(others), n, 0.75)


@lru_cache(maxsize=32)
def surface(vocabulary: Vocabulary) -> Surface:
    """Everything that may be said with a vocabulary; built once for each."""
    meanings: defaultdict[tuple[Form, str], list[Headword]] = defaultdict(list)
    for terminal, words in FUNCTION_WORDS.items():
        for word in words:
            meanings[(word,), terminal] = []
    for entry in vocabulary.entries:
        for terminal, text in _forms(entry):
            found = meanings[words_of(text), terminal]
            if entry not in found:
                found.append(entry)
    readings: defaultdict[Form, list[Reading]] = defaultdict(list)
    for (form, terminal), entries in meanings.items():
        readings[form].append(Reading(terminal, tuple(entries)))
    for found_readings in readings.values():
        found_readings.sort(key=lambda reading: PREFERENCE.index(reading.terminal))
    forms: defaultdict[str, list[tuple[Form, Headword]]] = defaultdict(list)
    for (form, terminal), entries in meanings.items():
        forms[terminal] += [(form, entry) for entry in entries]
    refused = {form: why for form, why in _refused(vocabulary) if form not in readings}
    return Surface(
        readings={form: tuple(found_readings) for form, found_readings in readings.items()},
        refused=refused,
        classes=tuple(" ".join(words_of(entry.name)) for entry in vocabulary.of("noun")),
        forms={terminal: tuple(pairs) for terminal, pairs in forms.items()},
        longest=max(map(len, [*readings, *refused])),
    )


def forms_of(entry: Headword) -> tuple[str, ...]:
    """Everything that is said for an entry, verbs with particle and preposition, in one piece."""
    whole = {"V1", "V2", "V3", *TERMINAL_OF_PART.values()}
    said = [text for terminal, text in _forms(entry) if terminal.split("_")[0] in whole]
    return tuple(dict.fromkeys(said))


def entries_of(form: str, vocabulary: Vocabulary) -> tuple[Headword, ...]:
    """Everything that a form may mean, the preferred meaning first; none if it is unknown."""
    readings = surface(vocabulary).readings.get(words_of(form), ())
    return tuple(dict.fromkeys(entry for reading in readings for entry in reading.entries))


def nearest_forms(word: str, vocabulary: Vocabulary, n: int = 3) -> tuple[str, ...]:
    """The known forms most similar to a word, the most similar first."""
    return tuple(surface(vocabulary).nearest(word.lower(), set(PREFERENCE), n))


def _forms(entry: Headword) -> Iterator[tuple[str, str]]:
    """Each terminal that an entry may be, with what is said then."""
    if entry.part != "verb":
        for form in entry.forms:
            yield TERMINAL_OF_PART[entry.part], form
        return
    places = len(entry.roles)
    particle = [entry.particle] if entry.particle else []
    preposition = [entry.preposition] if entry.preposition else []
    if particle:
        yield "PARTICLE", entry.particle
    if preposition:
        yield "LINK", entry.preposition
    for _, inflected in _inflected(entry):
        tail = particle + (preposition if places == 2 else [])
        endings = {"": ("past", "present"), "_ING": ("progressive",), "_DONE": ("participle",)}
        for ending, names in endings.items():
            for name in names:
                if places > 1 or ending != "_DONE":
                    yield f"V{places}{ending}", " ".join([inflected[name], *tail])
                if ending == "_DONE" or places != 2:
                    continue
                # "picked the cup up", "collided slowly with the chair"
                if particle and not preposition:
                    yield f"SPLIT{ending}", inflected[name]
                if preposition:
                    yield f"APART{ending}", " ".join([inflected[name], *particle])


def _inflected(entry: Headword) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The heads of a verb, each with its forms; what is irregular is so of the first."""
    for number, head in enumerate(heads(entry)):
        yield head, inflect(head, {} if number else entry.irregular)


def _refused(vocabulary: Vocabulary) -> Iterator[tuple[Form, str]]:
    """Forms that are understood but refused, with the reason; see `Surface`."""
    for words, why in _REFUSED.items():
        for word in words.split():
            yield (word,), why
    for entry in vocabulary.foreign:
        for form in entry.forms:
            yield words_of(form), ""


def not_a_class(noun: str, classes: Sequence[str]) -> str:
    """Says that the detector at hand does not know a noun, and which ones it does.

    These are the nearest by letters, or else those of the same kind: animals, vehicles, persons;
    or none, for what is neither, unless there are few.
    """
    kind = kind_of_class(noun)
    alike = [name for name in classes if kind != "thing" and kind_of_class(name) == kind]
    near = similar(noun, classes, 3, 0.7) or similar(noun, alike, 5)
    if not near and len(classes) > 5:
        return "no detector was used here that has such a class, or one near it"
    quoted = ", ".join(f"'{name}'" for name in near or sorted(classes))
    return f"no detector was used here that has such a class; the nearest classes are {quoted}"
