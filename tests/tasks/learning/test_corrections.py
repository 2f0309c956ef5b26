"""Boxes that somebody put right: who is meant by them, and what is learned."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from sentrack.lexicon import Lexicon
from sentrack.scene import is_away, scene_of
from sentrack.tasks import RightBox, Settings, learn, track, understand
from sentrack.tasks.learning.corrections import put_right
from sentrack.vision import Clip, ClipError, clip_from_arrays

T = 30
PERSON = [("person", ("person",))]
SENTENCE = "The person zorped."
Floats = npt.NDArray[np.float64]


def walker(seed: int) -> Floats:
    """(T, 4): somebody who goes to the right, in the upper part of the picture."""
    left = 60 + 10 * np.arange(T) + 3 * seed
    top = np.full(T, 40.0 + 5 * seed)
    return np.stack([left, top, left + 50, top + 150], axis=1)


def stander(seed: int) -> Floats:
    """(T, 4): somebody who stands, in the lower part."""
    return np.tile([300.0 - 20 * seed, 280, 350 - 20 * seed, 430], (T, 1))


def clip_of(*paths: Floats, score: float = 0.9) -> Clip:
    frame = np.concatenate([np.flatnonzero(np.isfinite(path[:, 0])) for path in paths])
    boxes = np.concatenate([path[np.isfinite(path[:, 0])] for path in paths])
    return clip_from_arrays(
        "made", (640, 480), 10, frame, ["cup", "person"], boxes, np.full(len(boxes), score),
        label=np.ones(len(boxes), np.int64), frames=np.arange(T),
    )  # fmt: skip


def right(path: Floats, *frames: int, participant: int = 0) -> list[RightBox]:
    """Boxes of somebody, drawn by an unsteady hand."""
    rng = np.random.default_rng(0)
    drawn = [(frame, path[frame] + rng.uniform(-4, 4, 4)) for frame in frames]
    return [RightBox(participant, frame, tuple(box)) for frame, box in drawn]


def learned(boxes: Sequence[Sequence[RightBox]], clips: Sequence[Clip]) -> Lexicon:
    pairs = [(clip, SENTENCE, own) for clip, own in zip(clips, boxes, strict=True)]
    states = Settings().states | {"verb": 1}
    settings = Settings(states, nouns=False, restarts=2, iterations=10, contrast=1, smoothing=1)
    return learn(pairs, settings=settings, strict=True)


@pytest.mark.parametrize("who", [walker, stander])
def test_a_word_is_learned_from_whom_the_boxes_show(who: object) -> None:
    """Two people are seen, and one box of a film says which of them does it."""
    clips = [clip_of(walker(seed), stander(seed)) for seed in range(3)]
    assert callable(who)
    lexicon = learned([right(who(seed), 12) for seed in range(3)], clips)
    found = track(clip_of(stander(4), walker(4)), SENTENCE, lexicon, whole=True)
    participant = found.participants[0]
    np.testing.assert_allclose(participant.boxes[participant.seen], who(4)[participant.seen])
    assert participant.seen.mean() > 0.5


def test_a_word_is_learned_from_somebody_whom_the_detector_missed() -> None:
    clips = [clip_of(stander(seed)) for seed in range(3)]
    boxes = [right(walker(seed), 0, 6, 12, 18, 24, 29) for seed in range(3)]
    lexicon = learned(boxes, clips)
    found = track(clip_of(stander(4), walker(4)), SENTENCE, lexicon, whole=True)
    participant = found.participants[0]
    np.testing.assert_allclose(participant.boxes[participant.seen], walker(4)[participant.seen])


def test_a_box_around_a_detection_is_that_detection() -> None:
    clip = clip_of(walker(0), stander(0), score=0.3)
    corrected = put_right(clip, PERSON, right(walker(0), 5))
    assert len(corrected.clip.boxes) == len(clip.boxes)
    own = corrected.clip.id == corrected.things[0]
    np.testing.assert_array_equal(corrected.clip.boxes[own], walker(0))
    # It is as sure as can be in the frame that somebody looked at, and nowhere else.
    np.testing.assert_array_equal(np.flatnonzero(corrected.clip.score == 1), [10])
    scene = scene_of(corrected.clip, understand("The person moved."), Lexicon.load())
    (allowed,) = corrected.allowed(scene.clip, 1)
    assert allowed is not None
    here = scene.clip.frame_of == 5
    np.testing.assert_array_equal(scene.clip.boxes[here & allowed], walker(0)[[5]])
    assert (allowed & is_away(scene.clip))[~here].any()


def test_boxes_of_what_was_missed_are_one_thing_with_all_between() -> None:
    gone = walker(0)
    gone[8:22] = np.nan  # lost, and found again as somebody else
    clip = clip_of(gone, stander(0))
    boxes = right(walker(0), 3, 10, 20, 25)
    corrected = put_right(clip, PERSON, boxes)
    assert len(corrected.clip.boxes) == len(clip.boxes) + 2
    scene = scene_of(corrected.clip, understand("The person moved."), Lexicon.load())
    own = scene.clip.id == corrected.things[0]
    np.testing.assert_array_equal(scene.clip.frame_of[own], np.arange(T))
    np.testing.assert_allclose(scene.clip.boxes[own], walker(0), atol=4)
    drawn = own & ~scene.clip.projected & np.isin(scene.clip.frame_of, [10, 20])
    np.testing.assert_allclose(scene.clip.boxes[drawn], [boxes[1].box, boxes[2].box])
    # It went as fast as the walker: 100 pixels a second of 480.
    np.testing.assert_allclose(scene.clip.velocity[drawn][:, 0], 100 / 480, atol=0.08)


def test_the_camera_is_no_part_of_the_motion_of_what_was_missed() -> None:
    """Everything is moved to the right by the camera, and the person rests."""
    pan = np.tile([100 / 480, 0.0], (T, 1))
    boxes = stander(0) + 10 * np.arange(T)[:, None] * [1, 0, 1, 0]
    clip = clip_from_arrays(
        "made", (640, 480), 10, np.arange(T), ["cup", "person"], boxes - [0, 200, 0, 200],
        label=np.zeros(T, np.int64), velocity=np.zeros((T, 2)), camera=pan,
    )  # fmt: skip
    drawn = [RightBox(0, t, tuple(boxes[t])) for t in range(5, 15)]
    corrected = put_right(clip, PERSON, drawn).clip
    person = corrected.label == 1
    np.testing.assert_allclose(corrected.velocity[person], 0, atol=0.02)
    np.testing.assert_allclose(corrected.camera[person], pan[:10])


@pytest.mark.parametrize(
    ("boxes", "nouns", "message"),
    [
        ([RightBox(1, 5, (0, 0, 9, 9))], PERSON, "1 participants, and no number 1"),
        ([RightBox(0, 99, (0, 0, 9, 9))], PERSON, "frame 99 is not in it"),
        ([RightBox(0, 5, (0, 0, 9, 9))], [("dog", ("cup", "person"))], "no class is called so"),
        (
            [*right(walker(0), 5), *right(walker(0), 9, participant=1)],
            PERSON * 2,
            "two participants show the same thing",
        ),
    ],
)
def test_what_cannot_be_put_right_is_said(
    boxes: list[RightBox], nouns: list[tuple[str, tuple[str, ...]]], message: str
) -> None:
    with pytest.raises(ClipError, match=message):
        put_right(clip_of(walker(0), stander(0)), nouns, boxes)
