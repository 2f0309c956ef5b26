"""What a sentence can reach on a clip at most, without looking at pairs of candidates.

Every participant has a single candidate, which is in every frame as good as the best of them in
every respect. Features of one participant are measured; those of several are taken at their best.
That costs a small part of building all terms.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.inference import Problem, TrackTerms, WordTerms
from sentrack.language.meaning import Meaning
from sentrack.lexicon.lexicon import Lexicon
from sentrack.lexicon.model import WordModel
from sentrack.objective.building import Objective, prepared
from sentrack.objective.candidates import Cast
from sentrack.vision.clip import Clip

Floats = npt.NDArray[np.float64]


def optimistic(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> Objective:
    """The terms of `build(..., against_background=True)`, none of them smaller.

    Raises:
        ClipError: when a noun's class was not detected anywhere in the clip.
    """
    models, clip, scores, chosen = prepared(clip, meaning, lexicon, against_background=True)
    still: Any = np.zeros((clip.T - 1, 1, 1))
    tracks = [TrackTerms(_best(scores[cast.rows], cast)[:, None], still) for cast in chosen]
    words = [
        WordTerms(
            model.log_initial(),
            model.log_transitions(clip.seconds),
            _emission(model, [chosen[p] for p in word.participants]),
            word.participants,
        )
        for model, word in zip(models, meaning.words, strict=True)
    ]
    return Objective(clip, meaning, models, chosen, Problem(tracks, words))


def collapsed(problem: Problem) -> Problem:
    """The same with all candidates of a frame in one: no interval scores less."""
    frames = range(problem.T)
    tracks = [
        TrackTerms(
            [problem.unary(i, t).max(keepdims=True) for t in frames],
            [problem.pairwise(i, t).max(keepdims=True) for t in frames[1:]],
        )
        for i in range(problem.L)
    ]
    words = []
    for w in range(problem.W):
        axes = tuple(range(1, 1 + len(problem.link(w))))
        emission = [problem.emission(w, t).max(axis=axes, keepdims=True) for t in frames]
        chain = problem.initial(w), problem.transition(w)
        words.append(WordTerms(*chain, emission, problem.link(w)))
    return Problem(tracks, words)


def _best(values: Floats, cast: Cast) -> Any:
    """(T,): the largest of (T, J) real candidates."""
    real = np.arange(values.shape[1]) < cast.counts[:, None]
    return np.asarray(np.where(real, values, -np.inf).max(axis=1))


def _emission(model: WordModel, players: list[Cast]) -> Any:
    """(T, K, 1, ...): what a frame can say for every state at most, against the background."""
    T = len(players[0].rows)
    shape = (T, model.K, *[1] * len(players))
    if not model.observed:
        return np.zeros(shape)
    total = np.zeros((T, model.K))
    for observed, output in zip(model.observed, model.outputs, strict=True):
        with np.errstate(divide="ignore"):
            told = np.log(output)
        if len(observed.roles) > 1:
            total += told.max(axis=1)
            continue
        cast = players[observed.roles[0]]
        bins = observed.feature.binned(cast.candidates).astype(np.intp)
        for k in range(model.K):
            total[:, k] += _best(told[k][bins], cast)
    best = model.noisy(total)
    # Boxes that were not detected say nothing, which may be more than what is seen says.
    return np.maximum(best, model.background).reshape(shape) - model.background
