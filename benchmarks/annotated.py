"""Annotated video: clips of what annotators said, with what they said and its opposite."""

import csv
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import sentrack
from sentrack.errors import SentrackError
from sentrack.tasks.match import Depiction
from sentrack.vision import Clip, clip_from_arrays

Floats = npt.NDArray[np.float64]

DATA = Path(__file__).parents[2] / "shared" / "data" / "real"
# Crowds are left out: there, somebody does the opposite at any time.
SETS = ("virat", "meva", "caviar", "vidvrd", "something_else")
OPPOSITES = (
    ("picked up", "put down"),
    ("entered", "exited"),
    ("started", "stopped"),
    ("to the left", "to the right"),
    ("above", "below"),
    ("in front of", "behind"),
    ("towards", "away from"),
    ("approached", "left"),
    ("walked", "stood"),
)
FRAMES = 400  # of a clip, about


@dataclass(frozen=True)
class Labelled:
    """A sentence about a clip: whether it is true, and what the match depends on."""

    source: str
    true: bool
    shown: Depiction


def truths(name: str, most: int, data: Path = DATA) -> list[dict[str, Any]]:
    """Some of what is annotated in a set, no sentence too often."""
    with (data / name / "truth.jsonl").open(encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    random.Random(1).shuffle(found)
    seen: Counter[str] = Counter()
    chosen: list[dict[str, Any]] = []
    for truth in found:
        if seen[truth["sentence"]] < max(3, most // 4) and len(chosen) < most:
            seen[truth["sentence"]] += 1
            chosen.append(truth)
    return chosen


@dataclass(frozen=True)
class Span:
    """What is annotated in a span of a video.

    Attributes:
        boxes: per frame, from 0 on, the things: identity, class and box (4,).
        fps: frames per second.
        first: the frame of the video that is 0 here.
    """

    boxes: dict[int, list[tuple[int, str, Floats]]]
    fps: float
    first: int


def span_of(name: str, truth: Mapping[str, Any], data: Path = DATA, frames: int = FRAMES) -> Span:
    """All that is annotated in the span of a sentence, in about so many frames at most."""
    every = _boxes(data / name / f"{truth['video']}.csv.gz")
    found = {t: rows for t, rows in every.items() if truth["begin"] <= t <= truth["end"]}
    first, step = min(found, default=0), 1 + len(found) // frames
    kept = {(t - first) // step: rows for t, rows in found.items() if (t - first) % step == 0}
    return Span(kept, truth["fps"] / step, first)


@lru_cache(maxsize=8)
def _boxes(path: Path) -> dict[int, list[tuple[int, str, Floats]]]:
    """Per frame of a video, the things: identity, class and box (4,)."""
    found: dict[int, list[tuple[int, str, Floats]]] = defaultdict(list)
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            box = np.array([float(row[side]) for side in ("x1", "y1", "x2", "y2")])
            found[int(row["frame"])].append((int(row["id"]), row["class"], box))
    return dict(found)


def clip_of(
    name: str, truth: Mapping[str, Any], data: Path = DATA, frames: int = FRAMES
) -> Clip | None:
    """All boxes of the annotated span, without identities; None if it has too few frames."""
    span = span_of(name, truth, data, frames)
    if len(span.boxes) < 3:
        return None
    rows = [(t, kind, box) for t, present in span.boxes.items() for _, kind, box in present]
    frame, kinds, boxes = zip(*rows, strict=True)
    size = int(truth["size"][0]), int(truth["size"][1])
    return clip_from_arrays(
        truth["video"], size, span.fps, frame, kinds, np.array(boxes), [0.9] * len(rows)
    )


def opposites(sentence: str) -> tuple[str, str] | None:
    """The word of a sentence that has an opposite, and that."""
    for pair in OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if one in sentence and not (one == "left" and "to the left" in sentence):
                return one, other
    return None


def opposite(sentence: str) -> str | None:
    """The sentence with an opposite word in it."""
    pair = opposites(sentence)
    return None if pair is None else sentence.replace(*pair)


def labelled(most: int = 60) -> Iterator[Labelled]:
    """True sentences and their opposites, about the best interval and about all of a clip."""
    for name in SETS:
        for truth in truths(name, most):
            clip = clip_of(name, truth)
            other = opposite(truth["sentence"])
            for sentence, true in ((truth["sentence"], True), (other, False)):
                for whole in (False, True):
                    if clip is None or sentence is None:
                        continue
                    try:
                        found = sentrack.track(clip, sentence, whole=whole)
                    except SentrackError:
                        continue
                    yield Labelled(name, true, found.shown)
