"""What was learned, shown."""

import io

from rich.console import Console

from sentrack.lexicon import Lexicon
from sentrack.show.lexicon import show_beside


def test_words_stand_side_by_side() -> None:
    everyday = Lexicon.load("everyday")
    some = {key: everyday.words[key] for key in (("verb", "pick-up"), ("verb", "push"))}
    console = Console(width=160, record=True, file=io.StringIO())
    show_beside(Lexicon("mine", "", some), Lexicon.load("paper"), console)
    text = console.export_text()
    assert "learned" in text
    assert "paper" in text
    assert "speed(patient)" in text
    assert "only learned: push" in text
