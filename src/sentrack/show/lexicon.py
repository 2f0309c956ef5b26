"""The words of a lexicon: all of them, one drawn, and those of two lexicons side by side."""

from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sentrack.lexicon import Lexicon, WordModel
from sentrack.show.terminal import plain

BAR, NARROW = 20, 8  # characters of a bar: of one word, and of two side by side


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


def show_beside(learned: Lexicon, other: Lexicon, console: Console) -> None:
    """Every learned word that the other lexicon has too, beside it; nouns by their classes."""
    both = [key for key in learned.words if key in other.words]
    for part, name in both:
        ours, theirs = learned.words[part, name], other.words[part, name]
        if part != "noun":
            console.print()
            console.print(plain(name, "bold") + plain(f" {part}({', '.join(ours.roles)})"))
            panels = [(ours, "learned"), (theirs, other.name)]
            console.print(Columns([Panel(_drawn(m), title=plain(title)) for m, title in panels]))
        elif ours.classes != theirs.classes:
            found, given = (", ".join(model.classes) or "any" for model in (ours, theirs))
            console.print()
            told = f" noun: {found} (in {other.name}: {given})"
            console.print(plain(name, "bold") + plain(told))
    alone = [name for part, name in learned.words if (part, name) not in other.words]
    if alone:
        console.print()
        console.print(plain(f"only learned: {', '.join(alone)}"))


def _drawn(model: WordModel) -> Table:
    """A word as a table: a row for every bin, a column for every state with how long it lasts."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("")
    for k, name in enumerate(model.states):
        lasts = "" if model.seconds is None or k == model.K - 1 else f"{model.seconds[k]:.2g} s"
        table.add_column(plain(name) + Text(f"\n{lasts}"))
    for n, observed in enumerate(model.observed):
        about = ", ".join(model.roles[r] for r in observed.roles)
        table.add_row(plain(f"{observed.feature.name}({about})", "dim"))
        for b, bin_name in enumerate(observed.feature.bins):
            shares = [float(output) for output in model.outputs[n][:, b]]
            cells = [f"{'█' * round(NARROW * p):<{NARROW}} {p:.2f}" for p in shares]
            table.add_row(f"  {bin_name}", *cells)
    return table


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
