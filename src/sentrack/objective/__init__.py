"""Clip × Meaning × Lexicon → Problem: the only layer that knows both sides."""

from sentrack.objective.building import Objective, build
from sentrack.objective.optimism import collapsed, optimistic

__all__ = ["Objective", "build", "collapsed", "optimistic"]
