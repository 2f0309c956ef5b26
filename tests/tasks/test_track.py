"""From a sentence and detections to explained tracks."""

import csv
import json
import math
import sys
import types
from dataclasses import replace
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

import sentrack
from sentrack.demo import SWAPPED, accuracy
from sentrack.scene.presence import AFTER, BEFORE
from sentrack.tasks import RATE
from sentrack.vision import Clip, Truth, clip_from_arrays, save_clip, two_activities


@cache
def clip(seed: int = 0) -> tuple[Clip, Truth]:
    return two_activities(seed)


@cache
def answer(sentence: str, seed: int = 0, whole: bool = False) -> sentrack.Tracking:
    return sentrack.track(clip(seed)[0], sentence, whole=whole)


SENTENCES = clip()[1].sentences


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", range(len(SENTENCES)))
def test_each_sentence_finds_its_own_objects_among_several(n: int, seed: int) -> None:
    truth = clip(seed)[1]
    found = answer(truth.sentences[n], seed)
    assert found.certified
    assert found.depicted
    assert accuracy(found, truth, truth.participants[n]) > 0.85


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("what", SWAPPED)
def test_a_swap_lowers_the_score_where_the_source_knows_who_is_who(what: str, seed: int) -> None:
    seen, truth = clip(seed)
    known = replace(seen, id=truth.object_of)
    true, false = (sentrack.track(known, said, whole=True) for said in SWAPPED[what])
    assert true.score > false.score + 10
    objects = truth.participants[truth.sentences.index(true.sentence)]
    assert accuracy(true, truth, objects) == 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("what", ["direction", "roles"])
def test_a_swap_lowers_the_match(what: str, seed: int) -> None:
    true, false = SWAPPED[what]
    assert answer(true, seed).match > answer(false, seed).match + 0.03


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sentence", SENTENCES)
def test_an_answer_is_about_a_part_of_the_clip_in_which_all_are_there(
    sentence: str, seed: int
) -> None:
    found, looked_at = answer(sentence, seed), clip(seed)[0].thinned(RATE)
    times = found.participants[0].times
    first, last = (int(np.searchsorted(looked_at.times, time)) for time in times[[0, -1]])
    np.testing.assert_array_equal(times, looked_at.times[first : last + 1])
    assert np.bincount((times * RATE + 1e-6).astype(int)).max() == 1
    assert found.start == times[0]
    assert found.end == (
        looked_at.times[last + 1]
        if last + 1 < looked_at.T
        else pytest.approx(times[-1] + looked_at.seconds)
    )
    assert found.certified
    assert found.score > 0
    for each, track in zip(found.objective.candidates, found.solution.tracks, strict=True):
        things = found.objective.clip.id[each.rows[np.arange(len(times)), track]]
        assert len(set(things)) == 1
        assert things[0] >= 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sentence", SENTENCES)
def test_over_the_whole_clip_who_takes_part_may_come_and_go_but_is_one_thing(
    sentence: str, seed: int
) -> None:
    found, seen = answer(sentence, seed, whole=True), clip(seed)[0]
    assert found.start == 0.0
    assert found.end == pytest.approx(seen.T / seen.fps)
    for each, track in zip(found.objective.candidates, found.solution.tracks, strict=True):
        things = found.objective.clip.id[each.rows[np.arange(seen.T), track]]
        order = [thing for thing, _ in groupby(things)]
        assert len([thing for thing in order if thing >= 0]) == 1
        assert order == [thing for thing in (BEFORE, max(order), AFTER) if thing in order]


def test_the_whole_clip_and_its_best_part_are_different_questions() -> None:
    """Every frame of an interval must be worth its cost, and those of a clip are given."""
    part, whole = (answer(SENTENCES[0], whole=whole) for whole in (False, True))
    assert part.end - part.start < whole.end - whole.start
    assert part.objective.frame_cost > 0 == whole.objective.frame_cost
    assert whole.score < 0 < part.score


@pytest.mark.parametrize("whole", [False, True])
def test_a_clip_may_be_a_file(tmp_path: Path, whole: bool) -> None:
    path = tmp_path / "clip.parquet"
    save_clip(clip()[0], path)
    for given in (path, str(path)):
        found = sentrack.track(given, SENTENCES[1], whole=whole)
        assert found.score == pytest.approx(answer(SENTENCES[1], whole=whole).score)


