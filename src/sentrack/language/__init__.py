"""English in, meaning out: one grammar that parses sentences and makes them."""

from sentrack.language.completion import Completion, complete, suggestions
from sentrack.language.either_or import alternatives
from sentrack.language.errors import SentenceError, VocabularyError
from sentrack.language.forms import entries_of, forms_of, nearest_forms
from sentrack.language.generator import generate
from sentrack.language.glossary import kind_of_class
from sentrack.language.grammar import FUNCTION_WORDS
from sentrack.language.inflection import inflect, plurals
from sentrack.language.meaning import (
    Meaning,
    Participant,
    Piece,
    Word,
    distinct_pairs,
    pieces,
    tree,
)
from sentrack.language.parser import MAX_WORDS, parse, parse_controlled
from sentrack.language.plain_english import paraphrase
from sentrack.language.realisation import say
from sentrack.language.vocabulary import Headword, Vocabulary

__all__ = [
    "FUNCTION_WORDS",
    "MAX_WORDS",
    "Completion",
    "Headword",
    "Meaning",
    "Participant",
    "Piece",
    "SentenceError",
    "Vocabulary",
    "VocabularyError",
    "Word",
    "alternatives",
    "complete",
    "distinct_pairs",
    "entries_of",
    "forms_of",
    "generate",
    "inflect",
    "kind_of_class",
    "nearest_forms",
    "paraphrase",
    "parse",
    "parse_controlled",
    "pieces",
    "plurals",
    "say",
    "suggestions",
    "tree",
]
