"""What a lexicon file may say, and what a mistake in it is answered with."""

from pathlib import Path

import numpy as np
import pytest

from sentrack.language import parse
from sentrack.lexicon import Lexicon, LexiconError
from sentrack.lexicon.lexicon import SHIPPED, TOP, read
from sentrack.lexicon.reader import FIELDS, GRAMMAR, PARTS, STATE_FIELDS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "lexicon.md"

WORD = """
[words.shove]
part = "verb"
roles = ["agent", "patient"]
[[words.shove.states]]
name = "still"
seconds = 0.5
"speed(patient)" = { still = 0.9, slow = 0.1 }
[[words.shove.states]]
name = "moving"
"speed(patient)" = { still = 0.1 }
"""


def changed(old: str, new: str) -> str:
    assert old in WORD
    return WORD.replace(old, new)


def test_a_word_is_read() -> None:
    model = read("noise = 0.1\n" + WORD, "mine.toml").model("shove", "verb")
    assert model.states == ("still", "moving")
    assert model.roles == ("agent", "patient")
    assert (model.forms, model.moves, model.noise) == (("shove",), 0, 0.1)
    assert [o.roles for o in model.observed] == [(1,)]
    assert model.outputs[0][0] == pytest.approx([0.9, 0.1, 0, 0])
    # Bins left out share what is left.
    assert model.outputs[0][1] == pytest.approx([0.1, 0.3, 0.3, 0.3])
    assert model.initial.tolist() == [1, 0]
    assert model.final.tolist() == [False, True]
    assert np.exp(model.log_transitions(0.1)) == pytest.approx(
        np.array([[np.exp(-0.2), 1 - np.exp(-0.2)], [0, 1]])
    )


def test_what_a_state_does_not_mention_may_be_anything() -> None:
    text = changed(
        '"speed(patient)" = { still = 0.1 }', '"gap(agent, patient)" = [0.7, 0.1, 0.1, 0.1]'
    )
    speed, gap = read(text, "mine.toml").model("shove", "verb").outputs
    assert speed[1] == pytest.approx([0.25] * 4)
    assert gap[0] == pytest.approx([0.25] * 4)
    assert gap[1] == pytest.approx([0.7, 0.1, 0.1, 0.1])


def test_zero_stands_in_for_nothing() -> None:
    model = read("zero = 0.001\n" + WORD, "mine.toml").model("shove", "verb")
    assert model.outputs[0][0].min() == pytest.approx(0.001 / 1.002)
    assert model.initial[1] == pytest.approx(0.001 / 1.001)


def test_a_word_may_end_in_named_states_or_in_all_but_the_first() -> None:
    for final, expected in (('["still", "moving"]', [True, True]), ('"not-first"', [False, True])):
        text = changed("roles", f"final = {final}\nroles")
        assert read(text, "mine.toml").model("shove", "verb").final.tolist() == expected


def test_transitions_may_be_given_per_frame() -> None:
    text = changed("roles", "transitions = [[0.9, 0.1], [0, 1]]\nroles")
    model = read(text, "mine.toml").model("shove", "verb")
    assert np.exp(model.log_transitions(5.0)) == pytest.approx(np.array([[0.9, 0.1], [0, 1]]))


def test_nouns_name_classes() -> None:
    text = """
    [words.cup]
    part = "noun"
    [words.vehicle]
    part = "noun"
    classes = ["car", "bus"]
    [words.thing]
    part = "noun"
    classes = "any"
    """
    lexicon = read(text, "mine.toml")
    names = {
        name: lexicon.model(name, "noun").classes for name in ("cup", "vehicle", "thing", "dog")
    }
    assert names == {"cup": ("cup",), "vehicle": ("car", "bus"), "thing": (), "dog": ("dog",)}


def test_one_name_may_be_two_parts_of_speech() -> None:
    text = '[words.orange]\npart = "noun"\n[words."adjective/orange"]\npart = "adjective"'
    lexicon = read(text, "mine.toml")
    assert set(lexicon.words) == {("noun", "orange"), ("adjective", "orange")}


def test_a_base_lends_its_words_and_can_be_overruled() -> None:
    lexicon = read('base = "everyday"' + WORD.replace("shove", "carry"), "mine.toml")
    assert lexicon.model("carry", "verb").states == ("still", "moving")
    assert lexicon.model("push", "verb") is Lexicon.load("everyday").model("push", "verb")


