import logging
import random
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark

from sentrack.errors import SentrackError
from sentrack.language import MAX_WORDS, Meaning, SentenceError, Vocabulary, parse
from sentrack.language import grammar as grammar_module

from .words import ENTRIES, LONG, ORANGE, VOCABULARY, noun

GOOD = [
    "The person to the left of the traffic cone carried the red stool slowly away from the car.",
    "The cup that was picked up by the person is on the table and under the box.",
    "The person who collided with the chair gave the cup to another person, and the dog walked.",
    "The dog was walking to the left while the backpack is being carried by the person.",
]

GARBAGE = [
    *("", " ", "\t\n", ".", "...", ",", "-", "--- ___", "!", "?", "'", '"', "\x00", "\ud800"),
    *("💥", "👩 walked", "人が歩いた。", "Ⅷ persons", "0", "42", "3.14", "NULL"),
    *("None", "{}", "[]", "%s%s", "\\", "$END", "The person $END"),
    *("SELECT * FROM clips; DROP TABLE clips;--", "<script>alert(1)</script>", "../../etc/x"),
    *("ARTICLE NOUN V1", "sentence", "THE", "a an the another", "a" * 3999, "x" * 100_000),
    *("the " * 60, "the " * 61, "The person walked and " * 30, "\n".join("the person")),
    *("The person didn't walk.", "and", "while", "is", "The person is", "The person is being"),
]


def understood_or_refused(sentence: str) -> bool:
    """Whether a sentence is understood. Anything but a SentenceError of one line fails the test."""
    try:
        return isinstance(parse(sentence, VOCABULARY), Meaning)
    except SentenceError as error:
        message = str(error)
    assert message.strip()
    assert len(message.splitlines()) == 1
    assert len(message) < 500
    return False


def mutations(sentence: str) -> list[str]:
    words = sentence.split()
    places = range(len(words))
    inserted = ("the", "and", "carried", "slowly", "by", "persons", "near", "xyz", "7", "who")
    found = [[*words[:i], *words[i + 1 :]] for i in places]
    found += [[*words[:i], words[j], *words[i + 1 :]] for i, j in product(places, (0, 1, 3, -1))]
    found += [[*words[:i], words[i + 1], words[i], *words[i + 2 :]] for i in range(len(words) - 1)]
    found += [[*words[:i], word, *words[i:]] for i, word in product(places, inserted)]
    found += [words[:i] for i in places]
    return [" ".join(mutation) for mutation in found]


@pytest.mark.parametrize("sentence", GOOD)
def test_malformed_sentences_are_refused_politely(sentence: str) -> None:
    assert understood_or_refused(sentence)
    outcomes = [understood_or_refused(mutation) for mutation in mutations(sentence)]
    assert len(outcomes) > 200
    assert False in outcomes


def test_garbage_is_refused_politely() -> None:
    assert not any(understood_or_refused(text) for text in GARBAGE)


@pytest.mark.parametrize(
    "text", ["The person walked?", "The “person”: walked", "The (person) walked!"]
)
def test_punctuation_makes_no_difference(text: str) -> None:
    assert parse(text, VOCABULARY) == parse("The person walked.", VOCABULARY)


@settings(max_examples=100)
@given(st.text(max_size=80))
def test_any_text_is_refused_politely_or_understood(text: str) -> None:
    understood_or_refused(text)


@settings(max_examples=100)
@given(st.lists(st.sampled_from(" ".join(GOOD).lower().split()), max_size=15))
def test_any_words_are_refused_politely_or_understood(words: list[str]) -> None:
    understood_or_refused(" ".join(words))


@pytest.mark.parametrize("value", [None, 3, b"The person walked.", ["The person walked."]])
def test_only_text_is_a_sentence(value: object) -> None:
    with pytest.raises(SentenceError, match="must be text"):
        parse(value, VOCABULARY)  # type: ignore[arg-type]


def test_errors_are_errors_of_sentrack() -> None:
    assert issubclass(SentenceError, SentrackError)


def test_a_sentence_may_have_sixty_words_and_no_more() -> None:
    clause = "the dog walked and "
    sentence = clause * 14 + "the dog walked slowly"
    assert len(sentence.split()) == MAX_WORDS
    assert len(parse(sentence, VOCABULARY).participants) == 15
    with pytest.raises(SentenceError, match="61 words, at most 60"):
        parse(sentence + " upwards", VOCABULARY)


