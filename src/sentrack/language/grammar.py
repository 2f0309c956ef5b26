"""The grammar, ready to parse and to be walked; and what its terminals are in plain words."""

from dataclasses import dataclass
from functools import cache

from lark import Lark

from .vocabulary import Headword


@dataclass(frozen=True)
class Said:
    """A word or phrase as said, the value of a terminal.

    Attributes:
        text: The words.
        position: Number of the first one in the sentence, from 1.
        entries: What it may mean, the preferred meaning first; empty for function words.
    """

    text: str
    position: int
    entries: tuple[Headword, ...] = ()

    def __str__(self) -> str:
        return self.text


@cache
def grammar() -> Lark:
    """The grammar of the language layer."""
    return Lark.open_from_package(
        __package__,
        "grammar.lark",
        parser="lalr",
        start="sentence",
        maybe_placeholders=False,
    )


#: Terminals that stand for words of the grammar itself, with those words.
FUNCTION_WORDS = {
    "ARTICLE": ("the", "a", "an", "another"),
    "WHO": ("who", "that", "which"),
    "BE": ("is", "was"),
    "BEING": ("being",),
    "BY": ("by",),
    "AND": ("and",),
    "PLUS": ("and",),
    "WHILE": ("while",),
}

#: Terminals of words from the vocabulary that do not inflect.
TERMINAL_OF_PART = {
    "noun": "NOUN",
    "adjective": "ADJECTIVE",
    "adverb": "ADVERB",
    "preposition": "PREPOSITION",
    "motion": "MOTION",
    "direction": "DIRECTION",
}

VERBS = ("APART", "SPLIT", "V3", "V2", "V1")
VERB_TERMINALS = frozenset(f"{verb}{form}" for verb in VERBS for form in ("", "_ING", "_DONE"))

#: Every terminal in order of preference, for a form that may be several of them. What a verb asks
#: for (its particle, its preposition) comes before what it merely allows.
PREFERENCE = (
    *(f"{verb}{form}" for verb in VERBS for form in ("", "_DONE", "_ING")),
    *("LINK", "PARTICLE", *FUNCTION_WORDS, "PREPOSITION", "DIRECTION", "MOTION"),
    *("ADVERB", "ADJECTIVE", "NOUN"),
)


#: What terminals are in plain words, in the order in which messages name them.
_PLAIN = {
    "a noun": {"NOUN"},
    "an adjective": {"ADJECTIVE"},
    "an article such as 'the'": {"ARTICLE"},
    "a verb": set(VERBS),
    "a verb in -ing": {f"{verb}_ING" for verb in VERBS},
    "a participle": {f"{verb}_DONE" for verb in VERBS},
    "'is'": {"BE"},
    "'being'": {"BEING"},
    "'by'": {"BY"},
    "the particle of the verb": {"PARTICLE"},
    "the preposition of the verb": {"LINK"},
    "an adverb": {"ADVERB"},
    "a preposition": {"PREPOSITION"},
    "a motion phrase": {"MOTION"},
    "a direction": {"DIRECTION"},
    "'who'": {"WHO"},
    "'and'": {"AND", "PLUS"},
    "'while'": {"WHILE"},
    "the end of the sentence": {"$END"},
}


def describe_terminals(terminals: set[str]) -> list[str]:
    """What these terminals are, in plain words."""
    return [words for words, meant in _PLAIN.items() if meant & terminals]
