"""What a sentence can reach at most in a clip whose things are known: a bound for search.

Where things have been followed, and no word looks at whether they are there, a participant is one
thing from the first frame of an interval to its last. A moment is then one of some things, a tuple
with one for every participant, in the frames that show all of them. Each tuple is bounded by
itself: one word goes through its states exactly, while the others say in every frame as much as any
of their states does. The least of the words counts, and the best of the tuples.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentrack.inference import best_intervals_of_runs, best_run_sums
from sentrack.objective.bounds import SLACK, Bounds
from sentrack.objective.chain import Chain
from sentrack.objective.interval_problem import frame_cost, interval_chains
from sentrack.scene import PRESENCE, Scene
from sentrack.vision import Floats, Ints

MOST = 4_000_000  # tuples; where there may be more, choices are bounded frame by frame
AT_ONCE = 500_000  # frames of tuples that are bounded at a time, or those of one tuple


def most_of(scene: Scene, least: float) -> float:
    """Nats that an interval of a scene can score at most; -inf if it cannot reach `least`."""
    lives = _all_lives(scene)
    tuples = None if lives is None else _tuples(scene, lives)
    if lives is None or tuples is None:
        bound = Bounds(scene).over(0, scene.clip.T)
        return bound if bound >= least else -np.inf
    # Only a tuple that may do better than those before it changes anything.
    best = -np.inf
    ends = np.cumsum(tuples.high - tuples.low + 1)
    for part in np.split(np.arange(len(ends)), np.flatnonzero(np.diff(ends // AT_ONCE)) + 1):
        if len(part):
            best = max(best, _most(scene, _runs(lives, tuples, part), max(best, least)))
    return best


@dataclass(frozen=True, eq=False)
class _Tuples:
    """N tuples of things that are seen together.

    Attributes:
        chosen: (N, L) the thing of every participant.
        low: (N,) the first frame that shows them all.
        high: (N,) the last.
    """

    chosen: Ints
    low: Ints
    high: Ints


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


def _all_lives(scene: Scene) -> list[_Lives] | None:
    """Per participant, what it may be; None where things do not decide."""
    if not scene.measured.identity or any(model.roles_of(PRESENCE) for model in scene.models):
        return None
    lives = [_lives(scene, i) for i in range(len(scene.candidates))]
    known = [each for each in lives if each is not None]
    return known if len(known) == len(lives) else None


def _tuples(scene: Scene, lives: Sequence[_Lives]) -> _Tuples | None:
    """All tuples of things; None where there may be too many."""
    low, high = lives[0].first, lives[0].last
    chosen = np.arange(len(low))[:, None]
    for i, each in enumerate(lives[1:], 1):
        if len(low) * len(each.id) > MOST:
            return None
        begin = np.maximum(low[:, None], each.first)
        end = np.minimum(high[:, None], each.last)
        fits = begin <= end
        for j in range(i):
            if (j, i) in scene.meaning.distinct:
                fits &= lives[j].id[chosen[:, j]][:, None] != each.id
        before, other = np.nonzero(fits)
        low, high = begin[before, other], end[before, other]
        chosen = np.hstack([chosen[before], other[:, None]])
    return _Tuples(chosen, low, high)


def _runs(lives: Sequence[_Lives], tuples: _Tuples, part: Ints) -> _Runs:
    """The frames of some tuples."""
    low, length = tuples.low[part], (tuples.high - tuples.low + 1)[part]
    begin = np.concatenate([[0], np.cumsum(length)])
    frame = np.arange(begin[-1]) - np.repeat(begin[:-1] - low, length)
    rows = []
    for i, each in enumerate(lives):
        shift = (each.offset - each.first)[tuples.chosen[part, i]]
        rows.append(each.rows[np.repeat(shift, length) + frame])
    return _Runs(tuple(rows), begin)


def _most(scene: Scene, runs: _Runs, least: float) -> float:
    """What the best of some tuples can score; -inf if none can reach `least`."""
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
        terms = told + (total - own)[:, None]
        reached, _, _ = best_intervals_of_runs(
            chain.initial, chain.transition, chain.state, chain.final, terms, runs.begin, wanted
        )
        best = np.minimum(best, _loosened(reached))
    most = float(best.max())
    return most if most >= least else -np.inf


def _loosened(bound: Floats) -> Floats:
    """A little more than bounds: sums of the same terms in another order differ."""
    size = np.where(np.isfinite(bound), np.maximum(1.0, np.abs(bound)), 0.0)
    return np.asarray(bound + SLACK * size)
