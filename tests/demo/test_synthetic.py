"""The made-up clip shows what it says it shows."""

import numpy as np
import pytest

from sentrack.vision import Clip, Truth, two_activities
from sentrack.vision.clip import Floats

SEEDS = range(5)


def middle(boxes: Floats) -> Floats:
    return (boxes[..., :2] + boxes[..., 2:]) / 2


def moved(clip: Clip, truth: Truth, thing: int) -> Floats:
    """From where to where an object went, in frame heights."""
    centre = middle(truth.boxes[thing]) / clip.size[1]
    return np.asarray(centre[-1] - centre[0])


def participants(truth: Truth, sentence: str) -> tuple[int, ...]:
    return truth.participants[truth.sentences.index(sentence)]


def test_equal_seeds_give_equal_clips() -> None:
    (a, truth_a), (b, truth_b), (c, _) = two_activities(1), two_activities(1), two_activities(2)
    np.testing.assert_array_equal(a.boxes, b.boxes)
    np.testing.assert_array_equal(a.score, b.score)
    np.testing.assert_array_equal(truth_a.object_of, truth_b.object_of)
    assert a.boxes.shape != c.boxes.shape or (a.boxes != c.boxes).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_candidates_scores_and_misses(seed: int) -> None:
    clip, truth = two_activities(seed)
    assert (clip.T, clip.size, clip.fps) == (90, (640, 480), 15)
    assert {"person", "backpack", "chair", "cup", "table"} == set(clip.classes)
    cell = clip.frame_of * len(clip.classes) + clip.label
    count = np.bincount(cell, minlength=clip.T * len(clip.classes))
    assert (count.min(), count.max()) == (3, 6)
    real = truth.object_of >= 0
    assert (clip.id == -1).all()
    assert clip.score[real].min() >= 0.6
    assert clip.score[real].max() <= 0.95
    assert clip.score[~real].min() >= 0.05
    assert clip.score[~real].max() <= 0.45
    things = len(truth.boxes)
    assert 0.01 < 1 - real.sum() / (things * clip.T) < 0.1
    off = np.abs(clip.boxes[real] - truth.boxes[truth.object_of[real], clip.frame_of[real]])
    assert 0.5 < np.median(off) < 4
    for k in range(things):
        kinds = {clip.classes[label] for label in clip.label[truth.object_of == k]}
        assert len(kinds) == 1


def test_false_detections_last_and_drift() -> None:
    clip, truth = two_activities(0)
    false = np.flatnonzero(truth.object_of < 0)
    centre, frame = middle(clip.boxes), clip.frame_of
    lasting = 0
    for i in false:
        later = false[(frame[false] == frame[i] + 5) & (clip.label[false] == clip.label[i])]
        away = np.hypot(*(centre[later] - centre[i]).T)
        lasting += bool((away < 0.1 * clip.size[1]).any())
    assert 0.2 < lasting / len(false) < 0.9


def test_what_the_sentences_say() -> None:
    clip, truth = two_activities()
    assert len(truth.sentences) == len(truth.participants)
    assert not set(truth.sentences) & set(truth.opposites)
    person, cup = participants(truth, "The person picked up the cup.")
    assert moved(clip, truth, cup)[1] < -0.1  # up is down in y
    assert np.abs(moved(clip, truth, person)).max() < 1e-9
    person, backpack = participants(truth, "The person carried the backpack to the right.")
    assert moved(clip, truth, backpack)[0] > 0.5
    np.testing.assert_allclose(moved(clip, truth, person), moved(clip, truth, backpack))
    person, chair = participants(truth, "The person approached the chair.")
    gap = np.hypot(*(middle(truth.boxes[person]) - middle(truth.boxes[chair])).T)
    assert (np.diff(gap) < 0).all()
    assert gap[-1] < 0.3 * gap[0]
    (walker,) = participants(truth, "The person walked to the left.")
    assert walker == person
    assert moved(clip, truth, walker)[0] < -0.5
    for sentence, things in zip(truth.sentences, truth.participants, strict=True):
        classes = [clip.classes[clip.label[truth.object_of == k][0]] for k in things]
        nouns = [word.strip(".") for word in sentence.split() if word.strip(".") in clip.classes]
        assert nouns == classes


def test_the_measured_motion_is_the_true_one() -> None:
    for seed in SEEDS:
        clip, truth = two_activities(seed)
        for k in range(len(truth.boxes)):
            mine = truth.object_of == k
            speed = np.gradient(middle(truth.boxes[k]), 1 / clip.fps, axis=0) / clip.size[1]
            error = np.hypot(*(clip.velocity[mine] - speed[clip.frame_of[mine]]).T)
            assert np.median(error) < 0.06
            assert np.mean(error < 0.2) > 0.95


def test_size_and_rate() -> None:
    small, truth = two_activities(3)
    large, _ = two_activities(3, size=(1280, 960))
    np.testing.assert_allclose(large.boxes, 2 * small.boxes)
    np.testing.assert_allclose(large.velocity, small.velocity, atol=1e-9)
    fast, fast_truth = two_activities(3, fps=30)
    assert fast.T == 180
    np.testing.assert_allclose(fast_truth.boxes[:, ::2], truth.boxes)
