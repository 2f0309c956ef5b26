"""The words of a lexicon, and one of them drawn."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sentrack.lexicon import Lexicon, WordModel
from sentrack.show.terminal import plain

BAR = 20


def show_words(lexicon: Lexicon, console: Console) -> None:
    """All words by part of speech."""
    console.print(plain(lexicon.name, "bold") + plain(f": {lexicon.about}"))
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("part")
    table.add_column("words", overflow="fold")
    parts: dict[str, list[str]] = {}
    for model in lexicon.words.values():
        parts.setdefault(model.part, []).append(model.name)
    for part, names in parts.items():
        table.add_row(f"{part} ({len(names)})", plain(", ".join(sorted(names))))
    console.print(table)


def show_word(model: WordModel, console: Console) -> None:
    """States, transitions and features of one word."""
    console.print(plain(model.name, "bold") + plain(f"  {model.part}({', '.join(model.roles)})"))
    if model.part == "noun":
        console.print(plain(f"  detector classes: {', '.join(model.classes) or 'any'}"))
    console.print(plain(f"  said: {', '.join(model.forms)}"))
    if model.part == "verb":
        console.print(plain(f"  moves: the {model.roles[model.moves]}"))
    if model.K > 1:
        states = plain("  →  ").join(_state(model, k) for k in range(model.K))
        console.print(plain("  ") + states)
    for n, observed in enumerate(model.observed):
        about = ", ".join(model.roles[r] for r in observed.roles)
        unit = f" ({observed.feature.unit})" if observed.feature.unit else ""
        console.print()
        told = plain(f"  {observed.feature.name}({about}): {observed.feature.about}")
        console.print(told + plain(unit, "dim"))
        table = Table(box=None, padding=(0, 2, 0, 4), show_header=model.K > 1)
        table.add_column("")
        for name in model.states:
            table.add_column(plain(name))
        for b, bin_name in enumerate(observed.feature.bins):
            cells = [_bar(float(p)) for p in model.outputs[n][:, b]]
            table.add_row(bin_name, *cells)
        console.print(table)


def _state(model: WordModel, k: int) -> Text:
    stay = ""
    if model.seconds is not None and k < model.K - 1:
        stay = f" ~{model.seconds[k]:g} s"
    elif model.transitions is not None:
        stay = f" stays {model.transitions[k, k]:.3g}"
    name = f"{model.states[k]}{stay}"
    return plain(name, "bold") + plain(" (may end here)") if model.final[k] else plain(name)


def _bar(probability: float) -> str:
    return f"{'█' * round(BAR * probability):<{BAR}} {probability:.2g}"
