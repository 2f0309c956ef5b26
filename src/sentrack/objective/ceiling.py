"""What a sentence can reach at most in any interval of a clip, for a small part of solving it.

One track and the states of one of its words are taken together, exactly; everything else is in
every frame as good as it can be. Every such pair gives a bound, and the least of them counts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.inference.compiled import Flat, entry
from sentrack.language.meaning import Meaning
from sentrack.lexicon.lexicon import Lexicon
from sentrack.lexicon.model import WordModel
from sentrack.objective.building import prepared, word_terms
from sentrack.objective.candidates import track_terms
from sentrack.vision import Clip

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SLACK = 1e-9  # sums of the same terms in another order differ by less, relative to them


@dataclass(frozen=True, eq=False)
class Chain:
    """How a word goes through its states.

    Attributes:
        state: (S,) the state of its model that each of them looks like.
        initial: (S,) nats.
        transition: (S, S) nats.
        final: (S,) whether the word may end in it.
    """

    state: Ints
    initial: Floats
    transition: Floats
    final: npt.NDArray[np.bool_]


class Ceiling:
    """Bounds of the terms that `build(..., against_background=True)` makes.

    Args:
        clip: what was seen.
        meaning: what was said.
        lexicon: what its words mean.
        chain: the chain of a word for frames so many seconds apart.
        cost: nats that a frame costs.

    Raises:
        ClipError: when a noun's class was not detected anywhere in the clip.
    """

    def __init__(
        self,
        clip: Clip,
        meaning: Meaning,
        lexicon: Lexicon,
        chain: Callable[[WordModel, float], Chain],
        cost: float,
    ) -> None:
        models, clip, scores, chosen = prepared(clip, meaning, lexicon, against_background=True)
        # A frame's candidates are padded by repeating one of them, which changes no maximum.
        full = {
            id(cast): replace(cast, counts=np.full_like(cast.counts, cast.rows.shape[1]))
            for cast in chosen
        }
        casts = tuple(full[id(cast)] for cast in chosen)
        tracks = {id(cast): track_terms(clip, cast, scores, lexicon.leap) for cast in full.values()}
        measured: dict[Any, Any] = {}
        # Words that look at nothing are worth nothing here, and constraints nothing at best.
        words = [
            (chain(model, clip.seconds), word.participants, terms.emission)
            for model, word in zip(models, meaning.words, strict=True)
            if model.observed
            for terms in [word_terms(clip, model, word.participants, casts, measured, True)]
        ]
        unary = [tracks[id(cast)].unary for cast in casts]
        pairwise = [tracks[id(cast)].pairwise for cast in casts]
        self._pairs = list(_pairs(unary, pairwise, words, cost))

    def over(self, first: int, last: int) -> float:
        """No interval within the frames first to last - 1 scores more than this."""
        least = np.inf
        for h, g, chain in self._pairs:
            leave = np.where(chain.final, 0.0, -np.inf)
            part = h[first:last], g[first : last - 1]
            best = _sweep(*part, chain.state, chain.initial, chain.transition, leave)
            least = min(least, best)
        return least + SLACK * max(1.0, abs(least)) if np.isfinite(least) else least


def _pairs(
    unary: list[Any],
    pairwise: list[Any],
    words: list[tuple[Chain, tuple[int, ...], Any]],
    cost: float,
) -> Iterator[tuple[Floats, Floats, Chain]]:
    """Every track with each of its words: what they say (T, K, J), coherence (T-1, J, J), chain."""
    loosest = [g.max(axis=(1, 2)) for g in pairwise]
    for i in range(len(unary)):
        others = [n for n in range(len(unary)) if n != i]
        g = pairwise[i] + sum(loosest[n] for n in others)[:, None, None] if others else pairwise[i]
        for w, (chain, link, h) in enumerate(words):
            if i not in link:
                continue
            # Other tracks of the word are as good for it as any of their candidates makes them.
            told = h
            for axis, n in enumerate(link):
                if n != i:
                    shape = [len(h), 1] + [1] * len(link)
                    shape[2 + axis] = -1
                    told = told + unary[n].reshape(shape)
            told = _best(told, link, i)
            rest = unary[i] - cost
            for n in others:
                if n not in link:
                    rest = rest + unary[n].max(axis=1)[:, None]
            for v, (_, other, said) in enumerate(words):
                if v != w:
                    rest = rest + _best(said, other, i).max(axis=1)
            yield told + rest[:, None, :], g, chain


def _best(h: Any, link: tuple[int, ...], i: int) -> Any:
    """(T, K, J or 1): the most that a word says in each state, for every candidate of a track."""
    axes = tuple(2 + axis for axis, n in enumerate(link) if n != i)
    return h.max(axis=axes).reshape(*h.shape[:2], -1)


@entry
def _sweep(h: Flat, g: Flat, state: Flat, initial: Flat, transition: Flat, leave: Flat) -> Any:
    """The score of the best interval of one track and one word, with free start and end."""
    T, _, J = h.shape
    S = len(state)
    here, moved = np.empty((S, J)), np.empty((S, J))
    best = -np.inf
    for t in range(T):
        if t > 0:
            moved[:] = -np.inf
            for s in range(S):
                for i in range(J):
                    score = here[s, i]
                    for j in range(J):
                        moved[s, j] = max(moved[s, j], score + g[t - 1, i, j])
        for s in range(S):
            here[s] = initial[s]
            if t > 0:
                for r in range(S):
                    a = transition[r, s]
                    if a > -np.inf:
                        for j in range(J):
                            here[s, j] = max(here[s, j], moved[r, j] + a)
            for j in range(J):
                here[s, j] += h[t, state[s], j]
                best = max(best, here[s, j] + leave[s])
    return best
