"""The anchor that sentrack is compared with, and how answers are judged."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from benchmarks import real
from benchmarks.annotated import Span, opposite, opposites, span_of, truths
from sentrack.tasks import track
from tests.scene.test_identity import straight, walkers

SPAN = range(40)


def walker(step: float, first: int = 0, last: int = 40) -> dict[int, np.ndarray]:
    return {
        t: np.array([x, y, x + 60, y + 160])
        for t, (x, y) in straight(100, step, range(first, last)).items()
    }


def test_rules_prefer_who_does_it() -> None:
    def told(word: str, track_: dict[int, np.ndarray]) -> float:
        return real.by_rule(f"The person {word} the car.", [track_, walker(0)], SPAN, 10.0)

    goes, comes, stays = walker(2, last=20), walker(2, first=20), walker(2)
    assert told("entered", goes) > told("entered", stays) > told("entered", comes)
    assert told("exited", comes) > told("exited", stays) > told("exited", goes)
    assert told("stood next to", walker(0)) > told("stood next to", walker(3))
    left, right = (
        real.by_rule("The person moved to the left.", [walker(d)], SPAN, 10.0) for d in (-3, 3)
    )
    assert left > 0 > right


def test_a_span_says_which_frame_of_the_video_it_begins_with(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    rows = [f"{t},person,1,2,3,4,0" for t in (7, 9, 10)]
    text = "\n".join(["frame,class,x1,y1,x2,y2,id", *rows])
    (tmp_path / "made" / "late.csv.gz").write_bytes(gzip.compress(text.encode()))
    truth = {"video": "late", "begin": 0, "end": 9, "fps": 10.0}
    span = span_of("made", truth, tmp_path)
    assert (span.first, list(span.boxes)) == (7, [0, 2])


@pytest.mark.parametrize("name", ["caviar", "meva"])
def test_an_answer_is_judged_by_the_annotated_boxes(name: str) -> None:
    truth = next(each for each in truths(name, 20) if len(each["participants"]) == 1)
    span = span_of(name, truth)
    assert 0 < real.chance(truth, span) <= 1
    right, told = real.rule_answers(truth, span)
    assert right or real.chance(truth, span) < 1
    assert (told is None) == (opposite(truth["sentence"]) is None)


def test_a_track_on_the_annotated_person_is_right_and_one_on_another_is_wrong() -> None:
    clip = walkers(straight(20, 12, range(40)), straight(560, 0, range(40)))
    boxes = {
        t: [(7 + n, "person", clip.boxes[row]) for n, row in enumerate(range(start, end))]
        for t, (start, end) in enumerate(zip(clip.start[:-1], clip.start[1:], strict=True))
    }
    span = Span(boxes, clip.fps, 0)
    found = track(clip, "The person walked to the right.", whole=True)
    for id, right in ((7, True), (8, False)):
        truth = {"sentence": found.sentence, "participants": [{"noun": "person", "id": id}]}
        judged, identities = real.judge(truth, span, found)
        assert judged == right
        assert {each for track_ in identities for each in track_} == {7}
        assert real.chance(truth, span) == 0.5


def test_opposites_are_named() -> None:
    assert opposites("The person entered the car.") == ("entered", "exited")
    assert opposite("The person exited the car.") == "The person entered the car."
    assert opposites("The person ran.") is None
