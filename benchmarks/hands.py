"""What looking for hands costs, and how often what is found is one.

By `python -m benchmarks.vision --only hands`; `hand_labels.csv` has what was judged by eye.
"""

import csv
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.detectors import Bools, Floats, error
from benchmarks.true_false import auc, logistic
from sentrack.demo import footage
from sentrack.vision.scan import Video
from sentrack.vision.scan.detectors import open_detector
from sentrack.vision.scan.detectors.hands import traits
from sentrack.vision.scan.detectors.several import Close

SURE = 0.5  # probability of somebody whose hands are looked for, and of a hand


@dataclass(frozen=True)
class Judged:
    """Boxes that `hands` found on the footage, as they were judged by eye.

    Attributes:
        traits: (N, 4), what their chance depends on.
        score: (N,) of the network.
        hand: (N,) whether it is one.
        video: (N,) names.
    """

    traits: Floats
    score: Floats
    hand: Bools
    video: npt.NDArray[np.str_]


def judged_hands() -> Judged:
    """All of `hand_labels.csv`."""
    with (Path(__file__).parent / "hand_labels.csv").open(encoding="utf-8") as file:
        told = list(csv.DictReader(file))

    def numbers(*names: str) -> Floats:
        return np.array([[float(row[name]) for name in names] for row in told])

    score = numbers("score")[:, 0]
    boxes, people = numbers("x1", "y1", "x2", "y2"), numbers("left", "top", "right", "bottom")
    return Judged(
        traits(boxes, score, people),
        score,
        numbers("hand")[:, 0] == 1,
        np.array([row["video"] for row in told]),
    )


def chances(judged: Judged, used: Sequence[int]) -> tuple[Floats, Floats]:
    """Weights of some traits, and (N,) probabilities by those of the other videos."""
    x, every = judged.traits[:, used], np.ones(len(judged.hand))
    found = np.zeros(len(every))
    for video in np.unique(judged.video):
        own = judged.video == video
        weights = logistic(x[~own], judged.hand[~own], every[~own])
        found[own] = 1 / (1 + np.exp(-x[own] @ weights))
    return logistic(x, judged.hand, every), found


def hand_chances() -> Iterator[str]:
    """How often what is found is a hand, by the score alone and by where it is, too."""
    judged = judged_hands()
    yield f"{len(judged.hand)} boxes of {len(np.unique(judged.video))} videos were judged by eye,"
    yield "without their scores being seen, as many of every range of scores as there are;"
    yield f"{judged.hand.sum()} are hands. Probabilities are those of weights that were fitted to"
    yield "the other videos."
    yield ""
    yield "| by | AUC | calibration error | log loss | above one half | of these, hands | weights |"
    yield "|---|---|---|---|---|---|---|"
    ways = {
        "the score as it is": None,
        "the score": (0, 1),
        "score, side": (0, 1, 2),
        "score, side, how far down": (0, 1, 2, 3),
    }
    for name, used in ways.items():
        weights, found = (np.zeros(0), judged.score) if used is None else chances(judged, used)
        sure, chance = found >= SURE, np.where(judged.hand, found, 1 - found)
        shown = ", ".join(f"{weight:.3f}" for weight in weights)
        yield (
            f"| {name} | {auc(found, judged.hand):.3f} | {error(found, judged.hand):.3f} "
            f"| {-np.log(chance).mean():.3f} | {sure.sum()} | {judged.hand[sure].sum()} | {shown} |"
        )
    yield ""


def hands() -> Iterator[str]:
    """What looking for the hands of people costs, and how far it is to be believed."""
    people, finder = open_detector(threads=1), open_detector("hands", threads=1)
    assert isinstance(finder, Close)
    person = people.classes.index(finder.around)
    images = [frame.image for frame in Video(footage("walkers")).frames(None, None, 10)]
    seen = [(image, people.detect(image)) for image in images]
    spent = looked_at = 0.0
    for image, found in seen:
        own = np.flatnonzero((found.label == person) & (found.score >= SURE))[:1]
        begin = time.process_time()
        finder.detect_around(image, found.boxes[own], found.score[own])
        spent, looked_at = spent + time.process_time() - begin, looked_at + len(own)
    yield "## Hands"
    yield ""
    yield f"`hands` takes {1000 * spent / looked_at:.1f} ms of one core a person, over"
    yield f"{looked_at:.0f} people of the walkers (1768x994), cutting out and choosing included."
    yield ""
    yield from hand_chances()
