"""Synthetic scenes of the paper's six long sentences, as problems of the paper's sizes.

A scene holds real objects that do what the sentence says, seen by a detector that misses some of
them, fires twice on others and fires at the background, six classes with J/6 candidates each. The
T frames are consecutive and the flow is per frame. Since the models leave their first phase after
one frame (with K states, K/3), the motion starts right then, at about 7 pixels a frame (12 when
quick). It needs about 40 frames to take an object from near to far: a shorter clip ends while the
object still moves if the sentence says where to, a longer one repeats the way back and forth an odd
number of times at the same speed and then rests, so that the words fit at any T. What is picked up
moves up once and rests.
"""

import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmarks.word_models import (
    CLASSES,
    Bins,
    WordModel,
    magnitude_bins,
    noun_output,
    orientation_bins,
    side_bins,
    size_ratio_bins,
    word_model,
    x_distance_bins,
)
from sentrack.inference.problem import Array, Labels, Problem, TrackTerms, WordTerms

Nouns = Literal["hard", "smoothed", "soft"]

FRAME = np.array([1280.0, 960.0])
REACH = 290.0  # takes an object from near (less than 225 px) to far (more than 375 px)
MISS_RATE = 0.05


@dataclass(frozen=True)
class Thing:
    """A real object: its class, where it starts (x) and whether it goes left, right or up."""

    noun: str
    x: float
    motion: str = ""


@dataclass(frozen=True)
class Row:
    """A sentence, the sizes of its clip and the objects that make it true.

    Attributes:
        name: a short name.
        sentence: the sentence.
        T: frames.
        J: candidates of a frame, all classes together.
        K: states of a verb, adverb or motion preposition.
        things: the real objects.
        roles: for every participant, the index of its object in `things`.
        words: every word with its participants, in the order of the sentence.
    """

    name: str
    sentence: str
    T: int
    J: int
    K: int
    things: tuple[Thing, ...]
    roles: tuple[int, ...]
    words: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def nouns(self) -> tuple[str, ...]:
        """The noun of every participant."""
        return tuple(self.things[role].noun for role in self.roles)


def _things(text: str) -> tuple[Thing, ...]:
    """Read objects written as class:x or class:x:motion."""
    parts = (thing.split(":") for thing in text.split())
    return tuple(Thing(noun, float(x), *motion) for noun, x, *motion in parts)


