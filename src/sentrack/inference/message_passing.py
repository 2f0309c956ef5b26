"""Message passing in lattices that share chains, on both sides of a seam at once.

A seam is a frame in the middle of a long clip. What lattices have learned of the other side becomes
a term of that frame, so that each half of the clip can be improved by itself: every assignment
scores what both halves score together. One sweep passes messages from the seam to both ends of the
clip, the next from the ends to the seam, where the halves become one again.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from sentrack.inference.kernels import announce, decode_all, decode_jointly, sweep_frames
from sentrack.inference.lattices import store_size, sweep_effort, sweep_operations
from sentrack.inference.limits import CHUNK, Limits, in_thread, in_threads
from sentrack.inference.structures import Floats, Ints, Lattices, Terms

# Operations of a sweep from which on a clip has two halves: some milliseconds.
HALVED = 1e7


class Pass(NamedTuple):
    """Messages through some frames, in one direction.

    Attributes:
        call: passes some of these frames, given their numbers as in `sweep_frames`.
        effort: (T,) of every frame, in this direction; see `sweep_effort`.
        begin: frames passed before.
        end: frames passed after it.
    """

    call: Callable[[int, int], object]
    effort: Floats
    begin: int
    end: int


def run_passes(passes: list[Pass], limits: Limits) -> None:
    """Make passes through different frames side by side, with a look at the clock now and then.

    Raises:
        OutOfTime: with the messages half done. Where copies are made to agree, maxima and bounds
            hold all the same, for every frame leaves them true.
    """
    announce(sweep_frames)
    effort = sum(float(p.effort[p.begin : p.end].sum()) for p in passes)
    pieces = math.ceil(effort / (CHUNK * len(passes))) or 1
    edges = [_edges(p, pieces) for p in passes]
    for k in range(pieces):
        with limits.spend(effort / pieces):
            in_threads(partial(_piece, k), list(zip(passes, edges, strict=True)))


def potential(past: Floats, future: Floats) -> Floats:
    """(S,) φ of the joint states of a seam: the frames before get it, those after pay it.

    Of how far the best score through a joint state is below the best of all, either side is told
    one half.

    Args:
        past: (S,) the messages from before.
        future: (S,) the messages from after, with the terms of the seam itself.
    """
    through = past + future
    possible = through > -np.inf
    found = np.full(past.size, -np.inf)
    found[possible] = 0.5 * (future[possible] + (through.max() - past[possible]))
    return found


def _edges(one: Pass, pieces: int) -> list[int]:
    """The frames between pieces of about equal cost."""
    if pieces == 1:
        return [one.begin, one.end]
    done = np.append(0.0, np.cumsum(one.effort[one.begin : one.end]))
    inner = np.searchsorted(done, done[-1] * np.arange(pieces + 1) / pieces)
    return [one.begin + int(i) for i in inner]


def _piece(k: int, work: tuple[Pass, list[int]]) -> None:
    one, edges = work
    if edges[k] < edges[k + 1]:
        one.call(edges[k], edges[k + 1])


class MessagePassing:
    """Messages in lattices, the maxima of these, and bounds of labels.

    Args:
        terms: the reduced problem.
        lattices: its decomposition; their nodes change with every sweep.
        limits: of time. All that passes messages may raise OutOfTime.

    Attributes:
        cost: operations of a sweep.
        effort: how long it takes, in operations on large tables.
        best: (N,) the maximum of every lattice, once both halves are one.
        bounds: of every label, laid out like `terms.node`; inf before the first sweep.
    """

    def __init__(self, terms: Terms, lattices: Lattices, limits: Limits) -> None:
        self.terms, self.lattices, self._limits = terms, lattices, limits
        self.cost = float(sweep_operations(terms.sizes, lattices).sum())
        self._efforts = sweep_effort(terms.sizes, lattices)
        self.effort = float(self._efforts.sum())
        self._T, N = terms.sizes.shape[1], lattices.first.size - 1
        # Frames before this one are the first half, which small problems do without.
        self._seam = 0
        if self.cost >= HALVED and not in_thread():
            self._seam = int(np.searchsorted(np.cumsum(self._efforts), 0.5 * self.effort))
        size, tables = store_size(lattices), int(lattices.states.max(axis=1).sum())
        # Messages forward and backward; of each half those from the end of the clip are known.
        self._stores = (np.empty(size), np.empty(size))
        self._tables = (np.empty(tables if self._seam else 0), np.empty(tables))
        # What lattices score at most before the seam, and from there on.
        self._halves = (np.zeros(N), np.zeros(N))
        self.best = self._halves[1]
        self.bounds = np.full(terms.node.size, np.inf)
        self._inward(update=False)

    @property
    def whole(self) -> bool:
        """Whether there are no halves just now: only then can anything be read off."""
        return self._ended_at_seam or not self._seam

    @property
    def upper_bound(self) -> float:
        """The sum of all maxima, whether or not there are halves."""
        before, after = self._halves
        return float(before.sum() + after.sum())

    def sweep(self) -> None:
        """Make copies agree in all frames: from the seam to the ends, or back."""
        if self._ended_at_seam:
            self._outward()
        else:
            self._inward(update=True)

    def restart(self) -> None:
        """Pass messages anew from both ends to the seam, after nodes have changed."""
        self._inward(update=False)

    def read(self) -> Ints:
        """(C, T) one assignment, read off all lattices together."""
        labels = np.empty_like(self.terms.sizes)
        # Tracks first: more lattices have a say in them than in the states of words.
        order = np.argsort(self.terms.chain)

        def read(forward: bool, store: Floats, *frames: int) -> None:
            decode_jointly(self.terms, self.lattices, forward, store, order, labels, *frames)

        self._from_seam(read)
        return labels

    def copies(self) -> Ints:
        """(A, T) the best labels of every axis of every lattice."""
        labels = np.empty((self.lattices.chain.size, self._T), dtype=np.int64)

        def read(forward: bool, store: Floats, *frames: int) -> None:
            decode_all(self.terms, self.lattices, forward, store, labels, *frames)

        self._from_seam(read)
        return labels

    def backward(self) -> Floats:
        """Messages into all frames from those after them."""
        if self._seam:
            self._run([self._to_begin()])
        elif not self._ended_at_seam:
            self._run([self._pass(False, 0, self._T, np.empty_like(self.best), self._tables[1])])
        return self._stores[1]

    def both_ways(self) -> tuple[Floats, Floats]:
        """Messages into all frames from those before them, and from those after."""
        T, best = self._T, np.empty_like(self.best)
        if self._seam:
            onward = self._pass(True, self._seam + 1, T, best, self._tables[0].copy())
            self._run([onward, self._to_begin()])
        else:
            self._run([self._pass(self._ended_at_seam, 0, T, best, self._tables[1])])
        return self._stores

    def _outward(self) -> None:
        """Make copies agree from the seam to both ends."""
        seam, T, (before, after) = self._seam, self._T, self._halves
        if seam:
            self._part()
        first, last = float(before.sum()), float(after.sum())
        passes = [self._pass(True, seam, T, after, self._tables[1], True, first, given=seam)]
        if seam:
            passes.append(self._pass(False, T - seam, T, before, self._tables[0], True, last))
        self._ended_at_seam = False
        self._run(passes)

    def _part(self) -> None:
        """Make two halves of the clip. The seam itself belongs to the second."""
        before, after = self._halves
        both = zip(self._at_seam(self._stores[0]), self._at_seam(self._stores[1]), strict=True)
        for n, ((at, past), (_, future)) in enumerate(both):
            if past.size < at.stop - at.start:
                # Without transitions there is nothing to be told.
                self._tables[0][at] = -past
                continue
            with np.errstate(invalid="ignore"):
                future = np.where(past > -np.inf, self._tables[0][at] - past, -np.inf) + future
            told = potential(past, future)
            self._tables[0][at] = told
            past[:] = np.where(told > -np.inf, -told, -np.inf)
            before[n], after[n] = after[n], 0.0

    def _inward(self, update: bool) -> None:
        """Pass messages from both ends to the seam."""
        seam, T, (before, after) = self._seam, self._T, self._halves
        first, last = float(before.sum()), float(after.sum())
        passes = [self._pass(False, 0, T - seam, after, self._tables[1], update, first)]
        if seam:
            passes.append(self._pass(True, 0, seam, before, self._tables[0], update, last))
        self._run(passes)
        if seam:
            self._run([self._pass(True, seam, seam + 1, np.empty_like(after), self._tables[0])])
            for n, (at, message) in enumerate(self._at_seam(self._stores[1])):
                after[n] = (self._tables[0][at] + message).max()
            before[:] = 0.0
        self._ended_at_seam = True

    def _at_seam(self, store: Floats) -> list[tuple[slice, Floats]]:
        """Of every lattice where its table is kept, and the message into the seam."""
        lattices, seam = self.lattices, self._seam
        table_at = np.append(0, np.cumsum(lattices.states.max(axis=1)))
        moves = np.bincount(lattices.lattice, weights=lattices.share) > 0
        found = []
        for n, size in enumerate(lattices.states[:, seam].tolist()):
            at, here = int(lattices.table_at[n, seam]), int(table_at[n])
            message = store[at : at + (size if moves[n] else 1)]
            found.append((slice(here, here + size), message))
        return found

    def _to_begin(self) -> Pass:
        """Backward messages of the first half, from all frames after."""
        full, begin = self._tables[1].copy(), self._T - self._seam
        return self._pass(False, begin, self._T, np.empty_like(self.best), full)

    def _from_seam(self, read: Callable[..., None]) -> None:
        """Read labels of the seam, then those of both halves, given them.

        `read` takes a direction, the messages against it, the first frame that is read, and the
        frames begin to end to read now; see `decode_all`.
        """
        seam, T, (forward, backward) = self._seam, self._T, self._stores
        if not seam:
            read(self._ended_at_seam, backward if self._ended_at_seam else forward, 0, 0, T)
            return
        pairs = zip(self._at_seam(forward), self._at_seam(backward), strict=True)
        known = []
        for (_, past), (_, future) in pairs:
            known.append((future, future.copy()))
            future += past
        read(True, backward, seam, seam, seam + 1)
        for future, own in known:
            future[:] = own
        halves = [
            partial(read, True, backward, seam, seam + 1, T),
            partial(read, False, forward, 0, T - seam, T),
        ]
        in_threads(lambda half: half(), halves)

    def _pass(
        self,
        forward: bool,
        begin: int,
        end: int,
        best: Floats,
        full: Floats,
        update: bool = False,
        rest: float = 0.0,
        given: int = 0,
    ) -> Pass:
        mine, other = self._stores if forward else self._stores[::-1]
        call = partial(
            sweep_frames,
            *(self.terms, self.lattices, mine, other, forward, update, best, self.bounds),
            *(full, rest, given),
        )
        return Pass(call, self._efforts if forward else self._efforts[::-1], begin, end)

    def _run(self, passes: list[Pass]) -> None:
        run_passes(passes, self._limits)
