"""From a Problem to the flat, reduced Terms that the kernels work on, and back.

Everything here is exact: candidates ruled out by a hard zero are dropped, one-state words become
terms of the tracks (of one track: its nodes; of several: a factor), and tracks that no word ties
together become separate components.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sentrack.inference.errors import Infeasible
from sentrack.inference.gather import gather_factors, gather_steps
from sentrack.inference.problem import Problem
from sentrack.inference.structures import Bools, Floats, Ints, Terms


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
        return Answer(tracks, states, score, max(score, bound))


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


def reduce(problem: Problem) -> Reduction:
    """Read a problem once, dropping what hard zeros rule out.

    Raises:
        Infeasible: when a track has no candidate left in some frame.
    """
    links = [tuple(dict.fromkeys(problem.link(w))) for w in range(problem.W)]
    folded = [w for w, link in enumerate(links) if len(link) == 1 and problem.states(w) == 1]
    nodes: list[list[Floats]] = []
    kept: list[list[Ints | None]] = []
    for track in range(problem.L):
        about = [w for w in folded if links[w][0] == track]
        frames = [_node(problem, track, about, t) for t in range(problem.T)]
        finite = [node > -np.inf for node in frames]
        counts = [int(np.count_nonzero(mask)) for mask in finite]
        if not all(counts):
            _raise_ruled_out(problem, track, about, counts.index(0))
        whole = [count == mask.size for count, mask in zip(counts, finite, strict=True)]
        kept.append(
            [None if w else mask.nonzero()[0] for w, mask in zip(whole, finite, strict=True)]
        )
        nodes.append([n if i is None else n[i] for n, i in zip(frames, kept[-1], strict=True)])
    components = (
        _component(problem, tracks, links, nodes, kept) for tracks in _connected(problem.L, links)
    )
    return Reduction(problem, tuple(components))


def _node(problem: Problem, track: int, about: list[int], t: int) -> Floats:
    """(J_t,): the unary terms of a track and of the one-state words about it alone."""
    node = problem.unary(track, t)
    for w in about:
        table = _one_state(problem, w, t)
        # A participant named twice means the diagonal.
        node = node + (table if table.ndim == 1 else np.einsum(f"{'a' * table.ndim}->a", table))
    return node


def _raise_ruled_out(problem: Problem, track: int, about: list[int], t: int) -> None:
    """Raise Infeasible, naming the first term that leaves no candidate of a track in frame t."""
    for n in range(len(about) + 1):
        if _node(problem, track, about[:n], t).max() == -np.inf:
            culprit = f"word {about[n - 1]}" if n else "its unary term"
            raise Infeasible(f"frame {t}: {culprit} rules out every candidate of track {track}")


def restrict(terms: Terms, keep: Bools) -> tuple[Terms, Ints]:
    """The terms of the labels marked in `keep` (laid out like `node`), and their old places.

    Every chain must keep at least one label in every frame.
    """
    sizes = kept_sizes(terms, keep)
    chosen = np.flatnonzero(keep)
    kept = chosen - np.repeat(terms.node_at.ravel(), sizes.ravel())
    new = _layout(terms.L, terms.chain, sizes, terms.spans, terms.word)
    new = new._replace(node=terms.node[chosen], label=terms.label[chosen])
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


def assignment_score(terms: Terms, labels: Ints) -> float:
    """Eq. 4 of one assignment (C, T) of a component."""
    T = terms.sizes.shape[1]
    score = float(terms.node[terms.node_at + labels].sum())
    places = terms.step_at[:, 1:] + labels[:, :-1] * terms.sizes[:, 1:] + labels[:, 1:]
    score += float(terms.step[places].sum())
    for f in range(terms.spans.shape[0]):
        place = np.zeros(T, dtype=np.int64)
        for c in np.flatnonzero(terms.spans[f]):
            place = place * terms.sizes[c] + labels[c]
        score += float(terms.factor[terms.factor_at[f] + place].sum())
    return score


def _layout(L: int, chain: Ints, sizes: Ints, spans: Bools, word: Ints) -> Terms:
    """Terms with room for every block, all blocks one after another, values not yet filled in."""
    blocks = sizes[:, :-1] * sizes[:, 1:]
    step_at = np.zeros_like(sizes)
    step_at[:, 1:] = _starts(blocks)
    tables = np.where(spans[:, :, None], sizes, 1).prod(axis=1)
    total = int(sizes.sum())
    return Terms(
        L=L,
        chain=chain,
        sizes=sizes,
        node_at=_starts(sizes),
        node=np.empty(total),
        label=np.empty(total, dtype=np.int64),
        step_at=step_at,
        step=np.empty(int(blocks.sum())),
        spans=spans,
        factor_at=_starts(tables),
        factor=np.empty(int(tables.sum())),
        word=word,
    )


def _starts(sizes: Ints) -> Ints:
    flat = sizes.ravel()
    return np.asarray(np.cumsum(flat) - flat).reshape(sizes.shape)


def _component(
    problem: Problem,
    tracks: list[int],
    links: list[tuple[int, ...]],
    nodes: list[list[Floats]],
    kept: list[list[Ints | None]],
) -> Terms:
    """Flatten the chains of some tracks and the words about them."""
    T, L = problem.T, problem.L
    about = [w for w, link in enumerate(links) if link[0] in tracks]
    multi = [w for w in about if problem.states(w) > 1]
    words = multi + [w for w in about if problem.states(w) == 1 and len(links[w]) > 1]
    lengths = {track: np.array([n.size for n in nodes[track]], dtype=np.int64) for track in tracks}
    lengths |= {L + w: np.full(T, problem.states(w), dtype=np.int64) for w in multi}
    order = _order(tracks, [L + w for w in multi], lengths)
    spans = np.array(
        [[c in links[w] or (c == L + w and w in multi) for c in order] for w in words],
        dtype=np.bool_,
    ).reshape(len(words), len(order))
    terms = _layout(
        L,
        np.array(order, dtype=np.int64),
        np.array([lengths[c] for c in order], dtype=np.int64),
        spans,
        np.array(words, dtype=np.int64),
    )
    filled: dict[tuple[int, bytes], int] = {}
    for row, c in enumerate(order):
        at = chain_slice(terms, row)
        if c < L:
            terms.node[at] = np.concatenate(nodes[c])
            terms.label[at] = np.concatenate(
                [
                    np.arange(n.size) if i is None else i
                    for n, i in zip(nodes[c], kept[c], strict=True)
                ]
            )
            # Participants of the same noun have the same coherence: it is kept once.
            same = filled.setdefault(
                (id(problem.tracks[c].pairwise), terms.label[at].tobytes()), row
            )
            if same != row:
                terms.step_at[row] = terms.step_at[same]
                continue
            blocks = [
                _select(problem.pairwise(c, t), (kept[c][t - 1], kept[c][t])).ravel()
                for t in range(1, T)
            ]
        else:
            K = problem.states(c - L)
            terms.node[at] = 0.0
            terms.node[at][:K] = problem.initial(c - L)
            terms.label[at] = np.tile(np.arange(K), T)
            blocks = [problem.transition(c - L).ravel()] * (T - 1)
        if T > 1:
            _fill(terms.step, int(terms.step_at[row, 1]), blocks)
    for f, w in enumerate(words):
        _fill(terms.factor, int(terms.factor_at[f, 0]), _factor_blocks(problem, terms, f, w, kept))
    return terms


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
    problem: Problem, terms: Terms, f: int, w: int, kept: list[list[Ints | None]]
) -> list[Floats]:
    """The emissions of word w, frame by frame, their axes brought into the order of the chains.

    A participant named twice means the diagonal of the two axes.
    """
    axes = terms.chain[terms.spans[f]].tolist()
    multi = problem.states(w) > 1
    source = [problem.L + w, *problem.link(w)] if multi else list(problem.link(w))
    letter = {c: chr(ord("a") + i) for i, c in enumerate(axes)}
    before, after = "".join(letter[c] for c in source), "".join(letter[c] for c in axes)
    blocks = []
    for t in range(problem.T):
        table = problem.emission(w, t) if multi else _one_state(problem, w, t)
        table = table if before == after else np.einsum(f"{before}->{after}", table)
        table = _select(table, [kept[c][t] if c < problem.L else None for c in axes])
        blocks.append(table.ravel())
    return blocks


def _one_state(problem: Problem, w: int, t: int) -> Floats:
    """(J_t[p1], ..., J_t[pI]): all that a word of one state contributes in frame t."""
    chain = problem.initial(w)[0] if t == 0 else problem.transition(w)[0, 0]
    return np.asarray(problem.emission(w, t)[0] + chain)


def _select(table: Floats, kept: Sequence[Ints | None]) -> Floats:
    """The rows that are kept along every axis; None keeps all."""
    for axis, indices in enumerate(kept):
        if indices is not None:
            table = table.take(indices, axis=axis)
    return table


def _connected(L: int, links: list[tuple[int, ...]]) -> list[list[int]]:
    """The tracks in groups that words tie together."""
    group = list(range(L))
    for link in links:
        joined = {group[track] for track in link}
        group = [min(joined) if g in joined else g for g in group]
    return [[track for track in range(L) if group[track] == g] for g in sorted(set(group))]
