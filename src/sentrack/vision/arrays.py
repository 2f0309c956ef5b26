"""Clips from arrays: one row for every detection, in any order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.colours import CELLS, HALVES
from sentrack.vision.clip import Clip, ClipError, Floats, Ints, class_name
from sentrack.vision.motion import velocities

MOST_FRAMES = 10_000_000  # frames that a clip can have: four days at 30 per second
RATES = (1e-6, 1e6)  # frames per second that a clip can have


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
    looks: npt.ArrayLike | None = None,
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
        looks: (N, HALVES * CELLS) see `Clip`; 0, unknown, if left out.
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
    # Most files are sorted; a slice copies nothing.
    ordered = bool((np.diff(row) >= 0).all())
    order = slice(None) if ordered else np.argsort(row, kind="stable")
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
        looks=rows(looks, 0, HALVES * CELLS).astype(np.uint8),
        id=identity,
        projected=rows(projected, False).astype(np.bool_),
    )


def regular(name: str, number: Ints) -> Ints:
    """(T,) the frames from the first to the last, in the greatest step that meets all of (N,)."""
    present = np.unique(number)
    if len(present) < 2:
        return present
    step = int(np.gcd.reduce(np.diff(present)))
    if (T := (present[-1] - present[0]) // step + 1) > MOST_FRAMES:
        raise ClipError(f"{name}: column 'frame' spans {T} frames; are these times, not numbers?")
    return np.arange(present[0], present[-1] + 1, step, dtype=np.int64)


def check(name: str, size: tuple[int, int], fps: float) -> None:
    """Refuse a size or a rate that no clip can have."""
    if not RATES[0] <= fps <= RATES[1]:
        raise ClipError(f"{name}: fps must be above 0 and at most {RATES[1]:g}, and it is {fps:g}")
    if min(size) <= 0:
        raise ClipError(f"{name}: size must be above 0, and it is {size[0]}x{size[1]}")
