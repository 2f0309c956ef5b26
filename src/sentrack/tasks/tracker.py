"""Find the tracks that best depict a sentence."""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from sentrack.errors import SentrackError
from sentrack.inference import (
    Infeasible,
    Method,
    Solution,
    best_interval,
    between,
    solve,
)
from sentrack.language import Meaning, Vocabulary, parse
from sentrack.lexicon import Lexicon
from sentrack.objective import Objective, affordable, interval, loosest_bound, shortage
from sentrack.objective import whole as whole_clip
from sentrack.scene import RATE as RATE
from sentrack.scene import scene_of
from sentrack.tasks.result import Tracking
from sentrack.vision import Clip, ClipError, as_clip


def understand(
    sentence: str,
    lexicon: Lexicon | str | Path | None = None,
    clip: Clip | None = None,
    nouns: Iterable[str] | None = None,
) -> Meaning:
    """What a sentence says.

    Args:
        sentence: English.
        lexicon: or its name or file; `everyday` by default.
        clip: whose detector's classes are the nouns; by default the nouns are the lexicon's.
        nouns: further classes that are nouns.

    Raises:
        SentenceError: saying what is wrong, where, and what to do.
    """
    words = open_lexicon(lexicon)
    classes = None if clip is None else tuple(clip.classes)
    return parse(sentence, _vocabulary(words, classes, tuple(nouns or ())))


@lru_cache(maxsize=8)
def _vocabulary(
    lexicon: Lexicon, classes: tuple[str, ...] | None, nouns: tuple[str, ...]
) -> Vocabulary:
    """The words of a lexicon with the nouns of a detector, or its own, and further ones."""
    known = lexicon.vocabulary() if classes is None else vocabulary_of(lexicon, classes)
    return known.and_nouns(nouns) if nouns else known


def vocabulary_of(lexicon: Lexicon, classes: Sequence[str]) -> Vocabulary:
    """The words of a lexicon, with the classes of a detector as nouns."""
    # A noun may name several classes, or all; it is known if any of them is.
    several = [
        model.name
        for model in lexicon.words.values()
        if model.part == "noun" and (not model.classes or lexicon.named(model.name, classes))
    ]
    return lexicon.vocabulary().with_nouns([*classes, *several])


def track(
    clip: Clip | str | Path,
    sentence: str | Meaning,
    lexicon: Lexicon | str | Path | None = None,
    method: str | Method = "auto",
    seed: int = 0,
    time_limit: float | None = None,
    whole: bool = False,
) -> Tracking:
    """Find the tracks, one for every noun, that best depict a sentence, and when they do.

    It is the best interval of the clip, against the background, in which every participant is
    there; of at most RATE frames in a second.

    Args:
        clip: the detections, or a file of them, or a video.
        sentence: English, or its meaning.
        lexicon: or its name or file; `everyday` by default.
        method: of inference.
        seed: of methods that start at random.
        time_limit: seconds after which to answer with the best found. Where there are too many
            boxes to measure in time, the surest are looked at, and the upper bound allows for the
            others.
        whole: the sentence is about all of the clip, as in the paper: all of its frames count, and
            participants may come and go.

    Raises:
        SentenceError: when the sentence cannot be understood.
        ClipError: when a noun was not detected anywhere in the clip, or not as many different
            things as the sentence needs, or never all together.
        SentrackError: when no tracks at all were found in time.
    """
    clip = as_clip(clip)
    words = open_lexicon(lexicon)
    meaning = understand(sentence, words, clip) if isinstance(sentence, str) else sentence
    end = None if time_limit is None else time.monotonic() + time_limit
    seen = clip if time_limit is None else affordable(clip, meaning, words, time_limit)
    scene = scene_of(seen, meaning, words, None if whole else RATE)
    if whole:
        found = answer(whole_clip(scene), method, seed, _left(end))
    else:
        found = best_moment(interval(scene), method, seed, _left(end))
    return found if seen is clip else found.bounded(loosest_bound(clip, meaning, words, whole))


def answer(
    objective: Objective,
    method: str | Method = "auto",
    seed: int = 0,
    time_limit: float | None = None,
) -> Tracking:
    """The tracks that solve an objective; arguments and errors are those of `track`."""
    with _explained(objective):
        solution = solve(objective.problem, method, seed=seed, time_limit=time_limit)
    return Tracking.of(objective, _found(objective, solution))


def best_moment(
    objective: Objective,
    method: str | Method = "auto",
    seed: int = 0,
    time_limit: float | None = None,
    within: tuple[int, int] | None = None,
) -> Tracking:
    """The tracks of the best interval of an objective; see `answer`.

    Args:
        objective: what is asked.
        method: of inference.
        seed: of methods that start at random.
        time_limit: seconds.
        within: the first frame, and the one after the last, that the interval may have; what is
            seen in the others still tells which boxes show one thing.
    """
    first, last = within or (0, objective.problem.T)
    end = None if time_limit is None else time.monotonic() + time_limit
    with _explained(objective):
        try:
            part = between(objective.problem, first, last)
            best = best_interval(part, objective.final, method, seed, time_limit)
        except Infeasible:
            # Not all of them are there for as long as moments last: for as long as they are, then.
            objective = interval(objective.scene, room=1)
            part = between(objective.problem, first, last)
            best = best_interval(part, objective.final, method, seed, _left(end))
    solution = _found(objective, best.solution)
    return Tracking.of_part(objective, first + best.first, first + best.last, solution)


def _left(end: float | None) -> float | None:
    """Seconds that are left until then, on the clock that cannot be set."""
    return None if end is None else max(0.0, end - time.monotonic())


@contextmanager
def _explained(objective: Objective) -> Iterator[None]:
    """Say why there are no tracks at all, where there are none."""
    try:
        yield
    except Infeasible:
        why = shortage(objective)
        if why is None:
            raise
        raise ClipError(why) from None


def _found(objective: Objective, solution: Solution) -> Solution:
    """A solution that is one."""
    if solution.score == -math.inf:
        raise SentrackError(
            f"{objective.clip.name}: no tracks were found in time; give more, or use method='auto'"
        )
    return solution


def open_lexicon(lexicon: Lexicon | str | Path | None) -> Lexicon:
    """The lexicon meant by its name, its file, itself or nothing."""
    if isinstance(lexicon, Lexicon):
        return lexicon
    return Lexicon.load("everyday" if lexicon is None else lexicon)
