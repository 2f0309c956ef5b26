"""Videos that somebody sends: checked by what they hold, never by what they are called."""

from dataclasses import replace
from pathlib import Path

import av

from sentrack.cache import checksum
from sentrack.library import Store, index_one, unused
from sentrack.serve.errors import JobError
from sentrack.vision.scan import Limit, LimitError

# Containers, and the suffix of each. Playlists, which could name other files, are none of them.
KINDS = {
    "mov": ".mp4",
    "matroska": ".mkv",
    "avi": ".avi",
    "mpegts": ".ts",
    "mpeg": ".mpg",
    "ogg": ".ogv",
    "asf": ".wmv",
    "flv": ".flv",
}
MOST_PIXELS = 4096 * 2304  # of a frame
MOST_SECONDS = 600.0


def keep(store: Store, draft: Path, name: str, detector_threads: int | None = None) -> str:
    """Move a video among the uploads of a library and index it.

    Args:
        store: the library.
        draft: the file, in the folder of uploads.
        name: that is wished for; another one is given if it is taken.
        detector_threads: see `load_clip`.

    Returns:
        The name of the clip.

    Raises:
        JobError: it is no video, or too large a one.
    """
    path = draft.with_name(checksum(draft)[:32] + _checked(draft))
    entries = store.entries()
    known = [entry.name for entry in entries if entry.path == path]
    if known and path.exists():
        return known[0]
    draft.replace(path)
    try:
        called = unused(name, {entry.name for entry in entries})
        (task,) = store.plan([path], name=called, detector_threads=detector_threads)
        limit = Limit(MOST_SECONDS, MOST_PIXELS)  # headers may say less than is there
        entry = index_one(store.url, replace(task, options=task.options | {"limit": limit}))
    except LimitError as error:
        path.unlink(missing_ok=True)
        raise JobError(str(error).removeprefix(f"{path}: "), 413) from None
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    store.refresh()
    return entry.name


def _checked(path: Path) -> str:
    """The suffix of a video that is taken.

    Raises:
        JobError: it is none.
    """
    try:
        options = {"protocol_whitelist": "file", "format_whitelist": ",".join(KINDS)}
        container = av.open(str(path), options=options, metadata_errors="replace")
    except (av.error.FFmpegError, OSError):
        raise JobError("this is no video that can be read", 415) from None
    with container:
        if not container.streams.video:
            raise JobError("there is no video in this file", 415)
        stream = container.streams.video[0]
        if not 0 < stream.width * stream.height <= MOST_PIXELS:
            raise JobError(f"frames of {stream.width}x{stream.height} are not taken", 413)
        seconds = (container.duration or 0) / av.time_base
        if stream.duration and stream.time_base:
            seconds = float(stream.duration * stream.time_base)
        if seconds > MOST_SECONDS:
            text = f"a video may last {MOST_SECONDS:g} s, and this one lasts {seconds:.0f} s"
            raise JobError(text, 413)
        names = container.format.name.split(",")
    return next(suffix for kind, suffix in KINDS.items() if kind in names)
