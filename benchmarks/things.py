"""What shows one thing, by plain loops over detections; and small clips in which little is sure."""

import numpy as np

from sentrack.lexicon import Lexicon
from sentrack.objective import Objective
from sentrack.scene import scene_of
from sentrack.tasks import RATE, Tracking
from sentrack.vision import Clip, Floats, Ints, clip_from_arrays


def iou(a: Floats, b: Floats) -> float:
    """Intersection over union of two boxes (4,)."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(wide, 0.0) * max(high, 0.0)
    areas = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
    return float(shared / (areas - shared))


def rows_of(clip: Clip, t: int) -> list[int]:
    """The detections of frame t."""
    return list(range(int(clip.start[t]), int(clip.start[t + 1])))


def meets(clip: Clip, before: int, after: int) -> float:
    """How much a detection of the next frame meets of one that is moved along."""
    if clip.label[before] != clip.label[after]:
        return 0.0
    frame = clip.frame_of
    lapse = clip.times[frame[after]] - clip.times[frame[before]]
    moved = (clip.velocity[before] + clip.camera[before]) * lapse * clip.size[1]
    return round(iou(clip.boxes[before] + np.tile(moved, 2), clip.boxes[after]), 3)


def followed(clip: Clip, row: int, way: int) -> int | None:
    """The detection of the next frame, or of the one before, that shows the same thing."""
    t = int(clip.frame_of[row])
    if not 0 <= t + way < clip.T:
        return None
    if clip.id[row] >= 0:
        same = [there for there in rows_of(clip, t + way) if clip.id[there] == clip.id[row]]
        return same[0] if same else None

    def met(here: int, there: int) -> float:
        return meets(clip, here, there) if way > 0 else meets(clip, there, here)

    best = max(rows_of(clip, t + way), key=lambda there: met(row, there))
    if met(row, best) < 0.3:
        return None
    back = max(rows_of(clip, t), key=lambda here: met(here, best))
    return best if iou(clip.boxes[row], clip.boxes[back]) > 0.8 else None


def one_thing(clip: Clip, a: int, b: int) -> bool:
    """Whether two detections of a frame show one thing."""

    def overlap(a: int, b: int, of_one: float, of_two: float) -> float:
        alike = clip.label[a] == clip.label[b]
        return iou(clip.boxes[a], clip.boxes[b]) - (of_one if alike else of_two)

    if min(clip.id[a], clip.id[b]) < -1:  # what is not there
        return False
    if a == b:
        return True
    if overlap(a, b, 0.5, 0.8) <= 0:
        return False
    for way in (1, -1):
        x, y = followed(clip, a, way), followed(clip, b, way)
        while x is not None and y is not None and x != y:
            if overlap(x, y, 0.3, 0.5) < 0:
                return False
            x, y = followed(clip, x, way), followed(clip, y, way)
    return True


def played(objective: Objective, tracks: Ints) -> Ints:
    """(L, T): the detections of tracks."""
    every = np.arange(objective.clip.T)
    pairs = zip(objective.candidates, tracks, strict=True)
    return np.array([candidates.rows[every, track] for candidates, track in pairs])


def all_differ(objective: Objective, tracks: Ints) -> bool:
    """Whether participants that must differ show different things in every frame."""
    rows = played(objective, tracks)
    return not any(
        one_thing(objective.clip, int(a), int(b))
        for i, j in objective.meaning.distinct
        for a, b in zip(rows[i], rows[j], strict=True)
    )


def shown_apart(tracking: Tracking, clip: Clip, lexicon: Lexicon) -> bool:
    """Whether participants that must differ do, by all that the clip shows, before and after."""
    objective = tracking.objective
    rate = RATE if objective.against_background else None
    seen = scene_of(clip, objective.meaning, lexicon, rate).clip
    first = int(np.searchsorted(seen.times, tracking.start))
    assert np.array_equal(seen.frames[first : first + objective.clip.T], objective.clip.frames)
    rows = played(objective, tracking.solution.tracks) + seen.start[first]
    return not any(
        one_thing(seen, int(a), int(b))
        for i, j in objective.meaning.distinct
        for a, b in zip(rows[i], rows[j], strict=True)
    )


def doubtful(
    seed: int, T: int, classes: tuple[str, ...], things: int, repeats: int, copies: float = 0.3
) -> Clip:
    """A few things that drift, come and go, each row repeated, some with further boxes of them.

    Args:
        seed: of everything.
        T: frames.
        classes: that things may be of.
        things: how many at most.
        repeats: how often a row may be there.
        copies: how often a thing has a second box in a frame, of the same or another class.
    """
    rng = np.random.default_rng(seed)
    rows: list[tuple[int, int, Floats, float]] = []
    for _ in range(int(rng.integers(1, things + 1))):
        label, spot = int(rng.integers(len(classes))), rng.uniform((100, 100), (300, 220))
        size, drift = rng.uniform(60, 120, 2), rng.uniform(-25, 25, 2)
        for t in range(T):
            if t and rng.random() < 0.2:
                continue
            corner = spot + t * drift + rng.normal(0, 1, 2)
            box = np.concatenate([corner, corner + size])
            many = int(rng.integers(1, repeats + 1))
            rows += [(t, label, box, rng.uniform(0.5, 1))] * many
            if rng.random() < copies:
                other = label if rng.random() < 0.5 else int(rng.integers(len(classes)))
                rows.append((t, other, box + rng.normal(0, 4, 4), rng.uniform(0.5, 1)))
    rng.shuffle(rows)
    frame, labels, boxes, score = zip(*rows, strict=True)
    return clip_from_arrays(
        "doubtful",
        (640, 480),
        10,
        frame,
        classes,
        np.array(boxes),
        np.array(score),
        label=np.array(labels),
        frames=np.arange(T),
    )
