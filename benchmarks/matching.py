"""How well a clip shows a sentence, and how long it takes to find out."""

import math
import time
from dataclasses import dataclass, replace

import sentrack
from benchmarks.peers import toulbar2
from sentrack.language import Meaning, Vocabulary, parse
from sentrack.lexicon import Lexicon
from sentrack.objective import build
from sentrack.tasks import Tracking
from sentrack.vision import Clip


def svo(subject: str, verb: str, object: str, vocabulary: Vocabulary) -> Meaning:
    """The meaning of "The subject verb the object."; the verb in its past tense."""
    return parse(f"The {subject} {verb} the {object}.", vocabulary)


@dataclass(frozen=True)
class Timed:
    """A sentence on a clip: how well it matches, and the seconds it took to build and to solve."""

    sentence: str
    match: float
    certified: bool
    build: float
    solve: float
    peer: float = 0.0
    agrees: bool = True


def timed(clip: Clip, meaning: Meaning, lexicon: Lexicon, peer: bool = False) -> Timed:
    """Build and solve a sentence, and let toulbar2 solve it as well if wanted."""
    begin = time.perf_counter()
    objective = build(clip, meaning, lexicon)
    built = time.perf_counter()
    solution = sentrack.solve(objective.problem)
    solved = time.perf_counter()
    result = Timed(
        meaning.sentence,
        Tracking.of(objective, solution).match,
        solution.certified,
        built - begin,
        solved - built,
    )
    if not peer:
        return result
    other = toulbar2(objective.problem, 60)
    agrees = other.proved and math.isclose(other.score, solution.score, rel_tol=1e-6, abs_tol=1e-3)
    return replace(result, peer=other.build_seconds + other.solve_seconds, agrees=agrees)
