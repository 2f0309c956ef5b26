"""Windows of some dozen frames are closed one by one, and joined by states of words.

What tracks do is bound to what is near in time; the state of a word may be bound to what happens
long before and after. So windows are first bounded whatever the words' states at their ends. Where
the best assignments of two windows that meet disagree on the state of a word, windows are bounded
for each state of it, and the best way through all windows is one recursion over them. Only what is
on the best way is looked at more closely, until nothing on it is uncertain any more.
"""

import itertools
import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from sentrack.inference.limits import in_threads
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.methods.mending import improved
from sentrack.inference.methods.window import EFFORT, Close, Edge, Ends, Window
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.solution import closes
from sentrack.inference.structures import Bools, Floats, Ints
from sentrack.inference.windows import cut

# Frames of a window that is made of two, at most.
LONGEST = 160
# Frames on either side of a seam in which an answer is mended.
RADIUS = 12
# Looks that a window gets before words are told apart, or windows are made one.
PATIENCE = 2
# Operations of a sweep from which on a window is large.
LARGE = 2e7
# Looks that go on at a time at least, where there is so much to look at.
SIDE_BY_SIDE = 4
# Where more pairs of states at a window's ends may lead to a better answer, it is not asked for
# each of them which labels do.
MANY = 8
# Joint states of words at a seam, at most.
JOINT = 81
# Of the gap, by how much the first guess of the best score is below the bound; each further one
# by twice that.
STEP = 1 / 8


class Ways(NamedTuple):
    """The best ways through all windows, by the joint states of words where these meet.

    Attributes:
        tables: (Q, Q') of every window, a bound of its assignments with these states at its ends.
        before: (Q,) at every end, the best of all windows before it; the first is [0].
        after: (Q,) at every end, the best of all windows after it; the last is [0].
    """

    tables: list[Floats]
    before: list[Floats]
    after: list[Floats]

    def rest(self, w: int) -> Floats:
        """(Q, Q') the best of all windows but w, given the states at its ends."""
        return np.asarray(self.before[w][:, None] + self.after[w + 1])

    def best(self) -> list[int]:
        """The joint states of the best way, at every end."""
        here, path = 0, [0]
        for w, table in enumerate(self.tables):
            here = int((table[here] + self.after[w + 1]).argmax())
            path.append(here)
        return path


