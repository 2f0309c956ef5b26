"""What goes wrong between a sentence and its meaning."""

from sentrack.errors import SentrackError


class SentenceError(SentrackError):
    """The sentence cannot be understood, or the meaning cannot be said."""


class MisfitError(SentenceError):
    """A word goes with nothing in its sentence."""


class NotLiteralError(SentenceError):
    """The words mean something else together than each on its own: "stood up"."""


class VocabularyError(SentrackError):
    """An entry of the vocabulary contradicts itself or another entry."""
