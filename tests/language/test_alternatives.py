"""Sentences with "or": what each alternative says in full."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.language import SentenceError, alternatives, generate, parse

from .words import VOCABULARY

TABLE = {
    # Both in full.
    "The person walked or the dog stopped.": ["The person walked.", "The dog stopped."],
    "The dog left of the cup walked or the dog near the table walked.": [
        "The dog left of the cup walked.",
        "The dog near the table walked.",
    ],
    # They share how they begin.
    "The person carried the cup or the box.": [
        "The person carried the cup.",
        "The person carried the box.",
    ],
    "The person carried the cup or pushed the box.": [
        "The person carried the cup.",
        "The person pushed the box.",
    ],
    "The person walked slowly or quickly.": [
        "The person walked slowly.",
        "The person walked quickly.",
    ],
    "The person walked to the left or to the right.": [
        "The person walked to the left.",
        "The person walked to the right.",
    ],
    "The cup was near the box or the chair.": [
        "The cup was near the box.",
        "The cup was near the chair.",
    ],
    # They share how they end.
    "The person or the dog walked.": ["The person walked.", "The dog walked."],
    "The person or the dog walked slowly to the left.": [
        "The person walked slowly to the left.",
        "The dog walked slowly to the left.",
    ],
    # Both.
    "The person picked up the red or the blue cup.": [
        "The person picked up the red cup.",
        "The person picked up the blue cup.",
    ],
    "The person picked up the red or blue cup": [
        "The person picked up the red cup.",
        "The person picked up the blue cup.",
    ],
    "The red or blue cup is on the table.": [
        "The red cup is on the table.",
        "The blue cup is on the table.",
    ],
    "The cup is on or under the table.": [
        "The cup is on the table.",
        "The cup is under the table.",
    ],
    "The person picked up or put down the cup.": [
        "The person picked up the cup.",
        "The person put down the cup.",
    ],
    "The person near the chair or the table walked.": [
        "The person near the chair walked.",
        "The person near the table walked.",
    ],
    # What only the last one says is its own.
    "The person carried the red cup or the box towards the chair.": [
        "The person carried the red cup.",
        "The person carried the box towards the chair.",
    ],
    # More than two.
    "The person pushed the cup or the box or the chair.": [
        "The person pushed the cup.",
        "The person pushed the box.",
        "The person pushed the chair.",
    ],
    # Blanks, case and saying it twice make no difference.
    " the person walked  OR\tthe dog stopped. ": ["The person walked.", "The dog stopped."],
    "The person carried the cup or the cup.": ["The person carried the cup."],
}


@pytest.mark.parametrize("sentence", TABLE)
def test_alternatives_say_the_same_as_sentences_in_full(sentence: str) -> None:
    found = alternatives(sentence, VOCABULARY)
    assert found == [parse(said, VOCABULARY) for said in TABLE[sentence]]
    assert [meaning.sentence.lower() for meaning in found] == [s.lower() for s in TABLE[sentence]]


@pytest.mark.parametrize("sentence", ["The person carried the cup", "A dog walked to the left."])
def test_a_sentence_without_or_is_itself(sentence: str) -> None:
    (meaning,) = alternatives(sentence, VOCABULARY)
    assert meaning == parse(sentence, VOCABULARY)
    assert meaning.sentence == sentence


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("The person or walked.", "cannot tell what 'or' joins in 'The person or walked'"),
        ("The person walked or frobbed.", "say both sentences in full"),
        ("The person walked or", "'or' at word 4"),
        ("or the person walked", "'or' at word 1"),
        ("The person frobbed the cup.", "frobbed"),
        ("", "the sentence is empty"),
    ],
)
def test_what_cannot_be_understood_is_told(sentence: str, message: str) -> None:
    with pytest.raises(SentenceError, match=message):
        alternatives(sentence, VOCABULARY)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_two_sentences_joined_are_both(first: int, second: int) -> None:
    one, meant = generate(VOCABULARY, Random(first), words=20)
    two, other = generate(VOCABULARY, Random(second), words=20)
    found = alternatives(f"{one.rstrip('.')} or {two}", VOCABULARY)
    assert found == ([meant] if one == two else [meant, other])
