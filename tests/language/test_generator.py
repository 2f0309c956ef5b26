from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sentrack.language import (
    Meaning,
    Participant,
    SentenceError,
    Vocabulary,
    VocabularyError,
    Word,
    distinct_pairs,
    generate,
    parse,
    pieces,
    say,
)
from sentrack.language.generator import spell
from sentrack.language.parser import MAX_WORDS

from .words import ENTRIES, VOCABULARY, noun, two, verb


@settings(max_examples=100)
@given(st.integers(0, 2**32), st.integers(1, 16))
def test_what_is_made_is_understood(seed: int, depth: int) -> None:
    sentence, meaning = generate(VOCABULARY, Random(seed), depth, words=40)
    parsed = parse(sentence, VOCABULARY)
    assert parsed == meaning
    assert parsed.words == meaning.words
    assert parsed.reading == meaning.reading
    assert [p.position for p in parsed.participants] == [p.position for p in meaning.participants]
    assert len(sentence.split()) <= 40 <= MAX_WORDS


@settings(max_examples=100)
@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_spelling_does_not_matter(seed: int, rng: Random) -> None:
    sentence, meaning = generate(VOCABULARY, Random(seed))
    changed = "".join(rng.choice((c.upper(), c.lower())) for c in sentence)
    changed = "".join(rng.choice((" ", "  ", "\t", "-")) if c == " " else c for c in changed)
    assert parse(changed[: -rng.randrange(2)] or changed, VOCABULARY) == meaning


def test_every_terminal_and_construct_is_made() -> None:
    sentences = [generate(VOCABULARY, Random(seed), depth=11) for seed in range(250)]
    words = {(w.word, w.part) for _, meaning in sentences for w in meaning.words}
    # Only words whose forms could be taken for something else are missing.
    missing = {(e.name, e.part) for e in ENTRIES} - words
    assert missing <= {("orange", "noun"), ("orange", "adjective"), ("with", "motion")}
    text = " ".join(sentence for sentence, _ in sentences)
    for said in (" while ", " who ", " being ", " by ", " and the ", " an ", " up ", " another "):
        assert said in text


def test_the_same_seed_gives_the_same_sentence() -> None:
    made = [generate(VOCABULARY, Random(7)) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0][0] == made[0][1].sentence
    assert len({generate(VOCABULARY, Random(seed))[0] for seed in range(50)}) > 45


def test_a_poor_vocabulary_is_enough_and_an_empty_one_is_not() -> None:
    poor = Vocabulary([noun("cup"), two("preposition", "near")])
    sentence, meaning = generate(poor, Random(1))
    assert parse(sentence, poor) == meaning
    for entries in ([], [noun("cup")], [verb("walk", ("agent",))]):
        with pytest.raises(SentenceError, match="vocabulary needs a noun"):
            generate(Vocabulary(entries), Random(1))


def test_spelling_of_a_sentence() -> None:
    assert spell(["a", "umbrella", "hit", "a", "cup"]) == "An umbrella hit a cup."


@st.composite
def clauses(draw: st.DrawFn) -> Meaning:
    """A meaning of one clause, numbered in the order in which English mentions it."""
    nouns = st.sampled_from([entry.name for entry in VOCABULARY.of("noun")])
    participants: list[Participant] = []
    words: list[Word] = []

    def some(names: Sequence[str]) -> list[str]:
        return draw(st.lists(st.sampled_from(names), max_size=2, unique=True))

    def new() -> int:
        article = draw(st.sampled_from(("the", "a", "another")))
        participants.append(Participant(draw(nouns), article))
        index = len(participants) - 1
        words.extend(Word(name, (index,), "adjective") for name in some(["red", "big", "orange"]))
        words.append(Word(participants[index].noun, (index,), "noun"))
        return index

    def place(head: int, depth: int) -> None:
        """Spatial phrases of a noun; only the last of them has its own."""
        tail = None
        for name in some([entry.name for entry in VOCABULARY.of("preposition")]):
            tail = new()
            words.append(Word(name, (head, tail), "preposition"))
        if tail is not None and depth:
            place(tail, depth - 1)

    verbs = draw(st.sampled_from([None, *VOCABULARY.of("verb")]))
    if verbs is None:
        new()
        place(0, 2)
        assume(len(participants) > 1)
    else:
        roles = [new() for _ in verbs.roles[:2]]
        for role in roles:
            place(role, 1)
        if len(verbs.roles) == 3:
            roles.append(new())
            place(roles[-1], 1)
        words.append(Word(verbs.name, tuple(roles), "verb"))
        mover = roles[verbs.moves]
        for part in ("adverb", "direction"):
            names = [entry.name for entry in VOCABULARY.of(part)]
            words.extend(Word(name, (mover,), part) for name in some(names))
        for name in some([entry.name for entry in VOCABULARY.of("motion")]):
            goal = new()
            words.append(Word(name, (mover, goal), "motion"))
            place(goal, 1)
    return _with_positions(participants, words)


