"""The names of classes, for formats that hold numbers."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sentrack.files import whole
from sentrack.vision.clip import Clip, ClipError, Ints

Names = Sequence[str] | str | Path  # of classes, in order, or the file that holds them


def numbered(names: Names, first: int) -> dict[int, str]:
    """Names by number.

    Args:
        names: of the classes from the number `first` on, or a text file with a name on each line,
            or a COCO file whose categories have numbers of their own.
        first: the number of the first class.
    """
    if not isinstance(names, str | Path):
        return dict(enumerate(names, first))
    path = Path(names)
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise ClipError(f"{path}: class names cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ClipError(f"{path}: not a text file with a class name on each line") from error
    if path.suffix.lower() == ".json":
        return categories(path, parsed(path, text))
    return {k: line.strip() for k, line in enumerate(text.splitlines(), first)}


def in_order(names: Names) -> tuple[str, ...]:
    """The names of the classes 0, 1, ...; categories of a COCO file in the order of their ids."""
    return tuple(name for _, name in sorted(numbered(names, 0).items()))


def parsed(path: Path, text: str) -> Any:
    """A JSON document."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ClipError(f"{path}: not JSON at line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # numbers or nesting beyond Python's limits
        raise ClipError(f"{path}: not JSON that can be read") from error


def categories(path: Path, document: Any) -> dict[int, str]:
    """The names of the categories of a COCO document, by id."""
    try:
        return {int(each["id"]): str(each["name"]).strip() for each in document["categories"]}
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ClipError(f"{path}: no 'categories' with 'id' and 'name' in it") from error


def labels(path: Path, number: Ints, names: Mapping[int, str]) -> tuple[list[str], Ints]:
    """All names, in the order of their numbers, and (R,) which of them (R,) numbers mean."""
    known = sorted(k for k, name in names.items() if name)
    unknown = ~np.isin(number, known)
    if unknown.any():
        wrong = int(number[unknown][0])
        raise ClipError(f"{path}: class {wrong} has no name; names= gives the names of classes")
    return [names[k] for k in known], np.searchsorted(known, number)


def write_names(clip: Clip, path: Path) -> None:
    """Write the names of the classes of a clip, one on each line."""
    with whole(path) as draft:
        draft.write_text("".join(f"{name}\n" for name in clip.classes), "utf-8")
