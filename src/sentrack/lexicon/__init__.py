"""What words mean: models over named, binned features, and the shipped lexicons."""

from sentrack.lexicon.errors import LexiconError
from sentrack.lexicon.lexicon import Lexicon
from sentrack.lexicon.model import WordModel

__all__ = ["Lexicon", "LexiconError", "WordModel"]
