"""A lexicon that is written is read back the same."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack import SentrackError
from sentrack.lexicon import Lexicon, WordModel
from sentrack.lexicon.features import FEATURES
from sentrack.lexicon.lexicon import SHIPPED, read
from sentrack.lexicon.model import Observed
from sentrack.lexicon.writer import written

PARTS = {"verb": 2, "adverb": 1, "preposition": 2, "adjective": 1, "noun": 1}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def same(a: WordModel, b: WordModel) -> bool:
    """Equal, but for the last digit of probabilities, which are normalised when read."""
    plain = ("name", "part", "forms", "roles", "moves", "classes", "states", "observed", "noise")
    arrays = ("initial", "seconds", "transitions", "final")
    return (
        all(getattr(a, field) == getattr(b, field) for field in plain)
        and dict(a.grammar) == dict(b.grammar)
        and all(near(getattr(a, field), getattr(b, field)) for field in arrays)
        and len(a.outputs) == len(b.outputs)
        and all(map(near, a.outputs, b.outputs))
    )


def near(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-14, atol=0)


@st.composite
def distributions(draw: st.DrawFn, rows: int, columns: int) -> np.ndarray:
    value = st.floats(0, 1, allow_subnormal=False)
    given = np.array(draw(st.lists(value, min_size=rows * columns, max_size=rows * columns)))
    table = given.reshape(rows, columns)
    table[:, 0] += 0.01
    return np.asarray(table / table.sum(axis=1, keepdims=True))


@st.composite
def word_models(draw: st.DrawFn, name: str) -> WordModel:
    part = draw(st.sampled_from(sorted(PARTS)))
    roles = ("agent", "patient")[: PARTS[part]]
    grammar = {}
    if part == "verb":
        grammar = draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "particle": st.just("up"),
                    "opposite": TEXT,
                    "irregular": st.just({"past": "drank"}),
                },
            )
        )
    if part == "noun":
        classes = tuple(draw(st.lists(TEXT, max_size=3)))
        return WordModel(name, part, (name,), roles, classes=classes, states=("state 0",))
    K = draw(st.integers(1, 3))
    fitting = [f for f in FEATURES.values() if f.arity <= len(roles)]
    chosen = draw(st.lists(st.sampled_from(fitting), unique_by=lambda f: f.name, max_size=3))
    observed = tuple(Observed(f, tuple(range(f.arity))) for f in chosen)
    by_seconds = draw(st.booleans())
    lasting = st.lists(st.floats(1e-3, 1e3), min_size=K, max_size=K)
    final = np.array(draw(st.lists(st.booleans(), min_size=K, max_size=K)))
    final[-1] = True
    return WordModel(
        name,
        part,
        (name, "another form"),
        roles,
        moves=draw(st.integers(0, len(roles) - 1)),
        grammar=grammar,
        states=tuple(f"{draw(TEXT)} {k}" for k in range(K)),
        observed=observed,
        outputs=tuple(draw(distributions(K, len(f.bins))) for f in chosen),
        initial=draw(distributions(1, K))[0],
        seconds=np.array(draw(lasting)) if K > 1 and by_seconds else None,
        transitions=np.triu(np.full((K, K), 0.5)) / np.triu(np.full((K, K), 0.5)).sum(1)[:, None]
        if K > 1 and not by_seconds
        else None,
        final=final,
        noise=draw(st.sampled_from([0.0, 0.02, 0.5])),
    )


@st.composite
def lexicons(draw: st.DrawFn) -> Lexicon:
    names = draw(st.lists(st.from_regex(r"[a-z]{1,6}(-[a-z]{1,4})?", fullmatch=True), max_size=4))
    models = [draw(word_models(name)) for name in names]
    words = {(m.part, m.name): m for m in models}
    return Lexicon(draw(TEXT), draw(TEXT), words, draw(st.booleans()))


@settings(max_examples=60)
@given(lexicons())
def test_what_is_written_is_read_back(lexicon: Lexicon) -> None:
    again = read(written(lexicon.name, lexicon.about, lexicon.words, lexicon.identity), "x.toml")
    assert (again.name, again.about, again.identity) == (
        lexicon.name,
        lexicon.about,
        lexicon.identity,
    )
    assert list(again.words) == list(lexicon.words)
    for key, model in lexicon.words.items():
        assert same(model, again.words[key])


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_lexicons_survive(name: str, tmp_path: Path) -> None:
    lexicon = Lexicon.load(name)
    lexicon.save(tmp_path / "copy.toml")
    again = Lexicon.load(tmp_path / "copy.toml")
    assert list(again.words) == list(lexicon.words)
    assert again.identity == lexicon.identity
    for key, model in lexicon.words.items():
        assert same(model, again.words[key]), key
    assert list(tmp_path.iterdir()) == [tmp_path / "copy.toml"]


def test_a_word_may_have_noise_of_its_own() -> None:
    text = "noise = 0.1\n[words.a]\npart = 'adverb'\nnoise = 0.3\n[words.b]\npart = 'adverb'\n"
    words = read(text, "x.toml").words
    assert (words["adverb", "a"].noise, words["adverb", "b"].noise) == (0.3, 0.1)
    with pytest.raises(SentrackError, match=r"words\.a: noise is 7"):
        read(text.replace("0.3", "7"), "x.toml")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(SentrackError, match="nowhere"):
        Lexicon.load("paper").save(tmp_path / "nowhere" / "x.toml")


def test_half_a_character_does_not_keep_a_lexicon_from_being_written(tmp_path: Path) -> None:
    Lexicon("half \ud800", "a\x7fb\n\t", {}).save(tmp_path / "x.toml")
    again = Lexicon.load(tmp_path / "x.toml")
    assert (again.name, again.about, again.words) == ("half ?", "a\x7fb\n\t", {})
