"""What detectors find of annotated people, and how far their probabilities are to be believed.

The people of MOT17 footage beside the project; `python -m benchmarks.vision --only detectors`.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from benchmarks.pixels import FOOTAGE, VIDEOS, annotated, kept_to
from benchmarks.true_false import answered, auc, logistic, right_side, rows
from sentrack.boxes import iou
from sentrack.vision import load_clip
from sentrack.vision.scan import Video
from sentrack.vision.scan.detectors import Detector, open_detector
from sentrack.vision.scan.detectors.calibration import NEAR, Curve
from sentrack.vision.scan.detectors.weights import KNOWN

EVERY = 15  # frames, of which one is looked at; annotated is every third
RIGHT = 0.5  # intersection over union with somebody annotated
MOST = 100  # boxes of a frame
LOWEST = 0.02  # score
TIMED = 8  # frames of a video, to see what a detector costs as it is used
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Seen:
    """The (N,) probabilities of the boxes that a detector finds in a video, and which are right.

    `people` are the annotated ones.
    """

    score: Floats
    right: Bools
    people: int
    frames: int


def cost(detector: Detector, video: str) -> float:
    """Milliseconds of the processor that a frame of a video takes."""
    film = Video(FOOTAGE / f"{video}.mp4")
    images = [frame.image for frame in islice(film.frames(1.0, None, 2.0), TIMED + 1)]
    detector.detect(images[0])
    begin = time.process_time()
    for image in images[1:]:
        detector.detect(image)
    return 1000 * (time.process_time() - begin) / (len(images) - 1)


def found_in(detector: Detector, video: str, every: int = EVERY) -> Seen:
    """What a detector finds of the people of a video."""
    film = Video(FOOTAGE / f"{video}.mp4")
    real = annotated(video, film.size[1])
    person = detector.classes.index("person")
    scores, rights, people, frames = [], [], 0, 0
    for frame in film.frames(None, None, film.fps):
        # Annotated are frames 2, 5, 8, ... from 0; in between, boxes lie on the line.
        if frame.number % every != 2 or frame.number not in real:
            continue
        found = detector.detect(frame.image)
        own = found.label == person
        truth = np.array([box for _, box in real[frame.number]])
        scores.append(found.score[own])
        rights.append(matched(found.boxes[own], truth))
        people, frames = people + len(truth), frames + 1
    return Seen(np.concatenate(scores), np.concatenate(rights), people, frames)


def matched(boxes: Floats, truth: Floats) -> Bools:
    """(N,) which of the boxes, by falling score, meet somebody whom none before them met."""
    meet = iou(boxes[:, None], truth[None])
    right = np.zeros(len(boxes), dtype=np.bool_)
    for k in range(len(boxes)):
        j = int(np.argmax(meet[k]))
        if meet[k, j] >= RIGHT:
            right[k], meet[:, j] = True, 0.0
    return right


def recall_at(seen: Seen, false: float = 1.0) -> tuple[float, float]:
    """Recall and precision where so many boxes a frame are false."""
    order = np.argsort(-seen.score, kind="stable")
    wrong = np.cumsum(~seen.right[order])
    kept = order[: int(np.searchsorted(wrong, false * seen.frames, side="right"))]
    hits = int(seen.right[kept].sum())
    return hits / seen.people, hits / max(1, len(kept))


def average_precision(seen: Seen) -> float:
    """The area under precision over recall, precision made to fall."""
    order = np.argsort(-seen.score, kind="stable")
    hits = np.cumsum(seen.right[order])
    precision = hits / np.arange(1, len(hits) + 1)
    falling = np.maximum.accumulate(precision[::-1])[::-1]
    return float(falling[seen.right[order]].sum() / seen.people)


def error(score: Floats, right: Bools) -> float:
    """Expected calibration error: of ten bins of probability, mean distance from what is right."""
    bins = np.minimum((score * 10).astype(int), 9)
    gaps = [abs(float(score[bins == b].sum() - right[bins == b].sum())) for b in range(10)]
    return sum(gaps) / max(1, len(score))


def fitted(parts: Sequence[Seen]) -> Curve:
    """The curve of the scores of some videos, each of which counts as much as any other."""
    score = np.concatenate([part.score for part in parts])
    right = np.concatenate([part.right for part in parts])
    weight = np.concatenate([np.full(len(part.score), 1000 / len(part.score)) for part in parts])
    inside = np.clip(score, NEAR, 1 - NEAR)
    x = np.stack([np.ones(len(score)), np.log(inside / (1 - inside))], axis=1)
    offset, slope = logistic(x, right, weight)
    return Curve(float(offset), float(slope))


def _row(name: str, video: str, people: int, figures: Sequence[float] | Floats) -> str:
    *parts, spent = figures
    shown = " | ".join(f"{each:.3f}" for each in parts)
    return f"| {name} | {video} | {people} | {shown} | {spent:.0f} |"


def answers(names: Sequence[str] | None = None) -> Iterator[str]:
    """True and false sentences, and identity, by every detector."""
    asked = rows()
    true = np.array([row.true for row in asked])
    yield "## What is answered by them"
    yield ""
    yield f"{len(asked)} sentences about real footage, {true.sum()} of them true, as in"
    yield "[true or false](match.md); and tracks of people beside the annotated ones, as in"
    yield "`python -m benchmarks.pixels`."
    yield ""
    yield (
        "| detector | true or false: AUC | on the right side of one half | refused | tracks "
        "| purity | changes a track |"
    )
    yield "|---|---|---|---|---|---|---|"
    for name in names or KNOWN:
        if "person" not in open_detector(name).classes:
            continue
        told = [found for _, found in answered(asked, None, name)]
        matches = np.array([0.0 if each is None else each.match for each in told])
        kept = [
            each
            for video in VIDEOS
            for each in kept_to(video, load_clip(FOOTAGE / f"{video}.mp4", detector=name))
        ]
        _, purity, changes = np.mean(kept, axis=0)
        yield (
            f"| {name} | {auc(matches, true):.3f} | {right_side(matches, true):.3f} "
            f"| {sum(each is None for each in told)} | {len(kept)} | {purity:.3f} "
            f"| {changes:.2f} |"
        )
    yield ""


def detectors(names: Sequence[str] | None = None) -> Iterator[str]:
    """Recall, precision, calibration and cost of every detector, then the curves as fitted."""
    yield "## What detectors find"
    yield ""
    yield f"The annotated people of {', '.join(VIDEOS)}, one frame in {EVERY}; a box is right if it"
    yield f"meets somebody by {RIGHT:g}. Recall and precision are where one box a frame is false;"
    yield "the calibration error is that of scores as they are and of probabilities by a curve that"
    yield "was fitted on the other two videos. Milliseconds are those of the processor, a frame, as"
    yield "the detector is used. A last row is their mean."
    yield ""
    yield (
        "| detector | video | people | recall | precision | average precision "
        "| error, scores | error, curve of others | ms |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    curves = {}
    for name in names or KNOWN:
        raw = open_detector(name, best=MOST, threshold=LOWEST, calibrated=False)
        if "person" not in raw.classes:
            continue
        usual = open_detector(name)
        parts = {video: found_in(raw, video) for video in VIDEOS}
        means = []
        for video, seen in parts.items():
            curve = fitted([part for other, part in parts.items() if other != video])
            figures = [
                *recall_at(seen),
                average_precision(seen),
                error(seen.score, seen.right),
                error(curve(seen.score), seen.right),
                cost(usual, video),
            ]
            means.append(figures)
            yield _row(name, video, seen.people, figures)
        yield _row(name, "mean", sum(seen.people for seen in parts.values()), np.mean(means, 0))
        curves[name] = fitted(list(parts.values()))
    yield ""
    yield "| detector | of a score of 0.05 | 0.1 | 0.2 | 0.3 | 0.5 | 0.7 | 0.9 | curve |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, curve in curves.items():
        told = curve(np.array([0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9]))
        shown = " | ".join(f"{each:.2f}" for each in told)
        yield f"| {name} | {shown} | offset {curve.offset:.3f}, slope {curve.slope:.3f} |"
    yield ""
