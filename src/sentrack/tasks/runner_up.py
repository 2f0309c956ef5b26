"""What an answer is to be compared with: its runner-up, and the sentence with roles swapped."""

from dataclasses import dataclass, replace

import numpy as np

from sentrack.errors import SentrackError
from sentrack.inference import Infeasible, Problem, solve
from sentrack.language import Meaning, say
from sentrack.lexicon import Lexicon
from sentrack.objective import Objective
from sentrack.scene import is_away, without_away
from sentrack.tasks.result import Tracking
from sentrack.tasks.tracker import track, vocabulary_of

# Nats that a frame costs in which a participant of the runner-up is what it is in the answer: more
# than all else, so that it is another thing wherever there is one.
AGAIN = 1e4


@dataclass(frozen=True, eq=False)
class RunnerUp:
    """The best tracks in which one participant is another thing.

    Attributes:
        tracking: these tracks, with their own score.
        participant: index of the one that is another thing.
        frames: number of frames in which it is; in the others it is not there, or nothing else.
    """

    tracking: Tracking
    participant: int
    frames: int


@dataclass(frozen=True, eq=False)
class Rivals:
    """What an answer is to be compared with.

    Attributes:
        runner_up: None if nobody else could be meant.
        swapped: the answer to the sentence with its roles swapped; None if it has but one role, if
            both have the same noun, or if it cannot be said.
    """

    runner_up: RunnerUp | None
    swapped: Tracking | None


def rivals(tracking: Tracking, lexicon: Lexicon, time_limit: float | None = None) -> Rivals:
    """Find the runner-up and the role-swapped reading of an answer.

    Args:
        tracking: the answer.
        lexicon: what words mean.
        time_limit: seconds for every reading.
    """
    others = [_without(tracking, i, time_limit) for i in range(len(tracking.participants))]
    found = [other for other in others if other is not None]
    return Rivals(
        max(found, key=lambda other: other.tracking.score, default=None),
        _swapped(tracking.objective, lexicon, time_limit),
    )


def _without(tracking: Tracking, participant: int, time_limit: float | None) -> RunnerUp | None:
    """The best tracks in which a participant is another thing, where there is one."""
    objective = tracking.objective
    problem = objective.problem
    players = objective.candidates[participant]
    own = tracking.solution.tracks[participant]
    same = objective.scene.measured.one(players, players)[np.arange(problem.T), own]
    charged = [
        problem.unary(participant, t) - AGAIN * same[t, : len(problem.unary(participant, t))]
        for t in range(problem.T)
    ]
    tracks = list(problem.tracks)
    tracks[participant] = replace(tracks[participant], unary=charged)
    try:
        solution = solve(Problem(tracks, problem.words), time_limit=time_limit)
    except Infeasible:
        return None
    chosen = np.arange(problem.T), solution.tracks[participant]
    again = same[chosen]
    other = ~again & ~is_away(objective.clip)[players.rows[chosen]]
    if not other.any():
        return None
    uncharged = replace(
        solution,
        score=problem.score(solution.tracks, solution.states),
        upper_bound=solution.upper_bound + AGAIN * int(again.sum()),
    )
    found = Tracking.of(objective, uncharged, tracking.end)
    return RunnerUp(found, participant, int(other.sum()))


def _swapped(objective: Objective, lexicon: Lexicon, time_limit: float | None) -> Tracking | None:
    """The answer to the sentence in which the first two roles of its first verb are swapped.

    It is looked for where the answer is: in the same frames.
    """
    other = swapped(objective.meaning)
    if other is None:
        return None
    clip = without_away(objective.clip)
    vocabulary = vocabulary_of(lexicon, clip.classes)
    try:
        said = replace(other, sentence=say(other, vocabulary))
        whole = not objective.against_background
        return track(clip, said, lexicon, time_limit=time_limit, whole=whole)
    except SentrackError:  # it takes two clauses to say it, or it cannot be
        return None


def swapped(meaning: Meaning) -> Meaning | None:
    """What it would mean with the nouns of the first two roles exchanged."""
    for word in meaning.words:
        if word.part in ("verb", "preposition") and len(word.participants) > 1:
            a, b = word.participants[:2]
            nouns = [participant.noun for participant in meaning.participants]
            if nouns[a] != nouns[b]:
                return meaning.renamed({a: nouns[b], b: nouns[a]})
    return None