def test_a_file_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('about = "Mine."' + WORD, encoding="utf-8")
    lexicon = Lexicon.load(path)
    assert (lexicon.name, lexicon.about) == ("mine.toml", "Mine.")
    meaning = parse("The cup shoved the cup.", lexicon.vocabulary().with_nouns(["cup"]))
    assert meaning.words[1].word == "shove"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "mine.toml: it is not TOML"),
        ('nam = "x"', "mine.toml: there is no field 'nam'; did you mean 'name'?"),
        ("words = 3", "mine.toml: words must be tables"),
        ("noise = 1", "mine.toml: noise is 1; it must be a number from 0 to below 1"),
        ('zero = "0"', "mine.toml: zero is '0'; it must be a number from 0 to below 1"),
        ("split = 0", "mine.toml: split is 0; it must be a whole number from 1 on"),
        ('base = "everydy"', "mine.toml: base is 'everydy'; it must be one of everyday"),
        ("words.shove = 3", "mine.toml: words.shove: it must be a table, [words.shove]"),
        (
            changed("roles", "role"),
            "mine.toml: words.shove: there is no field 'role'; did you mean 'roles'?",
        ),
        (
            changed('"verb"', '"verbs"'),
            "mine.toml: words.shove.part: 'verbs' is none of noun, verb, adverb",
        ),
        (changed('part = "verb"', ""), "mine.toml: words.shove.part: None is none of noun"),
        (
            changed('["agent", "patient"]', '"agent"'),
            "mine.toml: words.shove.roles: it must be a list of words",
        ),
        (
            changed("roles", "forms = []\nroles"),
            "mine.toml: words.shove.forms: it must be a list of words",
        ),
        (
            changed("roles", 'moves = "patent"\nroles'),
            "mine.toml: words.shove.moves: there is no role 'patent'; did you mean 'patient'?",
        ),
        (
            '[words.shove]\npart = "verb"\nstates = []',
            "mine.toml: words.shove.states: it must be a list of tables, [[words.shove.states]]",
        ),
        (
            changed("speed(patient)", "sped(patient)"),
            "mine.toml: words.shove.states[0].'sped(patient)': there is no feature 'sped'; "
            "did you mean 'speed'?",
        ),
        (
            changed("speed(patient)", "speed(patent)"),
            "mine.toml: words.shove.states[0].'speed(patent)': there is no role 'patent'; "
            "did you mean 'patient'?",
        ),
        (
            changed("speed(patient)", "speed(agent, patient)"),
            "mine.toml: words.shove.states[0].'speed(agent, patient)': 'speed' is about 1",
        ),
        (
            changed("speed(patient)", "speed"),
            "mine.toml: words.shove.states[0].'speed': say whom it is about, as in 'speed(agent)'",
        ),
        (
            changed("seconds", "second"),
            "mine.toml: words.shove.states[0].'second': there is no field or feature 'second'; "
            "did you mean 'seconds'?",
        ),
        (
            changed("slow = 0.1", "slw = 0.1"),
            "mine.toml: words.shove.states[0].'speed(patient)': there is no bin 'slw'; "
            "did you mean 'slow'?",
        ),
        (
            changed("slow = 0.1", "slow = 0.3"),
            "mine.toml: words.shove.states[0].'speed(patient)': the probabilities sum to 1.2",
        ),
        (
            changed("slow = 0.1", 'slow = "0.1"'),
            "mine.toml: words.shove.states[0].'speed(patient)': '0.1' is not a number",
        ),
        (
            changed("slow = 0.1", "slow = -0.1"),
            "mine.toml: words.shove.states[0].'speed(patient)': probabilities must be at least 0",
        ),
        (
            changed("{ still = 0.9, slow = 0.1 }", "[0.5, 0.5]"),
            "mine.toml: words.shove.states[0].'speed(patient)': it has shape (2,); it must be (4,)",
        ),
        (
            changed("{ still = 0.9, slow = 0.1 }", '["a"]'),
            "mine.toml: words.shove.states[0].'speed(patient)': it must be a list of numbers",
        ),
        (
            changed("seconds = 0.5", "seconds = 0"),
            "mine.toml: words.shove.states[0].seconds: it must be above 0",
        ),
        (
            changed("roles", "initial = [1]\nroles"),
            "mine.toml: words.shove.initial: it has shape (1,); it must be (2,)",
        ),
        (
            changed("roles", "initial = [0.5, 0.6]\nroles"),
            "mine.toml: words.shove.initial: probabilities must be at least 0 and sum to 1",
        ),
        (
            changed("roles", "transitions = [[1, 0]]\nroles"),
            "mine.toml: words.shove.transitions: it has shape (1, 2); it must be (2, 2)",
        ),
        (
            changed("roles", 'final = ["movin"]\nroles'),
            "mine.toml: words.shove.final: there is no state 'movin'; did you mean 'moving'?",
        ),
        (
            changed("roles", 'final = "moving"\nroles'),
            "mine.toml: words.shove.final: it must be a list of words",
        ),
        (
            '[words.cup]\npart = "noun"\nclasses = "cup"',
            "mine.toml: words.cup.classes: it must be a list of words",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place_and_the_nearest_choice(text: str, message: str) -> None:
    with pytest.raises(LexiconError) as caught:
        read(text, "mine.toml")
    assert str(caught.value).startswith(message)


def test_a_lexicon_that_does_not_exist_is_answered_with_the_nearest() -> None:
    with pytest.raises(LexiconError, match=r"no such lexicon.*did you mean 'everyday'\?"):
        Lexicon.load("everday")
    with pytest.raises(LexiconError, match=r"no such lexicon.*shipped: everyday, written, paper"):
        Lexicon.load("xyz.toml")


def test_a_word_that_does_not_exist_is_named() -> None:
    with pytest.raises(LexiconError, match="everyday: it has no verb 'fetch'"):
        Lexicon.load("everyday").model("fetch", "verb")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_lexicons_load(name: str) -> None:
    lexicon = Lexicon.load(name)
    assert lexicon.name == name
    assert len(lexicon.vocabulary()) == len(lexicon.words)


def test_the_example_of_the_page_is_a_word() -> None:
    text = PAGE.read_text("utf-8").split("```toml")[1].split("```")[0]
    lexicon = read(text, "page")
    assert lexicon.model("poke", "verb").K == 3
    meaning = parse("The person poked the dog.", lexicon.vocabulary())
    assert ("poke", (0, 1)) in {(word.word, word.participants) for word in meaning.words}


def test_the_page_names_every_field_and_lexicon() -> None:
    rows = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if "|" in line]
    listed = " ".join(rows)
    for field in (*TOP, *FIELDS, *GRAMMAR, *STATE_FIELDS, *SHIPPED):
        assert f"`{field}`" in listed
    text = PAGE.read_text("utf-8")
    assert all(f"`{part}`" in text for part in PARTS)


