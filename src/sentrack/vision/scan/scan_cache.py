"""The cache of scans, which is asked before a video is opened or a detector loaded.

A scan is filed under its settings: the content of the video, the detector and how it was used. The
settings themselves are remembered for as long as nobody touches the files they were taken from, so
that a video that was scanned before is neither hashed nor opened.
"""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from sentrack.cache import cache_folder, digest
from sentrack.errors import SentrackError
from sentrack.files import mark, whole
from sentrack.vision.clip import Clip
from sentrack.vision.early_end import warn_if_cut_off
from sentrack.vision.io import METADATA, Table, clip_of, read_arrow

SETTLED = 2.0  # seconds without a change, after which another change is sure to change the mark

EVERY_FRAME = "every_frame"  # among settings: false, or not there

Settings = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Scan:
    """What is seen in a video, or in more of it than was asked.

    Attributes:
        name: of the video.
        file: that keeps it.
        fresh: its rows, if they are in memory already.
    """

    name: str
    file: Path
    fresh: Any = None

    @cached_property
    def table(self) -> Any:
        """Its rows, as an Arrow table."""
        return read_arrow(self.file) if self.fresh is None else self.fresh

    def warn_if_cut_off(self, video: Path) -> None:
        """Say again what was said when it was scanned: that the video ends before it should."""
        # A file that cannot be read is told of when its rows are.
        with suppress(pa.ArrowException, OSError, ValueError, KeyError):
            with pyarrow.parquet.ParquetFile(self.file) as stored:
                facts = json.loads(stored.schema_arrow.metadata[METADATA])
                times = stored.read_row_group(stored.num_row_groups - 1, ["time"])["time"]
            # Between frames that are looked at there are others; what comes after the last is not
            # known.
            last = times[-1].as_py() + 1 / facts["look"]["fps"]
            warn_if_cut_off(video, last, facts.get("duration"), facts["fps"])

    def clip(self, start: float | None = None, end: float | None = None) -> Clip:
        """The clip of a part of it: seconds from which on, and before which."""
        return replace(clip_of(Table.of(self.file, self.table)), name=self.name).within(start, end)


def file_of(settings: Settings, start: float | None, end: float | None) -> Path:
    """Where the scan of a part of a video is kept."""
    return cache_folder() / "looks" / f"{digest(settings | {'start': start, 'end': end})}.parquet"


def stored(settings: Settings, start: float | None, end: float | None) -> Path | None:
    """The file that keeps a part of a video or all of it, if it has been scanned."""
    files = (file_of(settings, *span) for span in ((None, None), (start, end)))
    return next(filter(Path.exists, files), None)


def piece_of(settings: Settings, start: float | None, end: float | None, number: int) -> Path:
    """Where a piece of such a scan is kept until all of it is; see `Pieces`."""
    whole = file_of(settings, start, end)
    return whole.with_name(f"{whole.stem}.{number}.parquet")


def request_of(video: Path, *parts: object) -> str | None:
    """What is asked, told by the marks of its files; None if one of them has just changed.

    Args:
        video: to be scanned.
        parts: what else is asked: paths stand for the files there, the rest for itself.
    """
    told = list(_told((video, *parts)))
    return None if None in told else digest([str(video.absolute()), told])


def recall(request: str | None) -> Settings | None:
    """The settings that were found for a request before, if they are remembered."""
    try:
        settings: Settings = json.loads(_memory(request).read_bytes())
    except (OSError, ValueError):
        return None
    return settings


def remember(request: str | None, settings: Settings) -> None:
    """Remember the settings of a request, where it can be told and the cache can be written to."""
    if request is not None and not _memory(request).exists():
        with suppress(OSError, SentrackError):
            _memory(request).parent.mkdir(parents=True, exist_ok=True)
            with whole(_memory(request)) as draft:
                draft.write_text(json.dumps(settings))


def _told(parts: tuple[object, ...]) -> Iterator[object]:
    for part in parts:
        if not isinstance(part, Path):
            yield repr(part)
            continue
        found = mark(part)
        recent = found is None or time.time_ns() - found[-1] < SETTLED * 1e9
        yield None if recent else found


def _memory(request: str | None) -> Path:
    return cache_folder() / "requests" / f"{request}.json"
