"""Text of others on the terminal: it is no markup there, and commands nothing."""

from rich.text import Text

from sentrack.text import visible


def plain(text: object, style: str = "") -> Text:
    """Text for Rich to show as it is: names of classes, files and words, and sentences."""
    return Text(visible(text), style)
