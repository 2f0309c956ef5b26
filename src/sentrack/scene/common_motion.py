"""How the camera moves, by what things do in common, where no picture was measured.

What stands still moves with the picture: all of it alike, near or far. Every thing votes for its
own motion, and the motion that most others share within what jitter amounts to is the camera's, if
far more things rest relative to it than in the picture as it is.
"""

import numpy as np

from sentrack.vision import Clip, Floats

JITTER = 0.2  # metres per second by which the motion of what rests may be off
POOLED = 1.0  # seconds before and after, over which votes are counted
TIMES, MORE = 2.0, 4.0  # by which those at rest must outnumber those that rest in the picture


def common_motion(clip: Clip, velocity: Floats, metres: Floats) -> Floats:
    """(T, 2): the camera's motion in the picture, frame heights per second; 0 if it is fixed.

    Args:
        clip: what was seen.
        velocity: (N, 2) of every detection, frame heights per second.
        metres: (N,) that a frame height is where it stands.
    """
    T = clip.T
    motion, moved, still = np.zeros((T, 2)), np.zeros(T), np.zeros(T)
    limit = JITTER / metres
    for t in range(T):
        here = slice(clip.start[t], clip.start[t + 1])
        v, own = velocity[here], limit[here]
        if len(v) <= MORE:
            continue
        # How much each (row) rests if the camera moves as each (column) does.
        off = np.hypot(*(v[:, None] - v).transpose(2, 0, 1)) / own[:, None]
        rests = 1 / (1 + off**2)
        votes = rests.sum(axis=0)
        best = int(votes.argmax())
        motion[t] = rests[:, best] @ v / votes[best]
        moved[t] = votes[best]
        still[t] = (1 / (1 + (np.hypot(*v.T) / own) ** 2)).sum()
    frames = max(1, round(POOLED / clip.seconds))
    window = np.ones(2 * frames + 1)
    counts = [np.convolve(each, window)[frames : frames + T] for each in (moved, still, np.ones(T))]
    return np.where((counts[0] >= TIMES * counts[1] + MORE * counts[2])[:, None], motion, 0.0)