def test_deep_nesting_is_understood() -> None:
    for nested in ("near the cup " * 18, "that followed the cup " * 14):
        meaning = parse(f"The dog {nested} walked slowly", VOCABULARY)
        assert meaning.words[-1].word == "slowly"


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("The persn walked.", "unknown word 'persn' at word 2; did you mean 'person'?"),
        ("The person aproached the car.", "'aproached' at word 3; did you mean 'approached'"),
        ("The person walked near.", "ends too early: after 'the person walked near' an article"),
        (
            "The person is being.",
            "after 'the person is being' a participle or an adverb",
        ),
        ("The person is.", "after 'the person is' a verb in -ing, a participle, 'being'"),
        ("The big near walked.", "'near' at word 3 does not fit: after 'the big' a noun or an adj"),
        ("Walked the dog.", "'walked' at word 1 does not fit: a sentence starts with an article"),
        ("The dog walked and the cup.", "after 'the cup' a verb.* but not nouns"),
        ("The person replaced the cup the box.", "'replaced' at word 3 goes with 'with'; say it"),
        ("The person gave the cup with the box.", "'gave' at word 3 goes with 'to', not with"),
        ("The person collided slowly to the box.", "goes with 'with', not with 'to'"),
    ],
)
def test_messages_say_what_is_wrong_where_and_what_to_do(sentence: str, message: str) -> None:
    with pytest.raises(SentenceError, match=message):
        parse(sentence, VOCABULARY)


@pytest.mark.parametrize("sentence", GOOD)
def test_case_blanks_hyphens_commas_and_full_stop_do_not_matter(sentence: str) -> None:
    meaning = parse(sentence, VOCABULARY)
    plain = sentence.rstrip(".")
    variants = [
        *(plain, plain.upper(), plain.lower() + " .", f"  {plain}!\n", plain + "..."),
        *(plain.replace(" ", "\t  "), plain.replace(" ", "-"), plain.replace(",", "")),
        *(plain.replace(" and", ", and"), plain.replace(" while", ", while")),
        plain.replace("traffic cone", "traffic_cone"),
    ]
    for variant in variants:
        assert parse(variant, VOCABULARY) == meaning
    assert meaning.sentence == sentence


def test_the_result_does_not_depend_on_hashing_or_on_what_was_parsed_before() -> None:
    code = (
        "from tests.language.words import VOCABULARY\n"
        "from tests.language.test_parser import GOOD\n"
        "from sentrack.language import SentenceError, parse\n"
        "print(*(repr(parse(sentence, VOCABULARY)) for sentence in GOOD), sep='\\n')\n"
        "try: parse('The person to walked', VOCABULARY)\n"
        "except SentenceError as error: print(error)\n"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}:{root / 'src'}"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1
    assert outputs.pop().splitlines()[:-1] == [repr(parse(text, VOCABULARY)) for text in GOOD]


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    text = (Path(grammar_module.__file__).parent / "grammar.lark").read_text("utf-8")
    ambiguous = text.replace("_object: closed _after_noun", "_object: closed _after_word")
    for source, conflicts in ((text, False), (ambiguous, True)):
        caplog.clear()
        logger = logging.getLogger("lark")
        with caplog.at_level(logging.DEBUG, logger="lark"):
            logger.addHandler(caplog.handler)
            Lark(source, parser="lalr", start="sentence", debug=True)
            logger.removeHandler(caplog.handler)
        assert ("conflict" in caplog.text.lower()) is conflicts


def test_a_long_sentence_is_read_among_many_nouns() -> None:
    classes = [noun(f"thing-{i}") for i in range(365)]
    vocabulary = Vocabulary([*ENTRIES, *classes])
    assert parse(LONG, vocabulary) == parse(LONG, VOCABULARY)


def test_many_readings_are_not_all_tried() -> None:
    with pytest.raises(SentenceError, match="unknown word 'x'"):
        parse(ORANGE, VOCABULARY)


def test_importing_the_language_does_not_import_numbers() -> None:
    code = (
        "import sys\nsys.modules['sentrack'] = package = type(sys)('sentrack')\n"
        "package.__path__ = [sys.argv[1]]\nimport sentrack.language\n"
        "print(sorted({'numpy', 'numba'} & set(sys.modules)))"
    )
    source = Path(grammar_module.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code, str(source)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_order_of_entries_of_other_parts_does_not_matter() -> None:
    shuffled = list(ENTRIES)
    random.Random(3).shuffle(shuffled)
    for sentence in GOOD:
        assert parse(sentence, Vocabulary(shuffled)) == parse(sentence, VOCABULARY)
