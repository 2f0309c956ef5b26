"""A lexicon as TOML that `Lexicon.load` reads back."""

from collections.abc import Mapping
from typing import Any

import tomli_w

from sentrack.lexicon.model import WordModel


def written(
    name: str, about: str, words: Mapping[tuple[str, str], WordModel], identity: bool
) -> str:
    """The text of a lexicon file; all that a word says is written out, so it needs no base."""
    noises = [model.noise for model in words.values()]
    usual = max(set(noises), key=noises.count, default=0.0)
    names = [model.name for model in words.values()]
    # Two words of one name need two keys.
    tables = {
        model.name if names.count(model.name) == 1 else f"{part}/{model.name}": _word(model, usual)
        for (part, _), model in words.items()
    }
    document = {"name": name, "about": about, "noise": usual, "identity": identity, "words": tables}
    # Half characters, which Python's text may hold, are not text to others.
    return tomli_w.dumps(document).encode("utf-8", "replace").decode("utf-8")


def _word(model: WordModel, usual: float) -> dict[str, Any]:
    table: dict[str, Any] = {"part": model.part, "forms": model.forms, "roles": model.roles}
    if model.moves:
        table["moves"] = model.roles[model.moves]
    table |= model.grammar
    if model.part == "noun":
        table["classes"] = model.classes or "any"
    if model.noise != usual:
        table["noise"] = model.noise
    if model.K > 1:
        table["initial"] = model.initial.tolist()
        ends = zip(model.states, model.final, strict=True)
        table["final"] = [state for state, last in ends if last]
    if model.transitions is not None:
        table["transitions"] = model.transitions.tolist()
    if model.states != ("state 0",) or model.observed:  # else it is what is read without any
        table["states"] = [_state(model, k) for k in range(model.K)]
    return table


def _state(model: WordModel, k: int) -> dict[str, Any]:
    table: dict[str, Any] = {"name": model.states[k]}
    if model.seconds is not None:
        table["seconds"] = float(model.seconds[k])
    for observed, output in zip(model.observed, model.outputs, strict=True):
        about = ", ".join(model.roles[role] for role in observed.roles)
        bins = zip(observed.feature.bins, output[k].tolist(), strict=True)
        table[f"{observed.feature.name}({about})"] = dict(bins)
    return table
