"""Fitted meanings: states of words that learning found, beside those that are written by hand.

A file of fitted meanings has, for every word, its states, and the fingerprint of the written ones
that they were fitted from. Where these have been changed since, what is written counts.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sentrack.lexicon.model import Floats, WordModel

Tables = Mapping[str, Any]

DIGITS = 3  # of probabilities and seconds


def fingerprint(entry: Tables) -> str:
    """What tells the states of a word's table from others."""
    text = json.dumps(entry.get("states", []), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def with_fitted(written: Tables, fitted: Tables) -> dict[str, Any]:
    """The tables of a lexicon file with the states that were fitted to them."""
    words = dict(written["words"])
    for key, table in fitted.get("words", {}).items():
        if key in words and table["from"] == fingerprint(words[key]):
            words[key] = words[key] | {"states": table["states"]}
    return {**written, "words": words}


def fitted_text(about: str, words: Mapping[str, WordModel], written: Tables) -> Iterator[str]:
    """The lines of a file of fitted meanings.

    Args:
        about: from what they were made, in some lines.
        words: the models, by their keys in the written file.
        written: the tables of that file.
    """
    yield from (f"# {line}".rstrip() for line in about.splitlines())
    for key, model in sorted(words.items()):
        yield ""
        yield f"[words.{_key(key)}]"
        yield f'from = "{fingerprint(written["words"][key])}"'
        for k, name in enumerate(model.states):
            yield f"[[words.{_key(key)}.states]]"
            yield f"name = {json.dumps(name)}"
            if model.seconds is not None:
                yield f"seconds = {model.seconds[k]:.{DIGITS}g}"
            for observed, output in zip(model.observed, model.outputs, strict=True):
                about_whom = ", ".join(model.roles[role] for role in observed.roles)
                shares = zip(observed.feature.bins, _rounded(output[k]), strict=True)
                bins = ", ".join(f"{name} = {share:.{DIGITS}f}" for name, share in shares)
                yield f'"{observed.feature.name}({about_whom})" = {{ {bins} }}'


def _key(key: str) -> str:
    return key if key.replace("-", "").isalnum() and key.isascii() else json.dumps(key)


def _rounded(shares: Floats) -> Floats:
    """Probabilities of few digits that sum to 1, none of them 0."""
    units = 10**DIGITS
    whole = np.maximum(1, np.floor(shares * units))
    left = round(units - whole.sum())
    order = np.argsort(whole - shares * units, kind="stable")
    if left > 0:
        whole[order[:left]] += 1
    elif left < 0:
        whole[whole.argmax()] += left
    return np.asarray(whole / units)
