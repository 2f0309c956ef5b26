"""The words of a lexicon, and one of them drawn."""

from rich.console import Console
from rich.table import Table

from sentrack.lexicon import Lexicon, WordModel

BAR = 20


def show_words(lexicon: Lexicon, console: Console) -> None:
    """All words by part of speech."""
    console.print(f"[bold]{lexicon.name}[/bold]: {lexicon.about}")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("part")
    table.add_column("words", overflow="fold")
    parts: dict[str, list[str]] = {}
    for model in lexicon.words.values():
        parts.setdefault(model.part, []).append(model.name)
    for part, names in parts.items():
        table.add_row(f"{part} ({len(names)})", ", ".join(sorted(names)))
    console.print(table)


def show_word(model: WordModel, console: Console) -> None:
    """States, transitions and features of one word."""
    console.print(f"[bold]{model.name}[/bold]  {model.part}({', '.join(model.roles)})")
    if model.part == "noun":
        console.print(f"  detector classes: {', '.join(model.classes) or 'any'}")
    console.print(f"  said: {', '.join(model.forms)}")
    if model.part == "verb":
        console.print(f"  moves: the {model.roles[model.moves]}")
    if model.K > 1:
        console.print("  " + "  →  ".join(_state(model, k) for k in range(model.K)))
    for n, observed in enumerate(model.observed):
        about = ", ".join(model.roles[r] for r in observed.roles)
        unit = f" [dim]({observed.feature.unit})[/dim]" if observed.feature.unit else ""
        console.print(f"\n  {observed.feature.name}({about}): {observed.feature.about}{unit}")
        table = Table(box=None, padding=(0, 2, 0, 4), show_header=model.K > 1)
        table.add_column("")
        for name in model.states:
            table.add_column(name)
        for b, bin_name in enumerate(observed.feature.bins):
            cells = [_bar(float(p)) for p in model.outputs[n][:, b]]
            table.add_row(bin_name, *cells)
        console.print(table)


def _state(model: WordModel, k: int) -> str:
    mark = "[bold]" if model.final[k] else ""
    end = "[/bold] (may end here)" if model.final[k] else ""
    stay = ""
    if model.seconds is not None and k < model.K - 1:
        stay = f" ~{model.seconds[k]:g} s"
    elif model.transitions is not None:
        stay = f" stays {model.transitions[k, k]:.3g}"
    return f"{mark}{model.states[k]}{stay}{end}"


def _bar(probability: float) -> str:
    return f"{'█' * round(BAR * probability):<{BAR}} {probability:.2g}"