def test_a_person_who_comes_late_is_there_from_then_on() -> None:
    """All that shows him before is left out; over the whole clip he has not come yet."""
    seen, truth = clip()
    walker = truth.participants[3][0]
    person = seen.label == seen.classes.index("person")
    before = seen.frame_of < 45
    late = seen.only(~person | ((truth.object_of == walker) & ~before))
    (found,) = sentrack.track(late, SENTENCES[3], whole=True).participants
    assert not found.seen[:45].any()
    assert found.seen[45:].mean() > 0.9
    assert np.isnan(found.boxes[:45]).all()
    part = sentrack.track(late, SENTENCES[3])
    assert part.start >= seen.times[45]
    assert part.participants[0].seen[0]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_ledger_sums_to_the_score(sentence: str, whole: bool) -> None:
    found = answer(sentence, whole=whole)
    assert [term.owner for term in found.ledger.terms if term.term == "cost"] == (
        [] if whole else ["time"]
    )
    assert found.ledger.total == pytest.approx(found.score, rel=1e-9)
    assert found.ledger.per_frame.sum() == pytest.approx(found.score, rel=1e-9)
    owners = {term.owner for term in found.ledger.terms}
    for w, word in enumerate(found.words):
        assert f"{word.word} {w}" in owners
        own = [t.values.sum() for t in found.ledger.terms if t.owner == f"{word.word} {w}"]
        assert math.fsum(own) == pytest.approx(word.total, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_answer_is_made_of_the_clips_own_boxes(sentence: str, whole: bool) -> None:
    found, seen = answer(sentence, whole=whole), clip()[0]
    for participant in found.participants:
        at = np.searchsorted(seen.frames, participant.frames)
        assert participant.boxes.shape == (len(at), 4)
        assert len(at) == seen.T or not whole
        np.testing.assert_array_equal(participant.frames, seen.frames[at])
        np.testing.assert_array_equal(participant.times, seen.times[at])
        assert np.isnan(participant.boxes[~participant.seen]).all()
        assert participant.seen.mean() > 0.4
        label = seen.classes.index(participant.noun)
        for t in np.flatnonzero(participant.seen):
            rows = np.arange(seen.start[at[t]], seen.start[at[t] + 1])
            own = rows[(seen.boxes[rows] == participant.boxes[t]).all(axis=1)]
            assert label in seen.label[own]
            assert participant.scores[t] in seen.score[own]


def test_json_has_the_fields_that_other_programs_read() -> None:
    found = answer(SENTENCES[0], whole=True)
    document = json.loads(found.to_json())
    assert list(document) == [
        *("sentence", "score", "upper_bound", "certified", "match", "reason", "start", "end"),
        *("seconds", "participants", "unchecked", "words"),
    ]
    assert (document["start"], document["end"]) == (found.start, found.end)
    assert [p["noun"] for p in document["participants"]] == ["person", "cup"]
    for written, participant in zip(document["participants"], found.participants, strict=True):
        there = np.flatnonzero(participant.seen)
        assert 0 < len(there) < clip()[0].T  # the detector misses some
        assert len(written["boxes"]) == len(there)
        for (frame, seconds, *box, score), t in zip(written["boxes"], there, strict=True):
            assert frame == clip()[0].frames[t]
            assert seconds == pytest.approx(clip()[0].times[t])
            assert box == pytest.approx(participant.boxes[t])
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
    found = answer(SENTENCES[0], whole=True)
    rows = list(csv.reader(found.to_mot().splitlines()))
    there = [
        (t, i)
        for t in range(clip()[0].T)
        for i, participant in enumerate(found.participants)
        if participant.seen[t]
    ]
    assert clip()[0].T < len(there) < 2 * clip()[0].T
    assert len(rows) == len(there)
    for row, (t, i) in zip(rows, there, strict=True):
        frame, track, x, y, w, h, *_ = (float(v) for v in row)
        assert (frame, track) == (clip()[0].frames[t] + 1, i + 1)
        expected = found.participants[i].boxes[t]
        np.testing.assert_allclose([x, y, x + w, y + h], expected, atol=0.02)


def test_supervision_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package itself is large; what it is given is checked."""
    module = types.ModuleType("supervision")
    module.Detections = lambda **fields: fields  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "supervision", module)
    found = answer(SENTENCES[0], whole=True)
    frames = found.to_supervision()
    assert len(frames) == clip()[0].T
    told = set()
    for t, frame in enumerate(frames):
        there = [i for i, participant in enumerate(found.participants) if participant.seen[t]]
        told.add(len(there))
        assert frame["xyxy"].shape == (len(there), 4)
        assert not np.isnan(frame["xyxy"]).any()
        assert len(frame["confidence"]) == len(frame["class_id"]) == len(there)
        assert list(frame["tracker_id"]) == [i + 1 for i in there]
        assert list(frame["data"]["class_name"]) == [("person", "cup")[i] for i in there]
    assert {1, 2} <= told


def test_without_supervision_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "supervision", None)
    with pytest.raises(sentrack.SentrackError, match="pip install supervision"):
        answer(SENTENCES[0]).to_supervision()


def test_reasons_name_word_time_and_what_was_seen() -> None:
    found = answer("The person carried the backpack to the left.", whole=True)
    assert found.match < answer("The person carried the backpack to the right.", whole=True).match
    assert "weakest: '" in found.reason
    assert " s: " in found.reason
    assert "the backpack moved to the right" in found.reason


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("sentence", [*SENTENCES, *(false for _, false in SWAPPED.values())])
def test_what_is_not_depicted_is_said_to_be_so(sentence: str, whole: bool) -> None:
    found = answer(sentence, whole=whole)
    assert found.depicted == (found.match >= 0.5)
    assert found.reason.startswith("not depicted; ") != found.depicted


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


@pytest.mark.parametrize(("last", "briefly"), [(36, True), (40, False)])
def test_frames_without_detections_are_bridged(last: int, briefly: bool) -> None:
    seen, truth = clip()
    gap = (seen.frame_of >= 30) & (seen.frame_of < last)
    gappy = seen.only(~gap)
    found = sentrack.track(gappy, SENTENCES[1], whole=True)
    assert found.certified
    assert accuracy(found, truth, truth.participants[1]) > 0.85
    for participant in found.participants:
        assert not participant.seen[30:last].any()
        assert np.isnan(participant.boxes[30:last]).all()
        assert participant.seen.sum() > 0.8 * gappy.T - (last - 36)
    # Nobody is away in between, and the word goes on. It looks at boxes between those that were
    # seen, but what is not seen for long says nothing.
    (carry,) = (word for word in found.words if word.word == "carry")
    assert ((carry.evidence[30:last] > 0) == briefly).all()
    assert briefly or (carry.evidence[30:last] == 0).all()
    part = sentrack.track(gappy, SENTENCES[1])
    assert part.start < gappy.times[30] < gappy.times[last] < part.end


def test_boxes_that_there_is_no_time_for_are_allowed_for_where_nobody_is_seen() -> None:
    """All are hardly detected, in one frame alone, and who walks is the least sure of them."""
    rest = [[40 * n, 100, 40 * n + 30, 200] for n in range(1, 12)]
    score, velocity = np.full(12, 0.02), np.zeros((12, 2))
    score[0], velocity[0] = 0.019, (0.3, 0.0)
    faint = clip_from_arrays(
        "faint",
        (640, 480),
        10,
        np.zeros(12, dtype=int),
        ["person"] * 12,
        [[0, 100, 30, 200], *rest],
        score,
        velocity=velocity,
        frames=np.arange(20),
    )
    best = sentrack.track(faint, "The person walked.", whole=True)
    hurried = sentrack.track(faint, "The person walked.", whole=True, time_limit=0.0)
    assert hurried.score < best.score - 1 < hurried.upper_bound
    assert not hurried.certified


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("method", ["viterbi", "dual"])
def test_other_methods_agree(method: str, whole: bool) -> None:
    found = sentrack.track(clip()[0], SENTENCES[0], method=method, whole=whole)
    best = answer(SENTENCES[0], whole=whole)
    assert found.score <= best.score + 1e-6
    assert found.upper_bound >= best.score - 1e-6


def test_results_can_be_read_and_not_written() -> None:
    found = answer(SENTENCES[0])
    arrays = (
        found.participants[0].boxes,
        found.words[1].evidence,
        found.ledger.terms[0].values,
        found.solution.tracks,
    )
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_word_that_nothing_contradicts_is_not_said_to_fit() -> None:
    found = answer("The person put down the cup.")
    verb, model = found.words[1], found.objective.models[1]
    assert 0 < verb.margin < 0.5 * model.most
    assert found.reason == "little speaks for 'put-down': the cup moved neither up nor down"
