"""English as people write it: tagged, chunked and attached by rules, in one pass each."""

from sentrack.language.english.reader import read
from sentrack.language.english.tagger import UnknownWordError

__all__ = ["UnknownWordError", "read"]
