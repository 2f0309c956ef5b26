"""Nouns of the user's own detector: what a sentence means by them, in every task."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sentrack
from sentrack.language import SentenceError, alternatives
from sentrack.lexicon import Lexicon
from sentrack.tasks.learning.learner import Settings, learn
from sentrack.tasks.tracker import vocabulary_of
from sentrack.vision import Clip, class_name, clip_from_arrays, load_clip, save_clip
from tests.tasks.stages import corpus

SIZE = (640, 480)


def clip(*classes: str, T: int = 12) -> Clip:
    """One thing of every class, side by side; the first moves to the right, the others rest."""
    boxes = [
        [20 + 90 * n + (5 * t if n == 0 else 0), 100, 80 + 90 * n + 5 * t * (n == 0), 200]
        for t in range(T)
        for n in range(len(classes))
    ]
    frame = np.repeat(np.arange(T), len(classes))
    label = np.tile(np.arange(len(classes)), T)
    return clip_from_arrays("x", SIZE, 10, frame, classes, boxes, label=label)


@pytest.mark.parametrize(
    ("noun", "classes", "named"),
    [
        ("vehicle", ["vehicle", "person"], ["vehicle"]),
        ("vehicle", ["person", "car", "truck"], ["car", "truck"]),
        ("vehicle", ["vehicle", "car", "person"], ["vehicle", "car"]),
        ("bag", ["bag"], ["bag"]),
        ("object", ["object", "car"], ["object"]),
        ("object", ["person", "car"], ["person", "car"]),
        ("person", ["car"], []),
        ("traffic-cone", ["Traffic, cone"], ["Traffic, cone"]),
        ("gadget", ["gadget", "car"], ["gadget"]),
    ],
)
def test_what_a_noun_names(noun: str, classes: list[str], named: list[str]) -> None:
    assert list(Lexicon.load().named(noun, classes)) == named


@pytest.mark.parametrize("noun", ["vehicle", "object", "bag", "animal", "Traffic, cone"])
def test_the_class_of_its_own_name_is_tracked_searched_and_described(
    noun: str, tmp_path: Path
) -> None:
    seen = clip(noun, "person", T=20)
    sentence = f"The {noun} moved."
    tracking = sentrack.track(seen, sentence)
    assert tracking.participants[0].noun == class_name(noun)
    np.testing.assert_array_equal(tracking.participants[0].boxes, seen.boxes[::2])
    library = sentrack.Library(tmp_path / "lib")
    library.add(seen, name="x")
    (moment, *_) = library.search(sentence, k=1)
    np.testing.assert_array_equal(
        moment.tracking.participants[0].boxes,
        tracking.participants[0].boxes[moment.tracking.participants[0].frames],
    )
    told = sentrack.describe(seen, n=1)
    assert told[0].tracking.participants[0].noun == class_name(noun)


def test_an_object_is_anything_unless_there_is_a_class_of_that_name() -> None:
    moving = sentrack.track(clip("car", "person"), "The object moved.")
    resting = sentrack.track(clip("car", "object"), "The object moved.")
    assert moving.match > resting.match
    assert (np.diff(resting.participants[0].boxes[:, 0]) == 0).all()


def test_nouns_of_a_corpus_name_their_own_classes_too() -> None:
    def renamed(seen: Clip) -> Clip:
        classes = tuple("vehicle" if name == "cup" else name for name in seen.classes)
        # Detectors know more than a corpus shows.
        return replace(seen, classes=(*classes, "zebra"))

    pairs = [(renamed(seen), said.replace("cup", "vehicle")) for seen, said in corpus(4)]
    assert any("vehicle" in said for _, said in pairs)
    quick = Settings(restarts=1, iterations=1, contrast=0, nouns=False)
    lexicon = learn(pairs, settings=quick, strict=True)
    assert ("noun", "vehicle") in lexicon.words


ODD = [
    *("Traffic, cone", "TRAFFIC_CONE", "traffic   cone", "driver's seat", "cup (small)"),
    *("[bold]x[/bold]", "[/]x", "a\x1b[31mb", "3D printer", "C++", "St.", "U.S.A.", "é", "Straße"),
    *("犬", "कुत्ता", "the", "or", "coat or hat", "who", "moved", "left", "not", "people", "red"),
    *(
        "'quoted'",
        "a/b",
        "x\ny",
        "semi;colon",
        "a" * 200,
        "İstanbul",
        "ΟΔΟΣ",
        "x.",
        "the cup moved",
    ),
]


def round_trip(name: str) -> None:
    seen = clip(name, "wombat")
    sentence = f"The {name} moved."
    vocabulary = vocabulary_of(Lexicon.load(), seen.classes)
    (meaning,) = alternatives(sentence, vocabulary)
    assert [participant.noun for participant in meaning.participants] == [class_name(name)]
    assert Lexicon.load().named(class_name(name), seen.classes)[0] == seen.classes[0]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_of_classes_can_be_said(name: str) -> None:
    round_trip(name)
    tracking = sentrack.track(clip(name, "wombat"), f"The {name} moved.")
    assert (np.diff(tracking.participants[0].boxes[:, 0]) > 0).all()


@given(
    st.text(min_size=1, max_size=40).filter(
        lambda name: any(map(str.isalpha, name)) and class_name(name) != "wombat"
    )
)
def test_any_name_of_a_class_with_a_letter_can_be_said(name: str) -> None:
    round_trip(name)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_names_are_the_same_from_every_file(tmp_path: Path, suffix: str) -> None:
    names = [name for name in ODD if class_name(name) not in ("traffic-cone", "x")]
    seen = clip(*names)
    save_clip(seen, tmp_path / f"a.{suffix}")
    again = load_clip(tmp_path / f"a.{suffix}")
    assert [again.classes[k] for k in again.label] == [class_name(name) for name in names] * seen.T


def test_a_class_without_a_word_in_it_does_no_harm() -> None:
    seen = clip("---", "person")
    assert seen.classes == ("---", "person")
    assert sentrack.track(seen, "The object moved.").match > 0.5
    with pytest.raises(SentenceError, match="a noun"):
        sentrack.track(seen, "The --- moved.")


def test_a_class_of_too_many_words_is_refused_in_one_line() -> None:
    name = "very " * 70 + "long"
    with pytest.raises(SentenceError, match="too long: 73 words"):
        sentrack.track(clip(name), f"The {name} moved.")
