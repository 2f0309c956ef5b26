"""Who can do what to what."""

import pytest

from sentrack.lexicon import Lexicon, kinds


@pytest.mark.parametrize(
    ("word", "nouns", "can"),
    [
        ("walk", ["person"], True),
        ("walk", ["dog"], True),
        ("walk", ["car"], False),
        ("walk", ["cell-phone"], False),
        ("walk", ["bicycle"], False),
        ("move", ["car"], True),
        ("move", ["person"], False),  # who has legs walks
        ("pick-up", ["person", "cup"], True),
        ("pick-up", ["hand", "medicine-box"], True),
        ("pick-up", ["dog", "frisbee"], True),
        ("pick-up", ["car", "cup"], False),
        ("pick-up", ["person", "car"], False),
        ("pick-up", ["person", "dining-table"], False),
        ("ride", ["person", "bicycle"], True),
        ("ride", ["person", "bottle"], False),
        ("push", ["person", "bicycle"], True),
        ("carry", ["person", "bicycle"], False),
        ("follow", ["car", "truck"], True),
        ("follow", ["cup", "person"], False),
        ("downwards", ["person"], False),
        ("downwards", ["cup"], True),
        ("a word that is not there", ["cup"], True),
    ],
)
def test_roles_are_played_by_their_kinds(word: str, nouns: list[str], can: bool) -> None:
    assert all(kinds().can(word, i, noun) for i, noun in enumerate(nouns)) is can


@pytest.mark.parametrize(
    ("word", "noun", "acts"),
    [
        ("carry", "person", True),
        ("carry", "car", True),
        ("carry", "hand", True),
        ("carry", "bag", False),
        ("push", "bicycle", False),
        ("push", "horse", True),
        ("carry", "dining-table", False),
        ("walk", "suitcase", False),
        ("approach", "backpack", True),  # somebody may carry it there
        ("hit", "sports-ball", True),
        ("stand", "chair", True),
        ("a word that is not there", "cup", True),
    ],
)
def test_legs_and_hands_are_of_who_acts(word: str, noun: str, acts: bool) -> None:
    assert kinds().acts(word, noun) is acts


def test_the_table_speaks_of_words_that_there_are() -> None:
    table, lexicon = kinds(), Lexicon.load()
    models = {model.name: model for model in lexicon.words.values() if model.part != "noun"}
    known = {*table.nouns, *table.groups, "portable", "person", "animal", "vehicle", "thing"}
    for word, roles in table.roles.items():
        assert len(roles) == len(models[word].roles), word
        assert {kind for role in roles for kind in role} <= known, word
    assert {kind for group in table.groups.values() for kind in group} <= known | {"body"}
    for pairs in (table.instead, table.rather):
        assert {*pairs, *pairs.values()} <= models.keys()
    # What is said instead is said.
    assert not {*table.instead.values(), *table.rather.values()} & {*table.instead}
    assert table.apart.keys() <= models.keys()
    assert table.lifeless <= models.keys()


def test_every_verb_has_its_kinds() -> None:
    lexicon = Lexicon.load()
    verbs = {model.name for model in lexicon.words.values() if model.part == "verb"}
    assert verbs <= kinds().roles.keys()


def test_a_noun_of_several_words_is_as_its_last_one_is() -> None:
    assert "fixed" in kinds().of("kitchen-table")
    assert "portable" in kinds().of("medicine-box")
    assert "portable" not in kinds().of("kitchen-table")
