"""Clip × Meaning × Lexicon, measured once."""

from sentrack.scene.candidates import CandidateSet, detection_scores, unpadded
from sentrack.scene.distinctness import different
from sentrack.scene.identity import identified
from sentrack.scene.measurements import PRESENCE, Measurements
from sentrack.scene.presence import AFTER, BEFORE, NOT_SEEN, is_away, without_away
from sentrack.scene.scene import Scene, measure, scene_of

__all__ = [
    "AFTER",
    "BEFORE",
    "NOT_SEEN",
    "PRESENCE",
    "CandidateSet",
    "Measurements",
    "Scene",
    "detection_scores",
    "different",
    "identified",
    "is_away",
    "measure",
    "scene_of",
    "unpadded",
    "without_away",
]
