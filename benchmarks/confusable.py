"""Which classes are taken for each other, as far as another detector tells.

By `python -m benchmarks.vision --only confusable`.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np

from benchmarks.true_false import rows, video
from sentrack.boxes import iou
from sentrack.vision.scan import Video
from sentrack.vision.scan.detectors import Detector, ImageCandidates, open_detector

SURE = 0.5  # probability
SAME = 0.5  # intersection over union of two boxes of one thing
FRAMES, RATE = 20, 1.0  # of each video, and of a second
LEAST = 5  # things of a pair of classes that is shown


def named(
    judge: ImageCandidates, other: ImageCandidates, names: tuple[str, ...]
) -> Iterator[tuple[str, str, float]]:
    """Of each thing that one detector is sure of: its class, the other's, and what that one has.

    The last is the probability that the other one gives to the first class there; 0 if it has no
    such candidate.
    """
    meet = iou(judge.boxes[:, None], other.boxes[None]) >= SAME
    for k in np.flatnonzero(judge.score >= SURE):
        here = np.flatnonzero(meet[k])
        if not len(here):
            continue
        best = here[np.argmax(other.score[here])]
        if other.score[best] < SURE:
            continue
        own = here[other.label[here] == judge.label[k]]
        chance = float(other.score[own].max()) if len(own) else 0.0
        yield names[judge.label[k]], names[other.label[best]], chance


def confusable(
    judge: str = "yolo11n", others: tuple[str, ...] = ("yolov4-tiny", "picodet")
) -> Iterator[str]:
    """What others call things of which the judge is sure, and what else they say of them."""
    yield "## Classes that are taken for each other"
    yield ""
    yield f"Things of which `{judge}` is sure (probability {SURE:g}), and another detector is, too:"
    yield "how often that one calls them otherwise, and how often the class of the first is among"
    yield f"its candidates all the same. {FRAMES} frames of each video of true or false."
    yield ""
    yield "| detector | sure of | called | things | among its candidates | mean probability there |"
    yield "|---|---|---|---|---|---|"
    images = [
        frame.image
        for name in dict.fromkeys(row.video for row in rows())
        for frame in islice(Video(video(name, None)).frames(None, None, RATE), FRAMES)
    ]
    first = open_detector(judge)
    seen = [first.detect(image) for image in images]
    for name in others:
        yield from _table(name, open_detector(name), seen, images)
    yield ""


def _table(
    name: str, detector: Detector, seen: list[ImageCandidates], images: list[np.ndarray]
) -> Iterator[str]:
    pairs: Counter[tuple[str, str]] = Counter()
    chances: dict[tuple[str, str], list[float]] = {}
    for image, judge in zip(images, seen, strict=True):
        for real, called, chance in named(judge, detector.detect(image), detector.classes):
            pairs[real, called] += 1
            chances.setdefault((real, called), []).append(chance)
    wrong = {pair: n for pair, n in pairs.items() if pair[0] != pair[1]}
    own = [chance for pair in wrong for chance in chances[pair]]
    shown = [pair for pair, n in Counter(wrong).most_common() if n >= LEAST]
    lines = [(real, called, chances[real, called]) for real, called in shown]
    for real, called, values in [*lines, ("any", "otherwise", own)]:
        there = [value for value in values if value > 0]
        mean = f"{np.mean(there):.2f}" if there else "-"
        yield f"| {name} | {real} | {called} | {len(values)} | {len(there)} | {mean} |"
    yield f"| {name} | any | the same | {sum(pairs.values()) - len(own)} | | |"
