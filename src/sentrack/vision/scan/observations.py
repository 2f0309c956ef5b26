"""Observations of frames: what is where, how it moves and what colour it has."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from sentrack.boxes import area, centre, iou, moved
from sentrack.vision.clip import Floats, Ints, Parts
from sentrack.vision.scan.colour import colours
from sentrack.vision.scan.detectors import Detector
from sentrack.vision.scan.flow import Field, Flow, Small
from sentrack.vision.scan.looks import looks
from sentrack.vision.scan.sampling import SAME_THING_IOU, samples
from sentrack.vision.scan.video import Frame

AHEAD = 2  # frames for which a box is moved along after it was detected
FADING = 0.5  # part of its score that a box keeps with every frame that it is moved along


@dataclass(frozen=True, eq=False)
class Observation:
    """What is in one frame: its detections, then boxes moved along from the frames before.

    Attributes:
        number: of the frame in the source.
        time: seconds.
        boxes: (N, 4) x1 y1 x2 y2, in pixels.
        label: (N,) index into the detector's classes.
        score: (N,) probability.
        colour: (N, 3) hue, saturation and value.
        looks: (N, HALVES * CELLS) what is of each colour; see `Clip`.
        age: (N,) frames since it was detected, 0 for a detection.
        velocity: (N, 2) frame heights per second, the camera's motion taken out.
        camera: (N, 2) motion of the background at the box, frame heights per second.
    """

    number: int
    time: float
    boxes: Floats
    label: Ints
    score: Floats
    colour: Floats
    looks: Parts
    age: Ints
    velocity: Floats
    camera: Floats


def observe(
    frames: Iterable[Frame],
    detector: Detector,
    size: tuple[int, int],
    best: int,
    every_frame: bool = True,
) -> Iterator[Observation]:
    """What is in every frame.

    The motion in a frame is what happens from it to the next one, so a frame is told about when the
    next one has been looked at; in the last frame things move as they did before.

    Args:
        frames: of one video, in order.
        detector: finds the things in a frame.
        size: width and height of a frame.
        best: boxes of a class in a frame; those moved along fill up where detections are fewer.
        every_frame: let the detector look at every frame; see `samples`.
    """
    flow = Flow(size)
    field: Field | None = None
    last: tuple[Observation, Small] | None = None
    for sample in samples(frames, detector, flow, every_frame):
        image, found = sample.frame.image, sample.found
        N = len(found.label)
        now = Observation(
            sample.frame.number,
            sample.frame.time,
            found.boxes,
            found.label,
            found.score,
            colours(image, found.boxes),
            looks(image, found.boxes),
            np.zeros(N, dtype=np.int64),
            np.zeros((N, 2)),
            np.zeros((N, 2)),
        )
        if last is not None and sample.since is not None:
            before, picture = last
            field = flow.field(picture, sample.since, now.time - before.time, before.boxes)
            before = _moving(before, field)
            yield before
            if not field.cut:
                now = _best(_continued(before, now, size), best)
        last = now, sample.small
    if last is not None:
        yield last[0] if field is None else _moving(last[0], field)


def _moving(seen: Observation, field: Field) -> Observation:
    at = centre(seen.boxes)
    drift = at @ field.camera[:, :2].T + field.camera[:, 2] - at
    camera = drift / (field.size[1] * field.seconds)
    return replace(seen, velocity=field.mean(seen.boxes), camera=camera)


def _continued(before: Observation, now: Observation, size: tuple[int, int]) -> Observation:
    """Boxes of the frame before that nothing continues, moved along with the flow."""
    lapse = (now.time - before.time) * size[1]
    boxes = moved(before.boxes, (before.velocity + before.camera) * lapse)
    boxes = np.clip(boxes, 0, np.tile(size, 2))
    met = iou(boxes[:, None], now.boxes) * (before.label[:, None] == now.label)
    inside = area(boxes) > 0.5 * area(before.boxes)
    lost = (met.max(axis=1, initial=0.0) < SAME_THING_IOU) & (before.age < AHEAD) & inside
    return replace(
        now,
        boxes=np.concatenate([now.boxes, boxes[lost]]),
        label=np.concatenate([now.label, before.label[lost]]),
        score=np.concatenate([now.score, FADING * before.score[lost]]),
        colour=np.concatenate([now.colour, before.colour[lost]]),
        looks=np.concatenate([now.looks, before.looks[lost]]),
        age=np.concatenate([now.age, before.age[lost] + 1]),
    )


def _best(seen: Observation, best: int) -> Observation:
    """The best boxes of every class: detections first, then by score."""
    order = np.lexsort((-seen.score, seen.age, seen.label))
    label = seen.label[order]
    rank = np.arange(len(order)) - np.searchsorted(label, label)
    kept = np.sort(order[rank < best])
    names = ("boxes", "label", "score", "colour", "looks", "age")
    return replace(seen, **{name: getattr(seen, name)[kept] for name in names})
