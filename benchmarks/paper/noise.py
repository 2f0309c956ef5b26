"""Clips whose truth is known, seen by a detector that misses boxes and makes others up."""

import csv
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow.csv

from benchmarks.cad import DATA, PICK_OR_PLACE
from benchmarks.paper.films import Film
from sentrack.vision import Bools, Clip, Floats, Ints, clip_from_arrays

LASTING = 1.0  # seconds that a false box lasts; every other one is there in one frame only
DRIFT = 0.05  # frame heights per second, of the motion of those that last
LOST = 5  # frames in a row that are missed, on average
TRUE_SCORES, FALSE_SCORES = (4.0, 2.0), (2.0, 4.0)  # beta distributions, means 2/3 and 1/3
OPPOSITES = {"approached": "left", "picked up": "put down"}


@dataclass(frozen=True)
class Level:
    """How bad a detector is.

    Attributes:
        missed: share of the true boxes that it misses.
        false: boxes per class and frame that it makes up.
        jitter: by which boxes are off, in their width and height.
    """

    missed: float
    false: int
    jitter: float = 0.02


NONE = Level(0.0, 0, 0.0)
LEVELS = {  # from light to heavy
    "clutter": (Level(0.0, 3), Level(0.0, 8), Level(0.0, 16)),
    "misses": (Level(0.15, 0), Level(0.3, 0), Level(0.5, 0)),
    "both": (Level(0.15, 3), Level(0.3, 8), Level(0.5, 16)),
}


@dataclass(frozen=True, eq=False)
class Shown:
    """What really happens.

    Attributes:
        name: of the clip.
        size: width and height of a frame.
        sentence: what is true.
        rival: what is not, but for one word the same.
        nouns: the class of every object; only objects of the classes spoken of.
        boxes: (O, F, 4) where the objects are, 30 times a second.
        participants: the objects that the nouns of the sentence speak of.
    """

    name: str
    size: tuple[int, int]
    sentence: str
    rival: str
    nouns: tuple[str, ...]
    boxes: Floats
    participants: tuple[int, ...]


def of_film(film: Film) -> Shown:
    """The truth of a made-up clip, against the opposite verb, or way of what is carried."""
    sentence, thing = film.sentence, film.boxes[film.participants[1]]
    if " carried " in sentence:
        ways = ("right", "left") if thing[-1, 0] > thing[0, 0] else ("left", "right")
        sentence, rival = (f"{sentence[:-1]} to the {way}." for way in ways)
    else:
        both = OPPOSITES | {other: verb for verb, other in OPPOSITES.items()}
        verb = next(verb for verb in both if f" {verb} " in sentence)
        rival = sentence.replace(verb, both[verb])
    own = list(film.participants)  # a made-up clip shows one object of a class
    nouns = tuple(film.nouns[o] for o in own)
    return Shown(film.clip.name, film.clip.size, sentence, rival, nouns, film.boxes[own], (0, 1))


