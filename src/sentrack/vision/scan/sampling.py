"""Which frames the detector looks at, and what is in those between.

Decoding and flow cost little, the detector much. Where things go on as they are, it looks at every
third frame: a detection is carried along with the flow, found again in the next frame that is
looked at, and lies between the two. Where something sure comes, goes or crosses another, the frames
between are looked at, too. A picture that has not changed is not looked at again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from sentrack.boxes import iou
from sentrack.vision.clip import Bools, Floats, Ints
from sentrack.vision.presence import SURE
from sentrack.vision.scan.detectors import Detector, ImageCandidates
from sentrack.vision.scan.flow import Displacement, Flow, Small
from sentrack.vision.scan.prefetch import prefetched
from sentrack.vision.scan.video import Frame

STRIDE = 3  # frames from one that is looked at to the next
LONGEST = 0.35  # seconds between them
SAME_THING_IOU = 0.3  # IoU of a box that was carried along with a detection of the same thing
RIVAL = 0.5  # part of that IoU from which on another box may be the same thing as well
STILL = 6.0  # grey levels by which no part of a picture differs if nothing moves ...
PART = 7  # ... with a side of so many pixels of the reduced picture

NOTHING = ImageCandidates(np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Sample:
    """A frame and what was found in it.

    Attributes:
        frame: the frame.
        small: made ready for flow.
        since: from the frame before to this one; None for the first.
        found: its candidates, of the detector or between those of the frames around.
    """

    frame: Frame
    small: Small
    since: Displacement | None
    found: ImageCandidates


def samples(
    frames: Iterable[Frame], detector: Detector, flow: Flow, every_frame: bool
) -> Iterator[Sample]:
    """What is found in every frame.

    Args:
        frames: of one video, in order.
        detector: finds the things in a frame.
        flow: for frames of that size.
        every_frame: look at all of them.
    """
    last: Sample | None = None
    anchor: Sample | None = None
    gap: list[Sample] = []
    # Decoding goes on while the detector works.
    for frame in prefetched(frames):
        small = flow.prepare(frame.image)
        since = None if last is None else flow.displacement(last.small, small, last.since)
        now = Sample(frame, small, since, NOTHING)
        if anchor is None or every_frame:
            last = anchor = replace(now, found=detector.detect(frame.image))
            yield anchor
            continue
        assert last is not None
        step, last = frame.time - last.frame.time, now
        gap.append(now)
        if len(gap) < STRIDE and frame.time + step - anchor.frame.time <= LONGEST:
            continue
        yield from (filled := _filled(anchor, gap, detector))
        anchor, gap = filled[-1], []
    if anchor is not None and gap:
        yield from _filled(anchor, gap, detector)


def _filled(anchor: Sample, gap: Sequence[Sample], detector: Detector) -> list[Sample]:
    """The frames after one that was looked at, with what is in them; the last one is looked at."""
    if all(_still(anchor.small, now.small) for now in gap):
        return [replace(now, found=anchor.found) for now in gap]
    last = replace(gap[-1], found=detector.detect(gap[-1].frame.image))
    return [*_halved(anchor, [*gap[:-1], last], detector), last]


def _halved(anchor: Sample, gap: Sequence[Sample], detector: Detector) -> list[Sample]:
    """The frames between two that were looked at; where it is not sure, their middle is, too.

    Args:
        anchor: the first that was looked at.
        gap: those after it, of which the last was looked at.
        detector: looks.
    """
    if len(gap) == 1:
        return []
    cut = any(now.since is not None and now.since.cut for now in gap)
    between = None if cut else _between(anchor, gap, gap[-1])
    if between is not None:
        told = zip(gap[:-1], between, strict=True)
        return [replace(now, found=found) for now, found in told]
    half = (len(gap) - 1) // 2
    middle = replace(gap[half], found=detector.detect(gap[half].frame.image))
    before = _halved(anchor, [*gap[:half], middle], detector)
    return [*before, middle, *_halved(middle, gap[half + 1 :], detector)]


def _still(one: Small, other: Small) -> bool:
    """Whether two pictures show the same."""
    off = cv2.blur(cv2.absdiff(one.grey, other.grey), (PART, PART))
    return bool(off.max() < STILL)


def _between(anchor: Sample, gap: Sequence[Sample], last: Sample) -> list[ImageCandidates] | None:
    """What is in the frames between two that were looked at; None if that is not sure."""
    carried = [anchor.found.boxes]
    for now in gap:
        assert now.since is not None
        carried.append(now.since.carried(carried[-1]))
    before, after = anchor.found, last.found
    rows, columns, sure = _pairs(before, carried[-1], after)
    if not sure:
        return None
    off = after.boxes[columns] - carried[-1][rows]
    found = []
    for n in range(1, len(gap)):
        part = (gap[n - 1].frame.time - anchor.frame.time) / (last.frame.time - anchor.frame.time)
        score = (1 - part) * before.score[rows] + part * after.score[columns]
        found.append(ImageCandidates(carried[n][rows] + part * off, before.label[rows], score))
    return found


def _pairs(
    before: ImageCandidates, carried: Floats, after: ImageCandidates
) -> tuple[Ints, Ints, bool]:
    """Which candidates of two frames are the same things, and whether all sure ones are told.

    Args:
        before: the N candidates of the first frame.
        carried: (N, 4) where they are in the second one.
        after: the M candidates of that.

    Returns:
        (P,) rows of the first and (P,) of the second; whether no sure candidate is without a
        partner, or has two that may be it.
    """
    met = iou(carried[:, None], after.boxes) * (before.label[:, None] == after.label)
    if not met.size:
        none = np.zeros(0, dtype=np.int64)
        return none, none, not ((before.score >= SURE).any() or (after.score >= SURE).any())
    row, column = met.argmax(axis=1), met.argmax(axis=0)
    best = met.max(axis=1)
    mutual = (column[row] == np.arange(len(row))) & (best >= SAME_THING_IOU)
    rows = np.flatnonzero(mutual)
    columns = row[rows]
    told = _told(met, rows, before.score, after.score)
    told = told and _told(met.T, columns, after.score, before.score)
    return rows, columns, told


def _told(met: Floats, paired: Ints, score: Floats, other: Floats) -> bool:
    """Whether all sure candidates of one frame have one partner in the other."""
    sure: Bools = score >= SURE
    alone = sure.copy()
    alone[paired] = False
    if alone.any():
        return False
    rivals = met[sure][:, other >= SURE]
    if rivals.shape[1] < 2:
        return True
    second, first = np.sort(rivals, axis=1)[:, -2:].T
    return not (second > RIVAL * first).any()
