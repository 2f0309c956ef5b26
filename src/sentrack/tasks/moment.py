"""When a clip depicts a sentence: its best moments, found exactly, after cheaper bounds."""

import heapq
import math
from dataclasses import dataclass, replace

from sentrack.inference import Infeasible, Solution, best_interval, between
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon
from sentrack.notebook import InNotebook
from sentrack.objective import Bounds, Objective, interval, most_of, windows_of
from sentrack.scene import Scene, scene_of
from sentrack.tasks.result import Tracking
from sentrack.tasks.tracker import RATE
from sentrack.vision import Clip, ClipError

# Nats, in all, from which on a moment is told: it beats the background.
LEAST_NATS = 0.0


@dataclass(frozen=True, eq=False)
class Moment(InNotebook):
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

    def overlaps(self, other: "Moment") -> bool:
        """Whether both are about the same sentence at the same time."""
        return self.sentence == other.sentence and self.start < other.end and other.start < self.end

    def __repr__(self) -> str:
        when = f"{self.start:.1f} to {self.end:.1f} s"
        return f"Moment({self.video!r}, {when}, match {self.match:.2f}, {self.sentence!r})"


@dataclass(frozen=True, eq=False)
class ClipMoments:
    """The moments of one clip, and whether their search took solving or bounds were enough."""

    moments: tuple[Moment, ...]
    solved: bool


def moments(
    clip: Clip, meaning: Meaning, lexicon: Lexicon, count: int = 10, least: float = LEAST_NATS
) -> ClipMoments:
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
    scene = _scene(clip, meaning, lexicon)
    windows = [] if scene is None else windows_of(scene, lexicon, least)
    if scene is None or not windows:
        return ClipMoments((), False)
    objective, bounds = interval(scene), None
    # The highest first, be it a bound of what is not solved yet or the score of what is.
    waiting: list[tuple[float, bool, int, int, int, int, Solution | None]] = [
        (-each.bound, False, each.first, each.last, each.first, each.last, None) for each in windows
    ]
    heapq.heapify(waiting)
    found: list[Moment] = []
    while waiting and len(found) < count:
        top, _, first, last, low, high, solution = heapq.heappop(waiting)
        if solution is None:
            best = _best(objective, first, last)
            if best is not None and best[2].score >= least:
                heapq.heappush(waiting, (-best[2].score, True, *best[:2], first, last, best[2]))
            continue
        found.append(_moment(clip.name, Tracking.of_part(objective, first, last, solution)))
        bounds = bounds or Bounds(scene)
        for part in ((low, first), (last, high)):
            if part[0] < part[1] and (bound := min(bounds.over(*part), -top)) >= least:
                heapq.heappush(waiting, (-bound, False, *part, *part, None))
    return ClipMoments(tuple(found), True)


def _best(objective: Objective, first: int, last: int) -> tuple[int, int, Solution] | None:
    """Where the best interval within the frames first to last - 1 is; None if there is none.

    Its score is the same to the last digit whatever frames it was sought in.
    """
    try:
        found = best_interval(between(objective.problem, first, last), objective.final)
    except Infeasible:
        return None
    begin, end = first + found.first, first + found.last
    solution = found.solution
    score = between(objective.problem, begin, end).score(solution.tracks, solution.states)
    bound = max(solution.upper_bound, score)
    return begin, end, replace(solution, score=score, upper_bound=bound)


def _moment(video: str, tracking: Tracking) -> Moment:
    return Moment(
        video,
        tracking.sentence,
        tracking.start,
        tracking.end,
        tracking.match,
        tracking.score,
        tracking,
    )


def most(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> float:
    """Nats that a moment of a clip can score at most; -inf if it cannot reach `LEAST_NATS`."""
    scene = _scene(clip, meaning, lexicon)
    return -math.inf if scene is None else most_of(scene, lexicon, LEAST_NATS)


def _scene(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> Scene | None:
    try:
        return scene_of(clip, meaning, lexicon, RATE)
    except ClipError:  # a noun that is not there
        return None
