"""Inference on bare arrays: chains coupled frame by frame, solved with a certificate.

Knows nothing of video or English: usable by anyone with such chains.
"""

from sentrack.inference.chains import best_intervals_of_runs, best_paths, best_states
from sentrack.inference.errors import Infeasible, ProblemError, ProblemTooLarge
from sentrack.inference.forward_backward import Posteriors, posteriors
from sentrack.inference.intervals import best_interval, between, ended
from sentrack.inference.kernels import best_local_score, best_run_sums
from sentrack.inference.methods import Ascent, Auto, Dual, Growth, Viterbi
from sentrack.inference.polynomial import Maximum, Polynomial
from sentrack.inference.problem import Problem, TrackTerms, WordTerms
from sentrack.inference.repeated_sums import RepeatedSums, Said
from sentrack.inference.solution import Solution
from sentrack.inference.solver import Method, solve

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
    "RepeatedSums",
    "Said",
    "Solution",
    "TrackTerms",
    "Viterbi",
    "WordTerms",
    "best_interval",
    "best_intervals_of_runs",
    "best_local_score",
    "best_paths",
    "best_run_sums",
    "best_states",
    "between",
    "ended",
    "posteriors",
    "solve",
]
