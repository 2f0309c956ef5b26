"""Clip × Meaning × Lexicon → Problem: the only layer that knows both sides."""

from sentrack.objective.building import Objective, build

__all__ = ["Objective", "build"]
