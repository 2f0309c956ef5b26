"""Clips measured for learning."""

import math
from dataclasses import replace

import numpy as np

from sentrack.language import parse
from sentrack.lexicon import Lexicon, WordModel
from sentrack.tasks.learning.examples import AWAY, classes_there, prepare
from sentrack.vision import clip_from_arrays
from tests.tasks.stages import UP, stage


def test_boxes_of_two_classes_are_two_things_before_nouns_are_known() -> None:
    frame, label = np.repeat(np.arange(3), 3), np.tile([0, 1, 1], 3)
    boxes = np.tile([[100, 100, 150, 150], [108, 100, 158, 150], [112, 100, 162, 150]], (3, 1))
    clip = clip_from_arrays("x", (640, 480), 10, frame, ("cup", "hand"), boxes, label=label)
    vocabulary = Lexicon.load("everyday").vocabulary()
    meaning = parse("The hand picked up the cup.", vocabulary)
    free = [
        WordModel(n, "noun", (n,), ("it",), classes=("cup", "hand"), states=("state 0",))
        for n in ("hand", "cup")
    ]
    words = {("noun", noun.name): noun for noun in free}
    words["verb", "pick-up"] = Lexicon.load("everyday").words["verb", "pick-up"]
    learned = [("noun", "hand"), ("noun", "cup")]
    example = prepare(clip, meaning, Lexicon("x", "", words), ["cup", "hand"], 2, learned)
    (apart,) = example.apart
    never = -math.inf
    for emission in apart.emission:
        (h,) = np.asarray(emission)
        assert h[:3, :3].tolist() == [[never, 0, 0], [0, never, never], [0, never, never]]
        # The last two have not come yet and have gone, and are nothing that others could be.
        assert h.shape == (5, 5)
        assert (h[3:] == 0).all()
        assert (h[:, 3:] == 0).all()


def test_what_is_not_there_is_of_no_class() -> None:
    """The hand comes in the third of five frames and is gone in the last."""
    seen = stage(UP, "cup", 0).cut(0, 5)
    hand = seen.label == seen.classes.index("hand")
    clip = seen.only(~hand | ((seen.frame_of >= 2) & (seen.frame_of < 4)))
    lexicon = Lexicon.load("everyday")
    meaning = parse("The hand picked up the cup.", lexicon.vocabulary())
    example = prepare(clip, meaning, lexicon, ["cup", "hand", "rock"], 2)
    for said, number, there in (("hand", 1, (2, 3)), ("cup", 0, range(5))):
        (labels,) = (labels for noun, labels in example.nouns if noun == said)
        for t, own in enumerate(labels):
            assert own.tolist() == [number] * (t in there) + [AWAY, AWAY]
        assert classes_there(labels, 3).tolist() == [n == number for n in range(3)]


def test_thinning_keeps_the_best_of_each_class() -> None:
    clip = stage(UP, "cup", 0)
    rows = np.repeat(np.arange(len(clip.label)), 3)
    names = ("boxes", "label", "velocity", "camera", "colour", "looks", "id", "projected")
    scores = np.random.default_rng(0).random(len(rows))
    many = replace(
        clip,
        start=clip.start * 3,
        score=scores,
        **{name: getattr(clip, name)[rows] for name in names},
    )
    thin = many.surest(2)
    for t in range(clip.T):
        for label in range(len(clip.classes)):
            here = (many.frame_of == t) & (many.label == label)
            kept = (thin.frame_of == t) & (thin.label == label)
            assert sorted(thin.score[kept]) == sorted(many.score[here])[-2:]
