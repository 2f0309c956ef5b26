"""Following things by NumPy and SciPy, frame by frame: slow, and short enough to be believed."""

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from sentrack.scene.candidates import Floats, Ints
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
    REMEMBERED,
    SEVERAL,
    STRAY_PER_SECOND,
    Known,
    Seen,
)

Boxes = dict[str, Any]  # arrays by name, with a row for every box


def followed(seen: Seen, step: float, known: Known) -> tuple[Ints, Floats, Floats]:
    """Which thing every box is, how far off, and jerks; see `scene.following.followed`."""
    names = ("time", "label", "centre", "extent", "motion", "colour", "looks", "doubt")
    every: Boxes = {name: getattr(seen, name).copy() for name in names}
    every |= {"true": known.true, "ratio": known.ratio, "off": np.full(len(seen.label), np.nan)}
    every |= {"id": np.full(len(seen.label), -1), "age": np.ones(len(seen.label), np.int64)}
    things, fresh = only(every, slice(0)), 0
    found, off = [np.zeros(0, np.int64)], [np.zeros(0)]
    jerked = np.zeros((len(seen.times), 2))
    before = seen.times[0] - step
    for t, now in enumerate(seen.times):
        boxes = only(every, slice(seen.begin[t], seen.begin[t + 1]))
        again = (things["age"] > 1) | (things["time"] >= before)
        things = only(things, (now - things["time"] <= LOST) & again)
        i, j, shift = assigned(things, boxes, now - before, min(SEVERAL, t), known)
        jerked[t] = shift
        boxes["id"][j] = things["id"][i]
        new = np.flatnonzero(boxes["id"] < 0)
        boxes["id"][new] = fresh + np.arange(len(new))
        fresh += len(new)
        lapse = (now - things["time"][i])[:, None]
        moved = (boxes["centre"][j] - things["centre"][i] - shift) / lapse
        away = moved * lapse - things["motion"][i] * np.minimum(lapse, MOVING)
        size = np.sqrt(np.exp(things["extent"][i]).prod(axis=1))
        reach = size * OFF + (size * OFF_PER_SECOND + STRAY_PER_SECOND) * lapse[:, 0]
        boxes["off"][j] = np.where(things["age"][i] > 1, np.hypot(*away.T) / reach, np.nan)
        share = np.maximum(1 / things["age"][i][:, None], 1 - np.exp(-lapse / MEMORY))
        boxes["motion"][j] = (1 - share) * things["motion"][i] + share * moved
        share = np.maximum(1 / (things["age"][i] + 1), 1 - np.exp(-lapse[:, 0] / REMEMBERED))
        old, new = things["looks"][i], boxes["looks"][j]
        mixed = old + share[:, None, None] * (new - old)
        boxes["looks"][j] = np.where(told(new), np.where(told(old), mixed, new), old)
        boxes["age"][j] += things["age"][i]
        found.append(boxes["id"])
        off.append(boxes["off"])
        things["centre"] += shift
        gone = only(things, np.setdiff1d(np.arange(len(things["id"])), i))
        things = {name: np.concatenate([gone[name], boxes[name]]) for name in every}
        before = now
    return np.concatenate(found), np.concatenate(off), jerked


def only(boxes: Boxes, which: Any) -> Boxes:
    return {name: array[which].copy() for name, array in boxes.items()}


def told(looks: Floats) -> Any:
    """(..., 1, 1): whether looks (..., HALVES, CELLS) are known."""
    return looks.any(axis=(-2, -1), keepdims=True)


def assigned(
    things: Boxes, boxes: Boxes, step: float, old: int, clip: Known
) -> tuple[Ints, Ints, Floats]:
    """Which things (P,) are which boxes (P,) of a frame, and how the picture moved, (2,)."""
    shift = np.zeros(2)
    if not (len(things["id"]) and len(boxes["id"])):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), shift
    lapse = boxes["time"][0] - things["time"]
    going = things["centre"] + things["motion"] * np.minimum(lapse, MOVING)[:, None]
    size = np.sqrt(np.exp(things["extent"]).prod(axis=1))
    reach, soonest = (
        clip.near[things["label"]]
        * (size * OFF + (size * OFF_PER_SECOND + STRAY_PER_SECOND) * each)
        for each in (lapse, step)
    )
    grown = np.abs(boxes["extent"] - things["extent"][:, None]).sum(axis=2)
    paler = np.abs(boxes["colour"] - things["colour"][:, None]).sum(axis=2)
    one, other = things["looks"][:, None], boxes["looks"][None]
    common = np.sqrt(one * other).sum(axis=3)
    unlike = np.sqrt(np.maximum(1 - common, 0)).mean(axis=2)
    stranger = np.maximum(unlike - ALIKE, 0) / (LOOKS + LOOKS_PER_SECOND * lapse)[:, None]
    stranger = np.minimum(stranger, MOST_FOR_LOOKS)
    known_looks = (told(one) & told(other))[..., 0, 0]
    alike = grown / (GROWTH + GROWTH_PER_SECOND * lapse)[:, None]
    alike += np.where(known_looks, stranger, np.nan_to_num(paler) / COLOUR)
    alike += (2 * np.log(reach / soonest) + np.where(lapse > 1.5 * step, clip.lost, 0))[:, None]
    others = clip.births[things["label"]] * 2 * np.pi * soonest**2
    alike += np.minimum(0, ANOTHER_THING_NATS + np.log(others))[:, None]
    once = things["doubt"] + clip.once[things["label"]]
    alike += np.where(things["age"] == 1, once, 0)[:, None]
    true, ratio = things["true"][:, None], boxes["ratio"]
    alike -= np.log((true * ratio + 1 - true) / (0.5 * ratio + 0.5))
    alike += np.where(things["label"][:, None] == boxes["label"], boxes["doubt"], np.inf)
    apart = boxes["centre"] - going[:, None]
    still = alike + np.hypot(*apart.T).T / reach[:, None]
    i, j = matching(still)
    known = np.flatnonzero(things["age"] >= old)
    if np.isin(known[lapse[known] <= 1.5 * step], i, invert=True).sum() < SEVERAL:
        return i, j, shift
    moved = shift
    for wide in (4.0, 1.0):
        off = np.hypot(*(apart[known] - moved).T).T / (wide * reach[known])[:, None]
        a, b = matching(alike[known] + off)
        moved = np.median(apart[known[a], b], axis=0) if len(a) >= SEVERAL else moved
    panned = alike + np.hypot(*(apart - moved).T).T / reach[:, None]
    found = matching(panned)
    if (panned[found] - ANOTHER_THING_NATS).sum() < (still[i, j] - ANOTHER_THING_NATS).sum():
        return *found, moved
    return i, j, shift


def matching(cost: Floats) -> tuple[Ints, Ints]:
    """The assignment of least cost of rows to columns, of pairs that are not unlikely."""
    i, j = linear_sum_assignment(np.minimum(cost, ANOTHER_THING_NATS))
    likely = cost[i, j] < ANOTHER_THING_NATS
    return i[likely], j[likely]
