"""Detections of the supervision package, taken and given without depending on it."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.extras import requires
from sentrack.vision.clip import Clip, ClipError, Floats, Ints
from sentrack.vision.io.class_names import Names, labels, numbered
from sentrack.vision.io.rows import Rows


def clip_from_detections(
    frames: Iterable[Any],
    size: tuple[int, int],
    fps: float,
    *,
    names: Names | None = None,
    name: str = "detections",
) -> Clip:
    """A clip from one `supervision.Detections` per frame, or objects that look like it.

    Args:
        frames: with `xyxy` (n, 4); `confidence` and `tracker_id`, each (n,) or None; and
            `data["class_name"]` (n,), or else `class_id` (n,). The first is frame 0.
        size: width and height of a frame, in pixels.
        fps: frames per second.
        names: of the classes 0, 1, ...: needed where only `class_id` is told.
        name: of the clip.
    """
    known = {} if names is None else numbered(names, 0)
    found = [_frame(name, t, each, known) for t, each in enumerate(frames)]
    if not found:
        raise ClipError(f"{name}: there is no frame in it")
    boxes, words, score, id = (np.concatenate(column) for column in zip(*found, strict=True))
    used, row = np.unique(words, return_inverse=True)
    classes = list(dict.fromkeys([*known.values(), *used.tolist()]))
    return Rows(
        Path(name),
        name,
        np.repeat(np.arange(len(found)), [len(each[0]) for each in found]),
        classes,
        np.array([classes.index(word) for word in used.tolist()], dtype=np.int64)[row],
        boxes,
        score,
        np.maximum(id, -1),
        np.arange(len(found)),
    ).clip(size, fps)


def _frame(
    name: str, t: int, each: Any, known: Mapping[int, str]
) -> tuple[Floats, npt.NDArray[np.str_], Floats, Ints]:
    """Boxes (n, 4), names of classes (n,), scores (n,) and identities (n,) of a frame."""
    where = f"{name}, frame {t}"
    try:
        boxes = np.asarray(each.xyxy, dtype=np.float64).reshape(-1, 4)
        n = len(boxes)
        score = np.ones(n) if each.confidence is None else np.asarray(each.confidence, dtype=float)
        id = np.full(n, -1) if each.tracker_id is None else np.asarray(each.tracker_id, dtype=int)
        words = each.data.get("class_name")
        if words is None and each.class_id is not None:
            classes, label = labels(Path(where), np.asarray(each.class_id, dtype=int), known)
            words = np.array([*classes, ""])[label]
        words = np.asarray([] if words is None and n == 0 else words, dtype=str)
    except ClipError:
        raise
    except (AttributeError, TypeError, ValueError) as error:
        text = "not detections: xyxy (n, 4), confidence, class_id, tracker_id and data"
        raise ClipError(f"{where}: {text}") from error
    if words.shape != (n,):
        text = "a class for every box: data['class_name'], or class_id and names="
        raise ClipError(f"{where}: there has to be {text}")
    if not score.shape == id.shape == (n,):
        raise ClipError(f"{where}: {len(score)} scores and {len(id)} ids for {n} boxes")
    return boxes, words, score, id


def to_supervision(clip: Clip) -> list[Any]:
    """One `supervision.Detections` for each frame of a clip, with names of classes as data.

    Raises:
        SentrackError: when the supervision package is not installed.
    """
    with requires("supervision"):
        import supervision
    names = np.array([*clip.classes, ""])
    tracked = bool((clip.id >= 0).any())
    return [
        supervision.Detections(
            xyxy=clip.boxes[first:last],
            confidence=clip.score[first:last],
            class_id=clip.label[first:last],
            tracker_id=clip.id[first:last] if tracked else None,
            data={"class_name": names[clip.label[first:last]]},
        )
        for first, last in pairwise(clip.start)
    ]
