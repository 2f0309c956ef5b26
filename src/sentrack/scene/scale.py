"""Scale: how large a metre is in the picture, by the people who are there.

Who stands lower in the picture is nearer to the camera, and looks larger. A line that fits the
sizes of people to where their feet are says how large a person would look anywhere.
"""

import numpy as np

from sentrack.boxes import extent
from sentrack.vision import Clip, Floats

PERSON = "person"
TALL = 1.7  # metres
FRAME = 2.5  # metres that a frame is high where nobody is seen
SURE_SCORE = 0.4  # a detection score from which on somebody is there
# Frame heights by which the feet of people must spread to tell nearer from farther.
SPREAD = 0.05
ROUNDS = 3  # of leaving out who does not fit: those who sit, or are hidden in part
MISFIT = 3.0  # times the median misfit, from which on somebody is left out
NEAREST = 3.0  # times the usual size that people look at most, and one over it at least


def metres(clip: Clip) -> Floats:
    """(N,): how many metres a frame height is, where each detection stands."""
    box = clip.boxes / clip.size[1]
    foot = box[:, 3]
    named = clip.classes.index(PERSON) if PERSON in clip.classes else -1
    people = (clip.label == named) & (clip.score >= SURE_SCORE)
    if not people.any():
        return np.full(len(box), FRAME)
    # Seen from above, people are wider than they are high.
    y, size = foot[people], extent(box[people]).max(axis=1)
    usual = float(np.median(size))
    for _ in range(ROUNDS):
        middle, mean = y.mean(), size.mean()
        slope = ((y - middle) * (size - mean)).mean() / (y.var() + SPREAD**2)
        off = np.abs(size - mean - slope * (y - middle))
        fits = off <= MISFIT * np.median(off)
        y, size = y[fits], size[fits]
    person = np.clip(mean + slope * (foot - middle), usual / NEAREST, usual * NEAREST)
    return np.asarray(TALL / person)
