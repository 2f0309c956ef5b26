"""What everyday English words are to sentrack: the glossary, from one TOML file."""

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

from .inflection import inflect, plurals

Form = tuple[str, ...]

#: Kinds of nouns that can act.
AGENTS = frozenset({"person", "animal", "vehicle"})
#: Kinds of nouns that are no things of their own.
NO_THINGS = frozenset({"scenery", "clothes", "body", "abstract", "stuff"})
#: Kinds of nouns of which each one makes a box: what no detector at hand knows is refused.
TRACKABLE = frozenset({"animal", "vehicle", "thing", "name"})
#: Tags of the forms of a verb.
VERB_FORMS = {"present": "pres", "past": "past", "participle": "part", "progressive": "ing"}


@dataclass(frozen=True)
class Lexeme:
    """What a form may be.

    Attributes:
        tag: Class of word, as in the tagger's table: "noun", "nouns" (plural), "pres", "prep", ...
        lemma: Base form.
        kind: Of a noun: "person", "scenery", ...; empty for others.
    """

    tag: str
    lemma: str
    kind: str = ""


@dataclass(frozen=True)
class Glossary:
    """Everything that the file says.

    Attributes:
        data: The file.
        kinds: Kind of each noun, by its base form.
        same: Words read as another, by part of speech: name of that word, by base form.
        sets: Sets of words, by their name in the file.
    """

    data: Mapping[str, Any]
    kinds: Mapping[str, str]
    same: Mapping[str, Mapping[str, str]]
    sets: Mapping[str, frozenset[str]]

    @cached_property
    def lexemes(self) -> Mapping[Form, tuple[Lexeme, ...]]:
        """What each form may be; inflecting takes a while, and a controlled English needs none."""
        found: defaultdict[Form, dict[Lexeme, None]] = defaultdict(dict)
        for form, lexeme in _lexemes(self.data, self.kinds, self.same):
            found[form][lexeme] = None
        return {form: tuple(lexemes) for form, lexemes in found.items()}

    @cached_property
    def longest(self) -> int:
        """Number of words in the longest form."""
        return max(map(len, self.lexemes))


@cache
def glossary() -> Glossary:
    """The glossary, read when first needed."""
    text = resources.files(__package__).joinpath("glossary.toml").read_text("utf-8")
    data = tomllib.loads(text)
    kinds = dict(_kinds(data["nouns"]))
    same = {
        part: {word: name for name, said in data[part]["same"].items() for word in _words(said)}
        for part in ("nouns", "verbs", "adjectives", "adverbs", "prepositions")
    }
    same["nouns"] |= {word: "person" for word, kind in kinds.items() if kind == "person"}
    sets = {
        f"{part}.{name}": frozenset(_words(said))
        for part, section in data.items()
        for name, said in _flat(section)
    }
    return Glossary(data, kinds, same, sets)


def _words(text: str) -> list[str]:
    return [word.replace("_", " ") for word in text.split()]


def _flat(section: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in section.items():
        if isinstance(value, str):
            yield before + name, value
        elif name != "same":
            yield from _flat(value, f"{before}{name}.")


def _kinds(nouns: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each noun with its kind; where it has several, the last one counts."""
    for kind in ("abstract", "thing", "stuff", "body", "scenery", "clothes", "animal", "vehicle"):
        for word in _words(nouns[kind]):
            yield word, kind
    for name, said in nouns["same"].items():
        for word in _words(said):
            yield word, _KIND_OF_CLASS.get(name, "thing")
    for name in ("words", "plain"):
        for word in _words(nouns["person"][name]):
            yield word, "person"
    for word in _words(nouns["person"]["group"]):
        yield word, "group"


#: Kinds of the shipped nouns that are no mere things.
_CLASSES = {
    "vehicle": ("car", "truck", "bus", "bicycle", "motorcycle", "airplane", "boat", "train"),
    "animal": (
        *("dog", "cat", "horse", "cow", "bird", "sheep", "elephant", "bear", "zebra"),
        "giraffe",
    ),
    "person": ("person",),
}
_KIND_OF_CLASS = {noun: kind for kind, nouns in _CLASSES.items() for noun in nouns}


def kind_of_class(noun: str) -> str:
    """The kind of a noun of the vocabulary."""
    name = noun.replace("-", " ")
    return _KIND_OF_CLASS.get(noun) or glossary().kinds.get(name) or _by_last(name)


def _by_last(name: str) -> str:
    """The kind of a noun of several words is that of the last one."""
    *front, last = name.split()
    return (glossary().kinds.get(last) or _KIND_OF_CLASS.get(last) or "thing") if front else "thing"


def _lexemes(
    data: Mapping[str, Any], kinds: Mapping[str, str], same: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[Form, Lexeme]]:
    for word, kind in kinds.items():
        form = tuple(word.split())
        yield form, Lexeme("noun", word, kind)
        for plural in plurals(word):
            if plural not in kinds:  # "glasses" are worn
                yield tuple(plural.split()), Lexeme("nouns", word, kind)
    verbs = dict.fromkeys([*_words(data["verbs"]["plain"]), *same["verbs"], *data["verbs"]["same"]])
    for name in ("aspect", "attempt", "viewer", "goal", "arrive", "moving", "perception"):
        verbs |= dict.fromkeys(_words(data["verbs"][name]))
    for head in dict.fromkeys(verb.replace("-", " ").split()[0] for verb in verbs):
        yield from verb_lexemes(head, {})
    for part, tag in (("adjectives", "adj"), ("adverbs", "adv")):
        for word in [*_words(data[part]["plain"]), *same[part]]:
            yield tuple(word.split()), Lexeme(tag, word)
    for word in _words(data["adjectives"]["colours"]):
        yield tuple(word.split()), Lexeme("adj", word)
        yield tuple(word.split()), Lexeme("noun", word, "colour")
    for name, said in data["places"]["directions"].items():
        for word in _words(said):
            yield tuple(word.split()), Lexeme("dir", name)
    for word in same["prepositions"]:
        yield tuple(word.split()), Lexeme("prep", word)
    for name, tag in CLOSED.items():
        for word in _words(data["closed"][name]):
            yield _form(word), Lexeme(tag, word)


#: Closed classes, and the tag of each.
CLOSED = {
    "determiner": "det",
    "numbers": "det",
    "pronoun": "pron",
    "auxiliary": "aux",
    "conjunction": "conj",
    "subordinator": "sub",
    "relative": "rel",
    "question": "rel",
    "existential": "exist",
    "preposition": "prep",
    "viewer": "view",
}


def _form(word: str) -> Form:
    return (word,) if word.startswith("'") or word == "&" else tuple(word.split())


def verb_lexemes(head: str, irregular: Mapping[str, str]) -> Iterator[tuple[Form, Lexeme]]:
    """The forms of a verb."""
    yield tuple(head.split()), Lexeme("base", head)
    for name, said in inflect(head, irregular).items():
        yield tuple(said.split()), Lexeme(VERB_FORMS[name], head)
