"""Clip × Meaning × Lexicon → Problem: the only layer that knows both sides."""

from sentrack.objective.budget import affordable, loosest_bound
from sentrack.objective.building import Objective, build, cut
from sentrack.objective.shortage import shortage

__all__ = ["Objective", "affordable", "build", "cut", "loosest_bound", "shortage"]
