"""Trajectories: how things move and change, over longer than the jitter of their boxes lasts."""

from dataclasses import dataclass

import numpy as np

from sentrack.boxes import centre, extent
from sentrack.scene.common_motion import common_motion
from sentrack.scene.scale import metres
from sentrack.vision import Clip, Floats, Ints

WINDOW = 0.5  # seconds over which motion is measured, half of it before and half of it after
CHANGE = 1.0  # seconds before, and after, over which what changes is measured
TIME_TOLERANCE = 1e-4  # seconds by which times may be off
LEAST_HEIGHT = 1e-6  # pixels
SURELY = 2.0  # standard errors by which what changes exceeds what jitter could have made
SLOWEST = 1e-3  # frame heights per second: what is slower neither changes its speed nor turns


@dataclass(frozen=True, eq=False)
class Trajectories:
    """How every detection of a clip moves and changes.

    Attributes:
        velocity: (N, 2) frame heights per second, without that of the camera.
        growth: (N,) how fast its height grows, as a logarithm, per second.
        gain: (N,) by how much faster it is in the second that follows than in the one before, as a
            part of the faster; -1..1.
        turn: (N,) degrees between the directions of these two seconds, to its right.
        rise: (N,) frame heights by which it surely rises, from half a second before to half a
            second after.
    """

    velocity: Floats
    growth: Floats
    gain: Floats
    turn: Floats
    rise: Floats


def trajectories(clip: Clip) -> Trajectories:
    """Measure how things move, where a clip says which boxes show one thing.

    A slope is that of the line that fits best within a window. What was seen but once there keeps
    the motion that was measured of it, and does not change.
    """
    velocity = clip.velocity.copy()
    growth, gain, turn, rise = np.zeros((4, len(clip.id)))
    order = np.lexsort((clip.frame_of, clip.id))
    order = order[clip.id[order] >= 0]
    if not len(order):
        return Trajectories(velocity, growth, gain, turn, rise)
    rows = _Ordered(clip, order)
    place = centre(clip.boxes[order]) / clip.size[1]
    camera = clip.camera[order]
    if not camera.any():
        camera = _estimated(clip, rows, velocity, place)
    place = place - rows.panned(camera)
    velocity[order] = rows.motion(place, velocity[order])
    height = np.log(np.maximum(extent(clip.boxes[order])[:, 1:], LEAST_HEIGHT))
    growth[order] = np.nan_to_num(rows.slope(height, CHANGE / 2, CHANGE / 2)[:, 0])
    rise[order] = -rows.sure_change(place[:, 1:], CHANGE / 2, CHANGE / 2)[:, 0]
    before, after = (rows.slope(place, *sides).T for sides in ((CHANGE, 0.0), (0.0, CHANGE)))
    speeds = np.hypot(*before), np.hypot(*after)
    gain[order] = np.nan_to_num((speeds[1] - speeds[0]) / (np.maximum(*speeds) + SLOWEST))
    across, along = before[0] * after[1] - before[1] * after[0], (before * after).sum(axis=0)
    turned = np.degrees(np.arctan2(across, along))  # y points downwards: clockwise is to the right
    turn[order] = np.where(np.minimum(*speeds) > SLOWEST, turned, 0.0)
    return Trajectories(velocity, growth, gain, turn, rise)


def _estimated(clip: Clip, rows: "_Ordered", velocity: Floats, place: Floats) -> Floats:
    """(M, 2): the camera's motion behind each, by what all have in common."""
    velocity = velocity.copy()
    velocity[rows.order] = rows.motion(place, velocity[rows.order])
    thing = clip.id >= 0
    found = common_motion(clip.only(thing), velocity[thing], metres(clip)[thing])
    return found[clip.frame_of[rows.order]]


class _Ordered:
    """Detections (M,) in the order of things and times, in which a window is a range of rows."""

    def __init__(self, clip: Clip, order: Ints) -> None:
        self.order, self.time = order, clip.times[clip.frame_of[order]]
        self.first = np.flatnonzero(np.diff(clip.id[order], prepend=-1))
        self.thing = np.repeat(np.arange(len(self.first)), np.diff([*self.first, len(order)]))
        # All things on one axis of time, each well after the one before it.
        apart = float(clip.times[-1] - clip.times[0]) + 2 * (CHANGE + WINDOW)
        self.axis = self.time - clip.times[0] + apart * self.thing

    def own(self, values: Floats) -> Floats:
        """Values (M, D) less the first of each thing."""
        return np.asarray(values - values[self.first][self.thing])

    def slope(self, values: Floats, before: float, after: float) -> Floats:
        """(M, D): slopes of values (M, D) per second; NaN where there is but one.

        Args:
            values: of every detection.
            before: seconds that the window begins before each.
            after: seconds that it ends after it.
        """
        low, high = self._window(before, after)
        t, x = self.own(self.time[:, None]), self.own(values)
        # Sums over windows are differences of sums from the beginning.
        n, st, sx, stt, stx = (
            _sums(each, low, high) for each in (np.ones_like(t), t, x, t * t, t * x)
        )
        spread = n * stt - st * st
        return np.asarray(
            (n * stx - st * sx) / np.where(spread > TIME_TOLERANCE**2, spread, np.nan)
        )

    def sure_change(self, values: Floats, before: float, after: float) -> Floats:
        """(M, D): by how much values (M, D) surely change within a window, at least; see `slope`.

        What SURELY times the error of the slope leaves of it, from the first to the last in the
        window; 0 where there are too few to tell.
        """
        slope = self.slope(values, before, after)
        low, high = self._window(before, after)
        t, x = self.own(self.time[:, None]), self.own(values)
        n, st, sx, stt, sxx = (
            _sums(each, low, high) for each in (np.ones_like(t), t, x, t * t, x * x)
        )
        spread = stt - st * st / n
        misfit = np.maximum(sxx - sx * sx / n - slope**2 * spread, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(misfit / (n - 2) / spread)
        lapse = (self.time[high - 1] - self.time[low])[:, None]
        sure = np.sign(slope) * np.maximum(np.abs(slope) - SURELY * error, 0.0) * lapse
        return np.where(n > 2, sure, 0.0)

    def _window(self, before: float, after: float) -> tuple[Ints, Ints]:
        """(M,) twice: of the rows of a thing in a window, the first, and the one after the last."""
        return (
            np.searchsorted(self.axis, self.axis - before - TIME_TOLERANCE),
            np.searchsorted(self.axis, self.axis + after + TIME_TOLERANCE),
        )

    def motion(self, place: Floats, otherwise: Floats) -> Floats:
        """(M, 2): how places (M, 2) move; what is known otherwise of what was seen but once."""
        moving = self.slope(place, WINDOW / 2, WINDOW / 2)
        return np.where(np.isnan(moving), otherwise, moving)

    def panned(self, camera: Floats) -> Floats:
        """(M, 2): how far the camera has moved the picture behind each since it was first seen.

        Args:
            camera: (M, 2) its motion, frame heights per second.
        """
        lapse = np.diff(self.time, prepend=self.time[0])
        lapse[self.first] = 0.0
        moved = np.roll(camera, 1, axis=0) * lapse[:, None]
        return self.own(np.cumsum(moved, axis=0))


def _sums(values: Floats, low: Ints, high: Ints) -> Floats:
    total = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    return np.asarray(total[high] - total[low])