def _with_positions(participants: list[Participant], words: list[Word]) -> Meaning:
    """Positions as in the sentence, so that "another" knows what was mentioned before it."""
    draft = Meaning("", tuple(participants), tuple(words), ())
    try:
        said = parse(say(draft, VOCABULARY), VOCABULARY).participants
    except SentenceError:
        assume(False)
    placed = tuple(
        Participant(p.noun, p.article, q.position) for p, q in zip(participants, said, strict=True)
    )
    return Meaning("", placed, tuple(words), distinct_pairs(placed, words))


@settings(max_examples=100)
@given(clauses())
def test_what_is_said_is_understood(meaning: Meaning) -> None:
    sentence = say(meaning, VOCABULARY)
    parsed = parse(sentence, VOCABULARY)
    assert parsed == meaning
    assert say(parsed, VOCABULARY) == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "The person carried the backpack.",
        "The person to the left of the car picked up the small red cup on the table slowly.",
        "The person gave the cup near the box to another person upwards towards the chair.",
        "The dog collided with the chair behind the car and near the table under the box.",
        "A dog walked slowly with an umbrella near the car.",
        "The dog sat down.",
        "The cup was on the table and near the box under the chair.",
        "The person handed over the knife to the dog.",
        "The dog caught up with the orange car.",
    ],
)
def test_a_simple_sentence_is_said_again_word_for_word(sentence: str) -> None:
    assert say(parse(sentence, VOCABULARY), VOCABULARY) == sentence


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("The dog walked and sat down.", "several verbs"),
        ("The dog walked while the cup is on the table.", "'cup', 'on', 'table' cannot be said"),
    ],
)
def test_what_takes_two_clauses_cannot_be_said(sentence: str, message: str) -> None:
    with pytest.raises(SentenceError, match=message):
        say(parse(sentence, VOCABULARY), VOCABULARY)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([("carry", (0, 1), "verb"), ("slowly", (0,), "adverb")], "only the cup moves in 'carry'"),
        ([("carry", (0, 0), "verb")], "twice of the same participant"),
        ([("carry", (0, 1), "verb"), ("near", (0, 1), "preposition")], "mentioned twice"),
        ([("near", (0, 1), "preposition"), ("near", (1, 0), "preposition")], "mentioned twice"),
        ([("near", (0, 1), "preposition"), ("far-from", (0, 1), "preposition")], "contradict"),
        ([("walk", (0,), "verb")], "'cup' cannot be said in the same clause"),
        ([], "needs a verb or a spatial relation"),
    ],
)
def test_what_makes_no_clause_cannot_be_said(
    words: list[tuple[str, tuple[int, ...], str]], message: str
) -> None:
    participants = (Participant("person"), Participant("cup"))
    nouns = [Word("person", (0,), "noun"), Word("cup", (1,), "noun")]
    meaning = Meaning("", participants, (*nouns, *(Word(*word) for word in words)), ())
    with pytest.raises(SentenceError, match=message):
        say(meaning, VOCABULARY)


def test_a_participant_needs_its_noun_and_a_word_needs_an_entry() -> None:
    person = (Participant("person"),)
    with pytest.raises(SentenceError, match="participant 0 needs its noun"):
        say(Meaning("", person, (Word("walk", (0,), "verb"),), ()), VOCABULARY)
    with pytest.raises(VocabularyError, match="no verb named 'fly'"):
        say(Meaning("", person, (Word("fly", (0,), "verb"),), ()), VOCABULARY)


@settings(max_examples=100)
@given(st.integers(0, 2**32))
def test_pieces_are_the_sentence_and_its_nouns_are_whole(seed: int) -> None:
    sentence, meaning = generate(VOCABULARY, Random(seed))
    parts = pieces(meaning)
    assert "".join(piece.text for piece in parts) == sentence
    nouns = {piece.participant: piece.text for piece in parts if piece.participant is not None}
    said = {w.participants[0]: w.text for w in meaning.words if w.part == "noun"}
    assert {i: text.lower() for i, text in nouns.items()} == {
        i: said[i] for i, p in enumerate(meaning.participants) if p.position
    }


@pytest.mark.parametrize("noun_said", ["traffic cone", "traffic-cone", "Traffic_Cone"])
def test_a_noun_of_several_words_is_one_piece_however_it_is_joined(noun_said: str) -> None:
    sentence = f"The person carried the {noun_said}, slowly."
    found = pieces(parse(sentence, VOCABULARY.with_nouns(["person", "traffic-cone"])))
    assert "".join(piece.text for piece in found) == sentence
    assert [p.text for p in found if p.participant is not None] == ["person", noun_said]
