"""KITTI tracking text: one line for each box of each frame, frames from 0.

`frame id type truncated occluded alpha x1 y1 x2 y2 height width length x y z rotation [score]`
"""

from pathlib import Path

import numpy as np

from sentrack.files import whole
from sentrack.vision.arrays import regular
from sentrack.vision.clip import Clip
from sentrack.vision.io.delimited import Text, lines
from sentrack.vision.io.rows import Rows

IGNORED = "DontCare"  # the type of regions that were not labelled
# truncated, occluded and alpha; height, width, length, x, y, z and rotation, where not known
BEFORE, AFTER = (-1, -1, -10), (-1, -1, -1, -1000, -1000, -1000, -10)


def read_kitti(path: Path, size: tuple[int, int] | None, fps: float | None) -> Clip:
    """A clip from a KITTI tracking file, without the regions that were not labelled."""
    text = Text.read(path, " ", (17, 18), (2,))
    types, label = text.words(2)
    cared = np.array([word != IGNORED for word in types])
    kept, frame = cared[label], text.whole(0, "the frame")
    scored = len(text.columns) == 18
    return Rows(
        path,
        path.stem,
        frame[kept],
        [word for word in types if word != IGNORED],
        (np.cumsum(cared) - 1)[label[kept]],
        text.numbers(6, 7, 8, 9)[kept],
        (text.numbers(17)[:, 0] if scored else np.ones(len(frame)))[kept],
        np.maximum(text.whole(1, "the id"), -1)[kept],
        regular(str(path), frame),
    ).clip(size, fps)


def write_kitti(clip: Clip, path: Path) -> None:
    """Write 18 columns: what is not known as the benchmark writes it, and the score."""
    N = len(clip.boxes)
    types = np.array([*clip.classes, ""], dtype=object)[clip.label]
    before, after = ([np.full(N, value) for value in values] for values in (BEFORE, AFTER))
    frame = clip.frames[clip.frame_of]
    rows = lines(" ", frame, clip.id, types, *before, *clip.boxes.T, *after, clip.score)
    with whole(path) as draft:
        draft.write_text("".join(f"{row}\n" for row in rows), "utf-8")
