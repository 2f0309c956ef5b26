import pytest

from sentrack.language import Meaning, Participant, Word, distinct_pairs, parse, tree
from sentrack.language.errors import SentenceError
from sentrack.language.linking import check

from .words import VOCABULARY

LEFT, RIGHT = "to the left of the", "to the right of the"

# The sentences of the paper's experiments: participants, words with their links, L and W.
PAPER = [
    (
        f"The person {LEFT} traffic-cone carried the stool {LEFT} trash-can slowly "
        "away from the traffic-cone.",
        "person stool traffic-cone trash-can traffic-cone",
        "person(0) left-of(0,2) traffic-cone(2) carry(0,1) stool(1) left-of(1,3) trash-can(3) "
        "slowly(1) away-from(1,4) traffic-cone(4)",
    ),
    (
        f"The person {LEFT} trash-can carried the backpack {LEFT} stool slowly towards the stool.",
        "person backpack trash-can stool stool",
        "person(0) left-of(0,2) trash-can(2) carry(0,1) backpack(1) left-of(1,3) stool(3) "
        "slowly(1) towards(1,4) stool(4)",
    ),
    (
        f"The person {LEFT} stool carried the trash-can slowly towards the traffic-cone.",
        "person trash-can stool traffic-cone",
        "person(0) left-of(0,2) stool(2) carry(0,1) trash-can(1) slowly(1) towards(1,3) "
        "traffic-cone(3)",
    ),
    (
        f"The person {LEFT} trash-can carried the traffic-cone {LEFT} backpack.",
        "person traffic-cone trash-can backpack",
        "person(0) left-of(0,2) trash-can(2) carry(0,1) traffic-cone(1) left-of(1,3) backpack(3)",
    ),
    (
        f"The person {LEFT} trash-can carried the traffic-cone.",
        "person traffic-cone trash-can",
        "person(0) left-of(0,2) trash-can(2) carry(0,1) traffic-cone(1)",
    ),
    (
        f"The person {LEFT} trash-can picked up the traffic-cone {RIGHT} backpack quickly.",
        "person traffic-cone trash-can backpack",
        "person(0) left-of(0,2) trash-can(2) pick-up(0,1) traffic-cone(1) right-of(1,3) "
        "backpack(3) quickly(1)",
    ),
]
SIZES = [(5, 10), (5, 10), (4, 8), (4, 7), (3, 5), (4, 8)]


@pytest.mark.parametrize(("row", "size"), list(zip(PAPER, SIZES, strict=True)))
def test_the_sentences_of_the_paper(row: tuple[str, str, str], size: tuple[int, int]) -> None:
    sentence, nouns, words = row
    meaning = parse(sentence, VOCABULARY)
    assert [participant.noun for participant in meaning.participants] == nouns.split()
    said = [f"{w.word}({','.join(map(str, w.participants))})" for w in meaning.words]
    assert said == words.split()
    assert (len(meaning.participants), len(meaning.words)) == size


def test_a_passive_sentence_means_the_same_as_its_active_counterpart() -> None:
    active = parse("The person near the car carried the cup slowly.", VOCABULARY)
    passive = parse("The cup was slowly carried by the person near the car.", VOCABULARY)
    assert active == passive
    assert hash(active) == hash(passive)
    assert active.words != passive.words
    assert active != parse("The cup carried the person slowly.", VOCABULARY)
    assert active != "a sentence"


def test_another_is_distinct_from_all_earlier_ones_of_its_noun() -> None:
    meaning = parse(
        "The chair near the chair approached the box and another chair walked.", VOCABULARY
    )
    nouns = [participant.noun for participant in meaning.participants]
    assert nouns == ["chair", "box", "chair", "chair"]
    assert meaning.distinct == ((0, 1), (0, 2), (0, 3), (2, 3))
    assert [participant.article for participant in meaning.participants] == [
        *("the", "the", "the", "another"),
    ]


def test_another_looks_back_even_if_its_number_is_lower() -> None:
    meaning = parse("The person near the chair followed another chair.", VOCABULARY)
    assert [participant.position for participant in meaning.participants] == [2, 8, 5]
    assert meaning.distinct == ((0, 1), (0, 2), (1, 2))


def test_the_reading_says_how_ambiguities_were_resolved() -> None:
    meaning = parse(
        "The person near the dog that is near the car carried the box on the table slowly "
        "and sat down near the car.",
        VOCABULARY,
    )
    notes = "\n".join(meaning.reading)
    assert "'that is near the car' tells of 'dog': a relative clause" in notes
    assert "'on the table' tells of 'box': a spatial phrase belongs to the nearest noun" in notes
    assert "'slowly' tells of the box, which moves in 'carried'" in notes
    assert "'and sat down near the car' is said of the same person" in notes
    assert "'near the car' tells of the person: it does not follow a noun" in notes
    assert "car 3 and car 5 may be the same object; if not, say 'another car'" in notes
    assert parse("The person carried the box.", VOCABULARY).reading == ()


def test_the_tree_as_text() -> None:
    meaning = parse("The man picked the cup up.", VOCABULARY)
    assert tree(meaning) == str(meaning)
    assert tree(meaning).splitlines() == [
        "The man picked the cup up.",
        "├─ participants",
        "│  ├─ 0  person",
        "│  └─ 1  cup",
        "├─ words",
        "│  ├─ noun        person(person 0)  ('man')",
        "│  ├─ verb        pick-up(person 0, cup 1)  ('picked up')",
        "│  └─ noun        cup(cup 1)",
        "├─ never the same object",
        "│  └─ person 0, cup 1",
        "└─ not checked",
        "   └─ man",
    ]
    assert tree(Meaning("", (Participant("cup"),), (), ())).startswith("(unsaid)")


def test_one_participant_cannot_fill_two_roles() -> None:
    words = [Word("carry", (0, 0), "verb")]
    with pytest.raises(SentenceError, match="'carry' speaks twice of the same participant"):
        check([Participant("person")], words, [VOCABULARY.entry("carry", "verb")])


def test_contradictions_count_only_for_the_same_participants() -> None:
    parse("The person near the red cup carried the blue cup slowly.", VOCABULARY)
    parse("The person walked slowly while the dog walked quickly.", VOCABULARY)
    for sentence in (
        "The person carried the red blue cup.",
        "The person carried the cup to the left downwards to the right.",
        "The person walked slowly and approached the chair quickly.",
    ):
        with pytest.raises(SentenceError, match="contradict each other: both speak of the"):
            parse(sentence, VOCABULARY)


def test_distinct_pairs_of_words_and_of_another() -> None:
    cups = [Participant("cup"), Participant("cup", "another"), Participant("box")]
    assert distinct_pairs(cups, []) == ((0, 1),)
    assert distinct_pairs(cups, [Word("near", (2, 0), "preposition")]) == ((0, 1), (0, 2))
