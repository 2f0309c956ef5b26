"""Scene → Problem: the whole clip, the best interval, bounds of it."""

from sentrack.objective.bounds import Bounds
from sentrack.objective.budget import affordable, loosest_bound
from sentrack.objective.chain import LEAST_SECONDS, SILENT, Chain, least_told
from sentrack.objective.interval_problem import DULL, at_least, interval, lasting
from sentrack.objective.objective import Objective
from sentrack.objective.shortages import shortage
from sentrack.objective.thing_bounds import Window, most_of, most_of_things, windows_of
from sentrack.objective.whole_problem import build, over_all, whole

__all__ = [
    "DULL",
    "LEAST_SECONDS",
    "SILENT",
    "Bounds",
    "Chain",
    "Objective",
    "Window",
    "affordable",
    "at_least",
    "build",
    "interval",
    "lasting",
    "least_told",
    "loosest_bound",
    "most_of",
    "most_of_things",
    "over_all",
    "shortage",
    "whole",
    "windows_of",
]
