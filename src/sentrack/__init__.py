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

__all__ = [
    "Ascent",
    "Auto",
    "Dual",
    "Growth",
    "Infeasible",
    "Polynomial",
    "Posteriors",
    "Problem",
    "ProblemError",
    "ProblemTooLarge",
    "SentrackError",
    "Solution",
    "TrackTerms",
    "Viterbi",
    "WordTerms",
    "posteriors",
    "solve",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'sentrack' has no attribute {name!r}")
    return getattr(importlib.import_module("sentrack.inference"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
