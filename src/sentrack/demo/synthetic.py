"""A made-up clip with several activities at once, for the demonstration and for tests.

Right: a person at a table picks up a cup. Front: another carries a backpack from left to right.
Back: a third walks to the left, up to a chair. The detector that sees them jitters, misses some and
makes some up.
"""

from dataclasses import dataclass

import numpy as np

from sentrack.vision import Clip, Floats, Ints, clip_from_arrays

SECONDS = 6.0
ASPECT = 4 / 3  # of the stage; the frame's own aspect stretches it
MISSED = 0.05  # of the true boxes
JITTER = 0.004  # frame heights, of the place of a box
BREATH = 0.03  # of its width and height
TRUE_SCORES, FALSE_SCORES = (0.6, 0.95), (0.05, 0.45)
CANDIDATES = (3, 6)  # of a class in a frame
GHOSTS = 2  # lasting false detections of a class at a time
HAUNTING = (0.5, 1.5)  # seconds that one lasts
DRIFT = 0.05  # frame heights per second, of its motion


@dataclass(frozen=True)
class Thing:
    """An object of the scene: class, width and height, and where its centre is at which second."""

    name: str
    size: tuple[float, float]
    path: tuple[tuple[float, float, float], ...]  # (seconds, x, y) in frame heights


THINGS = (
    Thing("person", (0.15, 0.42), ((0.0, 1.00, 0.31),)),
    Thing("cup", (0.05, 0.06), ((2.0, 1.09, 0.39), (3.2, 1.05, 0.18))),
    Thing("table", (0.26, 0.16), ((0.0, 1.18, 0.50),)),
    Thing("person", (0.18, 0.46), ((0.0, 0.16, 0.74), (SECONDS, 1.14, 0.74))),
    Thing("backpack", (0.10, 0.14), ((0.0, 0.20, 0.72), (SECONDS, 1.18, 0.72))),
    Thing("person", (0.13, 0.36), ((0.0, 0.84, 0.27), (SECONDS, 0.22, 0.27))),
    Thing("chair", (0.13, 0.20), ((0.0, 0.10, 0.36),)),
)
DEMO_CLASSES = tuple(sorted({thing.name for thing in THINGS}))
DEPICTED = (
    (
        "The person picked up the cup.",
        "The person carried the backpack to the right.",
        "The person approached the chair.",
        "The person walked to the left.",
    ),
    ((0, 1), (3, 4), (5, 6), (5,)),
)
OPPOSITES = (
    "The person put down the cup.",
    "The person carried the backpack to the left.",
    "The backpack approached the chair.",
)

Rows = tuple[Ints, Ints, Floats, Ints]  # frame, label, box in frame heights, object or -1


@dataclass(frozen=True, eq=False)
class Truth:
    """What the clip depicts.

    Attributes:
        sentences: sentences that are true of the clip.
        participants: for each sentence the objects that its nouns speak of, in order.
        opposites: sentences that are not true of the clip.
        object_of: (N,) the object that a detection of the clip shows, -1 for a false one.
        boxes: (O, T, 4) where the objects really are, in pixels.
    """

    sentences: tuple[str, ...]
    participants: tuple[tuple[int, ...], ...]
    opposites: tuple[str, ...]
    object_of: Ints
    boxes: Floats


