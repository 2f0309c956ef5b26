"""In which order clauses happen, and how that is said."""

import pytest

from sentrack.language import Meaning, paraphrase, parse, tree
from sentrack.lexicon import Lexicon

VOCABULARY = Lexicon.load().vocabulary()
STOPS_FIRST = (
    "The car stopped, then the dog ran.",
    "The car stopped and then the dog ran.",
    "The car stopped before the dog ran.",
    "After the car stopped, the dog ran.",
    "Once the car stopped, the dog ran.",
    "First the car stopped, then finally the dog ran.",
    "The car stopped. Afterwards, the dog ran.",
    "The car stopped until the dog ran.",
)
RUNS_FIRST = (
    "The car stopped after the dog ran.",
    "Before the car stopped, the dog ran.",
    "The car stopped as soon as the dog ran.",
)


def clauses(meaning: Meaning) -> list[list[str]]:
    return [[meaning.words[w].word for w in clause] for clause in meaning.order]


@pytest.mark.parametrize(
    ("sentence", "order"),
    [(sentence, [["stop"], ["run"]]) for sentence in STOPS_FIRST]
    + [(sentence, [["run"], ["stop"]]) for sentence in RUNS_FIRST],
)
def test_order_by_any_word_for_it(sentence: str, order: list[list[str]]) -> None:
    meaning = parse(sentence, VOCABULARY)
    assert clauses(meaning) == order
    assert not meaning.unchecked


def test_the_same_order_is_the_same_meaning_and_the_reverse_is_another() -> None:
    first, *others = (parse(sentence, VOCABULARY) for sentence in STOPS_FIRST)
    assert all(other == first and hash(other) == hash(first) for other in others)
    reverse = parse(RUNS_FIRST[0], VOCABULARY)
    assert reverse != first
    assert parse("The car stopped and the dog ran.", VOCABULARY) not in (first, reverse)


def test_words_of_a_clause_are_those_said_in_it_but_what_holds_all_the_time() -> None:
    sentence = "The red car on the left slowly moved to a dog, then quickly passed it."
    assert clauses(parse(sentence, VOCABULARY)) == [
        ["left", "slowly", "move", "towards"],
        ["quickly", "pass"],
    ]


def test_an_order_of_what_is_not_checked_is_not_checked() -> None:
    meaning = parse("The man walks, then sings, then runs.", VOCABULARY)
    assert clauses(meaning) == [["walk"], ["run"]]
    assert meaning.unchecked == ("man", "then", "sings")
    assert parse("The man sings, then runs.", VOCABULARY).order == ()


def test_order_in_plain_english_and_in_the_tree() -> None:
    meaning = parse("The person stood up after the red car stopped.", VOCABULARY)
    assert paraphrase(meaning) == "a red car (1) stops; then a person (0) stands up"
    lines = tree(meaning).splitlines()
    at = next(n for n, line in enumerate(lines) if "in this order" in line)
    assert "stop(car 1)" in lines[at + 1]
    assert "stand-up(person 0)" in lines[at + 2]
