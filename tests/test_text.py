"""Text of others: its words, and how it is printed and written."""

import json
import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.text import (
    canonical,
    counted,
    nearest,
    similar,
    strict_json,
    unknown,
    visible,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Traffic, cone", ("traffic", "cone")),
        ("  TRAFFIC__cone\t", ("traffic", "cone")),
        ("cup (small)", ("cup", "small")),
        ("[bold]x[/bold]", ("bold", "x", "bold")),
        ("driver’s seat", ("driver's", "seat")),
        ("'cup'", ("cup",)),
        ("St. Bernard", ("st", "bernard")),
        ("C++", ("c++",)),
        ("3D−printer №2", ("3d", "printer", "no2")),
        ("Straße", ("straße",)),
        ("soft\u00adhyphen", ("softhyphen",)),
        ("कुत्ता", ("कुत्ता",)),
        ("🐶 dog", ("🐶", "dog")),
        ("a\x1b[31mb", ("a", "31mb")),
        ("-,._()", ()),
    ],
)
def test_words(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


@given(st.text())
def test_a_name_is_spelt_but_once(text: str) -> None:
    name = canonical(text)
    assert canonical(name) == canonical(f" {name}. ") == name
    assert words_of(name) == words_of(text)


@given(st.lists(st.text(), max_size=4))
def test_words_do_not_depend_on_what_stands_around_them(texts: list[str]) -> None:
    assert words_of(" ".join(texts)) == tuple(word for text in texts for word in words_of(text))


@given(st.text(alphabet=st.characters(), max_size=30))
def test_nothing_visible_commands_a_terminal(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(letter) for letter in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert visible(shown) == shown
    assert shown.encode("utf-8").decode("utf-8") == shown


def test_what_is_harmless_stays_as_it_is() -> None:
    assert visible("naïve\u00a0日本 🐶 [/] \\x") == "naïve\u00a0日本 🐶 [/] \\x"
    assert visible("a\x1b[31mb\n\udcff") == r"a\x1b[31mb\n\udcff"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_json_is_strict_and_null_where_no_number_is(value: object) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    def finite(value: object) -> object:
        if isinstance(value, float) and not math.isfinite(value):
            return None
        if isinstance(value, dict):
            return {key: finite(each) for key, each in value.items()}
        return [finite(each) for each in value] if isinstance(value, list) else value

    assert json.loads(strict_json(value), parse_constant=refuse) == finite(value)


@pytest.mark.parametrize(
    ("word", "words", "near"),
    [
        ("sped", ("gap", "speed", "spread"), "speed"),
        ("x1", ("x", "box_X1"), "box_X1"),  # one that contains it goes first
        ("zzz", ("yes", "no"), "yes"),  # there is always one
        ("zzz", (), ""),
        (7, ("6", "17"), "17"),
    ],
)
def test_the_nearest_of_some_words(word: object, words: tuple[str, ...], near: str) -> None:
    assert nearest(word, iter(words)) == near


def test_what_is_unknown_is_named_with_what_may_be_meant() -> None:
    assert unknown("field", "nam", ["name"]) == "there is no field 'nam'; did you mean 'name'?"
    assert unknown("field", "nam", []) == "there is no field 'nam'"


@given(st.text(max_size=5), st.lists(st.text(max_size=5), max_size=6))
def test_similar_words_are_some_of_those_given(word: str, words: list[str]) -> None:
    found = similar(word, words, 2)
    assert len(found) == min(2, len(words))
    assert set(found) <= set(words)
    assert similar(word, [*words, word], 1, 1.0) == [word]
    assert nearest(word, words) in [*words, ""]


@pytest.mark.parametrize(("n", "said"), [(0, "0 clips"), (1, "1 clip"), (2, "2 clips")])
def test_one_is_counted_as_one(n: int, said: str) -> None:
    assert counted(n, "clip") == said
