"""What is measured of every detection of a clip, given which thing it shows."""

from dataclasses import dataclass, fields

import numpy as np

from sentrack.scene.hands import hands
from sentrack.scene.presence import Codes, presence, untold
from sentrack.scene.scale import FRAME, metres
from sentrack.scene.trajectories import trajectories
from sentrack.vision import Bools, Clip, Floats


@dataclass(frozen=True, eq=False)
class Things:
    """One row for every detection; see `sentrack.lexicon.Candidates`.

    Attributes:
        velocity: (N, 2) frame heights per second.
        metres: (N,) that a frame height is.
        presence: (N,) bins.
        growth: (N,) per second.
        gain: (N,) -1..1.
        turn: (N,) degrees.
        rise: (N,) frame heights.
        hands: (N, H, 4) centre and extent, in frame heights.
        untold: (N,) whether a box was not detected and tells words nothing.
    """

    velocity: Floats
    metres: Floats
    presence: Codes
    growth: Floats
    gain: Floats
    turn: Floats
    rise: Floats
    hands: Floats
    untold: Bools

    def part(self, rows: slice) -> "Things":
        """Some of them."""
        return Things(*(getattr(self, field.name)[rows] for field in fields(self)))


def things(clip: Clip, identity: bool) -> Things:
    """Measure the detections of a clip.

    Args:
        clip: what was seen.
        identity: whether it says which boxes show one thing; else nothing is measured that follows
            from it, and a frame is as high as it is where nobody is seen.
    """
    if identity:
        moves = trajectories(clip)
        own = moves.growth, moves.gain, moves.turn, moves.rise, hands(clip)
        return Things(moves.velocity, metres(clip), presence(clip), *own, untold(clip))
    nothing = np.zeros(len(clip.id))
    frame = np.full(len(clip.id), FRAME)
    own = nothing, nothing, nothing, nothing, hands(clip)
    return Things(clip.velocity, frame, nothing.astype(np.int16), *own, clip.projected)
