"""Scene → Problem: the whole clip, the best interval, bounds of it."""

from sentrack.objective.bounds import Bounds
from sentrack.objective.budget import affordable, loosest_bound
from sentrack.objective.chain import SILENT, Chain, least_told
from sentrack.objective.interval_problem import interval
from sentrack.objective.objective import Objective
from sentrack.objective.shortages import shortage
from sentrack.objective.whole_problem import build, over_all, whole

__all__ = [
    "SILENT",
    "Bounds",
    "Chain",
    "Objective",
    "affordable",
    "build",
    "interval",
    "least_told",
    "loosest_bound",
    "over_all",
    "shortage",
    "whole",
]
