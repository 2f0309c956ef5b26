"""What a sentence can reach at most in any interval of a clip, for a small part of solving it.

One track and the states of one of its words are taken together, exactly; everything else is in
every frame as good as it can be. Every such pair gives a bound, and the least of them counts.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sentrack.inference import best_local_score
from sentrack.objective.chain import Chain
from sentrack.objective.interval_problem import frame_cost, interval_chains
from sentrack.scene import Scene
from sentrack.vision import Floats

SLACK = 1e-9  # sums of the same terms in another order differ by less, relative to them


class Bounds:
    """Bounds of the terms that `interval` makes of a scene."""

    def __init__(self, scene: Scene) -> None:
        # A frame's candidates are padded by repeating one of them, which changes no maximum.
        unary = [scene.scores(i, against_background=True) for i in range(len(scene.candidates))]
        pairwise = [scene.measured.coherence(each) for each in scene.candidates]
        # Words that look at nothing are worth nothing here, and constraints nothing at best.
        words = [
            (each.chain, each.participants, each.told(scene, against_background=True))
            for each in interval_chains(scene)
            if any(scene.models[w].observed for w in each.words)
        ]
        self._pairs = list(_pairs(unary, pairwise, words, frame_cost(scene)))

    def over(self, first: int, last: int) -> float:
        """No interval within the frames first to last - 1 scores more than this."""
        least = np.inf
        for h, g, chain in self._pairs:
            leave = np.where(chain.final, 0.0, -np.inf)
            part = h[first:last], g[first : last - 1]
            best = best_local_score(*part, chain.state, chain.initial, chain.transition, leave)
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
