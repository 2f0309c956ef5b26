"""Detection files: CSV and Parquet with one row per box, read into clips and written from them.

A row is `frame,class,x1,y1,x2,y2[,score][,id][,video][,vx,vy][,hue,saturation,value][,time]`;
columns come in any order and others are ignored. A row with neither class nor box says that a frame
was looked at and nothing was found. Size and rate are in columns `width,height,fps` (CSV) or in the
schema's metadata (Parquet). A file that tells size, rate and times lists all its frames; in others
those without a detection are filled in.
"""

import json
import logging
import math
import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from sentrack.vision.clip import Bools, Clip, ClipError, Floats, Ints
from sentrack.vision.motion import velocities
from sentrack.vision.tables import COLOUR, CORNERS, METADATA, MOTION, Table, class_name, extension

MOST = 10_000_000  # frames that a clip can have: four days at 30 per second

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
        colour: (N, 3) hue, saturation and value; NaN if left out.
        projected: (N,) False if left out.
    """
    number: Ints = np.asarray(frame, dtype=np.int64)
    N = len(number)
    _check(name, size, fps)
    all_frames = _regular(name, number) if frames is None else np.asarray(frames, dtype=np.int64)
    seconds: Floats = all_frames / fps if times is None else np.asarray(times, dtype=np.float64)
    if (np.diff(all_frames) <= 0).any() or (np.diff(seconds) <= 0).any():
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
        colour=rows(colour, np.nan, 3).astype(np.float64),
        id=identity,
        projected=rows(projected, False).astype(np.bool_),
    )


def _regular(name: str, number: Ints) -> Ints:
    """(T,) the frames from the first to the last, in the greatest step that meets all of (N,)."""
    present = np.unique(number)
    if len(present) < 2:
        return present
    step = int(np.gcd.reduce(np.diff(present)))
    if (T := (present[-1] - present[0]) // step + 1) > MOST:
        raise ClipError(f"{name}: column 'frame' spans {T} frames; are these times, not numbers?")
    return np.arange(present[0], present[-1] + 1, step, dtype=np.int64)


def _check(name: str, size: tuple[int, int], fps: float) -> None:
    if not (math.isfinite(fps) and fps > 0):
        raise ClipError(f"{name}: fps must be above 0, and it is {fps:g}")
    if min(size) <= 0:
        raise ClipError(f"{name}: size must be above 0, and it is {size[0]}x{size[1]}")


def videos(path: str | Path) -> list[str]:
    """The names of the clips in a file, in its order; none if it has no column `video`."""
    return Table.read(Path(path)).videos()


def load_clip(
    path: str | Path,
    *,
    size: tuple[int, int] | None = None,
    fps: float | None = None,
    start: float | None = None,
    end: float | None = None,
    video: str | None = None,
) -> Clip:
    """Read a clip from a file of detections: .csv, .csv.gz or .parquet.

    Args:
        path: the file.
        size: width and height of a frame; if left out, as stored, else the largest coordinates.
        fps: source frames per second; if left out, as stored, else by the times, else 30.
        start: seconds from which on frames are taken.
        end: seconds before which frames are taken.
        video: which clip, in a file with a column `video`.

    Raises:
        ClipError: the file or an argument is at fault; the message says what to do.
    """
    path = Path(path)
    if start is not None and end is not None and start >= end:
        raise ClipError(f"{path}: start ({start:g} s) must be before end ({end:g} s)")
    table = Table.read(path).take(video)
    number, corners = table.whole("frame"), table.block(CORNERS)
    classes, label = table.names("class")
    score = table.numbers("score") if table.has(["score"]) else np.ones(len(number))
    blank = np.array([not word.strip() for word in classes])[label]
    sound = _sound(path, corners, score, blank)
    size = size or _size(table, corners[sound])
    knots, seconds = table.times(number)
    fps = _rate(table, knots, seconds) if fps is None else fps
    _check(str(path), size, fps)
    complete = len(knots) > 0 and None not in map(table.fact, ("width", "height", "fps"))
    frames = np.unique(number) if complete else _regular(str(path), number)
    times = frames / fps
    if len(knots):
        within = np.clip(frames, knots[0], knots[-1])
        times = np.interp(within, knots, seconds) + (frames - within) / fps
    groups = {"velocity": MOTION, "colour": COLOUR}
    # By its first two columns: a lone `value` may be anything.
    given = {key: names for key, names in groups.items() if table.has(names[:2])}
    extra = {key: table.block(names)[sound] for key, names in given.items()}
    projected = table.numbers("projected")[sound] > 0 if table.has(["projected"]) else None
    # Classes that the detector knew come first, in its order, even those it never saw.
    stored = table.stored.get("classes", [])
    used = np.unique(label[sound])
    clip = clip_from_arrays(
        video or next(iter(table.videos()), path.name[: -len(extension(path))]),
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
    low, high = -math.inf if start is None else start, math.inf if end is None else end
    first, last = map(int, np.searchsorted(clip.times, [low - 1e-9, high - 1e-9]))
    if first < last:
        return clip.cut(first, last)
    span = f"{clip.times[0]:.2f} to {clip.times[-1]:.2f} s"
    raise ClipError(f"{path}: no frame from {low:g} to {high:g} s; the clip has {span}")


def _sound(path: Path, corners: Floats, score: Floats, blank: Bools) -> Bools:
    """(R,) which rows hold a box; says how many were meant to but do not."""
    if (blank & ~np.isnan(corners).all(axis=1)).any():
        raise ClipError(f"{path}: column 'class' is empty in a row that has a box")
    area = (corners[:, 2:] > corners[:, :2]).all(axis=1)
    sound: Bools = area & np.isfinite(corners).all(axis=1) & np.isfinite(score) & ~blank
    if dropped := int((~sound & ~blank).sum()):
        _log.warning("%s: dropped %d boxes without an area or with a number missing", path, dropped)
    return sound


def _size(table: Table, corners: Floats) -> tuple[int, int]:
    width, height = table.fact("width"), table.fact("height")
    if width is not None and height is not None:
        return round(width), round(height)
    reach = np.ceil(corners[:, 2:].max(axis=0, initial=1.0))
    size = int(reach[0]), int(reach[1])
    text = "%s: taking %dx%d as the size of a frame, by the largest coordinates; size= gives it"
    _log.warning(text, table.path, *size)
    return size


def _rate(table: Table, knots: Ints, seconds: Floats) -> float:
    stored = table.fact("fps")
    if stored is not None:
        return stored
    if len(knots) > 1:
        return 1 / float(np.median(np.diff(seconds) / np.diff(knots)))
    _log.warning("%s: taking 30 frames per second; fps= gives the rate", table.path)
    return 30.0


def save_clip(clip: Clip, path: str | Path) -> None:
    """Write a clip to .csv, .csv.gz or .parquet, so that `load_clip` gives it back."""
    path = Path(path)
    kind = extension(path)
    found, none = clip.frame_of, np.flatnonzero(np.diff(clip.start) == 0)
    at = np.concatenate([found, none])
    order = np.argsort(at, kind="stable")
    empty = (np.arange(len(at)) >= len(found))[order]

    def column(values: npt.NDArray[Any]) -> Any:
        rows = np.concatenate([values, np.zeros(len(none), dtype=values.dtype)])[order]
        gone = empty | np.isnan(rows) if rows.dtype.kind == "f" else empty
        return pa.array(rows, mask=gone)

    names = np.array([*clip.classes, ""], dtype=object)
    columns = {
        "frame": pa.array(clip.frames[at][order]),
        "time": pa.array(clip.times[at][order]),
        "class": column(names[clip.label]),
        **{name: column(clip.boxes[:, k]) for k, name in enumerate(CORNERS)},
        "score": column(clip.score),
        **{name: column(clip.velocity[:, k]) for k, name in enumerate(MOTION)},
    }
    if np.isfinite(clip.colour).any():
        columns |= {name: column(clip.colour[:, k]) for k, name in enumerate(COLOUR)}
    if (clip.id >= 0).any():
        columns["id"] = column(clip.id)
    if clip.projected.any():
        columns["projected"] = column(clip.projected.astype(np.int64))
    facts = {"width": clip.size[0], "height": clip.size[1], "fps": clip.fps}
    if kind == ".parquet":
        text = json.dumps(facts | {"classes": clip.classes}).encode()
        table = pa.table(columns).replace_schema_metadata({METADATA: text})
    else:
        table = pa.table(columns | {name: [fact] * len(at) for name, fact in facts.items()})
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        if kind == ".parquet":
            pyarrow.parquet.write_table(table, draft)
        else:
            with pa.output_stream(draft, "gzip" if kind == ".csv.gz" else None) as stream:
                pyarrow.csv.write_csv(table, stream)
        os.replace(draft, path)
    except OSError as error:
        raise ClipError(f"{path}: cannot write it: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)
