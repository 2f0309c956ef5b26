"""When a clip depicts a sentence: its best moments, found exactly, after cheaper bounds."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentrack.inference import Infeasible, Problem, WordTerms
from sentrack.inference.intervals import best_interval, between
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon
from sentrack.lexicon.model import WordModel
from sentrack.objective import Objective, build, cut
from sentrack.objective.ceiling import Ceiling, Chain
from sentrack.tasks.track import answer
from sentrack.tasks.tracking import Tracking
from sentrack.vision import Bools, Clip, ClipError

RATE = 10.0  # frames per second that are looked at, at most
# Nats per frame by which every word that tells something must beat the background, on average.
DULL = 0.4
# Times its usual time that a state of a word may last: frames of a kind would else make up for what
# an event is about, its change from one state to the next.
LONGEST = 1.25
# Nats, in all, from which on a moment is worth telling.
LEAST = 3.0


@dataclass(frozen=True, eq=False)
class Moment:
    """A part of a video that depicts a sentence.

    Attributes:
        video: its name.
        sentence: what it depicts.
        start: seconds.
        end: seconds.
        match: 0..1, how well the part depicts the sentence, as `track` has it.
        score: nats by which the part beats the background, in all; moments are ranked by it.
        tracking: who takes part, and why.
    """

    video: str
    sentence: str
    start: float
    end: float
    match: float
    score: float
    tracking: Tracking


@dataclass(frozen=True, eq=False)
class Answer:
    """The moments of one clip, and whether their search took solving or bounds were enough."""

    moments: tuple[Moment, ...]
    solved: bool


def moments(
    clip: Clip, meaning: Meaning, lexicon: Lexicon, count: int = 10, least: float = LEAST
) -> Answer:
    """The best moments of a clip that do not overlap, best first, if they reach `least` nats.

    The best interval is found exactly, then the best of what is left before it and after it. Bounds
    come first: what cannot reach `least` is not solved.

    Args:
        clip: what was seen.
        meaning: what was said.
        lexicon: what its words mean.
        count: how many at most.
        least: nats that each must reach.
    """
    clip = clip.thinned(RATE)
    ceiling = _ceiling(clip, meaning, lexicon)
    if ceiling is None or ceiling.over(0, clip.T) < least:
        return Answer((), False)
    objective = build(clip, meaning, lexicon, against_background=True)
    problem, final = timed(objective)
    waiting: list[tuple[float, int, int, int, int]] = []
    solved = False

    def look(first: int, last: int) -> None:
        nonlocal solved
        if first >= last or ceiling.over(first, last) < least:
            return
        solved = True
        try:
            best = best_interval(between(problem, first, last), final)
        except Infeasible:
            return
        if best.solution.score >= least:
            where = best.first + first, best.last + first
            heapq.heappush(waiting, (-best.solution.score, *where, first, last))

    look(0, problem.T)
    found: list[Moment] = []
    while waiting and len(found) < count:
        score, first, last, low, high = heapq.heappop(waiting)
        found.append(_moment(objective, lexicon, first, last, -score))
        look(low, first)
        look(last, high)
    return Answer(tuple(found), solved)


def _moment(objective: Objective, lexicon: Lexicon, first: int, last: int, score: float) -> Moment:
    clip = objective.clip
    tracking = answer(cut(objective, lexicon, first, last))
    end = float(clip.times[last - 1]) + (clip.seconds if last == clip.T else 0.0)
    return Moment(
        clip.name,
        objective.meaning.sentence,
        float(clip.times[first]),
        float(clip.times[last]) if last < clip.T else end,
        tracking.match,
        score,
        tracking,
    )


def most(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> float:
    """Nats that a moment of a clip can score at most; -inf if a noun is not there."""
    clip = clip.thinned(RATE)
    ceiling = _ceiling(clip, meaning, lexicon)
    return -np.inf if ceiling is None else ceiling.over(0, clip.T)


def _ceiling(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> Ceiling | None:
    models = [lexicon.model(word.word, word.part) for word in meaning.words]
    try:
        return Ceiling(clip, meaning, lexicon, _lasting, _cost(models))
    except ClipError:  # a noun that is not there
        return None


def timed(objective: Objective) -> tuple[Problem, list[Bools]]:
    """The problem with the cost of time, and the states in which its words may end.

    Frames that say next to nothing end a moment, and so does a state that lasts longer than it does
    in what the word means.
    """
    problem, models = objective.problem, objective.models
    cost = _cost(models)
    unary = [problem.unary(0, t) - cost for t in range(problem.T)]
    tracks = [replace(problem.tracks[0], unary=unary), *problem.tracks[1:]]
    words, final = [], []
    for model, terms in zip(models, problem.words, strict=False):
        chain = _lasting(model, objective.clip.seconds)
        emission = [np.asarray(h)[chain.state] for h in terms.emission]
        words.append(WordTerms(chain.initial, chain.transition, emission, terms.participants))
        final.append(chain.final)
    # What follows the words are constraints of one state.
    rest = problem.words[len(models) :]
    return Problem(tracks, [*words, *rest]), [*final, *(np.ones(1, np.bool_) for _ in rest)]


def _cost(models: Sequence[WordModel]) -> float:
    """Nats that a frame costs."""
    return DULL * sum(model.information > 0 for model in models)


def _lasting(model: WordModel, seconds: float) -> Chain:
    """A word whose states last no longer than LONGEST times their usual time.

    A state becomes a row of states, one for every frame that it may last.
    """
    initial, a = model.log_initial(), model.log_transitions(seconds)
    if model.K == 1 or model.seconds is None:
        return Chain(np.arange(model.K), initial, a, model.final)
    most = np.maximum(1, np.round(LONGEST * model.seconds / seconds)).astype(np.int64)
    begin = np.cumsum(most) - most
    state = np.repeat(np.arange(model.K), most)
    K = len(state)
    start, wide = np.full(K, -np.inf), np.full((K, K), -np.inf)
    start[begin] = initial
    wide[:, begin] = a[state]
    wide[np.arange(K), begin[state]] = -np.inf  # a state does not begin anew
    on = np.flatnonzero(np.diff(state) == 0)
    wide[on, on + 1] = a[state[on], state[on]]
    return Chain(state, start, wide, model.final[state])
