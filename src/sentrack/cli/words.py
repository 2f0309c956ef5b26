"""Commands on words: `parse`, `words` and `demo`."""

from pathlib import Path
from typing import Annotated

import typer

from sentrack.cli.options import Lexicon, must_end
from sentrack.text import visible


def parse(
    sentence: Annotated[str, typer.Argument(help="A sentence in quotes.")],
    lexicon: Lexicon = "everyday",
) -> None:
    """Show how a sentence is understood: participants, words and links."""
    from sentrack.language import paraphrase, tree
    from sentrack.tasks import understand

    meaning = understand(sentence, lexicon)
    for line in [*tree(meaning).split("\n"), f"read as: {paraphrase(meaning)}"]:
        print(visible(line))


def words(
    word: Annotated[str, typer.Argument(help="A word to draw; without it all are listed.")] = "",
    lexicon: Lexicon = "everyday",
) -> None:
    """List the words of a lexicon, or draw one: states, transitions and features."""
    from rich.console import Console

    from sentrack.lexicon import Lexicon as Words
    from sentrack.show import show_word, show_words

    known = Words.load(lexicon)
    if not word:
        show_words(known, Console())
        return
    for model in known.find(word):
        show_word(model, Console())


def demo(
    seed: Annotated[int, typer.Option(help="Which scene to make up.")] = 0,
    real: Annotated[bool, typer.Option("--real", help="Real footage and a real detector.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Annotated video: .mp4.")
    ] = None,
) -> None:
    """Track sentences in a made-up clip or a real one, with proofs and an annotated video."""
    from sentrack.demo import show_demo, show_real

    must_end(output, ".mp4", ".m4v")
    if real:
        show_real(output)
    else:
        show_demo(seed, output)
