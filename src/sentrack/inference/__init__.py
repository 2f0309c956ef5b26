"""Inference on bare arrays: chains coupled frame by frame, solved with a certificate.

Knows nothing of video or English: usable by anyone with such chains.
"""

from sentrack.inference.ascent import Ascent
from sentrack.inference.auto import Auto
from sentrack.inference.dual import Dual
from sentrack.inference.errors import Infeasible, ProblemError, ProblemTooLarge
from sentrack.inference.growth import Growth
from sentrack.inference.polynomial import Maximum, Polynomial
from sentrack.inference.posteriors import Posteriors, posteriors
from sentrack.inference.problem import Problem, TrackTerms, WordTerms
from sentrack.inference.solution import Solution
from sentrack.inference.solve import Method, solve
from sentrack.inference.viterbi import Viterbi

__all__ = [
    "Ascent",
    "Auto",
    "Dual",
    "Growth",
    "Infeasible",
    "Maximum",
    "Method",
    "Polynomial",
    "Posteriors",
    "Problem",
    "ProblemError",
    "ProblemTooLarge",
    "Solution",
    "TrackTerms",
    "Viterbi",
    "WordTerms",
    "posteriors",
    "solve",
]
