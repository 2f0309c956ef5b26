"""Frames that the detector does not look at: what is told of them, and when it must look."""

from collections.abc import Callable, Iterator

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.boxes import iou
from sentrack.vision import SURE
from sentrack.vision.scan import ImageCandidates
from sentrack.vision.scan.flow import Flow
from sentrack.vision.scan.sampling import RIVAL, SAME_THING_IOU, Sample, _pairs, samples
from sentrack.vision.scan.video import Frame, Image

SIZE = 320, 240
Floats = npt.NDArray[np.float64]
Place = Callable[[int], list[float]]  # left edges of the boxes in a frame; NaN for one that is not


def ground(seed: int) -> Image:
    noise = np.random.default_rng(seed).normal(size=SIZE[::-1])
    smooth = cv2.GaussianBlur(noise, (0, 0), 2)
    grey = cv2.normalize(smooth, None, 0, 200, cv2.NORM_MINMAX)  # type: ignore[call-overload]
    return np.repeat(np.asarray(grey, dtype=np.uint8)[..., None], 3, axis=2)


class Scene:
    """Frames with boxes that move over a ground, and a detector that knows where they are."""

    name, classes, fingerprint = "scene", ("thing",), "1"

    def __init__(self, place: Place, count: int = 13, scene: Callable[[int], int] = lambda _: 0):
        self.place, self.count, self.scene = place, count, scene
        self.looked: list[int] = []

    def frames(self) -> Iterator[Frame]:
        for number in range(self.count):
            image = ground(self.scene(number))
            for k, left in enumerate(self.place(number)):
                if not np.isnan(left):
                    x = round(left)
                    image[80:160, x : x + 48] = ground(50 + k)[80:160, :48]
            image[0, 0] = number  # by which the detector knows it
            yield Frame(number, number / 10, image)

    def detect(self, image: Image) -> ImageCandidates:
        number = int(image[0, 0, 0])
        self.looked.append(number)
        return self.truth(number)

    def truth(self, number: int) -> ImageCandidates:
        left = np.array([x for x in self.place(number) if not np.isnan(x)], dtype=float)
        boxes = np.stack([left, 0 * left + 80, left + 48, 0 * left + 160], axis=1)
        N = len(left)
        return ImageCandidates(boxes, np.zeros(N, dtype=np.int64), np.full(N, 0.8))

    def samples(self, *, every_frame: bool = False) -> list[Sample]:
        found = list(samples(self.frames(), self, Flow(SIZE), every_frame))
        assert [each.frame.number for each in found] == list(range(self.count))
        return found


def assert_true(scene: Scene, found: list[Sample], pixels: float) -> None:
    for each in found:
        truth = scene.truth(each.frame.number)
        assert len(each.found.label) == len(truth.label), each.frame.number
        np.testing.assert_allclose(each.found.boxes, truth.boxes, atol=pixels)
        np.testing.assert_allclose(each.found.score, truth.score)


def test_every_frame_is_looked_at_if_asked() -> None:
    scene = Scene(lambda n: [40 + 4 * n])
    assert_true(scene, scene.samples(every_frame=True), 0)
    assert scene.looked == list(range(13))


@pytest.mark.parametrize("speed", [2, 8])
@pytest.mark.parametrize("count", [13, 12, 2, 1])
def test_what_goes_on_is_looked_at_every_third_frame(speed: float, count: int) -> None:
    scene = Scene(lambda n: [40 + speed * n], count)
    found = scene.samples()
    assert scene.looked == sorted({*range(0, count, 3), count - 1})
    assert_true(scene, found, 1)


