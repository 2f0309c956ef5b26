"""Motion of detections, measured on the boxes around them when there are no pixels to measure.

A detection is compared with the boxes of its class about 0.1 s before and after it. That span,
rather than the next frame, is what makes the answer independent of the frame rate: a jitter of two
pixels between frames 1/30 s apart would look like a fast motion.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from sentrack.boxes import centre, extent, iou
from sentrack.vision.clip import Floats, Ints

SPAN = 0.1  # seconds between the boxes compared
SURE_IOU = 0.4  # IoU of two boxes that show one thing even among many others
OVERLAP = 0.15  # IoU from which overlap alone says that two boxes show one thing
REACH_DIAGONALS = 0.6  # box diagonals that a thing may be off without overlap ...
SPEED = 1.0  # ... and frame heights per second that it may have moved on top
GROWTH = 2.0  # factor by which width and height may differ
NOISE = 0.2  # frame heights per second by which two estimates always may differ
PAIRS = 2_000_000  # pairs of boxes compared at once, which bounds the memory

Match = tuple[Ints, Floats]  # (N,) the matched row or -1, and (N,) how alike the two are


def velocities(
    boxes: Floats, label: Ints, id: Ints, start: Ints, times: Floats, height: float
) -> Floats:
    """Motion of every detection, from the boxes of its class shortly before and after it.

    In either direction the match is the box that overlaps most, else the nearest one within reach
    if it has no better match itself; known identities must agree, and where they do they decide.
    Where nothing overlaps surely SPAN seconds away, the adjacent frames are tried before weaker
    matches. Two estimates that agree are averaged; of two that do not, the smaller is taken: wrong
    matches make motion, seldom rest. Without any match a detection rests.

    Args:
        boxes: (N, 4) x1 y1 x2 y2, sorted by frame.
        label: (N,) class.
        id: (N,) identity, -1 where unknown.
        start: (T+1,) where the detections of a frame start.
        times: (T,) seconds, ascending.
        height: of a frame, in the unit of the boxes.

    Returns:
        (N, 2) frame heights per second, to the right and downwards.
    """
    T = len(times)
    if T < 2 or len(boxes) == 0:
        return np.zeros((len(boxes), 2))
    span = max(1, round(SPAN / float(np.median(np.diff(times)))))
    matcher = _Matcher(boxes / height, label, id, np.repeat(np.arange(T), np.diff(start)), times)
    past, future = np.full((2, len(boxes), 2), np.nan)
    for least, offset in product((SURE_IOU, OVERLAP, -np.inf), (span, 1)):
        lost = np.isnan(past[:, 0]) & np.isnan(future[:, 0])
        if lost.any():
            estimates = matcher.velocity(offset, least)
            past[lost], future[lost] = (estimate[lost] for estimate in estimates)
    return combine(past, future)


def combine(past: Floats, future: Floats) -> Floats:
    """One estimate of two (N, 2), where NaN is none: their mean, or the smaller if they differ."""
    past, future = (np.where(np.isnan(a), b, a) for a, b in ((past, future), (future, past)))
    before, after = np.hypot(*past.T), np.hypot(*future.T)
    apart = np.hypot(*(past - future).T)
    agree = apart <= np.maximum(NOISE, 0.5 * np.maximum(before, after))
    smaller = np.where((before <= after)[:, None], past, future)
    return np.nan_to_num(np.where(agree[:, None], (past + future) / 2, smaller))


class _Matcher:
    """Finds the detections of other frames that show the same thing.

    Detections of one frame and class are made contiguous, so that the candidates of a detection are
    a range of rows and all pairs of a whole clip are built without a loop.
    """

    def __init__(self, boxes: Floats, label: Ints, id: Ints, frame: Ints, times: Floats) -> None:
        self.classes = int(label.max()) + 1
        self.order = np.argsort(frame * self.classes + label, kind="stable")
        self.boxes, self.id = boxes[self.order], id[self.order]
        self.frame, self.label = frame[self.order], label[self.order]
        self.key = self.frame * self.classes + self.label
        self.times = times
        self.found: dict[int, tuple[Match, Match]] = {}
        self.centre, self.extent = centre(self.boxes), extent(self.boxes)

    def velocity(self, offset: int, least: float) -> tuple[Floats, Floats]:
        """(N, 2) motion since and until the matches `offset` frames away; NaN without one."""
        if offset not in self.found:
            self.found[offset] = self._match(-offset), self._match(offset)
        before, after = self.found[offset]
        return self._motion(before, after, least), self._motion(after, before, least)

    def _motion(self, match: Match, back: Match, least: float) -> Floats:
        other, likeness = match
        # Detections may pile up on one thing and overlap in common; nearness has to be mutual.
        mutual = back[0][other] == np.arange(len(other))
        row = np.flatnonzero((likeness > least) & (mutual | (likeness > 0)))
        moved = self.centre[other[row]] - self.centre[row]
        lapse = self.times[self.frame[other[row]]] - self.times[self.frame[row]]
        answer = np.full((len(other), 2), np.nan)
        answer[self.order[row]] = moved / lapse[:, None]
        return answer

    def _match(self, offset: int) -> Match:
        """The most alike rows `offset` frames away."""
        match = np.full(len(self.key), -1)
        alike = np.full(len(self.key), -np.inf)
        for row, other in self._pairs(offset):
            likeness = self._likeness(row, other)
            first = np.flatnonzero(np.diff(row, prepend=-1))  # the pairs of a row are together
            alike[row[first]] = np.maximum.reduceat(likeness, first)
            best = np.flatnonzero((likeness == alike[row]) & (likeness > -np.inf))[::-1]
            match[row[best]] = other[best]  # of equals the first, which is written last
        return match, alike

    def _pairs(self, offset: int) -> Iterator[tuple[Ints, Ints]]:
        """Rows (P,) and candidates (P,) of their class `offset` frames away, in bounded pieces."""
        target = self.key + offset * self.classes
        low = np.searchsorted(self.key, target, "left")
        count = np.searchsorted(self.key, target, "right") - low
        total = np.concatenate([[0], np.cumsum(count)])
        begin = 0
        while begin < len(count):
            end = int(np.searchsorted(total, total[begin] + PAIRS, "right")) - 1
            end = max(end, begin + 1)
            part = slice(begin, end)
            row = np.repeat(np.arange(begin, end), count[part])
            within = np.arange(len(row)) - np.repeat(total[part] - total[begin], count[part])
            if len(row):
                yield row, low[row] + within
            begin = end

    def _likeness(self, row: Ints, other: Ints) -> Floats:
        """(P,) how surely two boxes show one thing: identity, then overlap, then nearness."""
        lapse = np.abs(self.times[self.frame[other]] - self.times[self.frame[row]])
        small = np.minimum(self.extent[row], self.extent[other])
        large = np.maximum(self.extent[row], self.extent[other])
        overlap = iou(self.boxes[row], self.boxes[other])
        away = np.hypot(*(self.centre[other] - self.centre[row]).T)
        gate = REACH_DIAGONALS * np.hypot(*((small + large) / 2).T) + SPEED * lapse
        likeness: Floats = np.where(overlap > OVERLAP, overlap, -away / gate)
        near = (overlap > OVERLAP) | (away <= gate)
        likeness[~near | (large > GROWTH * small).any(axis=1)] = -np.inf
        known = (self.id[row] >= 0) & (self.id[other] >= 0)
        same = self.id[row] == self.id[other]
        likeness[known & same] = 2.0 + overlap[known & same]
        likeness[known & ~same] = -np.inf
        return likeness
