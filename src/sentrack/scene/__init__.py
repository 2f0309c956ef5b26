"""Clip × Meaning × Lexicon, measured once."""

from sentrack.scene.candidates import CandidateSet, detection_scores
from sentrack.scene.measurements import Measurements
from sentrack.scene.scene import Scene, scene_of
from sentrack.scene.standins import different, needed, supplied

__all__ = [
    "CandidateSet",
    "Measurements",
    "Scene",
    "detection_scores",
    "different",
    "needed",
    "scene_of",
    "supplied",
]
