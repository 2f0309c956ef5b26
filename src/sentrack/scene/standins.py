"""Stand-ins: boxes for things that a sentence needs in a frame and that were not seen there.

Participants that must differ need as many things in every frame. Where fewer are seen than in the
frames before, those that are missing go on as they went, marked as projected, as `bridge` does for
whole classes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from sentrack.boxes import iou
from sentrack.scene.candidates import Bools, CandidateSet, Floats, Ints, candidate_set
from sentrack.scene.coherence import KEPT
from sentrack.scene.distinctness import clear, overlaps
from sentrack.scene.measurements import Measurements
from sentrack.vision import Clip, add_projected, moved_along

Needed = Mapping[frozenset[str], int]
Boxes = tuple[Ints, Ints, Floats]  # the detections they are made of, their frames, where they are

TRIED = 100  # frames from which a thing that is put aside may be taken

_NOTHING: Boxes = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 4))


def needed(nouns: Sequence[frozenset[str]], distinct: Iterable[tuple[int, int]]) -> Needed:
    """How many different things of some classes must be in every frame.

    Participants that all differ from each other need as many things of all their classes; and those
    of one noun, since a track keeps to its class, as many of each class that it names.

    Args:
        nouns: per participant, the classes of the clip that its noun names.
        distinct: pairs of participants that are different things.
    """
    pairs = set(distinct)
    most: dict[frozenset[str], int] = {}
    for size in range(2, len(nouns) + 1):
        for group in combinations(range(len(nouns)), size):
            if not pairs.issuperset(combinations(group, 2)):
                continue
            named = [nouns[i] for i in group]
            most[frozenset().union(*named)] = size
            for name in named[0] if len(set(named)) == 1 else ():
                most[frozenset((name,))] = size
    return most


def supplied(clip: Clip, needed: Needed) -> Clip:
    """The clip with stand-ins where it shows fewer things than are needed, if it can.

    Where no frame shows enough things, every frame gets as many as the one that shows most.

    Args:
        clip: with every class that is needed in every frame, or in none.
        needed: numbers of things by classes of the clip.
    """
    for classes, count in sorted(needed.items(), key=lambda each: (len(each[0]), sorted(each[0]))):
        known = [clip.classes.index(name) for name in classes]
        if np.isin(clip.label, known).any():
            for stand_ins in (_carried, _put_aside):
                frames = _Frames(clip, known, count)
                clip = add_projected(clip, *stand_ins(frames)) if frames.lacking else clip
    return clip


class _Frames:
    """The things that frames show.

    Attributes:
        clip: what was seen.
        players: the candidates.
        clear: (T,) frames that show so many things that nobody could take two of them for one.
        lacking: frames that show fewer than others, or than are needed, with these.
        most: how many things the others show at least.
    """

    def __init__(self, clip: Clip, labels: Sequence[int], count: int) -> None:
        self.clip = clip
        self.players = candidate_set(clip, np.isin(clip.label, labels))
        self.clear = _clear(clip, self.players, count)
        self.lacking: dict[int, list[int]] = {}
        self.most = count
        if not self.clear.all():
            self.one = Measurements(clip, 0.0).one(self.players, self.players)
            shown = {int(t): self.things(int(t)) for t in np.flatnonzero(~self.clear)}
            self.most = count if self.clear.any() else max(map(len, shown.values()))
            self.lacking = {t: each for t, each in shown.items() if len(each) < self.most}

    def things(self, t: int) -> list[int]:
        """Candidates of a frame that show different things."""
        return different(self.one[t], int(self.players.counts[t]))


def _carried(frames: _Frames) -> Boxes:
    """Things that are missing in a frame go on from the frame before it, or else after it."""
    clip, players = frames.clip, frames.players
    found = [_NOTHING]
    for start, order in _runs([t not in frames.lacking for t in range(clip.T)]):
        rows = players.rows[start, frames.things(start)]
        for t in order:
            here = players.rows[t, : players.counts[t]]
            boxes = moved_along(clip, rows, clip.times[t])
            met = iou(boxes[:, None], clip.boxes[here])
            met *= clip.label[rows][:, None] == clip.label[here]
            lost, following = _matched(met, frames.one[t][frames.lacking[t], : len(here)])
            found.append((rows[lost], np.full(len(lost), t), boxes[lost]))
            rows = np.concatenate([rows[lost], here[following]])
    return _together(found)


def _put_aside(frames: _Frames) -> Boxes:
    """Things that are still missing, since none could tell them from what they would hide.

    They are where they are in the nearest frame in which they hide nothing.
    """
    clip, players = frames.clip, frames.players
    found = [_NOTHING]
    for t, things in frames.lacking.items():
        here = players.rows[t, : players.counts[t]]
        near = sorted(map(int, np.flatnonzero(frames.clear)), key=lambda u: abs(u - t))
        for u in near[:TRIED]:
            rows = players.rows[u, frames.things(u)]
            free = rows[clear(*overlaps(clip, rows[None], here[None]))[0].all(axis=1)]
            apart = clear(*overlaps(clip, free[None], free[None]))[0]
            rows = free[different(~apart, len(free))]
            if len(rows) + len(things) >= frames.most:
                found.append((rows, np.full(len(rows), t), clip.boxes[rows]))
                break
    return _together(found)


def _together(found: list[Boxes]) -> Boxes:
    row, at, boxes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return row, at, boxes


def _clear(clip: Clip, players: CandidateSet, count: int) -> Bools:
    """(T,): frames that show so many boxes that are all apart."""
    left = np.arange(players.rows.shape[1]) < players.counts[:, None]
    enough = np.ones(clip.T, dtype=np.bool_)
    for _ in range(count):
        enough &= left.any(axis=1)
        pick = np.take_along_axis(players.rows, left.argmax(axis=1)[:, None], axis=1)
        left &= clear(*overlaps(clip, pick, players.rows))[:, 0]
    return enough


def different(one: Bools, count: int) -> list[int]:
    """Candidates of a frame that show different things, given (J, J) which of them show one."""
    left, found = np.arange(len(one)) < count, []
    while left.any():
        found.append(int(left.argmax()))
        left &= ~one[found[-1]]
        left[found[-1]] = False
    return found


def _runs(enough: Sequence[bool]) -> Iterator[tuple[int, Iterable[int]]]:
    """Frames that show enough, each with those after it that do not; last, those before all."""
    source = np.flatnonzero(enough)
    for start, end in zip(source, [*source[1:], len(enough)], strict=True):
        yield int(start), range(int(start) + 1, int(end))
    yield int(source[0]), range(int(source[0]) - 1, -1, -1)


def _matched(met: Floats, shown: Bools) -> tuple[Ints, Ints]:
    """Find in a frame the things of the frame before.

    Args:
        met: (N, J) how much those things, moved along, meet of its candidates.
        shown: (R, J) which candidates show each of its own things.

    Returns:
        The indices of the things that are not found, and for every thing of the frame one of its
        candidates, that which meets most of what it was.
    """
    each = np.where(shown, met[:, None, :], 0.0)
    best = each.max(axis=2)
    lost, following = np.ones(len(met), dtype=np.bool_), shown.argmax(axis=1)
    for _ in range(min(best.shape)):
        i, r = np.unravel_index(best.argmax(), best.shape)
        if best[i, r] < KEPT:
            break
        lost[i], following[r] = False, each[i, r].argmax()
        best[i], best[:, r] = 0.0, 0.0
    return np.flatnonzero(lost), following
