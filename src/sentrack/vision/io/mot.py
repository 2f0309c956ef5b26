"""MOTChallenge text: `frame,id,x,y,width,height[,score[,class[,visibility]]]`, frames from 1.

Files of ten columns end in three world coordinates and have no class. Classes are numbers from 1;
their names stand, one on each line, beside `boxes.txt` in `boxes.names`, or in `labels.txt`.
"""

import configparser
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sentrack.files import whole
from sentrack.vision.arrays import MOST_FRAMES
from sentrack.vision.clip import Clip, ClipError, Ints
from sentrack.vision.io.class_names import Names, labels, numbered, write_names
from sentrack.vision.io.columns import LARGEST
from sentrack.vision.io.delimited import Text, lines
from sentrack.vision.io.rows import Rows, corners_of, extents

# What the class column means in the ground truth of the challenge.
MOT_CLASSES = (
    "person",
    "person on vehicle",
    "car",
    "bicycle",
    "motorbike",
    "non-motorized vehicle",
    "static person",
    "distractor",
    "occluder",
    "occluder on the ground",
    "full occluder",
    "reflection",
)


def read_mot(
    path: Path, size: tuple[int, int] | None, fps: float | None, names: Names | None = None
) -> Clip:
    """A clip from a MOT file; `names` are those of the classes 1, 2, ..."""
    text = Text.read(path, ",", range(6, 11), ())
    number, width = text.whole(0, "the frame"), len(text.columns)
    frame = number - (number.min() > 0)  # a file with a frame 0 does not count from 1
    if names is None:
        names = next(filter(Path.is_file, _names_beside(path)), MOT_CLASSES)
    known = numbered(names, 1)
    kind = np.full(len(frame), -1) if width not in (8, 9) else text.whole(7, "the class")
    # A class that is not told is the first, which the challenge has as persons.
    classes, label = labels(path, np.where(kind == -1, min(known, default=1), kind), known)
    info = _sequence(path)
    length, rate, wide, high = (
        _number(path, info, key) for key in ("seqlength", "framerate", "imwidth", "imheight")
    )
    frames: Ints | None = None
    if length is not None and frame.min() >= 0 and frame.max() < length <= MOST_FRAMES:
        frames = np.arange(int(length))
    return Rows(
        path,
        info.get("name") or path.stem,
        frame,
        classes,
        label,
        corners_of(text.numbers(2, 3, 4, 5)),
        text.numbers(6)[:, 0] if width > 6 else np.ones(len(frame)),
        np.maximum(text.whole(1, "the id"), -1),
        frames,
        (int(wide), int(high)) if wide and high else None,
        rate,
    ).clip(size, fps)


def write_mot(clip: Clip, path: Path) -> None:
    """Write nine columns, and the names of the classes beside."""
    frame: Ints = clip.frames[clip.frame_of]
    if clip.frames[0] < 0:
        raise ClipError(f"{path}: frame {clip.frames[0]} cannot be written: MOT counts from 1")
    box = extents(clip).T
    seen = np.full(len(frame), -1)
    rows = lines(",", frame + 1, clip.id, *box, clip.score, clip.label + 1, seen)
    write_names(clip, _names_beside(path)[0])
    with whole(path) as draft:
        draft.write_text("".join(f"{row}\n" for row in rows), "utf-8")


def _names_beside(path: Path) -> tuple[Path, Path]:
    return path.with_suffix(".names"), path.with_name("labels.txt")


def _sequence(path: Path) -> Mapping[str, str]:
    """What the challenge tells about a sequence, in `seqinfo.ini` beside the file or above it."""
    for folder in path.absolute().parents[:2]:
        if (file := folder / "seqinfo.ini").is_file():
            parser = configparser.ConfigParser(interpolation=None)
            try:
                parser.read_string(file.read_text("utf-8-sig"))
                return dict(parser["Sequence"])
            except (OSError, UnicodeDecodeError, configparser.Error, KeyError) as error:
                raise ClipError(f"{file}: no [Sequence] that can be read") from error
    return {}


def _number(path: Path, info: Mapping[str, str], key: str) -> float | None:
    try:
        value = float(info[key]) if key in info else 1.0
    except ValueError:
        value = 0.0
    if not 0 < value < LARGEST:
        raise ClipError(f"{path}: its seqinfo.ini has {key} = {info[key]}, not a number above 0")
    return value if key in info else None
