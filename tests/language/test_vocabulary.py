import pickle
from dataclasses import replace

import pytest

from sentrack.language import (
    Headword,
    SentenceError,
    Vocabulary,
    VocabularyError,
    entries_of,
    forms_of,
    nearest_forms,
    parse,
)
from sentrack.text import canonical

from .words import ENTRIES, ONE, THREE, VOCABULARY, noun, verb


def nouns(vocabulary: Vocabulary) -> set[str]:
    return {entry.name for entry in vocabulary.of("noun")}


@pytest.mark.parametrize("name", ["Traffic-Cone", "traffic cone", "traffic_cone", " TRAFFIC  cone"])
def test_one_name_however_it_is_written(name: str) -> None:
    assert canonical(name) == "traffic-cone"
    assert nouns(VOCABULARY.with_nouns([name])) == {"traffic-cone"}


def test_nouns_are_exactly_the_classes_of_the_detector() -> None:
    vocabulary = VOCABULARY.with_nouns(["person", "medicine-box", "medicine_box", "cup"])
    assert nouns(vocabulary) == {"person", "medicine-box", "cup"}
    meaning = parse("The woman carried the medicine box.", vocabulary)
    assert [participant.noun for participant in meaning.participants] == ["person", "medicine-box"]
    assert len(vocabulary.of("verb")) == len(VOCABULARY.of("verb"))


def test_a_class_known_as_a_synonym_keeps_all_synonyms() -> None:
    vocabulary = VOCABULARY.with_nouns(["mug"])
    for said in ("mug", "cup"):
        assert parse(f"The {said} stopped.", vocabulary).participants[0].noun == "mug"


def test_a_synonym_that_is_a_class_of_its_own_belongs_to_that_class() -> None:
    vocabulary = VOCABULARY.with_nouns(["cup", "mug"])
    meaning = parse("The mug is near the cup.", vocabulary)
    assert [participant.noun for participant in meaning.participants] == ["mug", "cup"]


def test_foreign_nouns_are_refused_and_come_back() -> None:
    few = VOCABULARY.with_nouns(["person", "trash-can"])
    with pytest.raises(SentenceError, match=r"'chair' at word 5: no detector .* 'person'"):
        parse("The person carried the chair.", few)
    with pytest.raises(SentenceError, match=r"unknown word 'trashcan' .* 'trash can'"):
        parse("The person carried the trashcan.", few)
    with pytest.raises(SentenceError, match=r"'giraffe' at word 5: no detector"):
        parse("The person carried the giraffe.", few)
    again = few.with_nouns(["rucksack"])
    assert parse("The backpack stopped.", again).participants[0].noun == "rucksack"


def test_plurals_of_classes_that_look_plural() -> None:
    assert parse("The scissors stopped.", VOCABULARY).participants[0].noun == "scissors"


def test_lookups() -> None:
    assert VOCABULARY.entry("orange", "adjective").part == "adjective"
    assert "left-of" in VOCABULARY
    assert "right" not in VOCABULARY
    assert len(VOCABULARY) == len(list(VOCABULARY)) == len(ENTRIES)
    with pytest.raises(VocabularyError, match="no verb named 'orange'"):
        VOCABULARY.entry("orange", "verb")


def test_forms() -> None:
    assert forms_of(VOCABULARY.entry("pick-up", "verb")) == (
        *("picked up", "picks up", "picking up"),
    )
    assert forms_of(VOCABULARY.entry("give", "verb")) == ("gave", "gives", "giving", "given")
    assert forms_of(VOCABULARY.entry("left-of", "preposition")) == ("to the left of", "left of")
    assert [entry.part for entry in entries_of("Orange", VOCABULARY)] == ["adjective", "noun"]
    assert [entry.name for entry in entries_of("to the left-of", VOCABULARY)] == ["left-of"]
    assert entries_of("the", VOCABULARY) == entries_of("xyz", VOCABULARY) == ()
    assert nearest_forms("Bakpack", VOCABULARY, n=1) == ("backpack",)


def test_prepositions_and_particles_of_several_words() -> None:
    keep = verb("keep-out-of", preposition="out of")
    vocabulary = Vocabulary([noun("dog"), noun("box"), *VOCABULARY.of("adverb"), keep])
    for sentence in ("The dog kept out of the box.", "The dog kept slowly out of the box."):
        words = parse(sentence, vocabulary).words
        assert words[1].word == "keep-out-of"
        assert words[1].participants == (0, 1)


def test_equal_and_picklable() -> None:
    copy = pickle.loads(pickle.dumps(VOCABULARY))
    assert copy == VOCABULARY
    assert hash(copy) == hash(VOCABULARY)
    assert VOCABULARY.with_nouns(["cup"]) != VOCABULARY


def test_particle_and_preposition_may_be_repeated_in_the_form() -> None:
    first, second = (
        Vocabulary([noun("cup"), noun("person"), entry])
        for entry in (
            verb("pick-up", particle="up"),
            replace(verb("pick-up", particle="up"), forms=("pick up",)),
        )
    )
    for sentence in ("The person picked the cup up.", "The cup was picked up by the person."):
        assert parse(sentence, first) == parse(sentence, second)


def test_where_a_form_is_shared_the_earlier_entry_is_meant() -> None:
    entries = [noun("car", "vehicle"), noun("truck", "vehicle"), verb("walk", ONE)]
    assert parse("A vehicle walked.", Vocabulary(entries)).participants[0].noun == "car"


def test_one_verb_form_with_one_two_and_three_participants() -> None:
    entries = [
        *(noun(name) for name in ("person", "cup", "dog")),
        Headword("move", "verb", ("move",), ONE),
        Headword("shift", "verb", ("move",), ("agent", "patient")),
        Headword("bring", "verb", ("move",), THREE, preposition="to"),
    ]
    sentences = {
        "The person moved.": "move",
        "The person moved the cup.": "shift",
        "The person moved the cup to the dog.": "bring",
    }
    for sentence, name in sentences.items():
        words = parse(sentence, Vocabulary(entries)).words
        assert [word.word for word in words if word.part == "verb"] == [name]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Headword("Traffic cone", "noun", ("cone",), ONE), "traffic-cone"),
        (Headword("", "noun", ("cone",), ONE), "name"),
        (Headword("cone", "thing", ("cone",), ONE), "part of speech"),
        (Headword("cone", "noun", ("cone",), THREE), "3 roles"),
        (Headword("cone", "noun", (), ONE), "form"),
        (Headword("cone", "noun", (" ",), ONE), "form"),
        (Headword("cone", "noun", ("cone",), ONE, particle="up"), "no verb"),
        (Headword("go", "verb", ("go",), ONE, moves=1), "moves"),
        (Headword("go-on", "verb", ("go",), ONE, particle="On"), "lower case"),
        (Headword("go", "verb", ("go",), ONE, irregular={"future": "x"}), "inflection"),
        (Headword("give", "verb", ("give",), THREE), "preposition"),
        (Headword("go", "verb", ("go",), ONE, preposition="to"), "preposition"),
    ],
)
def test_bad_entries_are_refused(entry: Headword, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        Vocabulary([entry])


def test_names_are_unique_within_a_part() -> None:
    with pytest.raises(VocabularyError, match="two nouns named 'cup'"):
        Vocabulary([noun("cup"), noun("cup")])
    Vocabulary([noun("orange"), Headword("orange", "adjective", ("orange",), ONE)])
