"""Following things from frame to frame, compiled by Numba; `identity` says by what.

A thing is known by its last box. What it costs that a box continues it is in nats, and more than is
ANOTHER_THING_NATS never pays, or, where things seldom begin, more than that another did just there.
The constants are here because they are compiled in.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sentrack.inference.kernels import ONE, Flat, Int, entry, internal
from sentrack.scene.assignment import cheapest
from sentrack.scene.candidates import Floats, Ints

# Where a box is off from where it was expected: own sizes at once, and per second in between.
OFF, OFF_PER_SECOND = 0.02, 1.2
STRAY_PER_SECOND = 0.05  # frame heights per second, by which even small things may be off
GROWTH = 0.1  # how width and height differ between frames, as logarithms ...
GROWTH_PER_SECOND = 0.2  # ... and more after a second
# How looks differ, as a Hellinger distance: this much tells nothing, and what is more is off by ...
ALIKE = 0.15
LOOKS, LOOKS_PER_SECOND = 0.03, 0.015  # ... so much at once, and more after a second.
# Nats that looks cost at most. Shadow, or a box that takes in more, changes them at once: they tell
# who of several it is, and do not end what goes on plainly.
MOST_FOR_LOOKS = 2.0
REMEMBERED = 1.0  # seconds over which looks are averaged: longer than two take to cross
COLOUR = 0.15  # where looks are not known, how saturation and value of its colour differ
MEMORY = 0.5  # seconds over which motion is averaged
MOVING = 0.5  # seconds for which a thing that is lost goes on as it went
LOST = 1.0  # seconds for which a thing may be lost
ANOTHER_THING_NATS = 8.0  # nats: a box that is less likely than this is that of another thing
SEVERAL: Int = np.int64(3)  # things, seen as often, that must agree on how the picture moved


class Seen(NamedTuple):
    """All boxes that are to be followed, frame by frame.

    Attributes:
        times: (T,) seconds.
        begin: (T+1,) where the boxes of a frame begin.
        time: (M,) seconds, when they were seen.
        label: (M,) their classes.
        centre: (M, 2) in frame heights.
        extent: (M, 2) logarithms of width and height in frame heights.
        motion: (M, 2) frame heights per second, without that of the picture.
        colour: (M, 2) saturation and value, NaN where unknown.
        looks: (M, HALVES, CELLS) what part of each half is of each colour; 0 where unknown.
        doubt: (M,) nats by which what is there falls short of a sure detection.
    """

    times: Floats
    begin: Ints
    time: Floats
    label: Ints
    centre: Floats
    extent: Floats
    motion: Floats
    colour: Floats
    looks: Floats
    doubt: Floats


class Known(NamedTuple):
    """What is known of a clip while its things are followed; see `clutter`.

    Attributes:
        lost: nats that it costs a thing not to have been detected in the frame before.
        births: (classes,) how many things of a class begin in a frame, per squared frame height.
        once: (classes,) nats that it costs to go on, for what was seen but once.
        near: (classes,) the factor by which boxes are nearer to where they are expected.
        true: (M,) the probability that a thing is no clutter, by its scores until this box.
        ratio: (M,) how much likelier scores from this box on are of a thing than of clutter.
    """

    lost: float
    births: Floats
    once: Floats
    near: Floats
    true: Floats
    ratio: Floats


class _Things(NamedTuple):
    """What is known of things when they were last seen, in the row of that box.

    Attributes:
        centre: (M, 2) in frame heights, moved with the picture since.
        motion: (M, 2) frame heights per second, averaged, without that of the picture.
        age: (M,) number of boxes.
        looks: (M, HALVES, CELLS) averaged; 0 where unknown.
    """

    centre: Flat
    motion: Flat
    age: Flat
    looks: Flat


class _Expected(NamedTuple):
    """What A things are expected to be like in a frame of B boxes.

    Attributes:
        age: (A,) number of boxes of the things.
        apart: (A, B, 2) frame heights from where a thing is expected to where a box is.
        reach: (A,) frame heights, by which things may be off.
        alike: (A, B) nats, that a box costs as a thing wherever it is.
    """

    age: Flat
    apart: Flat
    reach: Flat
    alike: Flat


@entry
def followed(seen: Any, step: float, known: Any) -> Any:
    """Which thing, from 0 on, every box is, (M,); and how far it was from where it was expected.

    That is (M,) in what things may be off before anything is known; NaN where the thing had not
    been seen twice before. Last, (T, 2), by how much the picture jerked in every frame.

    Args:
        seen: the boxes.
        step: seconds between frames, for the first.
        known: what is known of the clip.
    """
    M = len(seen.label)
    id, off, many = np.full(M, -1), np.full(M, np.nan), 0
    jerked = np.zeros((len(seen.times), 2))
    age = np.ones(M, np.int64)
    things = _Things(seen.centre.copy(), seen.motion.copy(), age, seen.looks.copy())
    last, count = np.empty(M, np.int64), 0  # the last boxes of things that are followed
    before = seen.times[0] - step
    for t in range(len(seen.times)):
        now = seen.times[t]
        # What was seen but once, and not again at once, was seen by mistake.
        kept = 0
        for n in range(count):
            i = last[n]
            if now - seen.time[i] <= LOST and (things.age[i] > 1 or seen.time[i] >= before):
                last[kept] = i
                kept += 1
        count, kept = kept, 0
        if not count and seen.begin[t] == seen.begin[t + 1]:
            before = now
            continue
        expected = _expected(seen, things, last[:count], t, now - before, known)
        box, shift = _assigned(seen, things, last[:count], t, now - before, expected)
        for x in range(2):  # a row at once would take a second more to compile
            jerked[t, x] = shift[x]
        for n in range(count):
            i = last[n]
            if box[n] < 0:
                for x in range(2):
                    things.centre[i, x] += shift[x]
                last[kept] = i
                kept += 1
            else:
                j = seen.begin[t] + box[n]
                id[j] = id[i]
                if things.age[i] > 1:
                    apart = expected.apart[n, box[n]] - shift
                    reach = expected.reach[n] / known.near[seen.label[i]]
                    off[j] = math.hypot(apart[0], apart[1]) / reach
                _continue(things, i, j, now - seen.time[i], shift)
        for j in range(seen.begin[t], seen.begin[t + 1]):
            if id[j] < 0:
                id[j] = many
                many += 1
            last[kept] = j
            kept += 1
        count, before = kept, now
    return id, off, jerked


@internal
def _continue(things: Any, i: Int, j: Int, lapse: float, shift: Flat) -> None:
    """Let box j be the last of a thing whose last was i.

    Args:
        things: what is followed.
        i: the box before.
        j: the box.
        lapse: seconds in between.
        shift: (2,) by which the picture moved.
    """
    share = max(1 / things.age[i], 1 - math.exp(-lapse / MEMORY))
    for x in range(2):
        moved = (things.centre[j, x] - things.centre[i, x] - shift[x]) / lapse
        things.motion[j, x] = things.motion[i, x] + share * (moved - things.motion[i, x])
    if things.looks[i].any():
        known = things.looks[j].any()
        share = max(1 / (things.age[i] + 1), 1 - math.exp(-lapse / REMEMBERED)) if known else 0.0
        for half in range(things.looks.shape[1]):
            for cell in range(things.looks.shape[2]):
                before = things.looks[i, half, cell]
                things.looks[j, half, cell] = before + share * (
                    things.looks[j, half, cell] - before
                )
    things.age[j] += things.age[i]


@internal
def _assigned(seen: Any, things: Any, last: Flat, t: Int, step: float, expected: Any) -> Any:
    """Which box of a frame, from 0 on, things (A,) are, -1 for none; how the picture moved, (2,).

    Args:
        seen: the boxes.
        things: what is followed.
        last: (A,) the last boxes of the things.
        t: the frame.
        step: seconds since the frame before.
        expected: what they are expected to be like.
    """
    shift, gone = np.zeros(2), 0
    old = min(SEVERAL, t)  # in the first frames nothing can be older
    box, cost = _matching(expected, ONE, shift, 1.0)
    for n, i in enumerate(last):
        known = things.age[i] >= old
        if known and box[n] < 0 and seen.times[t] - seen.time[i] <= 1.5 * step:
            gone += 1
    if gone < SEVERAL:
        return box, shift
    # Several are lost at once: perhaps the picture moved, if that makes more of what is seen.
    moved = shift
    for wide in (4.0, 1.0):
        moved = _middle(expected, _matching(expected, old, moved, wide)[0], moved)
    panned, then = _matching(expected, ONE, moved, 1.0)
    return (panned, moved) if then < cost else (box, shift)


@internal
def _expected(seen: Any, things: Any, last: Flat, t: Int, step: float, known: Any) -> Any:
    """What things are expected to be like in a frame; see `_assigned` and `followed`."""
    first = seen.begin[t]
    A, B = len(last), seen.begin[t + 1] - first
    apart, reach, alike = np.empty((A, B, 2)), np.empty(A), np.full((A, B), np.inf)
    age = np.empty(A, np.int64)
    for n, i in enumerate(last):
        age[n], lapse = things.age[i], seen.times[t] - seen.time[i]
        ahead = min(lapse, MOVING)
        size = math.exp((seen.extent[i, 0] + seen.extent[i, 1]) / 2)
        astray, near = size * OFF_PER_SECOND + STRAY_PER_SECOND, known.near[seen.label[i]]
        reach[n] = near * (size * OFF + astray * lapse)
        # A box that is late is expected in a larger place, where it is less likely at each point:
        # the density is exp(-off / reach) / (2 pi reach²).
        soonest = near * (size * OFF + astray * step)
        later = 2 * math.log(reach[n] / soonest)
        # Where fewer others begin than that constant is worth, it is they that are less likely.
        others = 2 * math.pi * soonest * soonest * known.births[seen.label[i]]
        later += min(0.0, ANOTHER_THING_NATS + math.log(others))
        if lapse > 1.5 * step:
            later += known.lost
        if things.age[i] == 1:
            # What was seen but once may not be there at all.
            later += seen.doubt[i] + known.once[seen.label[i]]
        growth = 1 / (GROWTH + GROWTH_PER_SECOND * lapse)
        strange = 1 / (LOOKS + LOOKS_PER_SECOND * lapse)
        for b in range(B):
            j = first + b
            if seen.label[i] != seen.label[j]:
                continue
            grown = paler = 0.0
            for x in range(2):
                going = things.centre[i, x] + things.motion[i, x] * ahead
                apart[n, b, x] = seen.centre[j, x] - going
                grown += abs(seen.extent[j, x] - seen.extent[i, x])
                paler += abs(seen.colour[j, x] - seen.colour[i, x])
            alike[n, b] = later + seen.doubt[j] + grown * growth
            # Things and clutter are taken for equally many: scores only tell which go together.
            same = known.true[i] * (known.ratio[j] - 1) + 1
            alike[n, b] -= math.log(2 * same / (known.ratio[j] + 1))
            if alike[n, b] >= ANOTHER_THING_NATS:
                continue
            other = unlike(things.looks[i], seen.looks[j])
            if other >= 0:
                alike[n, b] += min(max(other - ALIKE, 0.0) * strange, MOST_FOR_LOOKS)
            elif not math.isnan(paler):
                alike[n, b] += paler / COLOUR
    return _Expected(age, apart, reach, alike)


@internal
def unlike(first: Flat, second: Flat) -> float:
    """The mean Hellinger distance of the halves of what is seen; -1 where that is not known.

    Args:
        first: (HALVES, CELLS) what part of each half is of each colour.
        second: (HALVES, CELLS).
    """
    total, one, other = 0.0, 0.0, 0.0
    for half in range(len(first)):
        common = 0.0
        for cell in range(first.shape[1]):
            common += math.sqrt(first[half, cell] * second[half, cell])
            one += first[half, cell]
            other += second[half, cell]
        total += math.sqrt(max(1.0 - common, 0.0))
    return total / len(first) if one > 0.0 and other > 0.0 else -1.0


@internal
def _matching(expected: Any, age: Int, shift: Flat, wide: float) -> Any:
    """Which box things (A,) are, -1 for none, and what that costs, less than if all were others.

    Args:
        expected: what things are expected to be like.
        age: the least of a thing that may have a box.
        shift: (2,) by how much more they moved than was expected.
        wide: the factor by which they may be further off.
    """
    cost = np.full(expected.alike.shape, np.inf)
    for n in range(len(cost)):
        if expected.age[n] < age:
            continue
        near = 1 / (wide * expected.reach[n])
        for b in range(cost.shape[1]):
            if expected.alike[n, b] < ANOTHER_THING_NATS:
                x, y = expected.apart[n, b, 0] - shift[0], expected.apart[n, b, 1] - shift[1]
                cost[n, b] = expected.alike[n, b] + near * math.sqrt(x * x + y * y)
    box, total = cheapest(cost, ANOTHER_THING_NATS), 0.0
    for n, b in enumerate(box):
        if b >= 0:
            total += cost[n, b] - ANOTHER_THING_NATS
    return box, total


@internal
def _middle(expected: Any, box: Flat, moved: Flat) -> Any:
    """(2,): the median of how much more than expected things moved; `moved` if there are few.

    Args:
        expected: what things are expected to be like.
        box: (A,) which box they are, -1 for none.
        moved: (2,) what was thought before.
    """
    middle, ordered = np.empty(2), np.empty(len(box))
    for x in range(2):
        many = 0
        for n, b in enumerate(box):
            if b >= 0:
                place = many
                while place and ordered[place - 1] > expected.apart[n, b, x]:
                    ordered[place] = ordered[place - 1]
                    place -= 1
                ordered[place] = expected.apart[n, b, x]
                many += 1
        if many < SEVERAL:
            return moved
        middle[x] = (ordered[(many - 1) // 2] + ordered[many // 2]) / 2
    return middle
