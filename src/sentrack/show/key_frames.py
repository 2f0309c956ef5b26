"""Which frames tell most of an answer: those between which something changes."""

import numpy as np

from sentrack.tasks import Tracking
from sentrack.vision import Bools, Floats, Ints


def key_times(tracking: Tracking, count: int) -> Floats:
    """(count,) seconds of the key frames of an answer, or fewer if it has no more frames."""
    objective, found = tracking.objective, tracking.solution.states
    states = np.array([objective.states(w, found) for w in range(len(tracking.words))])
    picked = key_frames(states, count, movement(tracking), hidden(tracking))
    return np.asarray(objective.clip.times[picked])


def hidden(tracking: Tracking) -> Bools:
    """(T,) where a participant that was there before and is after is not seen."""
    each = [_there(one.seen) & ~one.seen for one in tracking.participants]
    return np.asarray(np.any(each, axis=0))


def _there(seen: Bools) -> Bools:
    """(T,) from the first frame in which a participant is seen to the last."""
    return np.maximum.accumulate(seen) & np.maximum.accumulate(seen[::-1])[::-1]


def movement(tracking: Tracking) -> Floats:
    """(T,) how much participants move or change size since the frame before, in their own heights.

    To come into view or to go counts as one height; to be hidden for a while, nothing.
    """
    total = np.zeros(len(tracking.objective.clip.times))
    for participant in tracking.participants:
        boxes, seen = participant.boxes, participant.seen
        heights = boxes[:, 3] - boxes[:, 1]
        moved = np.abs(np.diff(boxes, axis=0)).mean(axis=1) / heights[1:]
        there = _there(seen)
        total[1:] += np.where(seen[1:] & seen[:-1], moved, there[1:] != there[:-1])
    return total


def key_frames(
    states: Ints, count: int, change: Floats | None = None, avoided: Bools | None = None
) -> Ints:
    """Indices of frames that show every phase, more of them where more changes.

    A phase lasts until a word changes its state. Within it, key frames are spread evenly over what
    changes, and over time where nothing does. With more phases than key frames, they are spread
    over all in the same way.

    Args:
        states: (W, T) of the words.
        count: how many.
        change: (T,) since the frame before.
        avoided: (T,) frames that show less than those around them.
    """
    T = states.shape[1]
    weights = np.full(T, 1.0 / T) if change is None else change + max(change.sum(), 1.0) / (9 * T)
    if avoided is not None:
        weights = np.where(avoided, 0.0, weights)
    changes = np.flatnonzero((np.diff(states, axis=1) != 0).any(axis=0)) + 1
    if len(changes) >= count:
        changes = changes[:0]
    edges = [0, *changes.tolist(), T]
    frames = np.diff(edges)
    sums = np.add.reduceat(weights, edges[:-1])
    shares = np.ones(len(frames), np.int64)
    for _ in range(min(count, T) - len(frames)):
        shares[np.argmax(np.where(shares < frames, sums / shares, -1.0))] += 1
    return np.concatenate(
        [
            low + _spread(weights[low:high], n)
            for low, high, n in zip(edges[:-1], edges[1:], shares.tolist(), strict=True)
        ]
    )


def _spread(weights: Floats, n: int) -> Ints:
    """Some different indices, n of them, of weights, with about as much weight around each."""
    total = np.cumsum(weights)
    wanted = (np.arange(n) + 0.5) / n * total[-1]
    picked = np.searchsorted(total, wanted * (1 + 1e-9), side="right")
    steps = np.arange(n)
    picked = np.maximum.accumulate(picked - steps) + steps
    return np.asarray(np.minimum(picked, len(weights) - n + steps), np.int64)
