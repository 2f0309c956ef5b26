"""A lexicon as TOML that `Lexicon.load` reads back."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.lexicon.model import Observed, WordModel


def written(name: str, about: str, words: Mapping[tuple[str, str], WordModel], leap: float) -> str:
    """The text of a lexicon file; all that a word says is written out, so it needs no base."""
    noises = [model.noise for model in words.values()]
    usual = max(set(noises), key=noises.count, default=0.0)
    lines = [f"name = {_text(name)}", f"about = {_text(about)}", f"noise = {_number(usual)}"]
    lines.append(f"leap = {_number(leap)}")
    if not words:
        lines.append("words = {}")
    names = [model.name for model in words.values()]
    for (part, _), model in words.items():
        # Two words of one name need two keys.
        key = model.name if names.count(model.name) == 1 else f"{part}/{model.name}"
        lines += ["", *_word(_key(key), model, usual)]
    return "\n".join(lines) + "\n"


def _word(key: str, model: WordModel, usual: float) -> Iterator[str]:
    yield f"[words.{key}]"
    yield f"part = {_text(model.part)}"
    yield f"forms = {_list(model.forms)}"
    yield f"roles = {_list(model.roles)}"
    if model.moves:
        yield f"moves = {_text(model.roles[model.moves])}"
    for fact, value in model.grammar.items():
        yield f"{fact} = {_table(value) if isinstance(value, Mapping) else _text(str(value))}"
    if model.part == "noun":
        yield f"classes = {_list(model.classes) if model.classes else _text('any')}"
    if model.noise != usual:
        yield f"noise = {_number(model.noise)}"
    if model.K > 1:
        yield f"initial = {_numbers(model.initial)}"
        ends = [name for name, last in zip(model.states, model.final, strict=True) if last]
        yield f"final = {_list(ends)}"
    if model.transitions is not None:
        rows = ", ".join(_numbers(row) for row in model.transitions)
        yield f"transitions = [{rows}]"
    if model.states == ("state 0",) and not model.observed:
        return  # what is read where no state is written
    for k in range(model.K):
        yield f"[[words.{key}.states]]"
        yield f"name = {_text(model.states[k])}"
        if model.seconds is not None:
            yield f"seconds = {_number(float(model.seconds[k]))}"
        for observed, output in zip(model.observed, model.outputs, strict=True):
            bins = dict(zip(observed.feature.bins, output[k].tolist(), strict=True))
            yield f"{_key(_about(observed, model.roles))} = {_table(bins)}"


def _about(observed: Observed, roles: tuple[str, ...]) -> str:
    return f"{observed.feature.name}({', '.join(roles[r] for r in observed.roles)})"


def _table(entries: Mapping[str, Any]) -> str:
    inner = ", ".join(
        f"{_key(key)} = {_text(value) if isinstance(value, str) else _number(value)}"
        for key, value in entries.items()
    )
    return f"{{ {inner} }}" if inner else "{}"


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _numbers(values: npt.NDArray[np.float64]) -> str:
    return f"[{', '.join(_number(float(value)) for value in values)}]"


def _number(value: float) -> str:
    """The shortest digits that give the same number again."""
    return repr(float(value))


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _text(text)


def _text(text: str) -> str:
    """A key or a value in quotes; JSON's escapes are TOML's, but for DEL and half characters."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