def test_one_feature_written_in_two_ways_is_one_feature() -> None:
    text = """
    [words.hold]
    part = "verb"
    roles = ["agent", "patient"]
    [[words.hold.states]]
    "gap(agent, patient)" = { touching = 0.7 }
    [[words.hold.states]]
    "gap(agent,patient)" = { far = 0.7 }
    """
    model = read(text, "mine.toml").words["verb", "hold"]
    assert len(model.observed) == 1
    assert model.outputs[0].shape == (2, 4)
    both = text.replace(
        '"gap(agent, patient)"', '"gap(agent,patient)" = { near = 0.5 }\n"gap(agent, patient)"'
    )
    with pytest.raises(LexiconError, match="given twice"):
        read(both, "mine.toml")


def test_a_word_is_like_another_but_for_how_it_is_said() -> None:
    both = WORD + '[words.nudge]\nlike = "shove"\nforms = ["nudge", "jostle"]\n'
    words = read(both, "mine.toml")
    one, other = words.model("shove", "verb"), words.model("nudge", "verb")
    assert other.forms == ("nudge", "jostle")
    assert (other.states, other.roles, other.observed) == (one.states, one.roles, one.observed)
    np.testing.assert_array_equal(other.outputs, one.outputs)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('[words.nudge]\nlike = "shovel"', "did you mean 'shove'"),
        ('[words.nudge]\nlike = "poke"\n[words.poke]\nlike = "shove"', "states of its own"),
    ],
)
def test_nothing_is_like_what_is_not_there(more: str, message: str) -> None:
    with pytest.raises(LexiconError, match=f"words.nudge.like: .*{message}"):
        read(f"{WORD}{more}\n", "mine.toml")
