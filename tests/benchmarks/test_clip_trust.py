"""Clips in which little is sure: answers are right, and wrong ones would be noticed."""

from dataclasses import replace
from typing import Any

import pytest

import sentrack
from benchmarks import trust
from sentrack.vision import clip_from_arrays

SENTENCE = "The person approached another person."


def test_clips_are_asked_about_as_a_whole_and_for_their_best_interval() -> None:
    cases = [case for seed in range(60) for case in trust.examine_clip(seed)]
    assert [case.faults for case in cases] == [()] * 60
    assert 10 < sum("all of it" in case.question for case in cases) < 50


@pytest.mark.parametrize("whole", [False, True])
def test_a_wrong_answer_is_noticed(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = [
        [x + 10 * t * (x < 200), 100, x + 40 + 10 * t * (x < 200), 200]
        for t in range(3)
        for x in (100, 300)
    ]
    clip = clip_from_arrays("two", (640, 480), 10, [0, 0, 1, 1, 2, 2], ["person"] * 6, boxes)
    right = sentrack.track(clip, SENTENCE, whole=whole)
    assert list(trust.clip_faults(clip, SENTENCE, None, whole)) == []
    same = replace(right.solution, tracks=right.solution.tracks[[0, 0]])
    for change, fault in (
        ({"score": right.score - 1.0}, "certified"),
        ({"score": right.score + 1.0, "upper_bound": right.score + 1.0}, "score"),
        ({"upper_bound": right.score - 1.0}, "score"),
        ({"certified": False}, "not certified"),
        ({"solution": same}, "participants that must differ are one thing"),
    ):
        wrong: Any = replace(right, **change)

        def answer(*_: object, wrong: Any = wrong, **__: object) -> Any:
            return wrong

        monkeypatch.setattr(sentrack, "track", answer)
        assert any(
            found.startswith(fault) for found in trust.clip_faults(clip, SENTENCE, None, whole)
        )
