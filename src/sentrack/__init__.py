"""Find the tracks in a video that best depict an English sentence.

Names are loaded when first used, so that `import sentrack` is quick.
"""

import importlib
from typing import TYPE_CHECKING

from sentrack.errors import SentrackError

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
    from sentrack.tasks import Library, Moment, Tracking
    from sentrack.tasks import understand as parse
    from sentrack.tasks.describe import describe
    from sentrack.tasks.learn import learn
    from sentrack.tasks.track import track
    from sentrack.vision import Clip, ClipError, load_clip, save_clip

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
]

# Where each public name is defined.
_HOMES = {
    "sentrack.inference": (
        "Ascent Auto Dual Growth Infeasible Polynomial Posteriors Problem ProblemError "
        "ProblemTooLarge Solution TrackTerms Viterbi WordTerms posteriors solve"
    ),
    "sentrack.language": "Meaning SentenceError",
    "sentrack.lexicon": "Lexicon LexiconError",
    "sentrack.vision": "Clip ClipError load_clip save_clip",
    "sentrack.tasks": "Library Moment Tracking describe learn track understand",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name == "parse":
        name = "understand"
    if name not in _HOME:
        raise AttributeError(f"module 'sentrack' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
