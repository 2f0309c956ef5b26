"""From a Problem to the flat, reduced Terms that the kernels work on, and back.

Everything here is exact: candidates ruled out by a hard zero are dropped, one-state words become
terms of the tracks (of one track: its nodes; of several: a factor), and tracks that no word ties
together become separate components.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sentrack.inference.errors import Infeasible, ProblemError
from sentrack.inference.kernels import (
    gather_factors,
    gather_steps,
    plain,
    score_labels,
    sweep_frames,
    worthwhile,
)
from sentrack.inference.problem import Problem
from sentrack.inference.solution import closes
from sentrack.inference.structures import Bools, Floats, Ints, Terms

# Of the sum of the absolute values of an assignment's terms: by how much another order of adding
# may change the result. Some thousand units in the last place, for sums of millions of terms and
# for hundreds of sweeps that move parts of terms to and fro.
ROUNDING = 1e-12
# In place of a label of the problem, where one stands for several.
TOGETHER = -1


@dataclass(frozen=True)
class Reduction:
    """A problem as independent components, and the way back to its own labels.

    Attributes:
        problem: the problem that was reduced.
        components: the terms of each set of tracks that words tie together.
    """

    problem: Problem
    components: tuple[Terms, ...]

    def answer(self, found: list["Found"]) -> "Answer":
        """Put together what was found for every component."""
        problem = self.problem
        tracks = np.zeros((problem.L, problem.T), dtype=np.int64)
        states = np.zeros((problem.W, problem.T), dtype=np.int64)
        for terms, part in zip(self.components, found, strict=True):
            of_tracks = terms.chain < problem.L
            tracks[terms.chain[of_tracks]] = part.labels[of_tracks]
            states[terms.chain[~of_tracks] - problem.L] = part.labels[~of_tracks]
        score = math.fsum(part.score for part in found)
        bound = math.fsum(part.upper_bound for part in found)
        return self.bounded(tracks, states, score, bound)

    def bounded(self, tracks: Ints, states: Ints, score: float, upper_bound: float) -> "Answer":
        """An answer with a bound that holds in spite of rounding.

        Where terms are so large that sums of them are not exact enough, nothing can be certified.
        """
        rounding = math.fsum(terms.rounding for terms in self.components)
        slack = 0.0 if closes(score, score + rounding) else rounding
        return Answer(tracks, states, score, max(score, upper_bound) + slack)


class Found(NamedTuple):
    """What was found for one component.

    Attributes:
        labels: (C, T), in the labels of the problem.
        score: of them.
        upper_bound: of every assignment of the component.
    """

    labels: Ints
    score: float
    upper_bound: float


class Answer(NamedTuple):
    """What a method returns.

    Attributes:
        tracks: (L, T) candidates.
        states: (W, T) states.
        score: Eq. 4 of them.
        upper_bound: of Eq. 4.
    """

    tracks: Ints
    states: Ints
    score: float
    upper_bound: float


def reduce(problem: Problem, fold: bool = True, feasible: bool = True) -> Reduction:
    """Read a problem once, dropping what hard zeros rule out.

    Args:
        problem: the terms.
        fold: whether one-state words about one track become terms of its candidates; else they are
            factors, as others are.
        feasible: whether every track must have a candidate in every frame; else the first one stays
            where there is none, forbidden.

    Raises:
        Infeasible: when a track has no candidate left in some frame.
        ProblemError: when values are so large that their sums overflow.
    """
    links = [tuple(dict.fromkeys(problem.link(w))) for w in range(problem.W)]
    folded = [
        w for w, link in enumerate(links) if fold and len(link) == 1 and problem.states(w) == 1
    ]
    candidates = []
    for track in range(problem.L):
        about = [w for w in folded if links[w][0] == track]
        candidates.append(_candidates(problem, track, about, feasible))
    components = (
        _component(problem, tracks, links, candidates, folded)
        for tracks in _connected(problem.L, links)
    )
    return Reduction(problem, tuple(components))


# Numbers of candidates; a slice where they lie in a row, which is faster to read.
Kept = Ints | slice


class _Candidates(NamedTuple):
    """What is left of a track's candidates, those of all frames one after another.

    Attributes:
        node: their unary terms, with those of the one-state words about this track alone.
        label: their numbers in the problem.
        counts: (T,) how many of each frame there are.
        kept: per frame, their numbers again, or where these lie in a row, from which to which.
    """

    node: Floats
    label: Ints
    counts: Ints
    kept: list[Kept]


def _candidates(problem: Problem, track: int, about: list[int], feasible: bool) -> _Candidates:
    sizes = problem.sizes[track]
    node = _node(problem, track, about, range(problem.T))
    starts, finite = np.cumsum(sizes) - sizes, node > -np.inf
    counts = np.add.reduceat(finite, starts, dtype=np.int64)
    if not counts.all():
        if feasible:
            _raise_ruled_out(problem, track, about, int(np.flatnonzero(counts == 0)[0]))
        finite[starts[counts == 0]] = True
        counts = np.maximum(counts, 1)
    left = np.flatnonzero(finite)
    label = left - np.repeat(starts, counts)
    ends = np.cumsum(counts)
    first, last = label[ends - counts], label[ends - 1]
    kept: list[Kept] = [
        slice(low, high + 1) if high - low < count else label[end - count : end]
        for low, high, count, end in zip(
            first.tolist(), last.tolist(), counts.tolist(), ends.tolist(), strict=True
        )
    ]
    return _Candidates(node[left], label, counts, kept)


def _node(problem: Problem, track: int, about: list[int], frames: Sequence[int]) -> Floats:
    """The unary terms of a track and of the one-state words about it alone, of some frames."""
    node = np.concatenate([problem.unary(track, t) for t in frames])
    for w in about:
        tables = _one_state(problem, w, frames)
        # A participant named twice means the diagonal.
        diagonals = [
            table if table.ndim == 1 else np.einsum(f"{'a' * table.ndim}->a", table)
            for table in tables
        ]
        node = node + np.concatenate(diagonals)
    return node


def _raise_ruled_out(problem: Problem, track: int, about: list[int], t: int) -> None:
    """Raise Infeasible, naming the first term that leaves no candidate of a track in frame t."""
    for n in range(len(about) + 1):
        if _node(problem, track, about[:n], [t]).max() == -np.inf:
            culprit = f"word {about[n - 1]}" if n else "its unary term"
            raise Infeasible(f"frame {t}: {culprit} rules out every candidate of track {track}")


def restrict(terms: Terms, keep: Bools) -> tuple[Terms, Ints]:
    """The terms of the labels marked in `keep` (laid out like `node`), and their old places.

    Every chain must keep at least one label in every frame.
    """
    sizes = kept_sizes(terms, keep)
    chosen = np.flatnonzero(keep)
    kept = chosen - np.repeat(terms.node_at.ravel(), sizes.ravel())
    new = layout(terms.L, terms.chain, sizes, terms.spans, terms.word)
    new = new._replace(node=terms.node[chosen], label=terms.label[chosen], rounding=terms.rounding)
    gather_steps(terms, new, kept)
    gather_factors(terms, new, kept)
    return new, kept


def problem_labels(terms: Terms, labels: Ints) -> Ints:
    """An assignment (C, T) in the labels of the problem that the terms came from."""
    return np.asarray(terms.label[terms.node_at + labels])


def kept_sizes(terms: Terms, keep: Bools) -> Ints:
    """(C, T) how many labels are marked in `keep` (laid out like `node`)."""
    kept = np.add.reduceat(keep, terms.node_at.ravel(), dtype=np.int64)
    return np.asarray(kept).reshape(terms.sizes.shape)


def chain_slice(terms: Terms, c: int) -> slice:
    """Where the labels of chain c lie in `node`, over all frames."""
    return slice(int(terms.node_at[c, 0]), int(terms.node_at[c, -1] + terms.sizes[c, -1]))


def assignment_score(terms: Terms, labels: Ints, forbidden: float = -math.inf) -> float:
    """Eq. 4 of one assignment (C, T) of a component; `forbidden` stands for -inf."""
    # Compiled as soon as what searches for assignments is.
    add_up = score_labels if worthwhile(sweep_frames, 0.0) else plain(score_labels)
    return float(add_up(terms, labels, forbidden))


def block_maxima(values: Floats, at: Ints) -> Floats:
    """The maximum of every block that starts at `at`, in its shape; all of `values` are in blocks.

    Blocks may be shared: several places may start at one.
    """
    starts, which = np.unique(at, return_inverse=True)
    maxima = np.maximum.reduceat(values, starts) if starts.size else np.zeros(0)
    return np.asarray(maxima[which.reshape(at.shape)])


def label_maxima(terms: Terms, values: Floats) -> Floats:
    """(C, T) the maximum of every chain and frame, of values laid out like `node`."""
    return np.asarray(np.maximum.reduceat(values, terms.node_at.ravel())).reshape(terms.sizes.shape)


def layout(
    L: int, chain: Ints, sizes: Ints, spans: Bools, word: Ints, steps_of: Ints | None = None
) -> Terms:
    """Terms with room for every block, all blocks one after another, values not yet filled in.

    Args:
        L: number of tracks of the problem.
        chain: (C,) identities.
        sizes: (C, T) numbers of labels.
        spans: (F, C) the chains of every factor.
        word: (F,) the word of every factor.
        steps_of: (C,) the chain whose transitions each one shares; by default its own.
    """
    blocks = sizes[:, :-1] * sizes[:, 1:]
    step_at = np.zeros_like(sizes)
    if steps_of is not None:
        blocks[steps_of != np.arange(steps_of.size)] = 0
    step_at[:, 1:] = starts(blocks)
    if steps_of is not None:
        step_at = step_at[steps_of]
    tables = np.where(spans[:, :, None], sizes, 1).prod(axis=1)
    total = int(sizes.sum())
    return Terms(
        L=L,
        chain=chain,
        sizes=sizes,
        node_at=starts(sizes),
        node=np.empty(total),
        label=np.empty(total, dtype=np.int64),
        step_at=step_at,
        step=np.empty(int(blocks.sum())),
        spans=spans,
        factor_at=starts(tables),
        factor=np.empty(int(tables.sum())),
        word=word,
        rounding=0.0,
    )


def starts(sizes: Ints) -> Ints:
    """Where blocks of these sizes begin, one after another."""
    flat = sizes.ravel()
    return np.asarray(np.cumsum(flat) - flat).reshape(sizes.shape)


def _component(
    problem: Problem,
    tracks: list[int],
    links: list[tuple[int, ...]],
    candidates: list[_Candidates],
    folded: list[int],
) -> Terms:
    """Flatten the chains of some tracks and the words about them, except for those folded."""
    T, L = problem.T, problem.L
    about = [w for w, link in enumerate(links) if link[0] in tracks]
    multi = [w for w in about if problem.states(w) > 1]
    words = multi + [w for w in about if problem.states(w) == 1 and w not in folded]
    kept = [each.kept for each in candidates]
    lengths = {track: candidates[track].counts for track in tracks}
    lengths |= {L + w: np.full(T, problem.states(w), dtype=np.int64) for w in multi}
    order = _order(tracks, [L + w for w in multi], lengths)
    spans = np.array(
        [[c in links[w] or (c == L + w and w in multi) for c in order] for w in words],
        dtype=np.bool_,
    ).reshape(len(words), len(order))
    labels = [
        candidates[c].label if c < L else np.tile(np.arange(problem.states(c - L)), T)
        for c in order
    ]
    # Participants of the same noun have the same coherence: it is kept once.
    first: dict[tuple[int, bytes], int] = {}
    steps_of = [
        first.setdefault((id(problem.tracks[c].pairwise), labels[row].tobytes()), row)
        if c < L
        else row
        for row, c in enumerate(order)
    ]
    terms = layout(
        L,
        np.array(order, dtype=np.int64),
        np.array([lengths[c] for c in order], dtype=np.int64),
        spans,
        np.array(words, dtype=np.int64),
        np.array(steps_of, dtype=np.int64),
    )
    for row, c in enumerate(order):
        at = chain_slice(terms, row)
        terms.label[at] = labels[row]
        if c < L:
            terms.node[at] = candidates[c].node
        else:
            terms.node[at] = 0.0
            terms.node[at][: problem.states(c - L)] = problem.initial(c - L)
        if T > 1 and steps_of[row] == row:
            _fill(terms.step, int(terms.step_at[row, 1]), _step_blocks(problem, c, kept))
    for f, w in enumerate(words):
        _fill(terms.factor, int(terms.factor_at[f, 0]), _factor_blocks(problem, terms, f, w, kept))
    return terms._replace(rounding=ROUNDING * _magnitude(terms))


def _magnitude(terms: Terms) -> float:
    """A bound of the sum of the absolute values of the terms of any assignment.

    Raises:
        ProblemError: when it overflows.
    """
    kinds = (
        (terms.node, terms.node_at),
        (terms.step, terms.step_at[:, 1:]),
        (
            terms.factor,
            terms.factor_at,
        ),
    )
    most = [_largest(values) for values, _ in kinds]
    total = sum(value * at.size for value, (_, at) in zip(most, kinds, strict=True))
    if not total < np.finfo(np.float64).max / 4:
        raise ProblemError(f"values of {max(most):.3g} nats are too large: their sums overflow")
    return total


def _largest(values: Floats) -> float:
    """The largest absolute value among those that are finite."""
    low, high = values.min(initial=0.0), values.max(initial=0.0)
    if low == -math.inf:
        low = values.min(initial=0.0, where=values > -np.inf)
    return float(max(-low, high))


def _step_blocks(problem: Problem, c: int, kept: list[list[Kept]]) -> list[Floats]:
    """The transitions of a track (c < L) or word, frame by frame."""
    if c >= problem.L:
        return [problem.transition(c - problem.L).ravel()] * (problem.T - 1)
    return [
        _select(problem.pairwise(c, t), (kept[c][t - 1], kept[c][t])).ravel()
        for t in range(1, problem.T)
    ]


def _fill(flat: Floats, start: int, blocks: list[Floats]) -> None:
    size = sum(block.size for block in blocks)
    np.concatenate(blocks, out=flat[start : start + size])


def _order(tracks: list[int], words: list[int], lengths: dict[int, Ints]) -> list[int]:
    """Chains from the outermost axis to the innermost.

    The innermost axis should be long, for vector instructions; the outermost too, for threads.
    """
    ordered = sorted(tracks, key=lambda track: int(lengths[track].sum()))
    return ordered[-2:-1] + words + ordered[:-2] + ordered[-1:]


def _factor_blocks(
    problem: Problem, terms: Terms, f: int, w: int, kept: list[list[Kept]]
) -> list[Floats]:
    """The emissions of word w, frame by frame, their axes brought into the order of the chains.

    A participant named twice means the diagonal of the two axes.
    """
    axes = terms.chain[terms.spans[f]].tolist()
    multi = problem.states(w) > 1
    source = [problem.L + w, *problem.link(w)] if multi else list(problem.link(w))
    letter = {c: chr(ord("a") + i) for i, c in enumerate(axes)}
    before, after = "".join(letter[c] for c in source), "".join(letter[c] for c in axes)
    twice = len(source) > len(axes)
    order = [source.index(c) for c in axes]
    frames = range(problem.T)
    tables = (problem.emission(w, t) for t in frames) if multi else _one_state(problem, w, frames)
    every: list[Kept] = [slice(None)] * problem.T
    rows = zip(*(kept[c] if c < problem.L else every for c in axes), strict=True)
    blocks = []
    for table, chosen in zip(tables, rows, strict=True):
        ordered = np.einsum(f"{before}->{after}", table) if twice else table.transpose(order)
        blocks.append(_select(ordered, chosen).ravel())
    return blocks


def _one_state(problem: Problem, w: int, frames: Sequence[int]) -> Iterator[Floats]:
    """(J_t[p1], ..., J_t[pI]) of some frames: all that a word of one state contributes."""
    first, later = problem.initial(w)[0], problem.transition(w)[0, 0]
    for t in frames:
        table, chain = problem.emission(w, t)[0], later if t else first
        yield table + chain if chain else table


def _select(table: Floats, kept: Sequence[Kept]) -> Floats:
    """The rows that are kept along every axis."""
    table = table[tuple(k if isinstance(k, slice) else slice(None) for k in kept)]
    for axis, indices in enumerate(kept):
        if not isinstance(indices, slice):
            table = table.take(indices, axis=axis)
    return table


def _connected(L: int, links: list[tuple[int, ...]]) -> list[list[int]]:
    """The tracks in groups that words tie together."""
    group = list(range(L))
    for link in links:
        joined = {group[track] for track in link}
        group = [min(joined) if g in joined else g for g in group]
    return [[track for track in range(L) if group[track] == g] for g in sorted(set(group))]
