"""Real footage, looked at by the real detector: the tracks are those that are meant."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import sentrack
from benchmarks.footage import street
from sentrack.demo import footage

Floats = npt.NDArray[np.float64]


def centres(boxes: Floats) -> Floats:
    return np.asarray(boxes[:, :2] + boxes[:, 2:]) / 2


def ious(a: Floats, b: Floats) -> Floats:
    """Of boxes in the frames in which both are seen."""
    seen = ~np.isnan(a + b).any(axis=1)
    assert seen.any()
    a, b = a[seen], b[seen]
    shared = np.clip(np.minimum(a[:, 2:], b[:, 2:]) - np.maximum(a[:, :2], b[:, :2]), 0, None)
    areas = [(x[:, 2:] - x[:, :2]).prod(axis=1) for x in (a, b)]
    return np.asarray(shared.prod(axis=1) / (areas[0] + areas[1] - shared.prod(axis=1)))


@pytest.fixture(scope="module")
def crossing() -> sentrack.Clip:
    return sentrack.load_clip(street(), start=58, end=63)


@pytest.fixture(scope="module")
def driveway() -> sentrack.Clip:
    return sentrack.load_clip(footage("driveway"), start=9, end=29, fps=5)


def test_towards_and_away_are_different_people(crossing: sentrack.Clip) -> None:
    away = sentrack.track(crossing, "The person moved away from the car.", whole=True)
    towards = sentrack.track(crossing, "The person moved towards the car.", whole=True)
    people = [answer.participants[0] for answer in (away, towards)]
    assert away.certified
    assert towards.certified
    assert ious(*(person.boxes for person in people)).max() < 0.1
    for person, sign in zip(people, (1, -1), strict=True):
        # One person throughout, who moves as said from beginning to end.
        assert person.seen.mean() > 0.8
        assert (ious(person.boxes[1:], person.boxes[:-1]) > 0.2).all()
        car = centres(away.participants[1].boxes)
        apart = np.hypot(*(centres(person.boxes) - car).T)
        times, apart = crossing.times[person.seen], apart[person.seen]
        assert sign * (apart[-1] - apart[0]) > 100
        assert sign * np.polyfit(times, apart, 1)[0] > 10
    cars = [answer.participants[1].boxes for answer in (away, towards)]
    assert ious(*cars).min() > 0.5


def test_the_car_is_tracked_while_it_is_visible(driveway: sentrack.Clip) -> None:
    tracking = sentrack.track(driveway, "The car moved away from the vase.", whole=True)
    boxes, seen = tracking.participants[0].boxes, tracking.participants[0].seen
    car = driveway.classes.index("car")
    hits = []
    for t in range(driveway.T):
        rows = slice(driveway.start[t], driveway.start[t + 1])
        sure = np.where((driveway.label[rows] == car) & ~driveway.projected[rows], 1.0, 0.0)
        sure *= driveway.score[rows]
        if len(sure) and sure.max() > 0.5:
            best = driveway.boxes[rows][sure.argmax()]
            hits.append(ious(boxes[t : t + 1], best[None])[0] if seen[t] else 0.0)
    assert len(hits) > 60
    assert np.mean(hits) > 0.9
    assert tracking.certified


def test_the_colour_of_the_car_tells(driveway: sentrack.Clip) -> None:
    blue = sentrack.track(driveway, "The blue car moved.")
    red = sentrack.track(driveway, "The red car moved.")
    assert blue.match > red.match + 0.2


def test_the_walker_is_found_beside_the_one_who_stands() -> None:
    clip = sentrack.load_clip(footage("walkers"), start=1.5, end=6.5)
    left = sentrack.track(clip, "The person walked to the left.", whole=True)
    right = sentrack.track(clip, "The person walked to the right.", whole=True)
    x = centres(left.participants[0].boxes)[:, 0] / clip.size[0]
    assert x[0] > 0.8
    assert x[-1] < 0.15
    assert (np.diff(x) < 0.02).all()
    assert left.match > right.match + 0.2
    assert left.depicted
    past = sentrack.track(clip, "The person walked past the person.", whole=True)
    assert ious(past.participants[0].boxes, left.participants[0].boxes).min() > 0.5
    assert ious(past.participants[1].boxes, left.participants[0].boxes).max() < 0.3


def test_the_best_interval_is_when_it_happens() -> None:
    clip = sentrack.load_clip(footage("walkers"), start=1.5, end=6.5)
    left = sentrack.track(clip, "The person walked to the left.")
    right = sentrack.track(clip, "The person walked to the right.")
    # One walks to the left all the time; who else is seen hardly moves.
    assert left.depicted
    assert left.certified
    assert left.start < 2.5
    assert left.end > 5.5
    assert right.end - right.start < 1
    assert left.score > right.score + 10


def test_another_detector_finds_the_same_walker() -> None:
    clips = [
        sentrack.load_clip(footage("walkers"), start=2, end=5, detector=name)
        for name in ("yolov4-tiny", "yolo11n")
    ]
    tracks = [
        sentrack.track(clip, "The person walked to the left.", whole=True).participants[0]
        for clip in clips
    ]
    assert np.median(ious(tracks[0].boxes, tracks[1].boxes)) > 0.7


def test_detections_survive_the_way_through_other_formats(
    crossing: sentrack.Clip, tmp_path: Path
) -> None:
    """What a sentence finds does not hang on the file that the detections come from."""
    sentrack.save_clip(crossing, tmp_path / "boxes.json")
    again = sentrack.load_clip(tmp_path / "boxes.json")
    np.testing.assert_allclose(again.boxes, crossing.boxes)
    assert [again.classes[k] for k in again.label] == [crossing.classes[k] for k in crossing.label]
