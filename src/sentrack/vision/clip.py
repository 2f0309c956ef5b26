"""A clip: the detections of every frame, as flat arrays."""

import hashlib
import math
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sentrack.errors import SentrackError
from sentrack.notebook import InNotebook
from sentrack.read_only import ReadOnly
from sentrack.text import canonical

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Parts = npt.NDArray[np.uint8]


# The arrays with one row for every detection.
ROWS = ("boxes", "label", "score", "velocity", "camera", "colour", "looks", "id", "projected")


class ClipError(SentrackError, ValueError):
    """A file or an array does not make a clip; the message says where and what to do."""


def class_name(name: str) -> str:
    """The name of a class as clips spell it, which is how sentences find it; see `canonical`."""
    return canonical(name) or "-".join(name.split())


@dataclass(frozen=True, eq=False)
class Clip(InNotebook, ReadOnly):
    """T frames and their N detections, sorted by frame; arrays can be read, not written.

    The detections of frame t are the rows start[t] to start[t + 1] of all arrays of length N.

    Attributes:
        name: where it came from.
        size: width and height of a frame, in pixels.
        fps: source frames per second.
        frames: (T,) source frame numbers, ascending.
        times: (T,) seconds.
        classes: names of the classes that the detector knows, with hyphens.
        start: (T+1,) where the detections of a frame start.
        boxes: (N, 4) x1 y1 x2 y2, in pixels.
        label: (N,) index into `classes`.
        score: (N,) the detector's score: a probability, or a raw margin.
        velocity: (N, 2) motion in frame heights per second, x to the right and y downwards; that of
            the camera is not part of it.
        camera: (N, 2) motion of the background behind it, by which the camera moves the picture.
        colour: (N, 3) hue in degrees, saturation and value in 0..1; NaN where unknown.
        looks: (N, HALVES * CELLS) how much of its upper and of its lower half is of each colour, in
            255ths, in the order of `sentrack.colours.colour_cells`; 0 throughout where unknown.
        id: (N,) identity given by the source, -1 where unknown.
        projected: (N,) whether a box was not detected but projected from a frame nearby.
    """

    name: str
    size: tuple[int, int]
    fps: float
    frames: Ints
    times: Floats
    classes: tuple[str, ...]
    start: Ints
    boxes: Floats
    label: Ints
    score: Floats
    velocity: Floats
    camera: Floats = field(repr=False)
    colour: Floats = field(repr=False)
    looks: Parts = field(repr=False)
    id: Ints = field(repr=False)
    projected: Bools = field(repr=False)

    def __post_init__(self) -> None:
        N, T = len(self.boxes), len(self.frames)
        for name in ROWS:
            array = getattr(self, name)
            if len(array) != N:
                raise ClipError(f"{self.name}: {name} has {len(array)} rows for {N} boxes")
        if T == 0:
            raise ClipError(f"{self.name}: there is no frame in it")
        if len(self.times) != T or len(self.start) != T + 1 or self.start[-1] != N:
            raise ClipError(f"{self.name}: frames, times and start do not fit together")
        super().__post_init__()

    def __repr__(self) -> str:
        size = "{}x{}".format(*self.size)
        span = f"{self.times[0]:.1f} to {self.times[-1]:.1f} s"
        return f"Clip({self.name!r}, {self.T} frames, {span}, {size}, {len(self.boxes)} detections)"

    @property
    def T(self) -> int:  # noqa: N802 - the paper's symbol
        """Number of frames."""
        return len(self.frames)

    @property
    def frame_of(self) -> Ints:
        """(N,) the index 0..T-1 of the frame of every detection."""
        return np.repeat(np.arange(self.T), np.diff(self.start))

    @property
    def seconds(self) -> float:
        """Typical time between adjacent frames."""
        return float(np.median(np.diff(self.times))) if self.T > 1 else 1.0 / self.fps

    @property
    def sha256(self) -> str:
        """Of all that it holds but its name, in hexadecimal: the same for the same video.

        What is not known of looks does not count: clips from before there were any keep theirs.
        """
        total = hashlib.sha256(repr((self.size, self.fps, self.classes)).encode())
        for name in ("frames", "times", "start", *ROWS):
            if name == "looks" and not self.looks.any():
                continue
            total.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return total.hexdigest()

    def cut(self, first: int, last: int) -> "Clip":
        """The frames with indices first to last - 1."""
        rows = slice(int(self.start[first]), int(self.start[last]))
        return replace(
            self,
            frames=self.frames[first:last],
            times=self.times[first:last],
            start=self.start[first : last + 1] - self.start[first],
            **{name: getattr(self, name)[rows] for name in ROWS},
        )

    def thinned(self, fps: float) -> "Clip":
        """Some of the frames, evenly spread, so that there are at most `fps` in a second."""
        slot = np.floor(self.times * fps + 1e-6)
        kept = np.flatnonzero(np.diff(slot, prepend=-np.inf) > 0)
        return self if len(kept) == self.T else self.picked(kept)

    def picked(self, kept: Ints) -> "Clip":
        """Some of the frames, by ascending indices."""
        rows = np.flatnonzero(np.isin(self.frame_of, kept))
        counts = np.diff(self.start)[kept]
        return replace(
            self,
            frames=self.frames[kept],
            times=self.times[kept],
            start=np.concatenate([[0], np.cumsum(counts)]),
            **{name: getattr(self, name)[rows] for name in ROWS},
        )

    def only(self, kept: Bools) -> "Clip":
        """All frames, with the detections (N,) that are to be kept."""
        counts = np.bincount(self.frame_of[kept], minlength=self.T)
        start = np.concatenate([[0], np.cumsum(counts)])
        return replace(self, start=start, **{name: getattr(self, name)[kept] for name in ROWS})

    def surest(self, n: int) -> "Clip":
        """All frames, with at most n detections of a class each: those with the highest scores."""
        if int(np.diff(self.start).max()) <= n:
            return self
        order = np.lexsort((-self.score, self.label, self.frame_of))
        group = np.stack([self.frame_of[order], self.label[order]])
        new = np.concatenate([[True], (group[:, 1:] != group[:, :-1]).any(axis=0)])
        first = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
        kept = np.zeros(len(order), dtype=np.bool_)
        kept[order[np.arange(len(order)) - first < n]] = True
        return self if kept.all() else self.only(kept)

    def within(self, start: float | None, end: float | None) -> "Clip":
        """The frames from `start` to before `end`, in seconds."""
        low, high = -math.inf if start is None else start, math.inf if end is None else end
        first, last = map(int, np.searchsorted(self.times, [low - 1e-9, high - 1e-9]))
        if first < last:
            return self.cut(first, last)
        span = f"{self.times[0]:.2f} to {self.times[-1]:.2f} s"
        raise ClipError(f"{self.name}: no frame from {low:g} to {high:g} s; the clip has {span}")
