"""What can be wrong with a lexicon."""

from sentrack.errors import SentrackError


class LexiconError(SentrackError, ValueError):
    """A lexicon cannot be used; the message names file, word and field."""