def two_activities(
    seed: int = 0, fps: float = 15, size: tuple[int, int] = (640, 480)
) -> tuple[Clip, Truth]:
    """Six seconds of a made-up clip and the truth about it; equal seeds give equal clips."""
    rng = np.random.default_rng(seed)
    T = round(SECONDS * fps)
    true_boxes = np.stack([_boxes(thing, np.arange(T) / fps) for thing in THINGS])
    parts = [_seen(rng, k, boxes) for k, boxes in enumerate(true_boxes)]
    for name in DEMO_CLASSES:
        parts += [_ghosts(rng, name, T, fps) for _ in range(GHOSTS)]
    parts += [_flicker(rng, name, T, parts) for name in DEMO_CLASSES]
    frame, label, boxes, object_of = (np.concatenate(c) for c in zip(*parts, strict=True))
    order = np.lexsort((rng.random(len(frame)), frame))  # nothing may hang on the order in a frame
    frame, label, boxes, object_of = frame[order], label[order], boxes[order], object_of[order]
    scores = np.where(
        object_of >= 0,
        rng.uniform(*TRUE_SCORES, len(frame)),
        rng.uniform(*FALSE_SCORES, len(frame)),
    )
    pixels = np.tile([size[0] / ASPECT, size[1]], 2)
    clip = clip_from_arrays(
        "two-activities",
        size,
        fps,
        frame,
        DEMO_CLASSES,
        boxes * pixels,
        scores,
        label=label,
        frames=np.arange(T),
    )
    return clip, Truth(*DEPICTED, OPPOSITES, object_of, true_boxes * pixels)


def _boxes(thing: Thing, times: Floats) -> Floats:
    """(T, 4) where a thing is at (T,) times, in frame heights."""
    knots = np.array(thing.path)
    centre = np.stack([np.interp(times, knots[:, 0], knots[:, k]) for k in (1, 2)], axis=1)
    return _corners(centre, np.broadcast_to(thing.size, centre.shape))


def _corners(centre: Floats, extent: Floats) -> Floats:
    return np.concatenate([centre - extent / 2, centre + extent / 2], axis=1)


def _seen(rng: np.random.Generator, k: int, boxes: Floats) -> Rows:
    """What the detector makes of object k, given (T, 4) where it is."""
    frame = np.flatnonzero(rng.random(len(boxes)) >= MISSED)
    M = len(frame)
    corners = boxes[frame].reshape(M, 2, 2)
    centre = corners.mean(axis=1) + rng.normal(0, JITTER, (M, 2))
    extent = (corners[:, 1] - corners[:, 0]) * np.exp(rng.normal(0, BREATH, (M, 2)))
    label = np.full(M, DEMO_CLASSES.index(THINGS[k].name))
    return frame, label, _corners(centre, extent), np.full(M, k)


def _false(rng: np.random.Generator, name: str, frame: Ints, moved: Floats, places: Ints) -> Rows:
    """False detections in (M,) frames, moved by (M, 2) from one random place per number in (M,)."""
    P = int(places.max(initial=-1)) + 1
    sizes = np.array([thing.size for thing in THINGS if thing.name == name])
    extent = sizes[rng.integers(len(sizes), size=P)] * np.exp(rng.normal(0, 0.2, (P, 2)))
    centre = rng.uniform([0.05, 0.05], [ASPECT - 0.05, 0.95], (P, 2))
    boxes = _corners(centre[places] + moved, extent[places])
    return frame, np.full(len(frame), DEMO_CLASSES.index(name)), boxes, np.full(len(frame), -1)


def _ghosts(rng: np.random.Generator, name: str, T: int, fps: float) -> Rows:
    """One lasting false detection after the other, each drifting from a place of its own."""
    lives = np.ceil(rng.uniform(*HAUNTING, T) * fps).astype(np.int64)  # more than enough of them
    places = np.repeat(np.arange(T), lives)[:T]
    age = np.arange(T) - np.searchsorted(places, places)
    drift = rng.normal(0, DRIFT, (T, 2))[places]
    moved = drift * age[:, None] / fps + rng.normal(0, JITTER, (T, 2))
    return _false(rng, name, np.arange(T), moved, places)


def _flicker(rng: np.random.Generator, name: str, T: int, parts: list[Rows]) -> Rows:
    """False detections of one frame, which fill up the candidates of a class."""
    label = DEMO_CLASSES.index(name)
    present = np.concatenate([frame[labels == label] for frame, labels, _, _ in parts])
    low, high = CANDIDATES
    wanted = rng.integers(low, high + 1, T) - np.bincount(present, minlength=T)
    frame = np.repeat(np.arange(T), np.maximum(wanted, 0))
    return _false(rng, name, frame, np.zeros((len(frame), 2)), np.arange(len(frame)))
