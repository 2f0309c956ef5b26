"""Fitted meanings beside the written ones."""

import tomllib
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.lexicon import Lexicon, WordModel
from sentrack.lexicon.fitted import fitted_text, with_fitted
from sentrack.lexicon.lexicon import read

WRITTEN = """
name = "small"
noise = 0.02
[words.lift]
part = "verb"
roles = ["agent", "patient"]
initial = [0.9, 0.1]
[[words.lift.states]]
name = "low"
seconds = 0.5
"gap(agent, patient)" = { touching = 0.7, near = 0.2 }
[[words.lift.states]]
name = "high"
seconds = 2.0
"vertical(patient)" = { up = 0.8 }
[words.hoist]
like = "lift"
"""


def fitted(model: WordModel) -> str:
    tables = tomllib.loads(WRITTEN)
    return "\n".join(fitted_text("From nothing.\n\nTwo lines.", {"lift": model}, tables))


@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    word = read(WRITTEN, "small").words["verb", "lift"]
    outputs = []
    for output in word.outputs:
        numbers = st.lists(st.floats(0, 1), min_size=output.size, max_size=output.size)
        drawn = np.array(data.draw(numbers)).reshape(output.shape) + 1e-4
        outputs.append(drawn / drawn.sum(axis=1, keepdims=True))
    seconds = np.array(data.draw(st.lists(st.floats(0.01, 100), min_size=2, max_size=2)))
    model = replace(word, outputs=tuple(outputs), seconds=seconds)
    tables = with_fitted(tomllib.loads(WRITTEN), tomllib.loads(fitted(model)))
    again = read(_dumped(tables), "both").words
    for name in ("lift", "hoist"):
        found = again["verb", name]
        assert found.observed == model.observed
        assert found.seconds == pytest.approx(seconds, rel=1e-2)
        for a, b in zip(found.outputs, model.outputs, strict=True):
            assert np.abs(a - b).max() <= 0.0051
            assert (a > 0).all()
    assert again["verb", "lift"].initial == pytest.approx(word.initial)


def _dumped(tables: dict[str, object]) -> str:
    import tomli_w

    return tomli_w.dumps(tables)


def test_what_was_written_anew_since_counts() -> None:
    word = read(WRITTEN, "small").words["verb", "lift"]
    flat = tuple(np.full_like(output, 1 / output.shape[1]) for output in word.outputs)
    text = tomllib.loads(fitted(replace(word, outputs=flat)))
    tables = tomllib.loads(WRITTEN)
    assert with_fitted(tables, text)["words"]["lift"] != tables["words"]["lift"]
    tables["words"]["lift"]["states"][0]["seconds"] = 0.6
    assert with_fitted(tables, text) == tables
    assert with_fitted({**tables, "words": {}}, text)["words"] == {}


def test_the_shipped_file_has_words_of_everyday() -> None:
    folder = resources.files("sentrack.lexicon").joinpath("shipped")
    written, found = (
        tomllib.loads(folder.joinpath(name).read_text("utf-8"))
        for name in ("everyday.toml", "everyday-fitted.toml")
    )
    assert found.get("words", {}).keys() <= written["words"].keys()
    everyday, before = Lexicon.load("everyday"), Lexicon.load("written")
    assert (everyday.name, before.name) == ("everyday", "written")
    assert everyday.words.keys() == before.words.keys()
