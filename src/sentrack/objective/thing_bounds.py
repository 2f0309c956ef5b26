"""What a sentence can reach at most in a clip whose things are known: a bound for search.

Where things have been followed, and no word looks at whether they are there, a participant is one
thing from the first frame of an interval to its last. A moment is then one of some things, a tuple
with one for every participant, in the frames that show all of them. Each tuple is bounded by
itself: one word goes through its states exactly, while the others say in every frame as much as any
of their states does. The least of the words counts, and the best of the tuples.
"""

from dataclasses import dataclass, replace

import numpy as np

from sentrack.inference import best_run_scores, best_run_sums
from sentrack.objective.bounds import SLACK, Bounds
from sentrack.objective.chain import Chain
from sentrack.objective.interval_problem import frame_cost, interval_chains
from sentrack.scene import PRESENCE, Scene
from sentrack.vision import Floats, Ints

MOST = 4_000_000  # frames of all tuples; where there are more, choices are bounded frame by frame


def most_of(scene: Scene, least: float) -> float:
    """Nats that an interval of a scene can score at most; -inf if it cannot reach `least`."""
    tuples = _tuples(scene)
    if tuples is None:
        bound = Bounds(scene).over(0, scene.clip.T)
        return bound if bound >= least else -np.inf
    return _most(scene, tuples, least)


@dataclass(frozen=True, eq=False)
class _Runs:
    """Runs of frames, each of which shows a tuple of things.

    Attributes:
        rows: per participant, (P,) its detection in every frame of every run, as a row of the clip.
        begin: (N + 1,) where the runs begin.
    """

    rows: tuple[Ints, ...]
    begin: Ints


@dataclass(frozen=True, eq=False)
class _Lives:
    """The things that a participant may be.

    Attributes:
        rows: (M,) their detections by thing, then by frame, as rows of the clip.
        id: (A,) of the things.
        first: (A,) the first frame of each.
        last: (A,) the last.
        offset: (A,) where the rows of each begin.
    """

    rows: Ints
    id: Ints
    first: Ints
    last: Ints
    offset: Ints


def _lives(scene: Scene, participant: int) -> _Lives | None:
    """Nothing if a thing is not seen in every frame from its first to its last, once."""
    clip, players = scene.clip, scene.candidates[participant]
    rows = players.rows[players.real]
    rows = rows[clip.id[rows] >= 0]
    frame = clip.frame_of[rows]
    order = np.lexsort((frame, clip.id[rows]))
    rows, frame = rows[order], frame[order]
    id, offset, count = np.unique(clip.id[rows], return_index=True, return_counts=True)
    first, last = frame[offset], frame[offset + count - 1]
    if (last - first + 1 != count).any():
        return None
    return _Lives(rows, id, first, last, offset)


def _tuples(scene: Scene) -> _Runs | None:
    """All tuples of things; None where things do not decide, or there are too many."""
    if not scene.measured.identity or any(model.roles_of(PRESENCE) for model in scene.models):
        return None
    lives = [_lives(scene, i) for i in range(len(scene.candidates))]
    known = [each for each in lives if each is not None]
    if len(known) < len(lives):
        return None
    low, high = known[0].first, known[0].last
    chosen = np.arange(len(low))[:, None]
    for i, each in enumerate(known[1:], 1):
        if len(low) * len(each.id) > MOST:
            return None
        begin = np.maximum(low[:, None], each.first)
        end = np.minimum(high[:, None], each.last)
        fits = begin <= end
        for j in range(i):
            if (j, i) in scene.meaning.distinct:
                fits &= known[j].id[chosen[:, j]][:, None] != each.id
        before, other = np.nonzero(fits)
        low, high = begin[before, other], end[before, other]
        chosen = np.hstack([chosen[before], other[:, None]])
    length = high - low + 1
    if length.sum() > MOST:
        return None
    begin = np.concatenate([[0], np.cumsum(length)])
    frame = np.arange(begin[-1]) - np.repeat(begin[:-1] - low, length)
    rows = []
    for i, each in enumerate(known):
        shift = (each.offset - each.first)[chosen[:, i]]
        rows.append(each.rows[np.repeat(shift, length) + frame])
    return _Runs(tuple(rows), begin)


def _most(scene: Scene, runs: _Runs, least: float) -> float:
    if len(runs.begin) == 1:
        return -np.inf
    alone = replace(scene, candidates=tuple(scene.measured.chosen(rows) for rows in runs.rows))
    words: list[tuple[Chain, Floats]] = []
    for each in interval_chains(scene):
        # Words that look at nothing are worth nothing here, and constraints nothing at best.
        if any(scene.models[w].observed for w in each.words):
            told = each.told(alone, against_background=True)
            words.append((each.chain, told.reshape(*told.shape[:2])))
    participants = range(len(runs.rows))
    sure = [alone.scores(i, against_background=True)[:, 0] for i in participants]
    loosest = [told.max(axis=1) for _, told in words]
    total = np.sum([*sure, *loosest], axis=0) - frame_cost(scene)
    best = _loosened(best_run_sums(total, runs.begin))
    for (chain, told), own in zip(words, loosest, strict=True):
        wanted = best >= least
        if not wanted.any():
            return -np.inf
        before, after = np.nonzero(chain.transition > -np.inf)
        moves = before, after, chain.transition[before, after]
        leave = np.where(chain.final, 0.0, -np.inf)
        reached = best_run_scores(
            told, total - own, runs.begin, wanted, chain.state, chain.initial, moves, leave
        )
        best = np.minimum(best, _loosened(reached))
    most = float(best.max())
    return most if most >= least else -np.inf


def _loosened(bound: Floats) -> Floats:
    """A little more than bounds: sums of the same terms in another order differ."""
    size = np.where(np.isfinite(bound), np.maximum(1.0, np.abs(bound)), 0.0)
    return np.asarray(bound + SLACK * size)