class WindowSearch:
    """The windows of a relaxation, and how they are joined.

    Args:
        relaxation: of all frames, as it was swept.
        search: the best answer known.
        close: looks for the best assignment of a relaxation.

    Attributes:
        bound: of all assignments.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        search: ComponentSearch,
        close: Close,
        seams: list[int],
        told: list[int],
    ) -> None:
        self._relaxation, self._search, self._close = relaxation, search, close
        self._terms, self.bound = relaxation.terms, relaxation.upper_bound
        self._seams = seams
        self._windows = in_threads(self._window, cut(relaxation, self._seams))
        self._tables: dict[Window, tuple[tuple[int, bool, int], Floats]] = {}
        # Chains of states that are told apart at seams, and looks that a window gets.
        self.told = told
        self._patience = PATIENCE

    def join(self) -> None:
        """Find the best way through all windows.

        Suppose that the best answer scores more than some threshold. Then little is left of each
        window, and closing it costs little. If there is none, the threshold is lowered.
        """
        if not self.told:
            self.told += self._disagreeing([w.swept() for w in self._windows])
        threshold, share, answered = math.inf, STEP / 2.0, False
        while True:
            ways = self._ways()
            total = float(ways.before[-1][0])
            self.bound = min(self.bound, total)
            if closes(self._search.score, self.bound):
                return
            if total <= threshold + self._terms.rounding:
                share *= 2.0
                threshold = total - share * (total - self._search.score)
            threshold = max(threshold, self._search.score)
            path = ways.best()
            looked = self._look_along(path, ways, threshold)
            if not looked or not answered:
                answered = self._answer(path)
            if not looked:
                more = self._disagreeing(self._assignments(path))
                if more:
                    self.told += more
                    threshold, share = math.inf, STEP / 2.0
                elif self._patience < len(EFFORT) and self._left(path) > STEP * (
                    total - self._search.score
                ):
                    self._patience += 1
                elif self._unite(ways, path):
                    # The gap is small by now.
                    threshold, self._patience = self._search.score, PATIENCE
                else:
                    return

    def refine(self) -> None:
        """Look once at all states at ends that may lead to a better answer than the one known."""
        looked = True
        while looked:
            ways = self._ways()
            self.bound = min(self.bound, float(ways.before[-1][0]))
            looked = any(in_threads(partial(self._look_at_new, ways), self._every))

    def survivors(self) -> Bools:
        """Labels (laid out like the nodes) that a better assignment than the known may use."""
        terms, first = self._terms, 0
        keep = np.ones(terms.node.size, dtype=np.bool_)
        ways = self._ways()
        for end, t in enumerate(self._seams, 1):
            through = ways.before[end] + ways.after[end]
            states = self._states(end)[through > self._search.score - terms.rounding]
            for c, possible in zip(self.told, states.T, strict=True):
                cell = slice(terms.node_at[c, t], terms.node_at[c, t] + terms.sizes[c, t])
                keep[cell] = np.isin(terms.label[cell], possible)
        of_windows = in_threads(partial(self._survivors_of, ways), self._every)
        for window, own in zip(self._windows, of_windows, strict=True):
            part = window.relaxation.terms
            for c in range(terms.chain.size):
                size, at = int(part.sizes[c].sum()), int(terms.node_at[c, first])
                keep[at : at + size] &= own[part.node_at[c, 0] :][:size]
            first += part.sizes.shape[1] - 1
        return keep

    def better_seams(self) -> list[int]:
        """Seams without those in which windows along the best way disagree.

        Where there are none, and all has been tried in windows, every second one.
        """
        differ = self._differ(self._ways().best())
        if not differ and self._patience == len(EFFORT):
            return self._seams[1::2]
        return [t for w, t in enumerate(self._seams) if w not in differ]

    def _differ(self, path: list[int]) -> list[int]:
        """Seams, by number, in which windows along the path have different labels, or none."""
        found = self._assignments(path)
        return [
            w
            for w, (left, right) in enumerate(itertools.pairwise(found))
            if left is None or right is None or (left[:, -1] != right[:, 0]).any()
        ]

    @property
    def _every(self) -> range:
        """The windows by number."""
        return range(len(self._windows))

    def _window(self, part: Relaxation) -> Window:
        return Window(part, self._close)

    def _look_along(self, path: list[int], ways: Ways, threshold: float) -> bool:
        """Look at windows with the states of the path at their ends; whether there were any left.

        Where these are few, cores that are left look at what is best besides. A large window is
        looked at by itself, for its sweeps take all cores.
        """
        pairs = zip(self._every, itertools.pairwise(path), strict=True)
        looks = [(w, i, j) for w, (i, j) in pairs if self._open(ways, threshold, w, i, j)]
        large = len(looks) == 1 and self._windows[looks[0][0]].relaxation.cost > LARGE
        if 0 < len(looks) < SIDE_BY_SIDE and not large:
            others = self._best_besides(ways, threshold, {w for w, _, _ in looks})
            looks += others[: SIDE_BY_SIDE - len(looks)]
        in_threads(partial(self._look_at, ways, threshold), looks)
        return bool(looks)

    def _best_besides(
        self, ways: Ways, threshold: float, busy: set[int]
    ) -> list[tuple[int, int, int]]:
        """Of every other window the states at its ends that are best, and may be above."""
        found = []
        for w in self._every:
            if w in busy:
                continue
            through = ways.rest(w) + ways.tables[w]
            for place in np.argsort(through, axis=None)[: -SIDE_BY_SIDE - 1 : -1].tolist():
                i, j = divmod(place, through.shape[1])
                if through[i, j] > threshold and self._open(ways, threshold, w, i, j):
                    found.append((float(through[i, j]), w, i, j))
                    break
        return [(w, i, j) for _, w, i, j in sorted(found, reverse=True)]

    def _open(self, ways: Ways, threshold: float, w: int, i: int, j: int) -> bool:
        """Whether a look at a window with these states at its ends may tell more."""
        floor = threshold - float(ways.rest(w)[i, j])
        edge = self._windows[w].known(self._ends(w, i, j))
        if edge is not None and edge.settled(floor, self._patience):
            return False
        return not self._known(w, i, j)

    def _look_at(self, ways: Ways, threshold: float, look: tuple[int, int, int]) -> None:
        w, i, j = look
        self._look(w, i, j, threshold - float(ways.rest(w)[i, j]))

    def _look_at_new(self, ways: Ways, w: int) -> bool:
        """Look at a window with all states at its ends that may be better and are new."""
        looked, better = False, self._better(ways, w)
        for i, j, floor in better if len(better) <= MANY else ():
            if self._windows[w].edge(self._ends(w, i, j)).looks == 0:
                looked |= self._look(w, i, j, floor)
        return looked

    def _survivors_of(self, ways: Ways, w: int) -> Bools:
        """Labels (laid out like a window's nodes) that a better assignment may use."""
        window = self._windows[w]
        size, better = window.relaxation.terms.node.size, self._better(ways, w)
        own: Bools = np.full(size, len(better) > MANY)
        for i, j, floor in better if len(better) <= MANY else ():
            own |= window.survivors(Edge(self._ends(w, i, j)), floor)
        return own

    def _better(self, ways: Ways, w: int) -> list[tuple[int, int, float]]:
        """States at a window's ends that may be better than the known, if above what score."""
        score, rest = self._search.score - self._terms.rounding, ways.rest(w)
        possible = np.argwhere(rest + ways.tables[w] > score).tolist()
        return [(i, j, score - float(rest[i, j])) for i, j in possible]

    def _look(self, w: int, i: int, j: int, floor: float) -> bool:
        """Look at a window with these states at its ends, unless that is settled."""
        window = self._windows[w]
        if self._known(w, i, j):
            return False
        edge = window.edge(self._ends(w, i, j))
        if edge.settled(floor, self._patience):
            return False
        window.look(edge, floor)
        return True

    def _known(self, w: int, i: int, j: int) -> bool:
        """Whether the best assignment of a window with these states at its ends is known."""
        return any(e.closed and self._is_at(e, w, i, j) for e in self._windows[w].edges)

    def _left(self, path: list[int]) -> float:
        """By how much the bounds of windows along the path are above their best assignments."""
        ways, left = self._ways(), 0.0
        for w, (i, j) in enumerate(itertools.pairwise(path)):
            known = [edge.score for edge in self._windows[w].edges if self._is_at(edge, w, i, j)]
            left += float(ways.tables[w][i, j]) - max(known, default=-math.inf)
        return left

    def _assignments(self, path: list[int]) -> list[Ints | None]:
        """The best known assignment of every window with the states of the path at its ends."""
        found: list[Ints | None] = []
        for w, (i, j) in enumerate(itertools.pairwise(path)):
            edges = [edge for edge in self._windows[w].edges if self._is_at(edge, w, i, j)]
            found.append(max(edges, key=lambda edge: edge.score).labels if edges else None)
        return found

    def _is_at(self, edge: Edge, w: int, i: int, j: int) -> bool:
        """Whether the labels of an edge have these states at the ends of the window."""
        first, last = self._ends(w, i, j)
        labels = edge.labels
        return labels is not None and (
            all(labels[c, 0] == label for c, label in first.items())
            and all(labels[c, -1] == label for c, label in last.items())
        )

    def _ways(self) -> Ways:
        tables = [self._table(w) for w in self._every]
        before, after = [np.zeros(1)], [np.zeros(1)]
        for table in tables:
            before.append((before[-1][:, None] + table).max(axis=0))
        for table in reversed(tables):
            after.append((table + after[-1]).max(axis=1))
        return Ways(tables, before, after[::-1])

    def _table(self, w: int) -> Floats:
        """(Q, Q') what is known of a window; made anew only where more is known than before."""
        window = self._windows[w]
        known = (len(self.told), w == len(self._windows) - 1, window.changes)
        if window not in self._tables or self._tables[window][0] != known:
            table = self._rough(w)
            for edge in window.edges:
                here = np.ix_(self._match(w, edge.ends[0]), self._match(w + 1, edge.ends[1]))
                table[here] = np.minimum(table[here], edge.bound)
            self._tables[window] = known, table
        return self._tables[window][1]

    def _rough(self, w: int) -> Floats:
        """(Q, Q') what the lattices of a window score at most."""
        window, last = self._windows[w], len(self._windows) - 1
        table = np.full((1, 1), window.constant)
        for c, values in window.rough.items():
            if c not in self.told:
                table = table + values.max()
        for c in self.told:
            values = window.rough[c]
            values = values if w > 0 else values.max(axis=0, keepdims=True)
            values = values if w < last else values.max(axis=1, keepdims=True)
            pairs = table[:, None, :, None] + values[None, :, None, :]
            table = pairs.reshape(pairs.shape[0] * pairs.shape[1], -1)
        return table

    def _states(self, end: int) -> Ints:
        """(Q, n) the joint states that are told apart at an end, in labels of the problem."""
        if end in (0, len(self._windows)) or not self.told:
            return np.zeros((1, 0), dtype=np.int64)
        terms, t = self._terms, self._seams[end - 1]
        starts = [(int(terms.node_at[c, t]), int(terms.sizes[c, t])) for c in self.told]
        labels = [terms.label[at : at + size].tolist() for at, size in starts]
        return np.array(list(itertools.product(*labels)), dtype=np.int64)

    def _ends(self, w: int, i: int, j: int) -> Ends:
        return self._ends_between(w, w + 1, i, j)

    def _ends_between(self, begin: int, end: int, i: int, j: int) -> Ends:
        first, last = self._states(begin)[i].tolist(), self._states(end)[j].tolist()
        return (
            dict(zip(self.told, first, strict=False)),
            dict(zip(self.told, last, strict=False)),
        )

    def _match(self, end: int, fixed: dict[int, int]) -> Ints:
        """The joint states at an end with these states of some words."""
        states = self._states(end)
        match = np.ones(len(states), dtype=np.bool_)
        for c, label in fixed.items():
            match &= states[:, self.told.index(c)] == label
        return np.flatnonzero(match)

    def _disagreeing(self, found: Sequence[Ints | None]) -> list[int]:
        """Chains of states that windows disagree on; none if they would be too many together.

        Given an assignment of every window, as far as there is one.
        """
        words = np.flatnonzero(self._terms.chain >= self._terms.L).tolist()
        more = [
            c
            for c in words
            if any(
                left is not None and right is not None and left[c, -1] != right[c, 0]
                for left, right in itertools.pairwise(found)
            )
        ]
        joint = self._terms.sizes[[*self.told, *more]][:, self._seams].prod(axis=0)
        return more if joint.max(initial=1) <= JOINT else []

    def _unite(self, ways: Ways, path: list[int]) -> bool:
        """Make one of two windows whose best assignments do not meet in the same labels.

        What is known of both holds for the one. False if there are none, or they are long.
        """
        differ = self._differ(path)
        ends = [0, *self._seams, self._terms.sizes.shape[1] - 1]
        gone: list[int] = []
        for w in differ:
            if ends[w + 2] - ends[w] <= LONGEST and w - 1 not in gone:
                gone.append(w)
        if not gone:
            return False
        known = [
            [
                Edge(self._ends_between(w, w + 2, i, j), bound)
                for (i, j), bound in np.ndenumerate(_through(ways.tables[w], ways.tables[w + 1]))
            ]
            for w in gone
        ]
        others = [t for w, t in enumerate(self._seams) if w not in gone]
        parts = cut(self._relaxation, others, [w - k for k, w in enumerate(gone)])
        windows = dict(enumerate(self._windows))
        for w, edges, united in zip(gone, known, in_threads(self._window, parts), strict=True):
            united.learn(edges)
            windows[w] = united
            del windows[w + 1]
        self._seams, self._windows = others, list(windows.values())
        return True

    def _answer(self, path: list[int]) -> bool:
        """Put the windows' assignments together, mend them where they meet, and improve them.

        False if there is none of some window.
        """
        found: list[Ints] = []
        for window, labels in zip(self._windows, self._assignments(path), strict=True):
            edges = [edge for edge in window.edges if edge.labels is not None]
            if labels is None and edges:
                labels = max(edges, key=lambda edge: edge.score).labels
            if labels is None:
                return False
            found.append(labels)
        labels = np.concatenate([found[0], *(part[:, 1:] for part in found[1:])], axis=1)
        last = self._terms.sizes.shape[1] - 1
        for t, (left, right) in zip(self._seams, itertools.pairwise(found), strict=True):
            if (left[:, -1] != right[:, 0]).any():
                near = max(0, t - RADIUS), min(last, t + RADIUS)
                labels = improved(self._relaxation, self._close, labels, [near])
        self._search.climb_from(labels)
        return True

    def improve(self) -> None:
        """Seek a better answer between every second seam, and then between the others."""
        ends = [0, *self._seams, self._terms.sizes.shape[1] - 1]
        for first in (0, 1):
            spans = list(itertools.pairwise(ends[first::2]))
            labels = improved(self._relaxation, self._close, self._search.labels, spans)
            self._search.climb_from(labels)


def _through(left: Floats, right: Floats) -> Floats:
    """(Q, Q') the best of two tables together, whatever the states between them."""
    return np.asarray((left[:, :, None] + right).max(axis=1))
