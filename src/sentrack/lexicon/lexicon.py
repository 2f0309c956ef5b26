"""A lexicon: all words with their meanings, from one TOML file."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from sentrack.files import whole
from sentrack.language import Headword, Vocabulary
from sentrack.lexicon import pair_features as pair_features  # registers its features
from sentrack.lexicon import paper_features as paper_features  # registers its features
from sentrack.lexicon.errors import LexiconError
from sentrack.lexicon.fitted import with_fitted
from sentrack.lexicon.model import Floats, WordModel
from sentrack.lexicon.reader import SHARED, known, read_word
from sentrack.lexicon.writer import written
from sentrack.notebook import InNotebook
from sentrack.text import canonical, similar

SHIPPED = ("everyday", "written", "paper", "paper9")
WRITTEN = "written"  # `everyday` as it is written by hand, before it is fitted
TOP = ("name", "about", "base", "split", "zero", "noise", "identity", "words")


@dataclass(frozen=True, eq=False)
class Lexicon(InNotebook):
    """What words mean.

    Attributes:
        name: of the file, without its ending.
        about: one line on what it is for.
        words: the models, by part of speech and name.
        identity: whether a track keeps to one thing, which may come and go; where not, tracks are
            the paper's, held together by distance alone, with a box in every frame.
    """

    name: str
    about: str
    words: dict[tuple[str, str], WordModel]
    identity: bool = True

    def __repr__(self) -> str:
        return f"Lexicon({self.name!r}, {len(self.words)} words)"

    @classmethod
    def load(cls, source: str | Path = "everyday") -> "Lexicon":
        """A shipped lexicon by its name, or a TOML file.

        Raises:
            LexiconError: naming the file, the word and the field that is wrong.
        """
        if str(source) in SHIPPED:
            return _shipped(str(source))
        path = Path(source)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            near = similar(str(source), SHIPPED, 1, 0.6)
            hint = f"; did you mean {near[0]!r}?" if near else f"; shipped: {', '.join(SHIPPED)}"
            raise LexiconError(f"{source}: no such lexicon ({error}){hint}") from None
        return read(text, path.name)

    def save(self, path: str | Path) -> None:
        """Write a TOML file that `load` reads back; whole or not at all."""
        text = written(self.name, self.about, self.words, self.identity)
        with whole(path) as temporary:
            temporary.write_text(text, encoding="utf-8")

    def model(self, name: str, part: str) -> WordModel:
        """The model of a word; a noun without one names the detector class of its name."""
        found = self.words.get((part, name))
        if found is not None:
            return found
        if part == "noun":
            return WordModel(name, "noun", (name.replace("-", " "),), ("it",), classes=(name,))
        raise LexiconError(f"{self.name}: it has no {part} {name!r}")

    def named(self, noun: str, classes: Sequence[str]) -> tuple[str, ...]:
        """Those of the classes of a clip that a noun names; see docs/reference/lexicon.md.

        They are the class of its own name and those that its model lists. A noun that names any
        class names all of them, unless there is one of its own name.
        """
        model = self.model(noun, "noun")
        listed = {canonical(name) for name in (noun, *model.classes)}
        found = tuple(name for name in classes if canonical(name) in listed)
        return tuple(classes) if not found and not model.classes else found

    def find(self, name: str) -> list[WordModel]:
        """All words of a name or form, whatever their part of speech.

        Raises:
            LexiconError: with the nearest name if there is none.
        """
        wanted = name.strip().lower().replace("-", " ")
        found = [
            model
            for model in self.words.values()
            if wanted == model.name.replace("-", " ") or wanted in model.forms
        ]
        if not found:
            names = [model.name for model in self.words.values()]
            near = ", ".join(similar(name, names))
            raise LexiconError(f"{self.name}: there is no word {name!r}; the nearest are {near}")
        return found

    def vocabulary(self) -> Vocabulary:
        """Its words as the grammar sees them."""
        return Vocabulary(_entry(model) for model in self.words.values())


def read(text: str, where: str) -> Lexicon:
    """A lexicon from the text of a TOML file."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LexiconError(f"{where}: it is not TOML: {error}") from None
    return _of_tables(data, where)


