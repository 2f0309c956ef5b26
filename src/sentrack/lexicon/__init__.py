"""What words mean: models over named, binned features, and the shipped lexicons."""

from sentrack.lexicon.errors import LexiconError
from sentrack.lexicon.features import FEATURES, Bins, Candidates, Feature
from sentrack.lexicon.kind_table import Kinds, kinds
from sentrack.lexicon.lexicon import Lexicon
from sentrack.lexicon.model import Observed, WordModel, aligned

__all__ = [
    "FEATURES",
    "Bins",
    "Candidates",
    "Feature",
    "Kinds",
    "Lexicon",
    "LexiconError",
    "Observed",
    "WordModel",
    "aligned",
    "kinds",
]
