"""The made-up clip's pixels, compared with the truth about where its things are."""

from itertools import pairwise

import numpy as np
import pytest

from sentrack.demo import paint
from sentrack.vision import two_activities
from sentrack.vision.scan.video import Image


def near(image: Image, colours: list[tuple[int, int, int]]) -> np.ndarray:
    apart = [np.abs(image.astype(int) - c).max(axis=-1) for c in colours]
    return np.asarray(np.min(apart, axis=0) < 8)


@pytest.mark.parametrize("size", [(640, 480), (320, 240), (500, 300)])
def test_frames_are_those_of_the_clip(size: tuple[int, int]) -> None:
    clip, truth = two_activities(seed=2, fps=3, size=size)
    frames = list(paint(clip, truth))
    assert [f.number for f in frames] == list(clip.frames)
    assert [f.time for f in frames] == list(clip.times)
    assert {f.image.shape for f in frames} == {(size[1], size[0], 3)}
    again = list(paint(clip, truth))
    assert all((a.image == b.image).all() for a, b in zip(frames, again, strict=True))


@pytest.mark.parametrize(
    ("thing", "frame", "colours"),
    [
        (1, 0, [(62, 66, 214), (120, 124, 238)]),  # the cup, before a hand is on it
        (4, 10, [(60, 118, 60), (40, 84, 42)]),  # the backpack
        (6, 0, [(66, 112, 164), (76, 129, 189)]),  # the chair
    ],
)
def test_things_fill_their_boxes(
    thing: int, frame: int, colours: list[tuple[int, int, int]]
) -> None:
    clip, truth = two_activities(fps=5)
    image = list(paint(clip, truth))[frame].image
    x1, y1, x2, y2 = truth.boxes[thing, frame]
    grown = image[round(y1) - 8 : round(y2) + 8, round(x1) - 8 : round(x2) + 8]
    rows, columns = np.nonzero(near(grown, colours))
    found = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    np.testing.assert_allclose(found, [8, 8, x2 - x1 + 8, y2 - y1 + 8], atol=2.5)


def test_people_stay_in_their_boxes_and_fill_them() -> None:
    clip, truth = two_activities(fps=5)
    images = np.stack([frame.image for frame in paint(clip, truth)]).astype(int)
    still = np.median(images, axis=0)
    for t in range(0, clip.T, 4):
        changed = np.abs(images[t] - still).max(axis=-1) > 24
        for x1, y1, x2, y2 in truth.boxes[:, t]:
            left, top, right, low = (round(v) for v in (x1, y1, x2, y2))
            # a hand that hangs down and the shadow under the feet may stand out a little
            changed[max(top - 2, 0) : low + 14, max(left - 12, 0) : right + 12] = False
        # what the median got from people that stand there longer than others
        assert changed.mean() < 0.004
    for thing in (3, 5):  # those that walk
        x1, y1, x2, y2 = np.round(truth.boxes[thing, 12]).astype(int)
        body = np.abs(images[12] - still).max(axis=-1)[y1:y2, x1:x2] > 24
        assert body[: (y2 - y1) // 20].any()  # hair
        assert body[-(y2 - y1) // 40 :].any()  # soles
        assert 0.25 < body.mean() < 0.8


def test_feet_that_stand_do_not_slide() -> None:
    clip, truth = two_activities(fps=15)
    white = (225, 228, 232)  # the shoes of the one who carries
    low = round(truth.boxes[3, 0, 3])
    soles = [near(f.image[low - 3 : low - 1], [white]).any(axis=0) for f in paint(clip, truth)]
    for before, after in pairwise(soles):
        assert (before & after).sum() >= 4
