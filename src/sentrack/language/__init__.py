"""English in, meaning out: one grammar that parses sentences and makes them."""

from .errors import SentenceError, VocabularyError
from .forms import entries_of, forms_of, nearest_forms
from .generator import generate
from .meaning import Meaning, Participant, Piece, Word, distinct_pairs, pieces, tree
from .parser import MAX_WORDS, parse
from .saying import say
from .vocabulary import Entry, Vocabulary

__all__ = [
    "MAX_WORDS",
    "Entry",
    "Meaning",
    "Participant",
    "Piece",
    "SentenceError",
    "Vocabulary",
    "VocabularyError",
    "Word",
    "distinct_pairs",
    "entries_of",
    "forms_of",
    "generate",
    "nearest_forms",
    "parse",
    "pieces",
    "say",
    "tree",
]
