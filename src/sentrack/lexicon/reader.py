"""Word models from TOML that a person can read and edit."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.lexicon.errors import LexiconError
from sentrack.lexicon.features import FEATURES
from sentrack.lexicon.model import Observed, WordModel
from sentrack.text import unknown

Floats = npt.NDArray[np.float64]

PARTS = ("noun", "verb", "adverb", "adjective", "preposition", "motion", "direction")
GRAMMAR = ("irregular", "particle", "preposition", "opposite")
FIELDS = ("part", "forms", "roles", "moves", "classes", "states", "initial", "transitions", "final")
#: What a word takes over from one that it is `like`.
SHARED = ("part", "roles", "moves", "states", "initial", "transitions", "final", "noise")
STATE_FIELDS = ("name", "seconds")


def read_word(name: str, entry: Any, where: str, zero: float, noise: float) -> WordModel:
    """One word of a lexicon file.

    Args:
        name: the word.
        entry: its table.
        where: file and word, for messages.
        zero: what stands for a probability of zero, before normalising again.
        noise: probability that a frame shows nothing of the word.
    """
    if not isinstance(entry, dict):
        raise LexiconError(f"{where}: it must be a table, [words.{name}]")
    for key in entry:
        known(key, (*FIELDS, *GRAMMAR), where, "field")
    part = entry.get("part")
    if part not in PARTS:
        raise LexiconError(f"{where}.part: {part!r} is none of {', '.join(PARTS)}")
    roles = _strings(entry.get("roles", ["it"]), f"{where}.roles")
    moves = entry.get("moves", roles[0])
    known(moves, roles, f"{where}.moves", "role")
    states = entry.get("states", [{}])
    if not isinstance(states, list) or not all(isinstance(s, dict) for s in states) or not states:
        raise LexiconError(f"{where}.states: it must be a list of tables, [[words.{name}.states]]")
    names = [str(state.get("name", f"state {i}")) for i, state in enumerate(states)]
    observed = _observed(states, roles, where)
    outputs = tuple(
        np.array([_output(state, keys, spec, where, i, zero) for i, state in enumerate(states)])
        for spec, keys in observed.items()
    )
    K = len(states)
    transitions = entry.get("transitions")
    seconds = None
    if transitions is None and K > 1:
        seconds = np.array([_seconds(s, f"{where}.states[{i}]") for i, s in enumerate(states)])
    return WordModel(
        name=name,
        part=part,
        forms=_strings(entry.get("forms", [name.replace("-", " ")]), f"{where}.forms"),
        roles=roles,
        moves=roles.index(moves),
        grammar=_grammar(entry, where),
        classes=_classes(entry.get("classes"), name, part, where),
        states=tuple(names),
        observed=tuple(observed),
        outputs=outputs,
        initial=_distribution(
            entry.get("initial", [1.0] + [0.0] * (K - 1)), (K,), f"{where}.initial", zero
        ),
        seconds=seconds,
        transitions=None
        if transitions is None
        else _transitions(transitions, K, f"{where}.transitions", zero),
        final=_final(entry.get("final"), names, f"{where}.final"),
        noise=noise,
    )


def _observed(
    states: Sequence[Mapping[str, Any]], roles: tuple[str, ...], where: str
) -> dict[Observed, set[str]]:
    """Every feature that some state mentions, and the ways in which it is written."""
    found: dict[Observed, set[str]] = {}
    for i, state in enumerate(states):
        for key in state:
            if key in STATE_FIELDS:
                continue
            here = f"{where}.states[{i}].{key!r}"
            match = re.fullmatch(r"([\w-]+)\(([^()]*)\)", key)
            if not match:
                known(key, (*STATE_FIELDS, *FEATURES), here, "field or feature")
                raise LexiconError(f"{here}: say whom it is about, as in '{key}({roles[0]})'")
            name, arguments = match[1], [a.strip() for a in match[2].split(",")]
            known(name, FEATURES, here, "feature")
            for argument in arguments:
                known(argument, roles, here, "role")
            feature = FEATURES[name]
            if len(arguments) != feature.arity:
                raise LexiconError(f"{here}: '{name}' is about {feature.arity} participants")
            spec = Observed(feature, tuple(roles.index(a) for a in arguments))
            found.setdefault(spec, set()).add(key)
    return found


def _output(
    state: Mapping[str, Any], keys: set[str], spec: Observed, where: str, i: int, zero: float
) -> Floats:
    """The distribution of a feature in a state; uniform if the state does not mention it.

    A table may leave bins out: they share what is left equally.
    """
    bins = spec.feature.bins
    said = [key for key in state if key in keys]
    if not said:
        return np.full(len(bins), 1.0 / len(bins))
    here = f"{where}.states[{i}].{said[0]!r}"
    if len(said) > 1:
        raise LexiconError(f"{here}: it is given twice, also as {said[1]!r}")
    value = state[said[0]]
    if isinstance(value, dict):
        for name in value:
            known(name, bins, here, "bin")
        given = [_number(value.get(name), here) for name in bins]
        left = 1.0 - sum(p for p in given if p is not None)
        open_bins = sum(p is None for p in given)
        if left < -1e-6 or (open_bins == 0 and left > 1e-6):
            raise LexiconError(f"{here}: the probabilities sum to {1 - left:g}; they must to 1")
        value = [max(left, 0.0) / open_bins if p is None else p for p in given]
    return _distribution(value, (len(bins),), here, zero)


def _distribution(value: Any, shape: tuple[int, ...], where: str, zero: float) -> Floats:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise LexiconError(f"{where}: it must be a list of numbers") from None
    if array.shape != shape:
        raise LexiconError(f"{where}: it has shape {array.shape}; it must be {shape}")
    if (array < 0).any() or not np.allclose(array.sum(axis=-1), 1.0, atol=1e-6):
        raise LexiconError(f"{where}: probabilities must be at least 0 and sum to 1")
    array = np.where(array == 0, zero, array)
    return np.asarray(array / array.sum(axis=-1, keepdims=True))


def _transitions(value: Any, K: int, where: str, zero: float) -> Floats:
    """Zeros on and above the diagonal are smoothed; below it, no word ever goes back."""
    array = _distribution(value, (K, K), where, 0.0)
    smoothed = np.where((array == 0) & (np.triu(np.ones((K, K))) > 0), zero, array)
    return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))


def _final(value: Any, names: Sequence[str], where: str) -> npt.NDArray[np.bool_]:
    """The states that a word may end in: by default the last one; "not-first" all but the first."""
    if value is None:
        value = [names[-1]]
    if value == "not-first":
        value = names[1:] or names
    for name in _strings(value, where):
        known(name, names, where, "state")
    return np.array([name in value for name in names], dtype=np.bool_)


def _grammar(entry: Mapping[str, Any], where: str) -> dict[str, object]:
    """Facts for the grammar: words, and a table of irregular forms."""
    facts: dict[str, object] = {key: entry[key] for key in GRAMMAR if key in entry}
    for key, value in facts.items():
        words = list(value.values()) if key == "irregular" and isinstance(value, dict) else [value]
        if (key == "irregular") != isinstance(value, dict) or not all(
            isinstance(word, str) for word in words
        ):
            kind = "a table of words" if key == "irregular" else "a word"
            raise LexiconError(f"{where}.{key}: {value!r} is not {kind}")
    return facts


def _classes(value: Any, name: str, part: str, where: str) -> tuple[str, ...]:
    if part != "noun" or value == "any":
        return ()
    return _strings([name] if value is None else value, f"{where}.classes")


def _seconds(state: Mapping[str, Any], where: str) -> float:
    seconds = _number(state.get("seconds", 1.0), f"{where}.seconds")
    if seconds is None or not 0 < seconds < float("inf"):
        raise LexiconError(f"{where}.seconds: it must be above 0")
    return seconds


def _number(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LexiconError(f"{where}: {value!r} is not a number")
    return float(value)


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if (
        not isinstance(value, list | tuple)
        or not value
        or not all(isinstance(v, str) for v in value)
    ):
        raise LexiconError(f"{where}: it must be a list of words")
    return tuple(value)


def known(name: Any, choices: Any, where: str, kind: str) -> None:
    """Refuse a name that is none of the choices."""
    if name not in choices:
        raise LexiconError(f"{where}: {unknown(kind, name, choices)}")
