"""Learn what words mean from clips and sentences: EM, then contrast."""

from sentrack.tasks.learning.learner import Settings, learn, read_pairs

__all__ = ["Settings", "learn", "read_pairs"]