def _of_tables(data: dict[str, Any], where: str) -> Lexicon:
    for key in data:
        known(key, TOP, where, "field")
    words: dict[tuple[str, str], WordModel] = {}
    identity: Any = True
    if "base" in data:
        base = _base(data["base"], where)
        words, identity = dict(base.words), base.identity
    identity = data.get("identity", identity)
    if not isinstance(identity, bool):
        raise LexiconError(f"{where}: identity is {identity!r}; it must be true or false")
    entries = data.get("words", {})
    if not isinstance(entries, dict):
        raise LexiconError(f"{where}: words must be tables, [words.NAME]")
    zero, noise = _unit(data, "zero", where), _unit(data, "noise", where)
    for key, entry in entries.items():
        # Two words of one spelling, such as the verb and the direction "left", need two keys.
        name = key.split("/")[-1]
        entry = _like(entry, entries, f"{where}: words.{key}")
        own = noise
        if isinstance(entry, dict) and "noise" in entry:
            own = _unit(entry, "noise", f"{where}: words.{key}")
            entry = {field: value for field, value in entry.items() if field != "noise"}
        model = read_word(name, entry, f"{where}: words.{key}", zero, own)
        words[model.part, name] = model
    if "split" in data:
        parts = data["split"]
        if isinstance(parts, bool) or not isinstance(parts, int) or parts < 1:
            raise LexiconError(f"{where}: split is {parts!r}; it must be a whole number from 1 on")
        words = {key: split(model, parts, zero) for key, model in words.items()}
    about = str(data.get("about", ""))
    return Lexicon(str(data.get("name", where)), about, words, identity)


def _like(entry: Any, entries: dict[str, Any], where: str) -> Any:
    """The table of a word, with what it shares with another word that it is like."""
    if not isinstance(entry, dict) or "like" not in entry:
        return entry
    known(entry["like"], entries, f"{where}.like", "word")
    other = entries[entry["like"]]
    if not isinstance(other, dict) or "like" in other:
        raise LexiconError(f"{where}.like: {entry['like']!r} must have states of its own")
    shared = {field: other[field] for field in SHARED if field in other}
    return shared | {field: value for field, value in entry.items() if field != "like"}


def _base(name: Any, where: str) -> Lexicon:
    """The shipped lexicon that another one starts from."""
    if name not in SHIPPED:
        raise LexiconError(f"{where}: base is {name!r}; it must be one of {', '.join(SHIPPED)}")
    return _shipped(str(name))


def split(model: WordModel, parts: int, zero: float = 0.0) -> WordModel:
    """Every state of a multi-state word split left to right into some with the same output.

    Args:
        model: the word.
        parts: how many states each of its own becomes.
        zero: what stands for a probability of zero, except that of going back.
    """
    if model.K == 1 or parts == 1:
        return model
    names = tuple(f"{name} {i + 1}" for name in model.states for i in range(parts))
    initial = np.zeros(model.K * parts)
    initial[::parts] = np.where(model.initial > zero, model.initial, 0.0)
    initial[initial == 0] = zero
    return replace(
        model,
        states=names,
        outputs=tuple(np.repeat(output, parts, axis=0) for output in model.outputs),
        initial=initial / initial.sum(),
        seconds=None if model.seconds is None else np.repeat(model.seconds / parts, parts),
        transitions=_split_transitions(model.transitions, parts, zero),
        final=np.repeat(model.final, parts),
    )


def _split_transitions(given: Floats | None, parts: int, zero: float) -> Floats | None:
    """A phase keeps its mean length: its parts are left `parts` times as readily.

    None is left more readily than the first state was, though. The last phase is never left; its
    parts but the last hand on as readily as those of the phase before.
    """
    if given is None:
        return None
    K = len(given)
    onwards = np.triu(np.where(given > zero, given, 0.0), k=1)
    leave = np.minimum(parts * (1 - np.diag(given)), 1 - given[0, 0])
    leave[-1] = leave[-2]
    transitions = np.zeros((K * parts, K * parts))
    for k in range(K * parts - 1):
        phase, part = divmod(k, parts)
        transitions[k, k] = 1 - leave[phase]
        if part < parts - 1:
            transitions[k, k + 1] = leave[phase]
        else:
            share = onwards[phase] / max(onwards[phase].sum(), 1e-300)
            transitions[k, ::parts] += leave[phase] * share
    transitions[-1, -1] = 1.0
    upper = np.triu(np.ones_like(transitions)) > 0
    transitions[upper & (transitions == 0)] = zero
    return np.asarray(transitions / transitions.sum(axis=1, keepdims=True))


@cache
def _shipped(name: str) -> Lexicon:
    folder = resources.files("sentrack.lexicon").joinpath("shipped")
    file = "everyday.toml" if name == WRITTEN else f"{name}.toml"
    text = folder.joinpath(file).read_text("utf-8")
    if name == "everyday":
        fitted = folder.joinpath("everyday-fitted.toml").read_text("utf-8")
        return _of_tables(with_fitted(tomllib.loads(text), tomllib.loads(fitted)), file)
    return replace(read(text, file), name=name)


def _unit(data: dict[str, Any], key: str, where: str) -> float:
    value = data.get(key, 0.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise LexiconError(f"{where}: {key} is {value!r}; it must be a number from 0 to below 1")
    return float(value)


def _entry(model: WordModel) -> Headword:
    grammar: dict[str, Any] = dict(model.grammar)
    return Headword(model.name, model.part, model.forms, model.roles, model.moves, **grammar)
