"""From a sentence and detections to explained tracks."""

import csv
import json
import math
import sys
import types
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sentrack
from sentrack.demo import SWAPPED, accuracy
from sentrack.vision import Clip, Truth, two_activities
from sentrack.vision.clip import ROWS


@cache
def clip(seed: int = 0) -> tuple[Clip, Truth]:
    return two_activities(seed)


@cache
def answer(sentence: str, seed: int = 0) -> sentrack.Tracking:
    return sentrack.track(clip(seed)[0], sentence)


SENTENCES = clip()[1].sentences


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", range(len(SENTENCES)))
def test_each_sentence_finds_its_own_objects_among_several(n: int, seed: int) -> None:
    truth = clip(seed)[1]
    found = answer(truth.sentences[n], seed)
    assert found.certified
    assert accuracy(found, truth, truth.participants[n]) > 0.85


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("what", SWAPPED)
def test_a_swap_lowers_the_match(what: str, seed: int) -> None:
    true, false = SWAPPED[what]
    assert answer(true, seed).match > answer(false, seed).match + 0.03


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_ledger_sums_to_the_score(sentence: str) -> None:
    found = answer(sentence)
    assert found.ledger.total == pytest.approx(found.score, rel=1e-9)
    assert found.ledger.per_frame.sum() == pytest.approx(found.score, rel=1e-9)
    owners = {term.owner for term in found.ledger.terms}
    for w, word in enumerate(found.words):
        assert f"{word.word} {w}" in owners
        own = [t.values.sum() for t in found.ledger.terms if t.owner == f"{word.word} {w}"]
        assert math.fsum(own) == pytest.approx(word.total, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_answer_is_made_of_the_clips_own_boxes(sentence: str) -> None:
    found, whole = answer(sentence), clip()[0]
    for participant in found.participants:
        assert participant.boxes.shape == (whole.T, 4)
        np.testing.assert_array_equal(participant.frames, whole.frames)
        np.testing.assert_array_equal(participant.times, whole.times)
        label = whole.classes.index(participant.noun)
        for t in np.flatnonzero(~participant.projected):
            rows = slice(whole.start[t], whole.start[t + 1])
            own = whole.boxes[rows][whole.label[rows] == label]
            assert (own == participant.boxes[t]).all(axis=1).any()


def test_json_has_the_fields_that_other_programs_read() -> None:
    document = json.loads(answer(SENTENCES[0]).to_json())
    assert list(document) == [
        *("sentence", "score", "upper_bound", "certified", "match", "reason", "seconds"),
        *("participants", "words"),
    ]
    assert [p["noun"] for p in document["participants"]] == ["person", "cup"]
    assert len(document["participants"][0]["boxes"]) == clip()[0].T
    frame, seconds, *box, score = document["participants"][0]["boxes"][-1]
    assert (frame, len(box)) == (clip()[0].frames[-1], 4)
    assert seconds == pytest.approx(clip()[0].times[-1])
    assert 0 <= score <= 1
    assert {w["word"] for w in document["words"]} == {"person", "pick-up", "cup"}
    assert all(len(w["states"]) == clip()[0].T for w in document["words"])


def test_json_has_null_where_a_number_is_not_finite() -> None:
    found = answer(SENTENCES[0])
    word = replace(found.words[0], total=-math.inf)
    open_end = replace(found, score=-math.inf, upper_bound=math.inf, words=(word,))

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    document = json.loads(open_end.to_json(), parse_constant=refuse)
    assert document["score"] is document["upper_bound"] is document["words"][0]["total"] is None
    # As of a method that may end with tracks that a word rules out.
    worst = sentrack.track(clip()[0], SENTENCES[0], method="growth", time_limit=1e-3)
    assert 0.0 <= worst.match <= 1.0
    json.loads(worst.to_json(), parse_constant=refuse)


def test_mot_lines() -> None:
    found = answer(SENTENCES[0])
    rows = list(csv.reader(found.to_mot().splitlines()))
    assert len(rows) == 2 * clip()[0].T
    frame, track, x, y, w, h, *_ = (float(v) for v in rows[1])
    assert (frame, track) == (clip()[0].frames[0] + 1, 2)
    expected = found.participants[1].boxes[0]
    np.testing.assert_allclose([x, y, x + w, y + h], expected, atol=0.02)


def test_supervision_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package itself is large; what it is given is checked."""
    module = types.ModuleType("supervision")
    module.Detections = lambda **fields: fields  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "supervision", module)
    frames = answer(SENTENCES[0]).to_supervision()
    assert len(frames) == clip()[0].T
    assert frames[0]["xyxy"].shape == (2, 4)
    assert list(frames[0]["tracker_id"]) == [1, 2]
    assert list(frames[0]["data"]["class_name"]) == ["person", "cup"]


def test_without_supervision_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "supervision", None)
    with pytest.raises(sentrack.SentrackError, match="pip install supervision"):
        answer(SENTENCES[0]).to_supervision()


def test_reasons_name_word_time_and_what_was_seen() -> None:
    reason = answer("The person carried the backpack to the left.").reason
    assert "weakest: '" in reason
    assert " s: " in reason
    assert "the backpack moved to the right" in reason


def test_a_noun_that_was_not_detected_is_named() -> None:
    whole = clip()[0]
    only = sentrack.Clip(**{**whole.__dict__, "classes": (*whole.classes, "dog")})
    with pytest.raises(sentrack.ClipError, match="no dog was detected"):
        sentrack.track(only, "The dog approached the chair.")
    with pytest.raises(sentrack.SentenceError, match="zebra"):
        sentrack.track(whole, "The zebra approached the chair.")


def test_two_participants_of_one_noun_are_two_objects() -> None:
    found = answer("The person approached another person.")
    first, second = found.participants
    assert not (first.boxes == second.boxes).all(axis=1).any()


def test_one_frame_is_enough() -> None:
    found = sentrack.track(clip()[0].cut(0, 1), SENTENCES[0])
    assert found.certified
    assert np.isfinite(found.score)


def test_frames_without_detections_are_bridged() -> None:
    whole = clip()[0]
    keep = ~((whole.frame_of >= 30) & (whole.frame_of < 36))
    counts = np.bincount(whole.frame_of[keep], minlength=whole.T)
    arrays = {name: getattr(whole, name)[keep] for name in ROWS}
    start = np.concatenate([[0], np.cumsum(counts)])
    gappy = sentrack.Clip(**{**whole.__dict__, **arrays, "start": start})
    found = sentrack.track(gappy, SENTENCES[1])
    assert found.certified
    assert all(p.projected[30:36].all() for p in found.participants)
    assert all(p.projected.mean() < 0.2 for p in found.participants)


@pytest.mark.parametrize("method", ["viterbi", "dual"])
def test_other_methods_agree(method: str) -> None:
    found = sentrack.track(clip()[0], SENTENCES[0], method=method)
    assert found.score <= answer(SENTENCES[0]).score + 1e-6
    assert found.upper_bound >= answer(SENTENCES[0]).score - 1e-6