def test_a_thing_that_slows_down_is_where_the_flow_carries_it() -> None:
    """Halfway between two looks it is not halfway."""
    scene = Scene(lambda n: [40 + (0, 9, 11, 12)[n % 4] + 12 * (n // 4)], 4)
    found = scene.samples()
    assert scene.looked == [0, 3]
    assert found[1].found.boxes[0, 0] == pytest.approx(49, abs=2)


@pytest.mark.parametrize("event", range(1, 12))
@pytest.mark.parametrize("comes", [True, False])
def test_what_comes_and_goes_is_seen_in_the_same_frames(event: int, comes: bool) -> None:
    def place(n: int) -> list[float]:
        there = (n >= event) == comes
        return [40 + 2 * n, 240 - 2 * n if there else float("nan")]

    scene = Scene(place)
    assert_true(scene, scene.samples(), 1)
    assert len(scene.looked) < 9


def test_where_things_cross_all_frames_are_looked_at() -> None:
    scene = Scene(lambda n: [40 + 8 * n, 140 - 8 * n])
    found = scene.samples()
    meeting = [n for n in range(13) if abs(100 - 16 * n) < 20]
    assert {*meeting} <= {*scene.looked}
    assert_true(scene, found, 4)


def test_a_picture_that_does_not_change_is_looked_at_once() -> None:
    scene = Scene(lambda _: [40.0], count=40)
    found = scene.samples()
    assert scene.looked == [0]
    assert_true(scene, found, 0)


def test_what_begins_to_move_is_noticed() -> None:
    scene = Scene(lambda n: [40 + 3 * max(0, n - 20)], count=40)
    found = scene.samples()
    assert min(scene.looked[1:]) >= 20
    assert_true(scene, found, 3)


@pytest.mark.parametrize("cut", range(1, 7))
def test_nothing_is_carried_across_a_cut(cut: int) -> None:
    scene = Scene(lambda n: [40 + 2 * n] if n < cut else [42 + 2 * n], 7, lambda n: int(n >= cut))
    found = scene.samples()
    assert_true(scene, found, 1)
    assert {cut - 1, cut} <= {*scene.looked}


def test_frames_far_apart_are_all_looked_at() -> None:
    scene = Scene(lambda n: [40 + 2 * n])
    slow = (Frame(f.number, f.number / 4, f.image) for f in scene.frames())
    assert len(list(samples(slow, scene, Flow(SIZE), False))) == 13
    assert scene.looked == list(range(13))


@given(seed=st.integers(0, 10**6), many=st.tuples(st.integers(0, 6), st.integers(0, 6)))
@settings(max_examples=100)
def test_pairs_by_definition(seed: int, many: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)

    def some(count: int) -> ImageCandidates:
        low = rng.integers(0, 30, (count, 2)).astype(float)
        boxes = np.concatenate([low, low + rng.integers(10, 40, (count, 2))], axis=1)
        return ImageCandidates(boxes, rng.integers(0, 2, count), rng.uniform(0, 1, count))

    before, after = some(many[0]), some(many[1])
    overlap = {
        (a, b): float(iou(before.boxes[a], after.boxes[b]))
        for a in range(many[0])
        for b in range(many[1])
        if before.label[a] == after.label[b]
    }

    def alike(a: int, b: int) -> float:
        return overlap.get((a, b), 0.0)

    pairs = [
        (a, b)
        for (a, b), value in overlap.items()
        if value >= SAME_THING_IOU
        and value == max(alike(a, k) for k in range(many[1]))
        and value == max(alike(k, b) for k in range(many[0]))
    ]
    rows, columns, told = _pairs(before, before.boxes, after)
    assert list(zip(rows, columns, strict=True)) == sorted(pairs)
    sure = (
        [a for a in range(many[0]) if before.score[a] >= SURE],
        [b for b in range(many[1]) if after.score[b] >= SURE],
    )
    alone = {*sure[0]} - {a for a, _ in pairs} or {*sure[1]} - {b for _, b in pairs}
    rival = False
    for mine, other, value in (
        (sure[0], sure[1], alike),
        (sure[1], sure[0], lambda b, a: alike(a, b)),
    ):
        for one in mine:
            ranked = sorted((value(one, each) for each in other), reverse=True)
            rival |= len(ranked) > 1 and ranked[1] > RIVAL * ranked[0]
    assert told == (not alone and not rival)
