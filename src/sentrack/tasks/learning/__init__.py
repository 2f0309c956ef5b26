"""Learn what words mean from clips and sentences: EM, then contrast."""

from sentrack.tasks.learning.learner import RightBox, Settings, learn, read_pairs

__all__ = ["RightBox", "Settings", "learn", "read_pairs"]
