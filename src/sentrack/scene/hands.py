"""Whose hands are whose: where people handle things."""

import numpy as np

from sentrack.boxes import centre, extent
from sentrack.scene.candidates import Floats
from sentrack.vision import Clip

HAND, PERSON = "hand", "person"
SURE = 0.5  # the least probability of a hand that words look at
BESIDE = 0.15  # heights of a person by which a hand may be outside of its box
MOST = 2  # hands of a person


def hands(clip: Clip) -> Floats:
    """(N, H, 4): the hands of every person, as centre and extent in frame heights.

    H is 2, with NaN for hands that are not seen; or 0 in a clip without hands or people. A hand
    belongs to one of the people in whose box it is, or nearly so: whose middle is nearest, in
    heights of that person. Of more than two, a person has the surest.
    """
    known = [clip.classes.index(name) if name in clip.classes else -1 for name in (HAND, PERSON)]
    seen = ~clip.projected
    hand = np.flatnonzero((clip.label == known[0]) & seen & (clip.score >= SURE))
    person = np.flatnonzero((clip.label == known[1]) & seen)
    if not len(hand) or not len(person):
        return np.zeros((len(clip.boxes), 0, 4))
    # All pairs of a hand and a person of one frame; rows are sorted by frame.
    frame, frames = clip.frame_of[hand], clip.frame_of[person]
    first, last = (np.searchsorted(frames, frame, side) for side in ("left", "right"))
    count = last - first
    h = np.repeat(np.arange(len(hand)), count)
    p = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + first[h]
    middle, boxes = centre(clip.boxes[hand])[h], clip.boxes[person][p]
    margin = BESIDE * extent(boxes)[:, 1:]
    inside = (middle >= boxes[:, :2] - margin) & (middle <= boxes[:, 2:] + margin)
    h, p = h[inside.all(axis=1)], p[inside.all(axis=1)]
    apart = centre(clip.boxes[hand[h]]) - centre(clip.boxes[person[p]])
    away = np.hypot(*apart.T) / extent(clip.boxes[person[p]])[:, 1]
    nearest = np.lexsort((away, h))
    own = nearest[np.flatnonzero(np.diff(h[nearest], prepend=-1))]
    h, p = h[own], p[own]
    # The surest of every person first.
    order = np.lexsort((-clip.score[hand[h]], p))
    h, p = h[order], p[order]
    rank = np.arange(len(p)) - np.searchsorted(p, p)
    kept = rank < MOST
    corners = clip.boxes[hand[h[kept]]] / clip.size[1]
    found = np.full((len(clip.boxes), MOST, 4), np.nan)
    found[person[p[kept]], rank[kept]] = np.hstack([centre(corners), extent(corners)])
    return found
