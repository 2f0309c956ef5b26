"""Folders of YOLO text: a file for each frame, named by its number, and a line for each box.

`class cx cy width height [score [id]]`, in parts of the frame's width and height. Classes are
numbers from 0; `classes.txt` or `obj.names`, in the folder or above it, names them.
"""

import tempfile
from itertools import chain, pairwise, product
from pathlib import Path

import numpy as np

from sentrack.boxes import around, centre, extent
from sentrack.vision.arrays import check, regular
from sentrack.vision.clip import Clip, ClipError, Floats
from sentrack.vision.io.class_names import Names, in_order, labels, write_names
from sentrack.vision.io.columns import not_whole
from sentrack.vision.io.delimited import lines
from sentrack.vision.io.limits import read_content
from sentrack.vision.io.rows import Rows, frame_in

CLASSES_FILE = "classes.txt"
UNKNOWN = (1.0, -1.0)  # score and id of a box that has none


def read_yolo(
    path: Path, size: tuple[int, int] | None, fps: float | None, names: Names | None = None
) -> Clip:
    """A clip from a folder; `names` are those of the classes 0, 1, ..."""
    if size is None:
        raise ClipError(f"{path}: YOLO boxes are parts of a frame; size= gives its size in pixels")
    check(str(path), size, 1.0)
    files = _files(path)
    found = [_boxes(file) for file in files.values()]
    values = np.array(list(chain(*found)), dtype=np.float64).reshape(-1, 7)
    frames = np.array(list(files), dtype=np.int64)
    frame = np.repeat(frames, [len(boxes) for boxes in found])
    for column, what in ((0, "class"), (6, "id")):
        wrong = not_whole(values[:, column])
        if wrong.any():
            file, value = files[int(frame[wrong][0])], values[wrong, column][0]
            raise ClipError(f"{file}: a box has {value:g} as its {what}, not a whole number")
    if names is None:
        names = _names(path)
    known = dict(enumerate(in_order(names)))
    classes, label = labels(path, values[:, 0].astype(np.int64), known)
    return Rows(
        path,
        path.absolute().name,
        frame,
        classes,
        label,
        _corners(values[:, 1:5], size),
        values[:, 5],
        np.maximum(values[:, 6].astype(np.int64), -1),
        regular(str(path), frames),
    ).clip(size, fps)


def write_yolo(clip: Clip, path: Path) -> None:
    """Write a new folder: a file for each frame, even for one without a box, and the classes."""
    if clip.frames[0] < 0:
        raise ClipError(f"{path}: frame {clip.frames[0]} cannot be written: YOLO counts from 0")
    middle, sides = centre(clip.boxes) / clip.size, extent(clip.boxes) / clip.size
    identity = [clip.id] if (clip.id >= 0).any() else []
    rows = lines(" ", clip.label, *middle.T, *sides.T, clip.score, *identity)
    try:
        if path.is_dir() and any(path.iterdir()):
            raise ClipError(f"{path}: the folder is not empty; YOLO boxes need one of their own")
        with tempfile.TemporaryDirectory(prefix=".", dir=path.parent) as draft:
            folder = Path(draft) / path.name
            folder.mkdir()
            write_names(clip, folder / CLASSES_FILE)
            for number, (first, last) in zip(clip.frames, pairwise(clip.start), strict=True):
                text = "".join(f"{row}\n" for row in rows[first:last])
                (folder / f"{number:06d}.txt").write_text(text, "utf-8")
            folder.replace(path)
    except OSError as error:
        raise ClipError(f"{path}: it cannot be written: {error.strerror or error}") from error


def _files(path: Path) -> dict[int, Path]:
    """The files of boxes by frame number, ascending."""
    found: dict[int, Path] = {}
    for file in sorted(path.glob("*.txt")):
        if file.name == CLASSES_FILE:
            continue
        number = frame_in(file.stem)
        if number is None:
            raise ClipError(f"{file}: its name does not end in the number of a frame")
        if (other := found.setdefault(number, file)) != file:
            raise ClipError(f"{file}: it is frame {number}, and so is {other.name}")
    if not found:
        raise ClipError(f"{path}: there are no .txt files of YOLO boxes in this folder")
    return dict(sorted(found.items()))


def _boxes(file: Path) -> list[list[float]]:
    """The seven numbers of each box of a file."""
    try:
        text = read_content(file).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ClipError(f"{file}: it is not text that can be read") from error
    found = []
    for k, line in enumerate(text.split("\n"), 1):
        try:
            values = [float(word) for word in line.split()]
        except ValueError:
            raise ClipError(f"{file}: line {k} holds something other than numbers") from None
        if len(values) not in (0, 5, 6, 7):
            raise ClipError(f"{file}: line {k} has {len(values)} columns, not 5, 6 or 7")
        if values:
            found.append([*values, *UNKNOWN[len(values) - 5 :]])
    return found


def _names(path: Path) -> Path:
    """The file that names the classes."""
    for folder, name in product(
        (path.absolute(), path.absolute().parent), (CLASSES_FILE, "obj.names")
    ):
        if (folder / name).is_file():
            return folder / name
    raise ClipError(f"{path}: no {CLASSES_FILE} in it; names= gives the names of classes")


def _corners(boxes: Floats, size: tuple[int, int]) -> Floats:
    """(R, 4) x1 y1 x2 y2 in pixels, from (R, 4) cx cy width height in parts of a frame."""
    with np.errstate(over="ignore", invalid="ignore"):  # what is out of bounds is dropped later
        return around(boxes[:, :2] * size, boxes[:, 2:] * size)