def of_cad(count: int) -> Iterator[Shown]:
    """Segments of CAD-120 in which a hand picks up or puts down a thing, evenly chosen."""
    if not DATA.exists():
        return
    with (DATA / "segments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["verb"] in PICK_OR_PLACE]
    tracks = pyarrow.csv.read_csv(DATA / "tracks.csv.gz")
    column = {name: tracks[name].to_numpy() for name in ("video", "frame", "object", "class")}
    boxes = np.stack([tracks[corner].to_numpy() for corner in ("x1", "y1", "x2", "y2")], axis=1)
    for i in np.unique(np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(np.int64)):
        row = rows[i]
        start, end = int(row["start"]), int(row["end"])
        here = column["video"] == row["video"]
        here &= np.isin(column["class"], ["hand", row["class"]])
        frames = np.arange(start, end + 1)
        seen = here & (column["frame"] >= start) & (column["frame"] <= end)
        # The two that are spoken of come first, then others of their classes.
        own = [row["hand"], row["object"]]
        others = sorted(set(column["object"][seen].tolist()) - set(own))
        filled, nouns = [], []
        for name in (*own, *others):
            its = here & (column["object"] == name)
            known, corners = column["frame"][its], boxes[its]
            filled.append(np.stack([np.interp(frames, known, c) for c in corners.T], axis=1))
            nouns.append(str(column["class"][its][0]))
        verb = PICK_OR_PLACE[row["verb"]]
        other = next(each for each in PICK_OR_PLACE.values() if each != verb)
        sentence, rival = (f"The hand {each} the {row['class']}." for each in (verb, other))
        truth = (tuple(nouns), np.stack(filled), (0, 1))
        yield Shown(f"{row['video']}-{start}", (640, 480), sentence, rival, *truth)


def detected(shown: Shown, level: Level, seed: int) -> Clip:
    """What a detector of some level sees; motion is measured on the boxes it finds."""
    rng = np.random.default_rng([seed, zlib.crc32(shown.name.encode())])
    F = shown.boxes.shape[1]
    classes = sorted(set(shown.nouns))
    frame: list[Ints] = []
    boxes: list[Floats] = []
    label: list[Ints] = []
    score: list[Floats] = []
    for noun, path in zip(shown.nouns, shown.boxes, strict=True):
        kept = np.flatnonzero(~_lost(rng, F, level.missed))
        frame.append(kept)
        boxes.append(_jittered(rng, path[kept], level.jitter))
        label.append(np.full(len(kept), classes.index(noun)))
        score.append(_scores(rng, TRUE_SCORES, len(kept)))
    for k, noun in enumerate(classes):
        own = shown.boxes[np.array(shown.nouns) == noun].reshape(-1, 4)
        for n in range(level.false):
            places = _false(rng, own, F, shown.size, lasting=n % 2 == 0)
            frame.append(np.arange(F))
            boxes.append(_jittered(rng, places, level.jitter))
            label.append(np.full(F, k))
            score.append(_scores(rng, FALSE_SCORES, F))
    order = rng.permutation(sum(map(len, frame)))  # nothing may hang on the order in a frame
    return clip_from_arrays(
        shown.name,
        shown.size,
        30.0,
        np.concatenate(frame)[order],
        classes,
        np.concatenate(boxes)[order],
        np.concatenate(score)[order],
        label=np.concatenate(label)[order],
        frames=np.arange(F),
    )


def _lost(rng: np.random.Generator, F: int, missed: float) -> Bools:
    """(F,) whether a thing is missed: runs of LOST frames on average, never all of the clip."""
    lost = np.zeros(F, np.bool_)
    state = rng.random() < missed
    for t in range(F):
        # The chances to lose and to find it, of which the share `missed` follows.
        change = 1 / LOST if state else missed / ((1 - missed) * LOST)
        state = state ^ (rng.random() < change)
        lost[t] = state
    if lost.all():
        lost[rng.integers(F)] = False
    return lost


def _false(
    rng: np.random.Generator, own: Floats, F: int, size: tuple[int, int], lasting: bool
) -> Floats:
    """(F, 4) boxes anywhere, of the extents of some of (N, 4)."""
    life = round(LASTING * 30) if lasting else 1
    born = (np.arange(F) + rng.integers(life)) // life
    extent = (own[:, 2:] - own[:, :2])[rng.integers(len(own), size=born.max() + 1)][born]
    low = rng.random((born.max() + 1, 2))[born] * np.maximum(np.array(size) - extent, 0)
    drift = rng.normal(0, DRIFT * size[1] / 30, (born.max() + 1, 2))[born]
    low = low + drift * ((np.arange(F) - np.searchsorted(born, born))[:, None])
    return np.concatenate([low, low + extent], axis=1)


def _scores(rng: np.random.Generator, beta: tuple[float, float], N: int) -> Floats:
    return rng.beta(beta[0], beta[1], N)


def _jittered(rng: np.random.Generator, boxes: Floats, jitter: float) -> Floats:
    extent = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
    return boxes + rng.normal(0, jitter, boxes.shape) * extent


def iou(a: Floats, b: Floats) -> Floats:
    """(...): intersection over union of boxes (..., 4), one by one."""
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., 2:], b[..., 2:])
    shared = np.maximum(high - low, 0).prod(axis=-1)
    areas = [(boxes[..., 2:] - boxes[..., :2]).prod(axis=-1) for boxes in (a, b)]
    return np.asarray(shared / (areas[0] + areas[1] - shared))
