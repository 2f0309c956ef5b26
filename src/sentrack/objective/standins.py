"""Stand-ins: boxes for things that a sentence needs in a frame and that were not seen there.

Participants that must differ need as many things in every frame. Where fewer are seen than in the
frames before, those that are missing go on as they went, marked as projected, as `bridge` does for
whole classes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from sentrack.objective.candidates import KEPT, Bools, Cast, Floats, Ints, cast
from sentrack.objective.distinctness import Things, clear, overlaps
from sentrack.vision.bridging import add, iou, moved_along
from sentrack.vision.clip import Clip

Needed = Mapping[frozenset[str], int]


def needed(nouns: Sequence[frozenset[str]], distinct: Iterable[tuple[int, int]]) -> Needed:
    """How many different things of some classes must be in every frame.

    Participants that all differ from each other need as many things of all their classes; and of
    one class, since a track keeps to its class, as many as could be of it.

    Args:
        nouns: per participant, the classes that its noun names; none if that is all of them.
        distinct: pairs of participants that are different things.
    """
    pairs = set(distinct)
    most: dict[frozenset[str], int] = {}
    for size in range(2, len(nouns) + 1):
        for group in combinations(range(len(nouns)), size):
            if not pairs.issuperset(combinations(group, 2)):
                continue
            named = [nouns[i] for i in group]
            most[frozenset().union(*named) if all(named) else frozenset()] = size
            for name in frozenset.intersection(*named):
                most[frozenset((name,))] = size
    return most


def supplied(clip: Clip, needed: Needed) -> Clip:
    """The clip with stand-ins where it shows fewer things than are needed, if it can.

    Where no frame shows enough things, every frame gets as many as the one that shows most.

    Args:
        clip: with every class that is needed in every frame, or in none.
        needed: numbers of things by classes, of which none means all.
    """
    for classes, count in sorted(needed.items(), key=lambda each: (not each[0], sorted(each[0]))):
        known = [clip.classes.index(c) for c in classes or clip.classes if c in clip.classes]
        allowed = np.isin(clip.label, known)
        if allowed.any():
            clip = _filled(clip, cast(clip, allowed), count)
    return clip


def _filled(clip: Clip, players: Cast, count: int) -> Clip:
    """The same for the things of one cast."""
    enough = _clearly(clip, players, count)
    if enough.all():
        return clip
    one = Things(clip).one(players, players)
    shown = {int(t): different(one[t], int(players.counts[t])) for t in np.flatnonzero(~enough)}
    most = count if enough.any() else max(map(len, shown.values()))
    for t, things in shown.items():
        enough[t] = len(things) >= most
    found: list[tuple[Ints, Ints, Floats]] = []
    for start, order in _runs(enough):
        rows = players.rows[start, different(one[start], int(players.counts[start]))]
        for t in order:
            here = players.rows[t, : players.counts[t]]
            boxes = moved_along(clip, rows, clip.times[t])
            met = iou(boxes[None], clip.boxes[here][None])[0]
            met *= clip.label[rows][:, None] == clip.label[here]
            lost, following = _matched(met, one[t][shown[t], : len(here)])
            found.append((rows[lost], np.full(len(lost), t), boxes[lost]))
            rows = np.concatenate([rows[lost], here[following]])
    if not found:
        return clip
    row, at, boxes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return add(clip, row, at, boxes)


def _clearly(clip: Clip, players: Cast, count: int) -> Bools:
    """(T,): frames that show so many things that nobody could take two of them for one."""
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
    return found


def _runs(enough: Bools) -> Iterator[tuple[int, Iterable[int]]]:
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
