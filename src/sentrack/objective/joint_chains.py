"""Chains of words that go through their states together, as clauses that happen in order do.

The words of one clause are on together while the others say nothing; from clause to clause time
moves on. All words of ordered clauses therefore share one chain that moves from left to right: its
states are those of the first clause, a pause in which no word says anything, those of the second
clause, and so on. A word that is in no such clause has a chain of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentrack.objective.chain import Chain
from sentrack.scene import Scene
from sentrack.vision import Floats, Ints


@dataclass(frozen=True, eq=False)
class JointChain:
    """Words that share the states of one chain.

    Attributes:
        words: their indices in the sentence.
        shares: per word, its part of all terms; their sum is what the chain has.
        participants: that the words speak of.
    """

    words: tuple[int, ...]
    shares: tuple[Chain, ...]
    participants: tuple[int, ...]

    @property
    def chain(self) -> Chain:
        """The sum of the shares; its states look like what `told` has."""
        return Chain(
            np.unique(self._looks, axis=0, return_inverse=True)[1].reshape(-1),
            np.sum([share.initial for share in self.shares], axis=0),
            np.sum([share.transition for share in self.shares], axis=0),
            self.shares[0].final,
        )

    def told(self, scene: Scene, against_background: bool = False) -> Floats:
        """(T, N, J1, ..., JI): what the words tell together in all N that states look like."""
        looks = np.unique(self._looks, axis=0)
        total: Floats | None = None
        for w, share, look in zip(self.words, self.shares, looks.T, strict=True):
            own = [self.participants.index(p) for p in scene.meaning.words[w].participants]
            nothing = 0.0 if against_background else scene.models[w].background
            h = replace(share, state=look).spread(scene.emission(w, against_background), nothing)
            h = h.transpose(0, 1, *(2 + np.argsort(own)))
            absent = [2 + i for i in range(len(self.participants)) if i not in own]
            h = np.expand_dims(h, absent)
            total = h if total is None else total + h
        assert total is not None
        return total

    @property
    def _looks(self) -> Ints:
        """(S, W): the state of every word's model that each state looks like."""
        return np.stack([share.state for share in self.shares], axis=1)


def joint_chains(
    scene: Scene, alone: Sequence[Chain], clauses: Sequence[Sequence[Chain]], around: bool
) -> list[JointChain]:
    """The chains of a scene's words: one each, but one for all words of clauses in order.

    Args:
        scene: with the words.
        alone: the chain of every word, as it is outside such clauses.
        clauses: per clause, the chains of its words.
        around: whether there is time before the first clause and after the last.
    """
    words = scene.meaning.words
    ordered = {w for clause in scene.meaning.order for w in clause}
    found = [
        JointChain((w,), (chain,), words[w].participants)
        for w, chain in enumerate(alone)
        if w not in ordered
    ]
    if ordered:
        sizes = [[scene.models[w].K for w in clause] for clause in scene.meaning.order]
        shares = in_order([together(clause) for clause in clauses], sizes, around)
        told = tuple(w for clause in scene.meaning.order for w in clause)
        about = tuple(sorted({p for w in told for p in words[w].participants}))
        found.append(JointChain(told, tuple(shares), about))
    return found


def together(chains: Sequence[Chain]) -> list[Chain]:
    """The shares of words that go on at the same time: every combination of their states."""
    index = np.indices([len(chain.state) for chain in chains]).reshape(len(chains), -1)
    final = np.all([chain.final[own] for chain, own in zip(chains, index, strict=True)], axis=0)
    return [
        Chain(chain.state[own], chain.initial[own], chain.transition[np.ix_(own, own)], final)
        for chain, own in zip(chains, index, strict=True)
    ]


def in_order(
    clauses: Sequence[Sequence[Chain]], sizes: Sequence[Sequence[int]], around: bool
) -> list[Chain]:
    """The shares of words of clauses that follow each other, with or without a pause.

    Args:
        clauses: per clause, the shares of its words, over states of their own.
        sizes: the number of states of every word's model, which stands for saying nothing.
        around: whether there is time before the first clause and after the last.
    """
    # One state of saying nothing before every clause and after the last.
    lengths = [len(clause[0].state) for clause in clauses]
    begin = 1 + np.cumsum([0, *(n + 1 for n in lengths)])
    S, C = int(begin[-1]), len(clauses)
    block = [slice(begin[c], begin[c] + lengths[c]) for c in range(C)]
    moves, start = np.full((S, S), -np.inf), np.full(S, -np.inf)
    for c in range(C):
        pause, leave = begin[c] - 1, np.where(clauses[c][0].final, 0.0, -np.inf)
        moves[pause, pause] = 0.0
        moves[pause, block[c]] = moves[block[c], block[c]] = 0.0
        moves[block[c], begin[c + 1] - 1] = leave
        if c + 1 < C:
            moves[block[c], block[c + 1]] = leave[:, None]
    moves[-1, -1] = 0.0
    start[block[0]] = start[0] = 0.0
    final = np.zeros(S, dtype=np.bool_)
    final[block[-1]], final[-1] = clauses[-1][0].final, True
    kept = np.arange(S) if around else np.arange(1, S - 1)
    shares = []
    for c, (clause, models) in enumerate(zip(clauses, sizes, strict=True)):
        for chain, K in zip(clause, models, strict=True):
            state, initial, own = np.full(S, K), start.copy(), moves.copy()
            state[block[c]] = chain.state
            own[:, block[c]] += chain.initial
            own[block[c], block[c]] = chain.transition
            initial[block[c]] += chain.initial
            own = own[np.ix_(kept, kept)]
            shares.append(Chain(state[kept], initial[kept], own, final[kept]))
    return shares
