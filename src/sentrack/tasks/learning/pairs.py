"""Pairs of clip and sentence from a file: one JSON object on each line."""

import json
import logging
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

from sentrack.progress import Report, silent
from sentrack.tasks.learning.corpus import ClipAndSentence, PairError
from sentrack.tasks.learning.corrections import RightBox
from sentrack.text import unknown
from sentrack.vision import Clip, ClipError, is_video, load_clip

FIELDS = ("clip", "sentence", "video", "start", "end", "size", "fps", "right", "boxes")
MOST_PIXELS = 10**6  # of a side of a frame


def read_pairs(
    path: str | Path,
    strict: bool = False,
    report: Report = silent,
    detector_threads: int | None = None,
) -> list[ClipAndSentence]:
    """Read clips with sentences.

    Every line is an object: `clip`, a video or a file of detections, relative to the file of pairs;
    `sentence`; and where needed `video`, `start` and `end` in seconds, `size` ([width, height]) and
    `fps`, as of `load_clip`. Empty lines do not count, nor do those with `right` false, which say
    that a clip does not depict the sentence. `boxes` are those that somebody put right, as the page
    keeps them: [{"participant": 0, "frame": 12, "box": [x1, y1, x2, y2]}].

    Args:
        path: the file.
        strict: whether to refuse a line that is no good instead of leaving it out.
        report: told how far a video has been looked at.
        detector_threads: with which videos are looked at; see `load_clip`.

    Raises:
        PairError: the file cannot be read; or, when strict, a line is no good.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise PairError(f"{path}: it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PairError(f"{path}: it is not text; write a JSON object on each line") from None
    found: list[ClipAndSentence] = []

    @lru_cache(maxsize=8)
    def loaded(file: str, options: tuple[tuple[str, Any], ...]) -> Clip:
        given = dict(options)
        if is_video(path.parent / file):
            given["detector_threads"] = detector_threads
        return load_clip(path.parent / file, report=report, **given)

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            pair = _pair(line)
            cut = {key: pair.pop(key, None) for key in ("start", "end")}
            sentence, file = pair.pop("sentence"), pair.pop("clip")
            boxes = tuple(
                RightBox(**{**box, "box": tuple(box["box"])}) for box in pair.pop("boxes", ())
            )
            if not pair.pop("right", True):
                continue
            if "size" in pair:
                pair["size"] = tuple(pair["size"])
            clip = loaded(file, tuple(pair.items()))
            part = clip.within(cut["start"], cut["end"])
            found.append((part, sentence, boxes) if boxes else (part, sentence))
        except (PairError, ClipError) as error:
            fault = f"{path.name}, line {number}: {error}"
            if strict:
                raise PairError(fault) from None
            logging.getLogger("sentrack").warning("left out: %s", fault)
    return found


def _pair(line: str) -> dict[str, Any]:
    """One line, checked."""
    try:
        pair = json.loads(line)
    except (ValueError, RecursionError):
        raise PairError('not JSON; write {"clip": "FILE", "sentence": "..."}') from None
    if not isinstance(pair, dict):
        raise PairError('it must be an object: {"clip": "FILE", "sentence": "..."}')
    for key in pair:
        if key not in FIELDS:
            raise PairError(unknown("field", key, FIELDS))
    for key in ("clip", "sentence"):
        if not isinstance(pair.get(key), str):
            raise PairError(f"{key!r} must be given, as text")
    if not isinstance(pair.get("video", ""), str):
        raise PairError("'video' must be text")
    for key in ("start", "end", "fps"):
        if key in pair and not _is_number(pair[key]):
            raise PairError(f"{key!r} must be a number")
    size = pair.get("size", [1, 1])
    if not (isinstance(size, list) and len(size) == 2 and all(map(_is_side, size))):
        raise PairError("'size' must be [width, height], in whole pixels")
    boxes = pair.get("boxes", [])
    if not (isinstance(boxes, list) and all(map(_is_right_box, boxes))):
        form = '[{"participant": 0, "frame": 12, "box": [x1, y1, x2, y2]}]'
        raise PairError(f"'boxes' must be {form}, with x1 < x2 and y1 < y2")
    return pair


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_right_box(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"participant", "frame", "box"}:
        return False
    numbers = value["participant"], value["frame"]
    box = value["box"]
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers):
        return False
    if not (isinstance(box, list) and len(box) == 4 and all(map(_is_number, box))):
        return False
    return bool(box[0] < box[2] and box[1] < box[3])


def _is_side(value: Any) -> bool:
    return _is_number(value) and 0 < value <= MOST_PIXELS and value == int(value)
