"""Detection files: CSV and Parquet with one row per box, read into clips and written from them.

A row is `frame,class,x1,y1,x2,y2[,score][,id][,video][,vx,vy][,hue,saturation,value][,time]`;
columns come in any order and others are ignored. A row with neither class nor box says that a frame
was looked at and nothing was found. Size and rate are in columns `width,height,fps` (CSV) or in the
schema's metadata (Parquet). A file that tells size, rate and times lists all its frames; in others
those without a detection are filled in.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.vision.clip import Bools, Clip, ClipError, Floats, Ints
from sentrack.vision.io.columns import (
    CAMERA,
    COLOUR,
    CORNERS,
    MOTION,
    Table,
    class_name,
    stem,
)
from sentrack.vision.motion import velocities

MOST = 10_000_000  # frames that a clip can have: four days at 30 per second
FAR, THIN = 1e9, 1e-6  # pixels: coordinates beyond and sides below are not those of a box
RATES = (1e-6, 1e6)  # frames per second that a clip can have

_log = logging.getLogger("sentrack")


def clip_from_arrays(
    name: str,
    size: tuple[int, int],
    fps: float,
    frame: npt.ArrayLike,
    class_names: Sequence[str] | npt.NDArray[Any],
    boxes: npt.ArrayLike,
    score: npt.ArrayLike | None = None,
    id: npt.ArrayLike | None = None,
    *,
    label: npt.ArrayLike | None = None,
    frames: npt.ArrayLike | None = None,
    times: npt.ArrayLike | None = None,
    velocity: npt.ArrayLike | None = None,
    camera: npt.ArrayLike | None = None,
    colour: npt.ArrayLike | None = None,
    projected: npt.ArrayLike | None = None,
) -> Clip:
    """A clip from one row per detection, in any order.

    Args:
        name: where it comes from.
        size: width and height of a frame, in pixels.
        fps: source frames per second.
        frame: (N,) source frame numbers.
        class_names: (N,) the class of each detection; with `label`, the classes that it indexes.
        boxes: (N, 4) x1 y1 x2 y2, in pixels.
        score: (N,) 1 if left out.
        id: (N,) -1, unknown, if left out.
        label: (N,) index into `class_names`.
        frames: (T,) all frames, ascending; if left out, all from the first to the last detection in
            steps of the greatest common divisor of the steps that occur.
        times: (T,) seconds; frames / fps if left out.
        velocity: (N, 2) frame heights per second; measured on the boxes where left out or NaN.
        camera: (N, 2) motion of the background, frame heights per second; 0 if left out.
        colour: (N, 3) hue, saturation and value; NaN if left out.
        projected: (N,) False if left out.
    """
    number: Ints = np.asarray(frame, dtype=np.int64)
    N = len(number)
    check(name, size, fps)
    all_frames = regular(name, number) if frames is None else np.asarray(frames, dtype=np.int64)
    seconds: Floats = all_frames / fps if times is None else np.asarray(times, dtype=np.float64)
    if (np.diff(all_frames) <= 0).any() or not (np.diff(seconds) > 0.5 / RATES[1]).all():
        raise ClipError(f"{name}: frames and times must ascend")
    row: Ints = np.searchsorted(all_frames, number)
    if N and not np.array_equal(np.take(all_frames, row, mode="clip"), number):
        raise ClipError(f"{name}: a detection is in a frame that is not among the frames")
    order = np.argsort(row, kind="stable")
    if label is None:
        found, raw = np.unique(np.asarray(class_names, dtype=str), return_inverse=True)
    else:
        found, raw = np.asarray(class_names, dtype=str), np.asarray(label, dtype=np.int64)
    spelt = [class_name(str(word)) for word in found]
    classes = tuple(sorted(set(spelt))) if label is None else tuple(dict.fromkeys(spelt))
    merged = np.array([classes.index(word) for word in spelt], dtype=np.int64)

    def rows(given: npt.ArrayLike | None, default: float, *shape: int) -> Any:
        full = np.full((N, *shape), default) if given is None else np.asarray(given)
        if N == 0:
            full = full.reshape(0, *shape)
        if full.shape != (N, *shape):
            raise ClipError(f"{name}: an array of shape {full.shape} does not fit {N} detections")
        return full[order]

    # A copy in floats even if the source holds integers: boxes are moved and scaled later.
    box: Floats = rows(boxes, np.nan, 4).astype(np.float64)
    identity: Ints = rows(id, -1).astype(np.int64)
    start: Ints = np.searchsorted(row[order], np.arange(len(all_frames) + 1))
    kind: Ints = merged[raw[order]]
    motion: Floats = rows(velocity, np.nan, 2).astype(np.float64)
    unknown = ~np.isfinite(motion).all(axis=1)
    if unknown.any():
        motion[unknown] = velocities(box, kind, identity, start, seconds, size[1])[unknown]
    return Clip(
        name=name,
        size=(int(size[0]), int(size[1])),
        fps=float(fps),
        frames=all_frames,
        times=seconds,
        classes=classes,
        start=start,
        boxes=box,
        label=kind,
        score=rows(score, 1.0).astype(np.float64),
        velocity=motion,
        camera=np.nan_to_num(rows(camera, 0.0, 2).astype(np.float64)),
        colour=rows(colour, np.nan, 3).astype(np.float64),
        id=identity,
        projected=rows(projected, False).astype(np.bool_),
    )


def regular(name: str, number: Ints) -> Ints:
    """(T,) the frames from the first to the last, in the greatest step that meets all of (N,)."""
    present = np.unique(number)
    if len(present) < 2:
        return present
    step = int(np.gcd.reduce(np.diff(present)))
    if (T := (present[-1] - present[0]) // step + 1) > MOST:
        raise ClipError(f"{name}: column 'frame' spans {T} frames; are these times, not numbers?")
    return np.arange(present[0], present[-1] + 1, step, dtype=np.int64)


def check(name: str, size: tuple[int, int], fps: float) -> None:
    """Refuse a size or a rate that no clip can have."""
    if not RATES[0] <= fps <= RATES[1]:
        raise ClipError(f"{name}: fps must be above 0 and at most {RATES[1]:g}, and it is {fps:g}")
    if min(size) <= 0:
        raise ClipError(f"{name}: size must be above 0, and it is {size[0]}x{size[1]}")


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


def read_table(
    path: Path, size: tuple[int, int] | None, fps: float | None, video: str | None = None
) -> Clip:
    """A clip from a CSV or Parquet file.

    Args:
        path: the file.
        size: width and height of a frame; if left out, as stored, else the largest coordinates.
        fps: source frames per second; if left out, as stored, else by the times, else 30.
        video: which clip, in a file with a column `video`.
    """
    table = Table.read(path).take(video)
    number, corners = table.whole("frame"), table.block(CORNERS)
    classes, label = table.names("class")
    score = table.numbers("score") if table.has(["score"]) else np.ones(len(number))
    blank = np.array([not word.strip() for word in classes])[label]
    if (blank & ~np.isnan(corners).all(axis=1)).any():
        raise ClipError(f"{path}: column 'class' is empty in a row that has a box")
    sound = sound_rows(path, corners, score, blank)
    size = size or _size(table, corners[sound])
    knots, seconds = table.times(number)
    fps = _rate(table, knots, seconds) if fps is None else fps
    check(str(path), size, fps)
    complete = len(knots) > 0 and None not in map(table.fact, ("width", "height", "fps"))
    frames = np.unique(number) if complete else regular(str(path), number)
    times = frames / fps
    if len(knots):
        within = np.clip(frames, knots[0], knots[-1])
        times = np.interp(within, knots, seconds) + (frames - within) / fps
    groups = {"velocity": MOTION, "camera": CAMERA, "colour": COLOUR}
    # By its first two columns: a lone `value` may be anything.
    given = {key: names for key, names in groups.items() if table.has(names[:2])}
    extra = {key: table.block(names)[sound] for key, names in given.items()}
    projected = table.numbers("projected")[sound] > 0 if table.has(["projected"]) else None
    # Classes that the detector knew come first, in its order, even those it never saw.
    stored = table.stored["classes"]
    used = np.unique(label[sound])
    return clip_from_arrays(
        video or next(iter(table.videos()), table.stored.get("name") or stem(path)),
        size,
        fps,
        number[sound],
        [*stored, *(classes[k] for k in used)],
        corners[sound],
        score[sound],
        table.identities()[sound],
        label=len(stored) + np.searchsorted(used, label[sound]),
        frames=frames,
        times=times,
        projected=projected,
        **extra,
    )


def _size(table: Table, corners: Floats) -> tuple[int, int]:
    width, height = table.fact("width"), table.fact("height")
    if width is not None and height is not None:
        return round(width), round(height)
    return size_by_reach(table.path, corners)


def _rate(table: Table, knots: Ints, seconds: Floats) -> float:
    stored = table.fact("fps")
    if stored is not None:
        return stored
    if len(knots) > 1:
        return 1 / float(np.median(np.diff(seconds) / np.diff(knots)))
    return usual_rate(table.path)
