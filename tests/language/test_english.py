"""English as people write it: what it is read as, and that nothing said is lost."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.language import Meaning, SentenceError, paraphrase, parse
from sentrack.language.english.tagger import NOUNS, VERB_TAGS, tag
from sentrack.language.english.tokenizer import tokenize
from sentrack.language.glossary import glossary

from .test_english_page import VOCABULARY, summary

REAL = [
    line.split("\t")
    for line in (Path(__file__).parent / "real_sentences.tsv").read_text("utf-8").splitlines()
]
WORDS = sorted({word for sentence, _ in REAL for word in re.findall(r"[a-z']+", sentence.lower())})


@pytest.mark.parametrize(("sentence", "reading"), REAL)
def test_real_sentences_are_read_as_before(sentence: str, reading: str) -> None:
    assert summary(parse(sentence, VOCABULARY)) == reading


def lost(meaning: Meaning) -> list[str]:
    """Content words of a sentence that no part of its meaning tells of."""
    kept = [*(word.text for word in meaning.words), *meaning.unchecked, *meaning.reading]
    told = set(re.findall(r"\w+", " ".join(kept)))
    content = NOUNS | VERB_TAGS | {"adj", "adv", "dir"}
    said = [word for word in tag(tokenize(meaning.sentence), VOCABULARY) if word.tag in content]
    silent = {"other", "own"}  # the article says it: another one
    return [word.text for word in said if not set(word.text.split()) <= told | silent]


@pytest.mark.parametrize("sentence", [sentence for sentence, _ in REAL])
def test_nothing_that_people_say_is_lost(sentence: str) -> None:
    assert not lost(parse(sentence, VOCABULARY))


@settings(max_examples=100)
@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_any_words_are_read_or_refused_and_always_the_same(words: list[str]) -> None:
    sentence = " ".join(words)
    try:
        meaning = parse(sentence, VOCABULARY)
    except SentenceError as error:
        with pytest.raises(SentenceError, match=re.escape(str(error))):
            parse(sentence, VOCABULARY)
        return
    assert summary(parse(sentence, VOCABULARY)) == summary(meaning)
    assert meaning.participants
    for word in meaning.words:
        assert all(0 <= index < len(meaning.participants) for index in word.participants)
        assert len(set(word.participants)) == len(word.participants)
    assert all(i < j for i, j in meaning.distinct)


@pytest.mark.parametrize(
    ("sentence", "reading"),
    [
        ("A dog on the left side of the screen runs.", "dog: left(0) run(0)"),
        ("A dog at the far right of the picture.", "dog: right(0)"),
        ("A bird in the bottom left corner of the frame.", "bird: left(0) bottom(0)"),
        ("A person wearing a hat on the right.", "person: right(0) | not checked: wearing a hat"),
        ("A dog follows another on the left.", "dog dog: follow(0,1) left(1)"),
        # Of something else, of somebody, or where to.
        ("A dog on the middle left.", "dog: | not checked: on the middle left"),
        ("A bird on the top.", "bird: | not checked: on the top"),
        (
            "A dog in the middle of two cats.",
            "dog cat cat: | not checked: in the middle of two cats",
        ),
        ("The left hand moves.", "hand: move(0) | not checked: left"),
        ("A person walks to the far left.", "person: walk(0) | not checked: to the far left"),
        ("A person puts a cup on the left.", "person cup: put(0,1) | not checked: on the left"),
        ("A person looks to the left.", "person: | not checked: looks, to the left"),
        ("A car passes a store on the right.", "car: | not checked: passes a store, on the right"),
        (
            "The second person from the left runs.",
            "person: run(0) | not checked: second, from the left",
        ),
        ("A car comes from the left.", "car: move(0) rightwards(0)"),
        ("The person leans forward.", "person: | not checked: leans, forward"),
        ("A car goes straight followed by a bus.", "car bus: move(0) straight(0) follow(1,0)"),
        ("A car turns left followed by a bus.", "car bus: turn-left(0) follow(1,0)"),
        ("A car takes a right.", "car: turn-right(0)"),
        ("A bus enters the frame.", "bus: appear(0)"),
        ("A person walks out of frame.", "person: walk(0) disappear(0)"),
        ("Two persons hug.", "person person: embrace(0,1)"),
        ("A person hops in the car.", "person car: enter(0,1)"),
    ],
)
def test_places_turns_and_what_comes_and_goes(sentence: str, reading: str) -> None:
    assert summary(parse(sentence, VOCABULARY)) == reading
    assert not lost(parse(sentence, VOCABULARY))


def test_further_nouns_are_classes_of_their_own() -> None:
    sentence = "A woman plays the guitar."
    with pytest.raises(SentenceError, match="'guitar' at word 5 is no class"):
        sentrack.parse(sentence)
    meaning = sentrack.parse(sentence, nouns=["guitar", "woman"])
    assert [participant.noun for participant in meaning.participants] == ["woman", "guitar"]
    assert meaning.unchecked == ("plays",)
    assert sentrack.parse("The person walked.", nouns=["woman"]).participants[0].noun == "person"


def test_a_class_of_several_words_is_read_as_one() -> None:
    sentence = "The hand put the water flask on the box."
    vocabulary = VOCABULARY.with_nouns(["hand", "water flask", "box"])
    nouns = [participant.noun for participant in parse(sentence, vocabulary).participants]
    assert nouns == ["hand", "water-flask", "box"]


def test_thousands_of_nouns_are_known() -> None:
    nouns = [f"thing {i}" for i in range(5000)]
    meaning = sentrack.parse("A woman talks to thing 4711 near the car.", nouns=nouns)
    assert "thing-4711" in [participant.noun for participant in meaning.participants]


@pytest.mark.parametrize(
    "text",
    ["zzgrf " * 60, "walks " * 60, "man " * 60, "the man and " * 20, "the man that the dog " * 12],
)
def test_long_nonsense_is_read_or_refused(text: str) -> None:
    with suppress(SentenceError):
        assert parse(text, VOCABULARY).participants


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("A street in the rain.", "nothing in it can be tracked: 'a street', 'the rain'"),
        (
            "The man plays the guitar.",
            "'guitar' at word 5 is no class that can be tracked; say 'object' for any object",
        ),
        ("A llama runs.", "'llama' at word 2 is no class that can be tracked; say 'animal'"),
        ("The person strols.", "'strols' at word 3; did you mean 'strolls' .read as 'walk'."),
        ("A dog at a crossroad.", "'crossroad' at word 5; did you mean 'crossroads'?"),
        ("The man doesn't walk.", "'doesn't' at word 3: sentrack looks for what happens"),
        ("The man blorps the dog.", "unknown word 'blorps' at word 3"),
        ("The man walks or the dog runs.", "'or' at word 4: one sentence says one thing"),
        ("The big near walked.", "'near' at word 3 does not fit"),
        ("Walked.", "'walked' at word 1 does not fit"),
    ],
)
def test_messages_of_what_is_refused(sentence: str, message: str) -> None:
    with pytest.raises(SentenceError, match=message):
        parse(sentence, VOCABULARY)


@pytest.mark.parametrize(
    ("sentence", "note"),
    [
        ("The SUV stopped.", "suv: read as car"),
        ("Two men walk and they stop.", "'they' is person 0 and person 1"),
        ("Dogs are running.", "dogs: read as 2, the best ones"),
        ("A man is seen running.", "'seen running': read as 'running'"),
        ("The dog sits in a chair.", "'in a chair': read as on it"),
        ("A man feeds a dog.", "'feeds' is said of person 0 and dog 1, and is not checked"),
        ("The person carried.", "'carried' is checked with an object: 'carried the ...'"),
        ("A dog on the left runs.", "'on the left': read as a place in the picture"),
        ("A car goes forward.", "forward: read as straight"),
        ("A car comes into view.", "into view: read as appear"),
        ("The car stops and starts.", "'starts': read as coming after 'stops'"),
        ("A dog that stops while it starts.", "'starts' contradicts 'stops'"),
        ("The man starts to walk.", "'starts to walk': read as 'starts', then 'walk'"),
        ("A light grey car.", "light: read as light-coloured"),
    ],
)
def test_readings_say_how(sentence: str, note: str) -> None:
    assert any(note in told for told in parse(sentence, VOCABULARY).reading)


def test_the_meaning_in_plain_english() -> None:
    meaning = parse("A young person slowly carried a red backpack near a car.", VOCABULARY)
    assert paraphrase(meaning) == (
        "a red backpack (1) goes slowly; a person (0) carries backpack (1); "
        "backpack (1) is near a car (2); not checked: young"
    )
    assert paraphrase(parse("two dogs", VOCABULARY)) == "there is a dog (0); there is a dog (1)"


def test_what_is_not_checked_is_in_the_text() -> None:
    meaning = parse("A man talks.", VOCABULARY)
    assert meaning.unchecked == ("man", "talks")
    assert str(meaning).splitlines()[-3:] == ["└─ not checked", "   ├─ man", "   └─ talks"]


def test_every_word_of_the_glossary_is_of_one_spelling() -> None:
    known = glossary()
    for form in known.lexemes:
        assert all(word == word.lower() and word.strip() for word in form)
    for part, words in known.same.items():
        assert words, part
        for name in words.values():
            assert VOCABULARY.said(name, ["noun", "verb", "adjective", "adverb"]) or part in (
                "prepositions",
            )


def test_answers_name_what_is_not_checked(tmp_path: Path) -> None:
    frames = range(20)
    rows = ["frame,class,x1,y1,x2,y2"]
    rows += [f"{t},person,{10 + 5 * t},50,{40 + 5 * t},150" for t in frames]
    path = tmp_path / "boxes.csv"
    path.write_text("\n".join(rows))
    clip = sentrack.load_clip(path, size=(320, 240), fps=10)
    answer = sentrack.track(clip, "A young person walks.")
    assert answer.unchecked == ("young",)
    assert json.loads(answer.to_json())["unchecked"] == ["young"]
