"""All that is measured of the things of a clip, thing by thing, which is the same whatever is said.

Bounds need no more, so that a library keeps it: then nothing has to be followed again when it is
searched. Many such tables are bounded at a time, one after the other on one axis of rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.boxes import centre, extent
from sentrack.lexicon import Bins, Candidates, Feature
from sentrack.scene.candidates import Bools, CandidateSet, Floats, Ints
from sentrack.scene.measurements import Measurements, Sets
from sentrack.scene.presence import AWAY
from sentrack.scene.scene import measure
from sentrack.vision import Clip

Column = npt.NDArray[Any]

# What is kept of every detection, in single precision, as words are measured.
MOVING: dict[str, type] = {
    "boxes": np.float32,
    "velocity": np.float32,
    "metres": np.float32,
    "growth": np.float32,
    "gain": np.float32,
    "turn": np.float32,
    "rise": np.float32,
    "score": np.float32,
    "untold": np.bool_,
}
LOOKING: dict[str, type] = {"colour": np.float32, "looks": np.uint8, "hands": np.float32}


@dataclass(frozen=True, eq=False)
class ThingTable:
    """Things of a clip, by class, each in every frame from its first to its last.

    Attributes:
        size: width and height of a frame, in pixels.
        fps: source frames per second.
        times: (T,) seconds.
        classes: names of the classes that the detector knows.
        label: (A,) the class of every thing, ascending.
        first: (A,) the first frame of each.
        last: (A,) the last.
        hands: how many hands of a person are known at most.
        columns: per name of MOVING and LOOKING, (M, ...) one row for every frame of every thing;
            *score* is what it costs against the background, rounded up.
    """

    size: tuple[int, int]
    fps: float
    times: Floats
    classes: tuple[str, ...]
    label: Ints
    first: Ints
    last: Ints
    hands: int
    columns: Mapping[str, Column]

    @property
    def T(self) -> int:  # noqa: N802 - the paper's symbol
        """Number of frames."""
        return len(self.times)

    @cached_property
    def seconds(self) -> float:
        """Typical time between adjacent frames."""
        return _frames(self).seconds

    @property
    def lengths(self) -> Ints:
        """(A,) number of frames of every thing."""
        return np.asarray(self.last - self.first + 1)


def thing_table(clip: Clip, rate: float) -> ThingTable | None:
    """The things of a clip; None where a source says that a thing is in two places at once.

    Args:
        clip: what was seen.
        rate: frames per second that are looked at, at most.
    """
    return table_of(measure(clip, frozenset(clip.classes), True, rate))


def table_of(measured: Measurements) -> ThingTable | None:
    """The same, of a clip that was measured with the identities of things."""
    clip = measured.clip
    frame, rows = clip.frame_of, np.flatnonzero(clip.id >= 0)
    rows = rows[np.lexsort((frame[rows], clip.id[rows], clip.label[rows]))]
    label, id, frame = clip.label[rows], clip.id[rows], frame[rows]
    begin = np.flatnonzero((np.diff(id, prepend=-1) != 0) | (np.diff(label, prepend=-1) != 0))
    ends = np.append(begin, len(rows))[1:] - 1
    first, last = frame[begin], frame[ends]
    if (last - first != ends - begin).any() or len(np.unique(id[begin])) < len(begin):
        return None
    columns = measured.columns(rows)
    return ThingTable(
        clip.size,
        clip.fps,
        clip.times,
        tuple(name for name in clip.classes if name != AWAY),
        label[begin],
        first,
        last,
        columns["hands"].shape[1],
        columns,
    )


def _frames(table: ThingTable) -> Clip:
    """The frames of a table, as a clip without detections."""
    none, T = np.zeros(0, dtype=np.int64), table.T
    few: Any = np.zeros((0, 4))
    return Clip(
        "", table.size, table.fps, np.arange(T), table.times, table.classes,
        np.zeros(T + 1, dtype=np.int64), few, none, few[:, 0], few[:, :2], few[:, :2], few[:, :3],
        np.zeros((0, 0), dtype=np.uint8), none, none.astype(np.bool_),
    )  # fmt: skip


class _Picked(Candidates):
    """Candidates without rivals: rows of tables, of which only what is looked at is fetched."""

    _tables: "JoinedTables"
    _rows: Ints | None

    def __init__(self, tables: "JoinedTables", rows: Ints | None) -> None:
        hands = tables.hands
        if hands is not None:
            hands = (hands if rows is None else hands[rows])[:, None]
        self.__dict__.update(
            _tables=tables, _rows=rows, aspect=tables.aspect, fps=tables.clip.fps, hands=hands
        )

    def __getattr__(self, name: str) -> Column:
        """(P, 1, ...): a column, when it is first looked at."""
        found = self._tables.measured(name)
        if self._rows is not None:
            found = found[self._rows]
        self.__dict__[name] = found[:, None]
        return found[:, None]


class JoinedTables(Measurements):
    """Tables whose frames last as long, one after the other, to be measured at a time.

    Args:
        tables: one or more; the first stands for the frames of all.
    """

    def __init__(self, tables: Sequence[ThingTable]) -> None:
        # Nothing is measured again.
        self.tables, self.clip, self.identity = tables, _frames(tables[0]), True
        self._columns: dict[str, Column] = {}
        self._binned: dict[str, Bins] = {}
        self._whole, self._known = None, {}
        self.aspect = self.clip.size[0] / float(self.clip.size[1])

    @property
    def hands(self) -> Column | None:
        """(M, H, 4); None where no hands are known."""
        return self.column("hands") if self.tables[0].hands else None

    def column(self, name: str) -> Column:
        """A column of all tables."""
        if name not in self._columns:
            parts = [table.columns[name] for table in self.tables]
            self._columns[name] = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return self._columns[name]

    def measured(self, name: str) -> Column:
        """(M, ...): one of the arrays of `Candidates`."""
        if name not in ("centre", "extent"):
            return self.column(name)
        if name not in self._columns:
            heights = np.repeat(
                [np.float32(table.size[1]) for table in self.tables],
                [len(table.columns["boxes"]) for table in self.tables],
            )
            corners = self.column("boxes") / heights[:, None]
            self._columns["centre"], self._columns["extent"] = centre(corners), extent(corners)
        return self._columns[name]

    def chosen(self, rows: Ints) -> CandidateSet:
        """Some rows (P,) as candidates without rivals in P frames."""
        counts = np.ones(len(rows), dtype=np.int64)
        return CandidateSet(rows[:, None], counts, _Picked(self, rows))

    def bins(self, feature: Feature, players: Sets) -> Bins:
        """(P, 1) or (P, 1, 1): the bins of a feature; of one thing, they are found but once."""
        if len(players) > 1:
            return super().bins(feature, players)
        if feature.name not in self._binned:
            self._binned[feature.name] = feature.binned(_Picked(self, None))[:, 0]
        return np.asarray(self._binned[feature.name][players[0].rows])

    def untold(self, players: CandidateSet) -> Bools:
        """(P, 1): which candidates tell nothing."""
        return np.asarray(self.column("untold")[players.rows])
