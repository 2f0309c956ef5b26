"""What a file of another program tells, on its way to a clip."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentrack.boxes import extent
from sentrack.vision.clip import Clip, ClipError, Floats, Ints
from sentrack.vision.detections import (
    check,
    clip_from_arrays,
    regular,
    size_by_reach,
    sound_rows,
    usual_rate,
)


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
