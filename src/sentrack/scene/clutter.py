"""Clutter: boxes that nothing continues, and what they tell of things that score as they do.

A detector that sees what is not there does so again and again, so that the false boxes of a clip
are known by those that were seen but once: some of the others score as these do, and are false too,
however long they last. Scores are told by their log odds, of one spread for true and false.
"""

from typing import NamedTuple

import numpy as np

from sentrack.vision import Clip, Floats, Ints

FAINTEST = 0.01  # a probability below this is taken for this, and one that is as near to 1
SUREST = 1e6  # log odds beyond all that margins mean, whose squares can still be added up
FEW = 5  # boxes that were seen but once, from which on they tell something
INDEPENDENT = 5  # scores of a thing tell as much as so many, for they go together
MOST = 3.0  # nats that scores tell at most: what it costs not to be seen at all
ROUNDS = 20  # of estimation


class Kinds(NamedTuple):
    """What true and false boxes of C classes score, as log odds.

    Attributes:
        false: (C,) mean of clutter.
        true: (C,) mean of what is there; that of clutter where little is known of it.
        variance: (C,) of a score.
        share: (C,) of clutter among boxes; 0 where little is known of it.
    """

    false: Floats
    true: Floats
    variance: Floats
    share: Floats

    def told(self, label: Ints, mean: Floats, count: Ints) -> Floats:
        """(M,): nats by which classes (M,) that score so, in so many boxes, are rather true."""
        false, true = self.false[label], self.true[label]
        middle, apart = (false + true) / 2, true - false
        enough = np.minimum(count, INDEPENDENT)
        return np.asarray(enough * apart * (mean - middle) / self.variance[label])


def log_odds(clip: Clip) -> Floats:
    """(N,): the log odds that detections are true, by their scores alone."""
    if margins(clip):
        return np.clip(6.0 * np.clip(clip.score, -SUREST, SUREST), -SUREST, SUREST)
    score = np.clip(clip.score, FAINTEST, 1 - FAINTEST)
    return np.log(score) - np.log1p(-score)


def margins(clip: Clip) -> bool:
    """Whether scores are raw margins, and no probabilities."""
    return bool(clip.score.size and (clip.score.min() < 0 or clip.score.max() > 1))


def kinds_of(label: Ints, odds: Floats, id: Ints, C: int) -> Kinds:
    """What true and false boxes score.

    Clutter is what was seen but once. Others are true or score as that does, by expectation and
    maximisation over things.

    Args:
        label: (M,) classes of boxes.
        odds: (M,) their log odds.
        id: (M,) which thing they are.
        C: number of classes.
    """
    _, first, thing, count = np.unique(
        id, return_index=True, return_inverse=True, return_counts=True
    )
    kinds = Kinds(np.zeros(C), np.zeros(C), np.ones(C), np.zeros(C))
    once, mean, kind = count[thing] == 1, np.bincount(thing, odds) / count, label[first]
    for c in np.unique(label[once]):
        alone, lasting = odds[once & (label == c)], (count > 1) & (kind == c)
        if len(alone) < FEW or not lasting.any():
            continue
        kinds.share[c] = len(alone) / (label == c).sum()
        kinds.false[c], kinds.variance[c] = alone.mean(), alone.var() + 0.1
        many, scored = count[lasting], mean[lasting]
        kinds.true[c], odds_of_true = scored[many >= min(INDEPENDENT, many.max())].max(), 0.0
        for _ in range(ROUNDS):
            told = kinds.told(kind[lasting], scored, many) + odds_of_true
            weight = many * np.exp(-np.logaddexp(0.0, -told))
            kinds.true[c] = weight @ scored / weight.sum()
            odds_of_true = np.log((weight.sum() + 1) / ((many - weight).sum() + 1))
        kinds.true[c] = max(kinds.true[c], kinds.false[c])
    return kinds


def by_scores(
    kinds: Kinds, label: Ints, odds: Floats, frame: Ints, id: Ints, window: int
) -> tuple[Floats, Floats]:
    """(M,) twice: nats by which things are rather true, by scores up to each box and from it on.

    Only boxes of successive frames are taken together, for after a gap it may be another.

    Args:
        kinds: what boxes score.
        label: (M,) classes of boxes.
        odds: (M,) their log odds.
        frame: (M,) ascending.
        id: (M,) which thing they are.
        window: most frames that are looked at.
    """
    order = np.lexsort((frame, id))
    here, total = np.arange(len(id)), np.concatenate([[0.0], np.cumsum(odds[order])])
    begin = (np.diff(id[order], prepend=-1) != 0) | (np.diff(frame[order], prepend=-1) != 1)
    begins, run = np.flatnonzero(begin), np.cumsum(begin)
    first, last = begins[run - 1], np.append(begins, len(id))[run]

    def told(low: Ints, high: Ints) -> Floats:
        found = np.empty(len(id))
        mean = (total[high] - total[low]) / (high - low)
        found[order] = kinds.told(label[order], mean, high - low)
        return np.clip(found, -MOST, MOST)

    past = told(np.maximum(first, here + 1 - window), here + 1)
    return past, told(here, np.minimum(last, here + window))


def genuine(clip: Clip) -> Floats:
    """(N,): the log probability that detections show no clutter, by all scores of their things.

    It is 0 where it is not known which thing they show, or where little was seen but once.
    """
    found = np.zeros(len(clip.id))
    rows = np.flatnonzero((clip.id >= 0) & ~clip.projected)
    if not len(rows):
        return found
    label, odds, C = clip.label[rows], log_odds(clip)[rows], len(clip.classes)
    kinds = kinds_of(label, odds, clip.id[rows], C)
    if not kinds.share.any():
        return found
    things, first, thing, count = np.unique(
        clip.id[rows], return_index=True, return_inverse=True, return_counts=True
    )
    label, mean = label[first], np.bincount(thing, odds) / count
    with np.errstate(divide="ignore"):
        before = np.log1p(-kinds.share) - np.log(kinds.share)
    sure = -np.logaddexp(0.0, -(before[label] + kinds.told(label, mean, count)))
    own = np.flatnonzero(np.isin(clip.id, things))
    found[own] = np.maximum(sure, -MOST)[np.searchsorted(things, clip.id[own])]
    return found
