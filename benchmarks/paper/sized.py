"""Random problems of any size, of the kind that sentences make."""

from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np

from sentrack.inference import Problem, TrackTerms, WordTerms
from sentrack.vision import Floats

PLACE = 10.0  # the frame is so many reaches of coherence wide and high
EDGES = (1.0, 2.5, 4.5, 7.0)  # distances between which a word tells
TOLD = 0.6  # probability of what a word says in a state; other distances share the rest
STAY = 0.7  # probability that a word stays in its state


@dataclass(frozen=True)
class Sizes:
    """The sizes of a problem: frames, candidates, states, participants, words."""

    T: int = 15
    J: int = 10
    K: int = 3
    L: int = 2
    W: int = 2


BASE = Sizes()


def along(axis: str, value: int) -> Sizes:
    """The sizes at a place of an axis; a further participant comes with a further word."""
    return Sizes(L=value, W=value) if axis == "L" else replace(BASE, **{axis: value})


def problem(sizes: Sizes, seed: int) -> Problem:
    """A random problem in which every participant has a steady, strong candidate that fits.

    Participants walk in straight lines; all other candidates last for a few frames, then start
    anew elsewhere. All J are candidates of all participants. Word w tells of the distance of
    participants w and w+1 (of a lone one's distance from the corner): each of its states has the
    distance that holds in its share of the clip, and it goes through them in order.
    """
    rng = np.random.default_rng([seed, *astuple(sizes)])
    T, J, K, L, W = astuple(sizes)
    centre = rng.uniform(0, PLACE, (T, J, 2))
    restart = rng.random((T, J)) < 1 / 6
    restart[0] = True
    born = np.maximum.accumulate(np.where(restart, np.arange(T)[:, None], 0), axis=0)
    centre = centre[born, np.arange(J)]
    way = np.linspace(0, 1, T)[:, None, None]
    begin, end = rng.uniform(0, PLACE, (2, L, 2))
    centre[:, :L] = (1 - way) * begin + way * end
    centre += rng.normal(0, 0.1, centre.shape)
    strength = rng.normal(-0.7, 0.3, (T, J))
    strength[:, :L] += 1.0
    apart = np.linalg.norm(centre[1:, None] - centre[:-1, :, None], axis=-1)
    unary: Any = -np.logaddexp(0, -6 * strength)
    coherence: Any = -np.logaddexp(0, 4 * (apart - 1))
    track = TrackTerms(unary, coherence)
    words = []
    for w in range(W):
        link = (0,) if L == 1 else (w % L, (w + 1) % L)
        if L == 1:
            distance = np.linalg.norm(centre, axis=-1)
        else:
            distance = np.linalg.norm(centre[:, :, None] - centre[:, None], axis=-1)
        bins = np.digitize(distance, EDGES)
        shown = bins[(slice(None), *link)]
        output = np.full((K, len(EDGES) + 1), (1 - TOLD) / len(EDGES))
        for k, frames in enumerate(np.array_split(np.arange(T), K)):
            told = np.bincount(shown[frames] if frames.size else shown[-1:]).argmax()
            output[k, told] = TOLD
        emission: Any = np.ascontiguousarray(np.moveaxis(np.log(output)[:, bins], 0, 1))
        words.append(WordTerms(*_phases(K), emission, link))
    return Problem([track] * L, words)


def _phases(K: int) -> tuple[Floats, Floats]:
    """Initial (K,) and transition (K, K) terms of a word that goes through its states in order."""
    moves = np.zeros((K, K))
    for k in range(K):
        moves[k, k], moves[k, k + 1 : k + 2] = STAY, 1 - STAY
    moves[-1, -1] = 1.0
    initial = np.full(K, -np.inf)
    initial[0] = 0.0
    with np.errstate(divide="ignore"):
        return initial, np.log(moves)
