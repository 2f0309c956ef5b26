"""Scene → Problem: the whole clip, the best interval, bounds of it."""

from sentrack.objective.bounds import Bounds
from sentrack.objective.budget import affordable, loosest_bound
from sentrack.objective.interval_problem import interval
from sentrack.objective.objective import Objective
from sentrack.objective.shortages import shortage
from sentrack.objective.whole_problem import build, whole

__all__ = [
    "Bounds",
    "Objective",
    "affordable",
    "build",
    "interval",
    "loosest_bound",
    "shortage",
    "whole",
]
