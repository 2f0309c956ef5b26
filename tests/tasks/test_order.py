"""Sentences that tell an order, of made-up clips in which only one order happens."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import sentrack
from sentrack.lexicon import Lexicon
from sentrack.objective import SILENT
from sentrack.show.view import view_of
from sentrack.tasks.runner_up import rivals
from sentrack.vision import Clip, clip_from_arrays

FPS = 10
EVERYDAY = Lexicon.load("everyday")
Line = tuple[tuple[float, float, float], ...]  # seconds, x and y of the centre


def clip(name: str, seconds: float, **things: tuple[tuple[int, int], Line]) -> Clip:
    """Things of one box each, of some width and height, that move along lines."""
    rng = np.random.default_rng(0)
    t = np.arange(0, seconds, 1 / FPS)
    boxes = []
    for size, path in things.values():
        when, *where = np.array(path).T
        centre = np.stack([np.interp(t, when, axis) for axis in where], axis=1)
        corners = np.concatenate([centre - np.array(size) / 2, centre + np.array(size) / 2], axis=1)
        boxes.append(corners + rng.normal(0, 0.5, corners.shape))
    frame = np.tile(np.arange(len(t)), len(things))
    label = np.repeat(np.arange(len(things)), len(t))
    rows = np.argsort(frame, kind="stable")
    all_boxes = np.concatenate(boxes)[rows]
    return clip_from_arrays(
        name, (640, 480), FPS, frame[rows], tuple(things), all_boxes, label=label[rows]
    )


@cache
def cup() -> Clip:
    """A hand takes a cup up, keeps it for a second, and puts it down elsewhere."""
    carried = ((1, 300, 300), (2, 300, 120), (3, 360, 120), (4, 360, 300))
    hand = ((0, 120, 160), *carried, (5, 180, 160))
    held = ((1, 320, 310), (2, 320, 130), (3, 380, 130), (4, 380, 310))
    return clip("cup", 5, person=((40, 40), hand), cup=((36, 36), held))


@cache
def car() -> Clip:
    """A car that moves, stands for two seconds, and moves on."""
    path = ((0, 60, 300), (2, 260, 300), (4, 260, 300), (6, 560, 300))
    return clip("car", 6, car=((90, 50), path))


@cache
def walk() -> Clip:
    """Somebody who goes to the right, then to the left."""
    path = ((0, 100, 240), (3, 420, 240), (6, 120, 240))
    return clip("walk", 6, person=((60, 180), path))


CASES = [
    (
        cup,
        "The person picked up the cup and then put it down.",
        "The person put down the cup and then picked it up.",
    ),
    (
        cup,
        "After the person picked up the cup, he put it down.",
        "Before the person picked up the cup, he put it down.",
    ),
    (car, "The car stopped, then started.", "The car started, then stopped."),
    (
        walk,
        "The person walked to the right before he walked to the left.",
        "The person walked to the right after he walked to the left.",
    ),
]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("scene", "true", "false"), CASES)
def test_only_the_order_that_happens_is_depicted(
    scene: Callable[[], Clip], true: str, false: str, whole: bool
) -> None:
    right, wrong = (sentrack.track(scene(), sentence, whole=whole) for sentence in (true, false))
    assert right.certified
    assert wrong.certified
    assert right.depicted
    assert right.match > wrong.match + 0.1
    assert right.score > wrong.score
    assert wrong.match < 0.65
    for found in (right, wrong):
        assert found.ledger.total == pytest.approx(found.score)
        assert found.ledger.per_frame.sum() == pytest.approx(found.score)


def test_every_word_is_shown_for_itself_and_tells_in_its_time_only() -> None:
    found = sentrack.track(cup(), CASES[0][1])
    assert [word.word for word in found.words] == ["person", "pick-up", "cup", "put-down"]
    up, down = found.words[1], found.words[3]
    assert set(up.states) == {"reaching", "holding", SILENT}
    assert set(down.states) == {"holding", "letting go", SILENT}
    told = [np.flatnonzero([state != SILENT for state in word.states]) for word in (up, down)]
    assert told[0].max() < told[1].min()
    for word, own in zip((up, down), told, strict=True):
        assert not np.delete(word.evidence, own).any()
        terms = [term for term in found.ledger.terms if term.owner.startswith(word.word)]
        assert sum(float(term.values.sum()) for term in terms) == pytest.approx(word.total)
    # It is in the middle of what happens when nothing is told: the cup is held.
    pause = np.arange(told[0].max() + 1, told[1].min())
    assert len(pause) > 5
    assert json.loads(found.to_json())["words"][3]["states"] == list(down.states)


def test_search_finds_what_track_does(tmp_path: Path) -> None:
    library = sentrack.Library(tmp_path / "library")
    library.add(cup(), name="cup")
    _, true, false = CASES[0]
    moments = library.search(true, k=1)
    found = sentrack.track(cup(), true)
    assert (moments[0].start, moments[0].end) == (found.start, found.end)
    assert moments[0].score == pytest.approx(found.score)
    assert moments[0].match == pytest.approx(found.match)
    assert [each.match for each in library.search(false, k=1)] < [found.match - 0.2]


def test_words_at_the_same_time_are_in_no_order() -> None:
    meaning = sentrack.parse("The person walked while the car stopped.")
    assert meaning.order == ()
    assert not meaning.unchecked


def test_what_is_shown_has_every_word_and_its_terms() -> None:
    found = sentrack.track(cup(), CASES[0][1])
    seen = view_of(found, rivals(found, EVERYDAY), EVERYDAY)
    for word, tracked in zip(seen.words, found.words, strict=True):
        assert [word.states[k] for k in word.state] == list(tracked.states)
    owners = {term.owner: term.participants for term in seen.ledger}
    assert owners["put-down"] == owners["pick-up"] == [0, 1]
    assert sum(term.total for term in seen.ledger) == pytest.approx(found.score)
