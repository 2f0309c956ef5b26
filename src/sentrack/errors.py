"""The root of every error that sentrack raises on purpose."""


class SentrackError(Exception):
    """The input is at fault; the message says what is wrong, where, and what to do."""