def _words(text: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Read words written as word:participant,participant."""
    pairs = (word.split(":") for word in text.split())
    return tuple((word, tuple(int(p) for p in link.split(","))) for word, link in pairs)


ROWS = (
    Row(
        "row 1",
        "The person to the left of the traffic-cone carried the stool to the left of the trash-can "
        "slowly away from the traffic-cone.",
        *(12, 30, 3),
        _things("person:770:left stool:700:left traffic-cone:1010 trash-can:1140 traffic-cone:860"),
        (0, 1, 2, 3, 4),
        _words(
            "person:0 to-the-left-of:0,2 traffic-cone:2 carried:0,1 stool:1 "
            "to-the-left-of:1,3 trash-can:3 slowly:1 away-from:1,4 traffic-cone:4"
        ),
    ),
    Row(
        "row 2",
        "The person to the left of the trash-can carried the backpack to the left of the stool "
        "slowly towards the stool.",
        *(15, 30, 3),
        _things("person:230:right backpack:300:right trash-can:1000 stool:750"),
        (0, 1, 2, 3, 3),
        _words(
            "person:0 to-the-left-of:0,2 trash-can:2 carried:0,1 backpack:1 "
            "to-the-left-of:1,3 stool:3 slowly:1 towards:1,4 stool:4"
        ),
    ),
    Row(
        "row 3",
        "The person to the left of the stool carried the trash-can slowly towards the "
        "traffic-cone.",
        *(15, 30, 9),
        _things("person:230:right trash-can:300:right stool:1000 traffic-cone:750"),
        (0, 1, 2, 3),
        _words(
            "person:0 to-the-left-of:0,2 stool:2 carried:0,1 trash-can:1 slowly:1 towards:1,3 "
            "traffic-cone:3"
        ),
    ),
    Row(
        "row 4",
        "The person to the left of the trash-can carried the traffic-cone to the left of the "
        "backpack.",
        *(15, 120, 3),
        _things("person:280:right traffic-cone:350:right trash-can:900 backpack:1060"),
        (0, 1, 2, 3),
        _words(
            "person:0 to-the-left-of:0,2 trash-can:2 carried:0,1 traffic-cone:1 "
            "to-the-left-of:1,3 backpack:3"
        ),
    ),
    Row(
        "row 5",
        "The person to the left of the trash-can carried the traffic-cone.",
        *(15, 120, 3),
        _things("person:330:right traffic-cone:400:right trash-can:950"),
        (0, 1, 2),
        _words("person:0 to-the-left-of:0,2 trash-can:2 carried:0,1 traffic-cone:1"),
    ),
    Row(
        "row 6",
        "The person to the left of the trash-can picked up the traffic-cone to the right of the "
        "backpack quickly.",
        *(10, 90, 3),
        _things("person:400 traffic-cone:480:up trash-can:800 backpack:240"),
        (0, 1, 2, 3),
        _words(
            "person:0 to-the-left-of:0,2 trash-can:2 picked-up:0,1 traffic-cone:1 "
            "to-the-right-of:1,3 backpack:3 quickly:1"
        ),
    ),
)

EIGHT = Row(
    "eight participants",
    "Two activities at once, joined by where things are.",
    *(30, 60, 3),
    _things(
        "person:80:right backpack:150:right chair:600 person:970:right "
        "stool:900:right traffic-cone:740 trash-can:520 chair:830"
    ),
    (0, 1, 2, 3, 4, 5, 6, 7),
    _words(
        "person:0 to-the-left-of:0,6 trash-can:6 carried:0,1 backpack:1 slowly:1 towards:1,2 "
        "chair:2 to-the-left-of:2,5 traffic-cone:5 person:3 to-the-right-of:3,7 chair:7 "
        "carried:3,4 stool:4 to-the-left-of:1,4 away-from:4,5"
    ),
)


@dataclass(frozen=True)
class Detections:
    """The candidates of a clip, in order of class and then of falling strength.

    Attributes:
        centres: (T, J, 2).
        sizes: (T, J, 2): widths and heights.
        strengths: (T, J): detector scores.
        flows: (T, J, 2): mean optical flow in the box, pixels to the next frame.
        classes: (J,): indices into `CLASSES`, the same in all frames.
        planted: (L, T): the candidates that show the participants.
    """

    centres: Array
    sizes: Array
    strengths: Array
    flows: Array
    classes: Bins
    planted: Labels


def scene(row: Row, seed: int, nouns: Nouns = "hard", T: int | None = None) -> Problem:
    """The problem of a row, drawn at random.

    Args:
        row: one of `ROWS`, or `EIGHT`.
        seed: the same seed gives the same problem.
        nouns: what a noun says of a detection of another class: "hard" forbids it, "smoothed" gives
            it the probability 1e-100, "soft" 0.02.
        T: frames, if not the row's own number.
    """
    return problem(row, detections(row, seed, T), nouns)


def eight_participants(seed: int, nouns: Nouns = "hard") -> Problem:
    """Two activities at once: L=8, W=17, T=30, J=60, five words of three states."""
    return scene(EIGHT, seed, nouns)


def detections(row: Row, seed: int, T: int | None = None) -> Detections:
    """Draw what the detector and the optical flow see of a row's objects."""
    frames = row.T if T is None else T
    rng = np.random.default_rng([seed, frames, zlib.crc32(row.sentence.encode())])
    centres, sizes, strengths, flows = _clutter(rng, frames, row.J)
    steps = _steps(row, frames, rng)
    per_class = row.J // len(CLASSES)
    free = [per_class * c for c in range(len(CLASSES))]
    shown = np.empty((len(row.things), frames), dtype=np.int64)
    for i, thing in enumerate(row.things):
        slot = free[CLASSES.index(thing.noun)]
        free[CLASSES.index(thing.noun)] += 2
        step = steps[thing.motion]
        start, size = _place(thing, rng)
        path = start + np.cumsum(step, axis=0) - step
        seen = rng.random(frames) > MISS_RATE
        centres[seen, slot] = (path + rng.normal(0, 3, (frames, 2)))[seen]
        sizes[seen, slot] = (size * rng.normal(1, 0.03, (frames, 2)))[seen]
        strengths[seen, slot] = rng.normal(0.6, 0.3, frames)[seen]
        flows[seen, slot] = (step + rng.normal(0, 0.4, (frames, 2)))[seen]
        # The detector also fires, weakly, on a part of the object and its surroundings.
        echo = slot + 1
        centres[:, echo] = path + rng.uniform(-25, 25, 2) + rng.normal(0, 5, (frames, 2))
        sizes[:, echo] = size * rng.normal(1, 0.05, (frames, 2))
        strengths[:, echo] = rng.normal(-0.4, 0.25, frames)
        flows[:, echo] = 0.9 * step + rng.normal(0, 0.4, (frames, 2))
        shown[i] = np.where(seen, slot, echo)
    classes = np.repeat(np.arange(len(CLASSES)), per_class)
    order = np.lexsort((-strengths, np.broadcast_to(classes, strengths.shape)), axis=-1)
    frame = np.arange(frames)
    planted = np.argsort(order, axis=-1)[frame, shown[list(row.roles)]]
    frame = frame[:, None]
    return Detections(
        centres[frame, order],
        sizes[frame, order],
        strengths[frame, order],
        flows[frame, order],
        classes,
        planted,
    )


def problem(row: Row, seen: Detections, nouns: Nouns = "hard") -> Problem:
    """All terms of a row's sentence given the detections."""
    unary = list(-np.logaddexp(0.0, -6.0 * seen.strengths))
    projected = (seen.centres + seen.flows)[:-1, :, None]
    distance = np.linalg.norm(projected - seen.centres[1:, None], axis=-1)
    coherence = -np.logaddexp(0.0, (distance - 50.0) / 11.0)
    coherence[:, seen.classes[:, None] != seen.classes] = -np.inf
    track = TrackTerms(unary, list(coherence))
    bins = [_bins(seen, t) for t in range(len(unary))]
    words = []
    for word, link in row.words:
        if word in CLASSES:
            noun = noun_output(word, nouns)[seen.classes][None]
            words.append(WordTerms([0.0], [[0.0]], [noun] * len(unary), link))
        else:
            model = word_model(word, row.K)
            emission = [_emission(model, frame) for frame in bins]
            emission[-1][: model.opening] = -np.inf
            words.append(WordTerms(model.initial, model.transition, emission, link))
    return Problem([track] * len(row.roles), words)


def _clutter(rng: np.random.Generator, T: int, J: int) -> tuple[Array, Array, Array, Array]:
    """Centres, sizes, strengths and flows of detections of nothing.

    Every other candidate of a class lasts for several frames, drifts steadily, and then starts anew
    elsewhere; the rest are somewhere else in every frame.
    """
    lasting = np.arange(J) % 2 == 0
    restart = (rng.random((T, J)) < 1 / 6) | ~lasting
    restart[0] = True
    frame = np.arange(T)[:, None]
    born = np.maximum.accumulate(np.where(restart, frame, 0), axis=0)
    slot = np.arange(J)
    start = rng.uniform(0.08, 0.92, (T, J, 2))[born, slot] * FRAME
    speed = rng.normal(0, 3, (T, J, 2))[born, slot]
    stature = (
        rng.uniform(0.6, 1.4, (T, J, 1))[born, slot] * np.where(slot < J // 6, 2.2, 1)[:, None]
    )
    centres = np.clip(start + speed * (frame - born)[..., None], 0, FRAME)
    sizes = stature * np.array([110.0, 170.0]) * rng.normal(1, 0.03, (T, J, 2))
    flows = np.where(lasting[:, None], speed, 0.0) + rng.normal(0, 0.5, (T, J, 2))
    convincing = rng.random((T, J))[born, slot] < 0.08
    strengths = np.where(convincing, -0.1, -0.8) + rng.normal(0, 0.15, (T, J))
    return centres, sizes, strengths, flows


def _steps(row: Row, T: int, rng: np.random.Generator) -> dict[str, Array]:
    """For every motion, (T, 2) the displacement from each frame to the next."""
    rest = row.K // 3
    pace = rng.uniform(6.3, 7.7)
    haste = rng.uniform(11.0, 13.0)
    goes_somewhere = any(word in ("towards", "away-from") for word, _ in row.words)
    along = pace * _legs(T, rest, round(REACH / pace), goes_somewhere, repeats=True)
    up = haste * _legs(T, rest, round(REACH / haste), goes_somewhere, repeats=False)
    still = np.zeros(T)
    return {
        "": np.stack((still, still), axis=1),
        "left": np.stack((-along, still), axis=1),
        "right": np.stack((along, still), axis=1),
        "up": np.stack((still, -up), axis=1),
    }


def _legs(T: int, rest: int, leg: int, goes_somewhere: bool, repeats: bool) -> Array:
    """(T,): 0 at rest, 1 on the way and -1 on the way back."""
    tail = max(2, T // 6)
    room = T - rest - tail
    if room < leg:
        leg, legs = (T - rest if goes_somewhere else max(room, 1)), 1
    else:
        legs = (room // leg - 1) // 2 * 2 + 1 if repeats else 1
    signs = np.zeros(T)
    ways = np.repeat((-1.0) ** np.arange(legs), leg)
    signs[rest : rest + ways.size] = ways
    return signs


def _place(thing: Thing, rng: np.random.Generator) -> tuple[Array, Array]:
    """Where an object starts and its size."""
    if thing.noun == "person":
        y, size = 560.0, np.array([170.0, 420.0])
    else:
        y, size = 700.0, np.array([110.0, 170.0])
    start = np.array([thing.x, y]) + rng.uniform(-15, 15, 2)
    return start, size * rng.uniform(0.9, 1.1)


def _bins(seen: Detections, t: int) -> dict[str, Bins]:
    """The features of a frame: (J, 1) of a first, (1, J) of a second argument, (J, J) of a pair."""
    x = seen.centres[t, :, 0]
    area = np.floor((seen.sizes[t] + 1).prod(axis=1))
    magnitude, orientation = magnitude_bins(seen.flows[t]), orientation_bins(seen.flows[t])
    return {
        "magnitude1": magnitude[:, None],
        "magnitude2": magnitude[None],
        "orientation1": orientation[:, None],
        "orientation2": orientation[None],
        "x-distance": x_distance_bins(x, x),
        "size-ratio": size_ratio_bins(area, area),
        "side": side_bins(x, x),
    }


def _emission(model: WordModel, bins: dict[str, Bins]) -> Array:
    """(K, J) or (K, J, J): the sum of the log outputs of a word's features."""
    terms = [output[:, bins[name]] for name, output in model.outputs.items()]
    total: Array = sum(terms[1:], start=terms[0])
    return total[..., 0] if total.shape[-1] == 1 else total
