"""What a file of another program tells, on its way to a clip."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentrack.boxes import extent
from sentrack.vision.arrays import check, clip_from_arrays, regular
from sentrack.vision.clip import Bools, Clip, ClipError, Floats, Ints

FAR, THIN = 1e9, 1e-6  # pixels: coordinates beyond and sides below are not those of a box

_log = logging.getLogger("sentrack")


@dataclass(frozen=True, eq=False)
class Rows:
    """R boxes, and what their file says about the clip.

    Attributes:
        path: of the file.
        name: of the clip.
        frame: (R,) source frame numbers.
        classes: names of classes.
        label: (R,) index into `classes`.
        corners: (R, 4) x1 y1 x2 y2, in pixels.
        score: (R,) the detector's score.
        id: (R,) identity, -1 where unknown.
        frames: (T,) all frames, if the file tells.
        size: width and height of a frame, if the file tells.
        fps: source frames per second, if the file tells.
    """

    path: Path
    name: str
    frame: Ints
    classes: Sequence[str]
    label: Ints
    corners: Floats
    score: Floats
    id: Ints
    frames: Ints | None = None
    size: tuple[int, int] | None = None
    fps: float | None = None

    def clip(self, size: tuple[int, int] | None, fps: float | None) -> Clip:
        """The clip; a size or a rate that is given counts more than what the file tells."""
        sound = sound_rows(self.path, self.corners, self.score)
        frames = regular(str(self.path), self.frame) if self.frames is None else self.frames
        if len(frames) == 0:
            raise ClipError(f"{self.path}: there is no frame in it")
        size = size or self.size or size_by_reach(self.path, self.corners[sound])
        fps = fps if fps is not None else self.fps
        fps = fps if fps is not None else usual_rate(self.path)
        check(str(self.path), size, fps)
        return clip_from_arrays(
            self.name,
            size,
            fps,
            self.frame[sound],
            self.classes,
            self.corners[sound],
            self.score[sound],
            self.id[sound],
            label=self.label[sound],
            frames=frames,
        )


def frame_in(stem: str) -> int | None:
    """The frame number at the end of a file's name without its suffix."""
    digits = re.search(r"[0-9]{1,15}$", stem)
    return int(digits[0]) if digits else None


def corners_of(boxes: Floats) -> Floats:
    """(R, 4) x1 y1 x2 y2 from (R, 4) x y width height."""
    with np.errstate(over="ignore", invalid="ignore"):  # what is out of bounds is dropped later
        return np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])


def extents(clip: Clip) -> Floats:
    """(N, 4) x y width height of the boxes of a clip."""
    return np.hstack([clip.boxes[:, :2], extent(clip.boxes)])


def sound_rows(path: Path, corners: Floats, score: Floats, blank: Bools | None = None) -> Bools:
    """(R,) which rows hold a box; warns of how many were meant to (not `blank`) but do not."""
    meant = np.ones(len(score), dtype=np.bool_) if blank is None else ~blank
    with np.errstate(invalid="ignore", over="ignore"):
        area = (corners[:, 2:] - corners[:, :2] >= THIN).all(axis=1)
        sound: Bools = area & (np.abs(corners) <= FAR).all(axis=1) & np.isfinite(score) & meant
    if dropped := int((~sound & meant).sum()):
        _log.warning("%s: dropped %d boxes without an area or with a number missing", path, dropped)
    return sound


def size_by_reach(path: Path, corners: Floats) -> tuple[int, int]:
    """The size of a frame that holds all boxes, with a warning that it is a guess."""
    reach = np.ceil(corners[:, 2:].max(axis=0, initial=1.0))
    size = int(reach[0]), int(reach[1])
    text = "%s: taking %dx%d as the size of a frame, by the largest coordinates; size= gives it"
    _log.warning(text, path, *size)
    return size


def usual_rate(path: Path) -> float:
    """30 frames per second, with a warning that it is a guess."""
    _log.warning("%s: taking 30 frames per second; fps= gives the rate", path)
    return 30.0
