"""Things that are seen together: for a bound, all that the participants of a moment may be.

Frames of all clips are counted through, and so are things and the rows that tell of each thing in
each of its frames.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sentrack.vision import Bools, Ints

AT_ONCE = 50_000  # frames of tuples that are looked at together, or those of one tuple


@dataclass(frozen=True, eq=False)
class Lives:
    """The things that a participant may be, in all clips; frames are counted through them.

    Attributes:
        thing: (A,) which of all things.
        clip: (A,) which of the clips.
        first: (A,) the first frame of each.
        last: (A,) the last.
        offset: (A,) where the rows of each begin.
    """

    thing: Ints
    clip: Ints
    first: Ints
    last: Ints
    offset: Ints

    def only(self, kept: Bools) -> "Lives":
        """Some of them."""
        own = self.thing, self.clip, self.first, self.last, self.offset
        return Lives(*(each[kept] for each in own))


@dataclass(frozen=True, eq=False)
class Tuples:
    """N tuples of things that are seen together.

    Attributes:
        chosen: (N, L) the thing of every participant.
        low: (N,) the first frame that shows them all.
        high: (N,) the last.
    """

    chosen: Ints
    low: Ints
    high: Ints

    def only(self, kept: Bools | Ints) -> "Tuples":
        """Some of them."""
        return Tuples(self.chosen[kept], self.low[kept], self.high[kept])


def together(low: Ints, high: Ints, first: Ints, last: Ints, most: int) -> tuple[Ints, Ints] | None:
    """Which of N intervals have a frame in common with which of M; None if there are too many.

    Of two that do, one begins in the other: things that come and go in the course of a long clip
    are never compared with all others.

    Args:
        low: (N,) where the ones begin.
        high: (N,) their last frames.
        first: (M,) where the others begin.
        last: (M,) their last frames.
        most: pairs.

    Returns:
        (P,) the ones and (P,) the others, sorted.
    """
    by_first, by_low = np.argsort(first, kind="stable"), np.argsort(low, kind="stable")
    # Others that begin in each of the ones, and ones that begin after the start of each other.
    starts = first[by_first]
    inner = np.searchsorted(starts, low), np.searchsorted(starts, high, "right")
    outer = [np.searchsorted(low[by_low], at, "right") for at in (first, last)]
    counts = inner[1] - inner[0], outer[1] - outer[0]
    if sum(int(count.sum()) for count in counts) > most:
        return None
    one = np.repeat(np.arange(len(low)), counts[0])
    other = np.repeat(np.arange(len(first)), counts[1])
    before = np.concatenate([one, by_low[ranges(outer[0], counts[1])]])
    after = np.concatenate([by_first[ranges(inner[0], counts[0])], other])
    order = np.lexsort((after, before))
    return before[order], after[order]


def ranges(begin: Ints, many: Ints) -> Ints:
    """So many numbers from each of some on, one range after the other."""
    return np.asarray(np.arange(many.sum()) + np.repeat(begin - np.cumsum(many) + many, many))


def runs(lives: Sequence[Lives], tuples: Tuples) -> tuple[list[Ints], Ints]:
    """Per participant, (P,) its row in every frame of every tuple; (N + 1,) where these begin."""
    length = tuples.high - tuples.low + 1
    rows = [
        ranges((each.offset - each.first)[tuples.chosen[:, i]] + tuples.low, length)
        for i, each in enumerate(lives)
    ]
    return rows, np.concatenate([[0], np.cumsum(length)])


def parts(tuples: Tuples) -> Iterator[Tuples]:
    """Tuples, some at a time."""
    ends = np.cumsum(tuples.high - tuples.low + 1)
    for part in np.split(np.arange(len(ends)), np.flatnonzero(np.diff(ends // AT_ONCE)) + 1):
        if len(part):
            yield tuples.only(part)


def begins(lives: Lives) -> Ints:
    """(A + 1,): where the rows of things begin, one thing after the other."""
    return np.concatenate([[0], np.cumsum(lives.last - lives.first + 1)])
