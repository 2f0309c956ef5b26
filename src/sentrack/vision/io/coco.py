"""COCO documents: annotations with images and categories, or a plain list of results.

A box is `{"image_id", "category_id", "bbox": [x, y, width, height], "score", "track_id"}`. In the
list, the id of an image is the number of its frame, and categories have no names.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from sentrack.boxes import area
from sentrack.files import whole
from sentrack.text import nearest, strict_json
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.io.class_names import Names, categories, labels, numbered, parsed
from sentrack.vision.io.columns import LARGEST, choose
from sentrack.vision.io.limits import read_content
from sentrack.vision.io.rows import Rows, corners_of, extents, frame_in

V = TypeVar("V")


def read_coco(
    path: Path,
    size: tuple[int, int] | None,
    fps: float | None,
    names: Names | None = None,
    video: str | None = None,
) -> Clip:
    """A clip from a COCO document.

    `names` are those of the categories 1, 2, ...; `video` is one of the document's `videos`.
    """
    document = _document(path)
    if isinstance(document, dict):
        boxes = _list(path, document, "annotations")
        source = _source(path, document, video)
        known = categories(path, document) if names is None else numbered(names, 1)
    elif names is None:
        raise ClipError(f"{path}: a list of results does not name its classes; names= does")
    else:
        choose(path, [], video)
        boxes, source, known = document, _Source(path.stem), numbered(names, 1)
    images = source.images
    if video is not None and images is not None:  # boxes of the other videos are no concern
        boxes = _select(
            path, "box", boxes, "'image_id'", lambda box: _key(box["image_id"]) in images
        )
    boxes = _select(path, "box", boxes, "keys", lambda box: not box.get("iscrowd"))

    def column(what: str, take: Callable[[Any], V]) -> list[V]:
        return _each(path, "box", boxes, what, take)

    def frame(box: Any) -> int:
        return _frame(box["image_id"]) if images is None else images[_key(box["image_id"])]

    number = column("'category_id'", lambda box: _whole(box["category_id"]))
    classes, label = labels(path, np.array(number, dtype=np.int64), known)
    extent = column("'bbox' of four numbers", lambda box: _four(box["bbox"]))
    return Rows(
        path,
        source.name,
        np.array(column("'image_id' that is a frame", frame), dtype=np.int64),
        classes,
        label,
        corners_of(np.array(extent, dtype=np.float64).reshape(-1, 4)),
        np.array(column("'score' that is a number", lambda box: float(box.get("score", 1.0)))),
        np.array(column("'track_id' that is a number", _identity), dtype=np.int64),
        None if images is None else np.array(sorted(images.values()), dtype=np.int64),
        source.size,
        source.fps,
    ).clip(size, fps)


def videos_in(path: Path) -> list[str]:
    """The names of the videos of a document, in its order."""
    document = _document(path)
    return [name for name, _ in _videos(path, document)] if isinstance(document, dict) else []


def write_coco(clip: Clip, path: Path) -> None:
    """Write annotations with images and categories; the id of an image is its frame number."""
    shape = {"width": clip.size[0], "height": clip.size[1]}
    areas = area(clip.boxes).tolist()
    document = {
        "videos": [{"id": 1, "name": clip.name, **shape, "fps": clip.fps}],
        "images": [
            {"id": f, "file_name": f"{f:06d}.jpg", **shape, "video_id": 1, "frame_id": f}
            for f in clip.frames.tolist()
        ],
        "annotations": [
            {"id": k, **box, "area": areas[k - 1], "iscrowd": 0}
            for k, box in enumerate(_results(clip), 1)
        ],
        "categories": [{"id": k, "name": name} for k, name in enumerate(clip.classes, 1)],
    }
    with whole(path) as draft:
        draft.write_text(strict_json(document), "utf-8")


def write_results(clip: Clip, path: Path) -> None:
    """Write the plain list, as evaluation tools take it: without names and empty frames."""
    with whole(path) as draft:
        draft.write_text(strict_json(_results(clip)), "utf-8")


def _results(clip: Clip) -> list[dict[str, Any]]:
    columns = {
        "image_id": clip.frames[clip.frame_of],
        "category_id": clip.label + 1,
        "bbox": extents(clip),
        "score": clip.score,
        "track_id": clip.id,
    }
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


@dataclass(frozen=True)
class _Source:
    """What a document says about the video: frame numbers go by the ids of images."""

    name: str
    images: dict[int | str, int] | None = None
    size: tuple[int, int] | None = None
    fps: float | None = None


def _source(path: Path, document: dict[str, Any], video: str | None) -> _Source:
    images, movies = _list(path, document, "images"), _videos(path, document)
    choose(path, [name for name, _ in movies], video)
    name, movie = next((m for m in movies if video in (None, m[0])), (path.stem, {}))
    if video is not None:
        images = _select(
            path, "image", images, "'video_id'", lambda i: i["video_id"] == movie["id"]
        )
    keys = _each(path, "image", images, "'id'", lambda image: _key(image["id"]))
    if len(set(keys)) < len(keys):
        raise ClipError(f"{path}: two of its images have one id")
    shapes = [each for each in (movie, *images[:1]) if "width" in each and "height" in each]
    sizes = _each(path, "size", shapes[:1], "whole numbers", _size)
    rates = _each(
        path, "video", [movie] if "fps" in movie else [], "'fps'", lambda m: float(m["fps"])
    )
    frames = dict(zip(keys, _numbers(path, images, keys), strict=True))
    return _Source(name, frames, next(iter(sizes), None), next(iter(rates), None))


def _numbers(path: Path, images: list[Any], keys: list[int | str]) -> Sequence[int]:
    """The frame numbers of images: as told, else by the names of files, else in order of ids."""
    if images and all("frame_id" in image for image in images):
        numbers = _each(path, "image", images, "'frame_id'", lambda i: _whole(i["frame_id"]))
        if len(set(numbers)) < len(numbers):
            raise ClipError(f"{path}: two of its images have one 'frame_id'; name its 'videos'")
        return numbers
    named = [frame_in(Path(str(image.get("file_name"))).stem) for image in images]
    numbers = [number for number in named if number is not None]
    if len(set(numbers)) == len(images):
        return numbers
    order = sorted(keys, key=lambda key: (isinstance(key, str), key))
    rank = {key: k for k, key in enumerate(order)}
    return [rank[key] for key in keys]


def _videos(path: Path, document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    videos = _list(path, document, "videos") if "videos" in document else []
    return _each(
        path, "video", videos, "'id' and 'name'", lambda m: (str(m["name"]), m | {"id": m["id"]})
    )


def _document(path: Path) -> Any:
    try:
        text = read_content(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ClipError(f"{path}: it is not text that can be read") from error
    document = parsed(path, text)
    if isinstance(document, list | dict):
        return document
    raise ClipError(f"{path}: neither a COCO document nor a list of COCO results")


def _list(path: Path, document: dict[str, Any], key: str) -> list[Any]:
    found = document.get(key)
    if isinstance(found, list):
        return found
    near = f"; nearest key: {nearest(key, document)!r}" if document else ""
    raise ClipError(f"{path}: not a COCO document: there is no list {key!r} in it{near}")


def _each(path: Path, kind: str, items: list[Any], what: str, take: Callable[[Any], V]) -> list[V]:
    """What is taken from every item, or an error that shows the item."""
    found: list[V] = []
    try:
        found.extend(take(item) for item in items)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        culprit = json.dumps(items[len(found)])
        culprit = culprit if len(culprit) <= 80 else culprit[:80] + " ..."
        raise ClipError(f"{path}: no {what} in the {kind} {culprit}") from error
    return found


def _select(
    path: Path, kind: str, items: list[Any], what: str, wanted: Callable[[Any], bool]
) -> list[Any]:
    return list(compress(items, _each(path, kind, items, what, wanted)))


def _key(value: Any) -> int | str:
    return value if isinstance(value, str) else _whole(value)


def _whole(value: Any) -> int:
    if int(value) != value or abs(value) >= LARGEST:
        raise ValueError
    return int(value)


def _frame(value: Any) -> int:
    number = frame_in(value) if isinstance(value, str) else _whole(value)
    if number is None:
        raise ValueError
    return number


def _four(values: Any) -> list[float]:
    x, y, width, height = map(float, values)
    return [x, y, width, height]


def _size(shape: dict[str, Any]) -> tuple[int, int]:
    return _whole(shape["width"]), _whole(shape["height"])


def _identity(box: dict[str, Any]) -> int:
    value = box.get("track_id")
    return -1 if value is None else max(_whole(value), -1)
