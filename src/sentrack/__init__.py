"""Find the tracks in a video that best depict an English sentence.

Names are loaded when first used, so that `import sentrack` is quick.
"""

from typing import TYPE_CHECKING

from sentrack.errors import SentrackError
from sentrack.lazy import on_demand

if TYPE_CHECKING:
    from sentrack.inference import (
        Ascent,
        Auto,
        Dual,
        Growth,
        Infeasible,
        Polynomial,
        Posteriors,
        Problem,
        ProblemError,
        ProblemTooLarge,
        Solution,
        TrackTerms,
        Viterbi,
        WordTerms,
        posteriors,
        solve,
    )
    from sentrack.language import Meaning, SentenceError
    from sentrack.lexicon import Lexicon, LexiconError
    from sentrack.tasks import Library, Moment, Tracking, describe, learn, track, watch
    from sentrack.tasks import understand as parse
    from sentrack.vision import Clip, ClipError, load_clip, save_clip
else:
    __getattr__ = on_demand(__name__)

__all__ = [
    "Ascent",
    "Auto",
    "Clip",
    "ClipError",
    "Dual",
    "Growth",
    "Infeasible",
    "Lexicon",
    "LexiconError",
    "Library",
    "Meaning",
    "Moment",
    "Polynomial",
    "Posteriors",
    "Problem",
    "ProblemError",
    "ProblemTooLarge",
    "SentenceError",
    "SentrackError",
    "Solution",
    "TrackTerms",
    "Tracking",
    "Viterbi",
    "WordTerms",
    "describe",
    "learn",
    "load_clip",
    "parse",
    "posteriors",
    "save_clip",
    "solve",
    "track",
    "watch",
]


def __dir__() -> list[str]:
    return sorted(__all__)
