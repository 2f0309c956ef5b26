"""Linking: pieces of things, between which they were missed, for all of a clip at once.

Who follows things frame by frame decides where each is lost before it is seen again. Here they are
cut at every gap. A piece is continued by another, is the first or the last of a thing, or clutter,
so that all of it together is as probable as can be: a flow of least cost (Zhang, Li and Nevatia,
2008), here as one assignment, in which clutter is what continues itself. How often things are lost
and for how long, how many begin and end, and what clutter is like is counted in what was found, and
it is found again by that.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sentrack.inference.kernels import Flat, entry, internal
from sentrack.scene.assignment import cheapest_of
from sentrack.scene.candidates import Floats, Ints
from sentrack.scene.clutter import FAINTEST, FEW, Kinds
from sentrack.scene.following import (
    ALIKE,
    ANOTHER_THING_NATS,
    COLOUR,
    GROWTH,
    GROWTH_PER_SECOND,
    LOOKS,
    LOOKS_PER_SECOND,
    LOST,
    MEMORY,
    MOST_FOR_LOOKS,
    MOVING,
    OFF,
    OFF_PER_SECOND,
    STRAY_PER_SECOND,
    Seen,
    unlike,
)

# Before that is known of a clip:
OFTEN = 0.02  # of the boxes of a thing, after which a detector misses it
STAY = 10.0  # seconds that a thing is there
GUESSES = 20  # rounds of estimation, of what is clutter by scores alone
ROUNDS = 20  # at most, each of which knows what the one before found


class Pieces(NamedTuple):
    """Boxes of things in frames that follow each other, in the order in which they begin.

    Attributes:
        box: (M,) the piece of every box.
        many: (P,) number of boxes.
        odds: (P,) mean log odds that these are true, by their scores.
        squared: (P,) mean squares of the same.
        ends: (P, 2) first and last frame.
        time: (P, 2) seconds, of these.
        place: (P, 2, 2) centres of the first and of the last box, in frame heights, less what the
            picture jerked.
        going: (P, 2, 2) motion there, in frame heights per second.
        extent: (P, 2, 2) of these boxes, as in `Seen`.
        size: (P, 2) their sides' geometric mean, in frame heights.
        colour: (P, 2, 2) of these boxes, as in `Seen`.
        looks: (P, HALVES, CELLS) averaged; 0 where unknown.
    """

    box: Ints
    many: Ints
    odds: Floats
    squared: Floats
    ends: Ints
    time: Floats
    place: Floats
    going: Floats
    extent: Floats
    size: Floats
    colour: Floats
    looks: Floats


class Pairs(NamedTuple):
    """Pieces of which one may continue the other.

    Attributes:
        first: (E,) ascending.
        second: (E,).
        fit: (E,) log density of such a piece where the second begins, per squared frame height.
    """

    first: Ints
    second: Ints
    fit: Floats


class Linked(NamedTuple):
    """What pieces are.

    Attributes:
        after: (P,) the piece that continues each, -1 for none.
        clutter: (P,) the probability that it is clutter.
    """

    after: Ints
    clutter: Floats


class _Chances(NamedTuple):
    """What is known of a clip.

    Attributes:
        lost: the probability that a box of a thing is the last one before a gap.
        ended: the same, of all.
        gaps: (G,) frames for which things were lost.
        begun: things that begin, per frame and squared frame height.
        there: things in a frame, per squared frame height.
        clutter: pieces of clutter that begin, per frame and squared frame height.
        once: the part of clutter that is one box.
        over: the probability that the next box is the last, of the other.
    """

    lost: float
    ended: float
    gaps: Ints
    begun: float
    there: float
    clutter: float
    once: float
    over: float


def linked(
    seen: Seen,
    frame: Ints,
    id: Ints,
    odds: Floats,
    jerked: Floats,
    kinds: Kinds,
    near: float,
    picture: float,
) -> Ints:
    """(M,): which thing, from 0 on, the boxes of a class are.

    Args:
        seen: the boxes, all of one class.
        frame: (M,) ascending.
        id: (M,) which thing they were found to be, frame by frame.
        odds: (M,) log odds that they are true, by their scores.
        jerked: (T, 2) by how much the picture jerked in every frame.
        kinds: what true and false boxes score, by that.
        near: the factor by which boxes are nearer to where they are expected.
        picture: width of a frame in frame heights.
    """
    pieces = _pieces(seen, frame, id, odds, jerked)
    pairs, P = _pairs(pieces, near), len(pieces.many)
    found = Linked(np.full(P, -1), _guessed(pieces, kinds, seen.label[0]))
    chances = _counted(pieces, found, seen.times, picture, guessed=True)
    for _ in range(ROUNDS):
        before = found
        found = _assigned(pieces, pairs, chances, _told(pieces, found.clutter), len(seen.times))
        if np.array_equal(found.after, before.after):
            break
        chances = _counted(pieces, found, seen.times, picture)
    root, own = np.arange(P), np.flatnonzero(found.after >= 0)
    root[found.after[own]] = own
    while (root[root] != root).any():
        root = root[root]
    return np.asarray(np.unique(root, return_inverse=True)[1][pieces.box])


def _pieces(seen: Seen, frame: Ints, id: Ints, odds: Floats, jerked: Floats) -> Pieces:
    """Cut things at every gap; see `linked`."""
    order = np.lexsort((frame, id))
    cut = (np.diff(id[order], prepend=-1) != 0) | (np.diff(frame[order], prepend=-2) != 1)
    own, first = np.cumsum(cut) - 1, np.flatnonzero(cut)
    last = np.append(first[1:], len(order)) - 1
    place = seen.centre - np.cumsum(jerked, axis=0)[frame]
    going = [_slopes(seen.time[order], place[order], own, first, at) for at in (first, last)]

    def mean(values: Floats, count: Any) -> Floats:
        return np.asarray(np.add.reduceat(values, first) / count)

    count, looks = last - first + 1, seen.looks[order]
    known = np.add.reduceat(looks.any(axis=(1, 2)), first, dtype=np.int64)
    rank = np.argsort(order[first])  # boxes are in the order of frames
    box = np.empty(len(order), np.int64)
    box[order] = np.argsort(rank)[own]
    ends = np.stack([order[first], order[last]], axis=1)[rank]
    return Pieces(
        box,
        count[rank],
        mean(odds[order], count)[rank],
        mean(odds[order] ** 2, count)[rank],
        frame[ends],
        seen.time[ends],
        place[ends],
        np.stack(going, axis=1)[rank],
        seen.extent[ends],
        np.exp(seen.extent[ends].mean(axis=2)),
        seen.colour[ends],
        mean(looks, np.maximum(known, 1)[:, None, None])[rank],
    )


def _slopes(time: Floats, place: Floats, own: Ints, first: Ints, at: Ints) -> Floats:
    """(P, 2): motion within MEMORY seconds of one end of pieces.

    Boxes are off by OFF of their size, and things move by OFF_PER_SECOND of it: a few boxes tell
    little.

    Args:
        time: (M,) of boxes, piece by piece.
        place: (M, 2) of them.
        own: (M,) the piece of each.
        first: (P,) the first box of pieces.
        at: (P,) the one at that end.
    """
    near = (np.abs(time - time[at][own]) <= MEMORY)[:, None]
    t, x = (time - time[first][own])[:, None], place - place[first][own]
    n, st, sx, stt, stx = (
        np.add.reduceat(near * each, first) for each in (np.ones_like(t), t, x, t * t, t * x)
    )
    return np.asarray((stx - st * sx / n) / (stt - st * st / n + (OFF / OFF_PER_SECOND) ** 2))


def _pairs(pieces: Pieces, near: float) -> Pairs:
    """Who may continue whom: what begins within LOST after the other ended, and is like it."""
    begin = np.searchsorted(pieces.ends[:, 0], pieces.ends[:, 1], side="right")
    end = np.searchsorted(pieces.time[:, 0], pieces.time[:, 1] + LOST, side="right")
    return Pairs(*_fitting(pieces, begin, end, near))


@internal
def _longer(values: Flat) -> Flat:
    """(2N,): the values (N,), and room for as many."""
    found = np.empty(2 * len(values), values.dtype)
    for n in range(len(values)):
        found[n] = values[n]
    return found


@entry
def _fitting(pieces: Any, begin: Flat, end: Flat, near: float) -> Any:
    """(E,) three times: `Pairs`.

    Args:
        pieces: the pieces.
        begin: (P,) the first piece that is late enough to continue each.
        end: (P,) the first that is too late.
        near: see `linked`.
    """
    P, count = len(begin), 0
    first, second, fit = np.empty(P, np.int64), np.empty(P, np.int64), np.empty(P)
    for p in range(P):
        for q in range(begin[p], end[p]):
            lapse = pieces.time[q, 0] - pieces.time[p, 1]
            ahead = min(lapse, MOVING)
            size = math.sqrt(pieces.size[p, 1] * pieces.size[q, 0])
            reach = near * (size * OFF + (size * OFF_PER_SECOND + STRAY_PER_SECOND) * lapse)
            # Where the one was going, and where the other came from.
            on = back = grown = paler = 0.0
            for x in range(2):
                moved = pieces.place[q, 0, x] - pieces.place[p, 1, x]
                on += (moved - pieces.going[p, 1, x] * ahead) ** 2
                back += (moved - pieces.going[q, 0, x] * ahead) ** 2
            cost = (math.sqrt(on) + math.sqrt(back)) / (2 * reach)
            # What is less likely, at both ends, never pays.
            if not cost < 2 * ANOTHER_THING_NATS:
                continue
            for x in range(2):
                grown += abs(pieces.extent[q, 0, x] - pieces.extent[p, 1, x])
                paler += abs(pieces.colour[q, 0, x] - pieces.colour[p, 1, x])
            cost += grown / (GROWTH + GROWTH_PER_SECOND * lapse)
            other = unlike(pieces.looks[p], pieces.looks[q])
            if other >= 0:
                strange = (other - ALIKE) / (LOOKS + LOOKS_PER_SECOND * lapse)
                cost += min(max(strange, 0.0), MOST_FOR_LOOKS)
            elif not math.isnan(paler):
                cost += paler / COLOUR
            if count == len(fit):
                first, second, fit = _longer(first), _longer(second), _longer(fit)
            first[count], second[count] = p, q
            fit[count] = -cost - math.log(2 * math.pi * reach * reach)
            count += 1
    return first[:count].copy(), second[:count].copy(), fit[:count].copy()


def _guessed(pieces: Pieces, kinds: Kinds, label: int) -> Floats:
    """(P,): the probability of clutter by scores; where these tell nothing, that is one box."""
    told = kinds.told(np.full_like(pieces.many, label), pieces.odds, pieces.many)
    false = np.empty(len(told))
    for own, supposed in ((pieces.many == 1, 1 - FAINTEST), (pieces.many > 1, FAINTEST)):
        share = supposed
        for _ in range(GUESSES):
            odds = told[own] + math.log((1 - share) / share)
            false[own] = np.exp(-np.logaddexp(0.0, odds))
            share = (false[own].sum() + supposed) / (np.count_nonzero(own) + 1)
    return false


def _counted(
    pieces: Pieces, found: Linked, times: Floats, picture: float, guessed: bool = False
) -> _Chances:
    """What is known of a clip when its pieces have been linked.

    Args:
        pieces: the pieces.
        found: what they are.
        times: (T,) seconds.
        picture: see `linked`.
        guessed: that they have not been: one half of what begins and ends was lost.
    """
    T, count, (begin, end) = len(times), pieces.many, pieces.ends.T
    stay = STAY * (T - 1) / float(times[-1] - times[0]) if T > 1 else 1.0
    false, true = found.clutter, 1 - found.clutter
    own = np.flatnonzero(found.after >= 0)
    gaps = begin[found.after[own]] - end[own] - 1
    gaps = gaps[gaps > 0]
    boxes, ended = float(true @ count), float(true[end < T - 1].sum()) - len(own)
    begun, lost = float(true[begin > 0].sum()) - len(own), float(len(gaps))
    if guessed:
        lost, ended, begun = ended / 2, ended / 2, begun / 2
    span = picture * (T + stay / max(count.sum() / T, 1.0))
    more = false * (count > 1)
    return _Chances(
        lost=(lost + 1) / (boxes + 1 / OFTEN),
        ended=(ended + 1) / (boxes + stay),
        gaps=gaps,
        begun=(begun + 1) / span,
        there=max(boxes, 1.0) / T / picture,
        clutter=(false.sum() + 1) / span,
        once=(false.sum() - more.sum() + 1) / (false.sum() + 2),
        over=(more.sum() + 1) / (more @ (count - 1) + 2),
    )


def _told(pieces: Pieces, clutter: Floats) -> Floats:
    """(P,): nats by which pieces are rather true, by their scores and those of clutter (P,)."""
    weights = pieces.many * clutter, pieces.many * (1 - clutter)
    if min(each.sum() for each in weights) < FEW:
        return np.zeros(len(clutter))
    false, true = (np.average(pieces.odds, weights=each) for each in weights)
    variance = 0.1
    for mean, weight in zip((false, true), weights, strict=True):
        squares = pieces.squared - 2 * mean * pieces.odds + mean**2
        variance += weight @ squares / pieces.many.sum()
    own = (np.array([each]) for each in (false, max(false, true), variance, 0.0))
    return Kinds(*own).told(np.zeros_like(pieces.many), pieces.odds, pieces.many)


def _assigned(pieces: Pieces, pairs: Pairs, chances: _Chances, told: Floats, T: int) -> Linked:
    """What pieces are, so that all of it is most probable.

    Where every piece begins and ends a thing of its own, nothing is gained. That one continues
    another gains by what it is more probable than that this one ends and that one begins; to be
    clutter, by what it is more probable than all of a thing.

    Args:
        pieces: the pieces.
        pairs: who may continue whom.
        chances: what is known of the clip.
        told: (P,) nats by which pieces are rather true, by their scores.
        T: number of frames.
    """
    (begin, end), count, every = pieces.ends.T, pieces.many, np.arange(len(told))
    more = math.log(max(1 - chances.lost - chances.ended, FAINTEST))
    ends = np.where(end < T - 1, math.log(chances.ended), 0.0)
    begins = np.where(begin > 0, math.log(chances.begun), math.log(chances.there))
    between = begin[pairs.second] - end[pairs.first] - 1
    late = math.log(chances.lost) + _late(chances.gaps, int(between.max(initial=0)))
    goes_on = np.append(more, late)[between]
    gain = pairs.fit + goes_on - begins[pairs.second] - ends[pairs.first]
    lasting = math.log1p(-chances.once) + math.log(chances.over)
    lasts = lasting + (count - 2) * math.log1p(-chances.over)
    false = math.log(chances.clutter) + np.where(count == 1, math.log(chances.once), lasts)
    cost = np.append(-gain, told + (count - 1) * more + begins + ends - false)
    row, column = np.append(pairs.first, every), np.append(pairs.second, every)
    kept = np.flatnonzero(cost < 0)
    kept = kept[np.argsort(row[kept], kind="stable")]
    start = np.searchsorted(row[kept], np.arange(len(told) + 1))
    after = cheapest_of(start, column[kept], cost[kept], len(told))
    clutter = after == every
    return Linked(np.where(clutter, -1, after), clutter.astype(np.float64))


def _late(gaps: Ints, most: int) -> Floats:
    """(most,): the log probabilities that a thing is lost for 1, 2, ... frames.

    Every frame finds it again with a chance of which nothing is known but other gaps (G,), in
    frames: what its uniform distribution becomes by them.
    """
    found, missed = len(gaps) + 1, int(gaps.sum()) - len(gaps) + 1
    n = np.arange(1, most)
    steps = np.log((missed + n - 1) / (found + missed + n))
    return np.cumsum(np.append(math.log(found / (found + missed)), steps))[:most]
