"""What can be measured within a limit of time, and a bound of what was left out for it."""

import logging
import math

import numpy as np

from sentrack.language import Meaning
from sentrack.lexicon import Lexicon
from sentrack.scene import detection_scores
from sentrack.vision import Clip

# Seconds that a pair of candidates takes, for every track and every feature that words look at; on
# a laptop of 2020. Which of two things a pair is takes as long as so many features.
PAIR = 1.5e-7
APART = 2
# The part of the time that may go into measuring, and the detections of a class in a frame that are
# always measured.
PART = 1 / 3
FEWEST = 10


def affordable(clip: Clip, meaning: Meaning, lexicon: Lexicon, seconds: float) -> Clip:
    """The clip with as many detections, the surest of each class and frame, as time allows for.

    Args:
        clip: what was seen.
        meaning: what was said.
        lexicon: what its words mean.
        seconds: to answer in.
    """
    models = [lexicon.model(word.word, word.part) for word in meaning.words]
    looked_at = sum(len(model.observed) for model in models)
    each = PAIR * (len(meaning.participants) + looked_at + APART * len(meaning.distinct))
    n = max(FEWEST, math.isqrt(int(PART * max(seconds, 0.0) / (each * clip.T))))
    fewer = clip.surest(n)
    if fewer is not clip:
        logging.getLogger("sentrack").warning(
            "%s: too many boxes for the time limit: at most the %d surest of a class in a frame "
            "are looked at; the upper bound allows for the others",
            clip.name,
            n,
        )
    return fewer


def loosest_bound(clip: Clip, meaning: Meaning, lexicon: Lexicon, whole: bool) -> float:
    """A bound of Eq. 4, over all of the clip or an interval of it, without measuring any pair.

    All terms but detection scores are logs of probabilities, and no box that is projected has a
    higher score than the best box of its thing; who takes part may be away, which costs nothing
    where a word speaks of it. Of an interval, a word beats the background by no more than that is
    below certainty.
    """
    if not whole:
        models = [lexicon.model(word.word, word.part) for word in meaning.words]
        return -clip.T * sum(model.background for model in models)
    scores = detection_scores(clip)
    bound = 0.0
    for participant in meaning.participants:
        named = lexicon.named(participant.noun, clip.classes)
        allowed = np.isin(clip.label, [clip.classes.index(name) for name in named])
        best = float(scores[allowed].max())
        bound += clip.T * (max(best, 0.0) if lexicon.identity else best)
    return bound
