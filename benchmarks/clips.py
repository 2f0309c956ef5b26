"""Made-up clips, many and quickly: people handle things or walk, among false boxes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sentrack.tasks import Library
from sentrack.vision import Clip, Floats, Ints, clip_from_arrays

SIZE, ASPECT = (640, 480), 4 / 3
FPS = 10.0
PERSON = (0.16, 0.42)  # width and height, frame heights
KINDS = {
    "backpack": (0.10, 0.14),
    "ball": (0.07, 0.07),
    "chair": (0.13, 0.20),
    "cup": (0.05, 0.06),
    "table": (0.26, 0.16),
}
CLASSES = (*KINDS, "person")
HANDLED = ("backpack", "ball", "cup")
HANDLING = ("pick up", "put down", "carry")
WALKING = ("approach", "leave", "rest")
LASTING = (1.0, 4.0)  # seconds of an activity
LIFTED = 0.2  # frame heights that a thing is lifted
MISSED = 0.05  # of the true boxes
JITTER = 0.004  # frame heights, of the place of a box
BREATH = 0.03  # of its width and height
TRUE_SCORES, FALSE_SCORES = (0.6, 0.95), (0.05, 0.45)
GHOSTS = 2  # lasting false boxes of a class at a time
HAUNTING = 1.0  # seconds that one lasts
DRIFT = 0.05  # frame heights per second, of its motion
FLICKER = 2  # false boxes of one frame, at most, of a class


@dataclass(frozen=True, eq=False)
class _Seen:
    """True or false boxes of one class: (O, T, 2) centres, (O, 1, 2) extents, (O, T) there."""

    name: str
    centre: Floats
    extent: Floats
    there: np.ndarray
    scores: tuple[float, float]


def clips(count: int, T: int = 100, seed: int = 0) -> Iterator[Clip]:
    """Clips with two or three of five kinds of things, each with a person that does something.

    A thing that can be handled is picked up, put down or carried; others are approached or left, or
    somebody stands beside them. Equal seeds give equal clips.
    """
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        yield _clip(f"clip-{number:04d}", rng, T)


def made_up(folder: str, count: int) -> Library:
    """A library of such clips."""
    library = Library(folder)
    for clip in clips(count):
        library.add(clip)
    library.refresh()
    return library


def _clip(name: str, rng: np.random.Generator, T: int) -> Clip:
    kinds = rng.choice(list(KINDS), rng.integers(2, 4), replace=False)
    people, things = zip(*(_activity(rng, str(kind), T) for kind in kinds), strict=True)
    seen = [_true(rng, "person", np.stack(people), PERSON)]
    for kind, thing in zip(kinds, things, strict=True):
        seen.append(_true(rng, str(kind), thing[None], KINDS[str(kind)]))
    for kind in (*kinds, "person"):
        seen += [_ghosts(rng, str(kind), T), _flicker(rng, str(kind), T)]
    frame, label, boxes, score = (
        np.concatenate(column) for column in zip(*(_rows(rng, s) for s in seen), strict=True)
    )
    order = np.lexsort((rng.random(len(frame)), frame))  # nothing may hang on the order in a frame
    return clip_from_arrays(
        name,
        SIZE,
        FPS,
        frame[order],
        CLASSES,
        boxes[order] * SIZE[1],
        score[order],
        label=label[order],
        frames=np.arange(T),
    )


def _activity(rng: np.random.Generator, kind: str, T: int) -> tuple[Floats, Floats]:
    """(T, 2) centres of a person and of a thing, in frame heights."""
    length = round(rng.uniform(*LASTING) * FPS)
    begin = rng.integers(0, max(1, T - length))
    done = np.clip((np.arange(T) - begin) / length, 0, 1)[:, None]
    side = rng.choice((-1.0, 1.0))
    place = rng.uniform((0.3, 0.3), (ASPECT - 0.3, 0.7))
    beside = place + np.array([side * 0.1, -0.05])
    far = place + np.array([side * rng.uniform(0.35, 0.6), -0.05])
    still, up = np.zeros((T, 2)), np.array([0.0, -LIFTED])
    activity = rng.choice(HANDLING if kind in HANDLED else WALKING)
    if activity == "carry":
        way = (far - beside) * done
        return beside + way, place + up / 2 + way
    if activity in ("pick up", "put down"):
        return beside + still, place + up * (done if activity == "pick up" else 1 - done)
    walked = {"approach": 1 - done, "leave": done, "rest": 0 * done}[str(activity)]
    return beside + (far - beside) * walked, place + still


def _true(
    rng: np.random.Generator, name: str, centre: Floats, extent: tuple[float, float]
) -> _Seen:
    """What the detector sees of (O, T, 2) things of one class."""
    there = rng.random(centre.shape[:2]) >= MISSED
    return _Seen(name, centre, np.array(extent), there, TRUE_SCORES)


def _ghosts(rng: np.random.Generator, name: str, T: int) -> _Seen:
    """Lasting false boxes, one after the other, each drifting from a place of its own."""
    life = round(HAUNTING * FPS)
    age = np.arange(T) % life
    born = np.arange(T) // life
    place = rng.uniform((0.05, 0.05), (ASPECT - 0.05, 0.95), (GHOSTS, T // life + 1, 2))
    drift = rng.normal(0, DRIFT, place.shape)
    centre = place[:, born] + drift[:, born] * age[:, None] / FPS
    return _Seen(name, centre, _size(name), np.ones((GHOSTS, T), np.bool_), FALSE_SCORES)


def _flicker(rng: np.random.Generator, name: str, T: int) -> _Seen:
    """False boxes of one frame."""
    centre = rng.uniform((0.05, 0.05), (ASPECT - 0.05, 0.95), (FLICKER, T, 2))
    return _Seen(name, centre, _size(name), rng.random((FLICKER, T)) < 0.5, FALSE_SCORES)


def _size(name: str) -> Floats:
    return np.array(KINDS.get(name, PERSON))


def _rows(rng: np.random.Generator, seen: _Seen) -> tuple[Ints, Ints, Floats, Floats]:
    """Frame, label, box and score of every box."""
    frame = np.nonzero(seen.there)[1]
    M = len(frame)
    centre = seen.centre[seen.there] + rng.normal(0, JITTER, (M, 2))
    half = seen.extent * np.exp(rng.normal(0, BREATH, (M, 2))) / 2
    label = np.full(M, CLASSES.index(seen.name))
    boxes = np.concatenate([centre - half, centre + half], axis=1)
    return frame, label, boxes, rng.uniform(*seen.scores, M)
