"""Annotated video: clips of what annotators said, with what they said and its opposite."""

import csv
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sentrack
from sentrack.errors import SentrackError
from sentrack.tasks.match import Depiction
from sentrack.vision import Clip, clip_from_arrays

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


def clip_of(name: str, truth: dict[str, Any], data: Path = DATA) -> Clip | None:
    """All boxes of the annotated span, without identities; None if it has too few frames."""
    with gzip.open(data / name / f"{truth['video']}.csv.gz", "rt") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if truth["begin"] <= int(row["frame"]) <= truth["end"]
        ]
    frames = sorted({int(row["frame"]) for row in rows})
    if len(frames) < 3:
        return None
    step = 1 + len(frames) // FRAMES
    kept = [row for row in rows if (int(row["frame"]) - frames[0]) % step == 0]
    return clip_from_arrays(
        truth["video"],
        (int(truth["size"][0]), int(truth["size"][1])),
        truth["fps"] / step,
        [(int(row["frame"]) - frames[0]) // step for row in kept],
        [row["class"] for row in kept],
        [[float(row[side]) for side in ("x1", "y1", "x2", "y2")] for row in kept],
        [0.9] * len(kept),
    )


def opposite(sentence: str) -> str | None:
    """The sentence with an opposite word in it."""
    for pair in OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if one in sentence and not (one == "left" and "to the left" in sentence):
                return sentence.replace(one, other)
    return None


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
