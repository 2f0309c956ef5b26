"""What a sentence can reach at most in clips whose things are known: a bound for search.

Where things have been followed, and no word looks at whether they are there, a participant is one
thing from the first frame of an interval to its last. A moment is then one of some things, a tuple
with one for every participant, in the frames that show all of them. Each tuple is bounded by
itself: one word goes through its states exactly, while the others say in every frame as much as any
of their states does. The least of the words counts, and the best of the tuples.

What is cheap comes first: a thing is ruled out by what it is worth if words that look at others,
too, say as much as they ever do; then a tuple by what its things are worth together; and only of
those that are left is anything measured between things. Many clips are bounded at a time.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sentrack.inference import best_intervals_of_runs, best_run_sums
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon, WordModel
from sentrack.objective.bounds import SLACK, Bounds
from sentrack.objective.chain import LEAST_SECONDS
from sentrack.objective.interval_problem import LONGEST_STATE, frame_cost, interval_chains
from sentrack.objective.joint_chains import JointChain
from sentrack.objective.thing_tuples import Lives, Tuples, begins, parts, ranges, runs, together
from sentrack.scene import PRESENCE, JoinedTables, Scene, ThingTable, table_of
from sentrack.vision import Floats, Ints

MOST = 4_000_000  # tuples; where there may be more, choices are bounded frame by frame
LOOSE = 1e-12  # what sums of many frames may be off by, relative to the largest


def most_of(scene: Scene, lexicon: Lexicon, least: float) -> float:
    """Nats that an interval of a scene can score at most; -inf if it cannot reach `least`."""
    table = table_of(scene.measured) if scene.measured.identity else None
    bound = np.nan if table is None else most_of_things([table], scene.meaning, lexicon, least)[0]
    if np.isnan(bound):
        bound = Bounds(scene).over(0, scene.clip.T)
    return float(bound) if bound >= least else -np.inf


@dataclass(frozen=True, order=True)
class Window:
    """Frames outside of which no interval scores as much as is asked.

    Attributes:
        first: frame.
        last: the one after the last.
        bound: nats that an interval within them can score at most.
    """

    first: int
    last: int
    bound: float


def windows_of(scene: Scene, lexicon: Lexicon, least: float) -> list[Window]:
    """Where the intervals of a scene are that score `least` or more, each in one window.

    Windows are in order and have no frame in common.
    """
    table = table_of(scene.measured) if scene.measured.identity else None
    found = None
    if table is not None and _decide(scene.models, lexicon):
        found = _Clips([table], scene.meaning, scene.models, lexicon).windows(least)
    if found is None:
        found = [Window(0, scene.clip.T, Bounds(scene).over(0, scene.clip.T))]
    return [window for window in found if window.bound >= least]


def most_of_things(
    tables: Sequence[ThingTable], meaning: Meaning, lexicon: Lexicon, least: float
) -> Floats:
    """(C,): the same for every clip of which there is a table; NaN where things do not decide.

    Args:
        tables: of the clips; of the classes that the nouns name at least.
        meaning: what was said.
        lexicon: what its words mean.
        least: nats.
    """
    models = tuple(lexicon.model(word.word, word.part) for word in meaning.words)
    found = np.full(len(tables), np.nan)
    if not _decide(models, lexicon):
        return found
    alike = defaultdict[tuple[object, ...], list[int]](list)
    for n, table in enumerate(tables):
        alike[_kind(table, meaning, models)].append(n)
    for members in alike.values():
        waiting = [members]
        while waiting:
            part = waiting.pop()
            some = _Clips([tables[n] for n in part], meaning, models, lexicon)
            bounds = some.most(least)
            if bounds is not None:
                found[part] = bounds
            elif len(part) > 1:
                waiting += [part[: len(part) // 2], part[len(part) // 2 :]]
    return found


def _decide(models: Sequence[WordModel], lexicon: Lexicon) -> bool:
    """Whether a participant is one thing, there in every frame of an interval."""
    return lexicon.identity and not any(model.roles_of(PRESENCE) for model in models)


def _kind(table: ThingTable, meaning: Meaning, models: Sequence[WordModel]) -> tuple[object, ...]:
    """What tables have in common whose words have the same chains and the same features."""
    lasting = [LEAST_SECONDS, *(max(m.seconds) for m in models if m.seconds is not None)]
    states = max((model.K for model in models), default=1)
    # In so many frames all that words last at least, or at most, has room.
    enough = LONGEST_STATE * max(lasting) / table.seconds + 1
    enough *= states * max(1, len(meaning.order))
    aspect = table.size[0] / table.size[1]
    return table.seconds, min(table.T, enough), aspect, table.fps, table.hands


class _Worth(NamedTuple):
    """What things are worth whoever else takes part.

    Attributes:
        own: per participant, (M,) what each row is worth as it.
        more: what words about several say of a frame at most, less what it costs.
    """

    own: list[Floats]
    more: float


class _Clips:
    """Clips whose words have the same chains.

    Args:
        tables: of their things.
        meaning: what was said.
        models: of its words.
        lexicon: what nouns name.
    """

    def __init__(
        self,
        tables: Sequence[ThingTable],
        meaning: Meaning,
        models: tuple[WordModel, ...],
        lexicon: Lexicon,
    ) -> None:
        self._measured = JoinedTables(tables)
        self._scene = Scene(meaning, models, (), self._measured)
        self._cost = frame_cost(self._scene)
        # Words that look at nothing are worth nothing here, and constraints nothing at best.
        chains = interval_chains(self._scene)
        self._words = [each for each in chains if any(models[w].observed for w in each.words)]
        self._tables = tables
        self._named = [
            [lexicon.named(p.noun, table.classes) for table in tables] for p in meaning.participants
        ]

    def most(self, least: float) -> Floats | None:
        """(C,): what each can reach, -inf if not `least`; None if there are too many tuples."""
        prepared = self._prepared(least)
        if prepared is None:
            return None
        lives, tuples, worth = prepared
        best = np.full(len(self._tables), -np.inf)
        for some in parts(tuples):
            clip = lives[0].clip[some.chosen[:, 0]]
            # Only a tuple that may do better than those before it changes anything.
            wanted = np.maximum(best[clip], least)
            kept = self._alone(lives, some, worth) >= wanted
            if kept.any():
                bounds, _ = self._bounds(*runs(lives, some.only(kept)), wanted[kept])
                np.maximum.at(best, clip[kept], bounds)
        return np.where(best >= least, best, -np.inf)

    def windows(self, least: float) -> list[Window] | None:
        """Of one clip; None if there are too many tuples."""
        prepared = self._prepared(least)
        if prepared is None:
            return None
        lives, tuples, worth = prepared
        most = np.full(self._tables[0].T, -np.inf)  # of intervals that a frame is in
        inner = np.zeros(len(most), dtype=np.bool_)  # whether one goes on in the next frame
        for some in parts(tuples):
            some = some.only(self._alone(lives, some, worth) >= least)
            if not len(some.low):
                continue
            rows, begin = runs(lives, some)
            bounds, total = self._bounds(rows, begin, np.full(len(some.low), least))
            length = np.diff(begin)
            alive = (_reached(total, begin) >= least) & np.repeat(bounds >= least, length)
            frame = ranges(some.low, length)
            np.maximum.at(most, frame[alive], np.repeat(bounds, length)[alive])
            same = np.append(alive[1:], False)
            same[begin[1:] - 1] = False
            inner[frame[alive & same]] = True
        ends = np.flatnonzero((most > -np.inf) & ~inner) + 1
        starts = np.flatnonzero((most > -np.inf) & ~np.append(False, inner[:-1]))
        return [
            Window(int(first), int(last), float(most[first:last].max()))
            for first, last in zip(starts, ends, strict=True)
        ]

    def _prepared(self, least: float) -> tuple[list[Lives], Tuples, _Worth] | None:
        """The things that may be in a moment by themselves, and all tuples of them."""
        models = self._scene.models
        worth = [max(_most_told(models[w]), 0.0) for w in range(len(models))]
        lives, own = list[Lives](), list[Floats]()
        for i in range(len(self._named)):
            everybody = self._lives(i)
            words = [each for each in self._words if each.participants == (i,)]
            rows = ranges(everybody.offset, everybody.last - everybody.first + 1)
            told = self._worth(rows, words)
            others = sum(worth) - sum(worth[w] for each in words for w in each.words)
            sums = best_run_sums(told + (others - self._cost), begins(everybody))
            lives.append(everybody.only(_loosened(sums) >= least))
            own.append(np.zeros(len(self._measured.column("score"))))
            own[-1][rows] = told
        tuples = self._tuples(lives)
        shared = [each for each in self._words if len(each.participants) != 1]
        more = sum(worth[w] for each in shared for w in each.words)
        return None if tuples is None else (lives, tuples, _Worth(own, more - self._cost))

    def _alone(self, lives: Sequence[Lives], tuples: Tuples, worth: _Worth) -> Floats:
        """(N,): what tuples can score if words about several things say as much as they ever do."""
        rows, begin = runs(lives, tuples)
        total = np.sum([own[r] for own, r in zip(worth.own, rows, strict=True)], axis=0)
        return _loosened(best_run_sums(total + worth.more, begin))

    def _lives(self, participant: int) -> Lives:
        """The things that a participant may be."""
        found, things, frames, rows = list[Ints](), 0, 0, 0
        for c, (table, named) in enumerate(
            zip(self._tables, self._named[participant], strict=True)
        ):
            known = [table.classes.index(name) for name in named]
            which = np.flatnonzero(np.isin(table.label, known))
            ends = np.cumsum(table.lengths)
            offset = rows + (ends - table.lengths)[which]
            first, last = frames + table.first[which], frames + table.last[which]
            found.append(np.stack([things + which, np.full(len(which), c), first, last, offset]))
            things, frames = things + len(table.label), frames + table.T
            rows += int(ends[-1]) if len(ends) else 0
        return Lives(*np.concatenate(found, axis=1))

    def _worth(self, rows: Ints, words: Sequence[JointChain]) -> Floats:
        """(P,): what things are worth by themselves: their scores, and the most of such words."""
        total = self._measured.column("score")[rows].astype(np.float64)
        for each in words:
            total += self._told(each, (rows,)).max(axis=1)
        return np.asarray(total)

    def _told(self, each: JointChain, rows: Sequence[Ints]) -> Floats:
        """(P, N): what words tell of their participants, given the rows (P,) of each of these."""
        sets = [self._measured.chosen(own) for own in rows]
        candidates = dict(zip(each.participants, sets, strict=True))
        everybody = range(len(self._named))
        alone = replace(
            self._scene, candidates=tuple(candidates.get(i, sets[0]) for i in everybody)
        )
        told = each.told(alone, against_background=True)
        return told.reshape(*told.shape[:2])

    def _tuples(self, lives: Sequence[Lives]) -> Tuples | None:
        """All tuples of things; None where there may be too many."""
        low, high = lives[0].first, lives[0].last
        chosen = np.arange(len(low))[:, None]
        for i, each in enumerate(lives[1:], 1):
            pairs = together(low, high, each.first, each.last, MOST)
            if pairs is None:
                return None
            before, other = pairs
            fits = np.ones(len(before), dtype=np.bool_)
            for j in range(i):
                if (j, i) in self._scene.meaning.distinct:
                    fits &= lives[j].thing[chosen[before, j]] != each.thing[other]
            before, other = before[fits], other[fits]
            low = np.maximum(low[before], each.first[other])
            high = np.minimum(high[before], each.last[other])
            chosen = np.hstack([chosen[before], other[:, None]])
        return Tuples(chosen, low, high)

    def _bounds(self, rows: Sequence[Ints], begin: Ints, least: Floats) -> tuple[Floats, Floats]:
        """(N,): what tuples can score, given runs of rows; any bound where it is not `least`.

        And (P,) what their frames are worth at most.
        """
        words = [
            (each.chain, self._told(each, [rows[p] for p in each.participants]))
            for each in self._words
        ]
        score = self._measured.column("score")
        sure = [score[own].astype(np.float64) for own in rows]
        loosest = [told.max(axis=1) for _, told in words]
        total = np.sum([*sure, *loosest], axis=0) - self._cost
        best = _loosened(best_run_sums(total, begin))
        for (chain, told), own in zip(words, loosest, strict=True):
            wanted = best >= least
            if not wanted.any():
                break
            terms = told + (total - own)[:, None]
            reached, _, _ = best_intervals_of_runs(
                chain.initial, chain.transition, chain.state, chain.final, terms, begin, wanted
            )
            best = np.minimum(best, _loosened(reached))
        return best, total


def _reached(value: Floats, begin: Ints) -> Floats:
    """(P,): the largest sum of values (P,) of successive frames of a run that a frame is among.

    It may be a little more; and where it is below 0, more than that.
    """
    # What no sum makes up for need not be lower.
    value = np.maximum(value, -np.maximum(value, 0.0).sum() - 1)
    total = np.concatenate([[0.0], np.cumsum(value)])
    # All runs on one axis, each so far below the one before that it begins anew.
    apart = 2 * (np.abs(total).max() + 1) * np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    lowest = np.minimum.accumulate(total[:-1] - apart) + apart
    highest = np.maximum.accumulate((total[1:] - apart)[::-1])[::-1] + apart
    return np.asarray(highest - lowest + LOOSE * (1 + apart.max(initial=0.0)))


def _most_told(model: WordModel) -> float:
    """Nats by which a word beats the background in any frame at most."""
    if not model.observed:
        return 0.0
    tables = model.tables()
    h = np.sum([table.max() for _, table in tables])
    most = float(model.noisy(h)) if len(tables) > 1 else float(h)
    return most - model.background + SLACK


def _loosened(bound: Floats) -> Floats:
    """A little more than bounds: sums of the same terms in another order differ."""
    size = np.where(np.isfinite(bound), np.maximum(1.0, np.abs(bound)), 0.0)
    return np.asarray(bound + SLACK * size)
