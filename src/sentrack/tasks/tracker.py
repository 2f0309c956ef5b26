"""Find the tracks that best depict a sentence."""

import math
import time
from collections.abc import Sequence
from pathlib import Path

from sentrack.errors import SentrackError
from sentrack.inference import Infeasible, Method, solve
from sentrack.language import Meaning, Vocabulary, parse
from sentrack.lexicon import Lexicon
from sentrack.objective import Objective, affordable, build, loosest_bound, shortage
from sentrack.tasks.result import Tracking
from sentrack.vision import Clip, ClipError


def understand(
    sentence: str, lexicon: Lexicon | str | Path | None = None, clip: Clip | None = None
) -> Meaning:
    """What a sentence says.

    Args:
        sentence: English.
        lexicon: or its name or file; `everyday` by default.
        clip: whose detector's classes are the nouns; by default the nouns are the lexicon's.

    Raises:
        SentenceError: saying what is wrong, where, and what to do.
    """
    words = open_lexicon(lexicon)
    if clip is None:
        return parse(sentence, words.vocabulary())
    return parse(sentence, vocabulary_of(words, clip.classes))


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
    clip: Clip,
    sentence: str | Meaning,
    lexicon: Lexicon | str | Path | None = None,
    method: str | Method = "auto",
    seed: int = 0,
    time_limit: float | None = None,
) -> Tracking:
    """Find the tracks, one for every noun, that best depict a sentence.

    Args:
        clip: the detections.
        sentence: English, or its meaning.
        lexicon: or its name or file; `everyday` by default.
        method: of inference.
        seed: of methods that start at random.
        time_limit: seconds after which to answer with the best found. Where there are too many
            boxes to measure in time, the surest are looked at, and the upper bound allows for the
            others.

    Raises:
        SentenceError: when the sentence cannot be understood.
        ClipError: when a noun was not detected anywhere in the clip, or not as many different
            things as the sentence needs.
        SentrackError: when no tracks at all were found in time.
    """
    words = open_lexicon(lexicon)
    meaning = understand(sentence, words, clip) if isinstance(sentence, str) else sentence
    if time_limit is None:
        return answer(build(clip, meaning, words), method, seed)
    end = time.monotonic() + time_limit
    seen = affordable(clip, meaning, words, time_limit)
    objective = build(seen, meaning, words)
    found = answer(objective, method, seed, max(0.0, end - time.monotonic()))
    return found if seen is clip else found.bounded(loosest_bound(clip, meaning, words))


def answer(
    objective: Objective,
    method: str | Method = "auto",
    seed: int = 0,
    time_limit: float | None = None,
) -> Tracking:
    """The tracks that solve an objective; arguments and errors are those of `track`."""
    try:
        solution = solve(objective.problem, method, seed=seed, time_limit=time_limit)
    except Infeasible:
        why = shortage(objective)
        if why is None:
            raise
        raise ClipError(why) from None
    if solution.score == -math.inf:
        raise SentrackError(
            f"{objective.clip.name}: no tracks were found in time; give more, or use method='auto'"
        )
    return Tracking.of(objective, solution)


def open_lexicon(lexicon: Lexicon | str | Path | None) -> Lexicon:
    """The lexicon meant by its name, its file, itself or nothing."""
    if isinstance(lexicon, Lexicon):
        return lexicon
    return Lexicon.load("everyday" if lexicon is None else lexicon)
