"""Clip × Meaning × Lexicon, measured once."""

from sentrack.scene.candidates import CandidateSet, candidate_set, detection_scores, unpadded
from sentrack.scene.measurements import Measurements
from sentrack.scene.scene import Scene, scene_of
from sentrack.scene.standins import different, needed, supplied

__all__ = [
    "CandidateSet",
    "Measurements",
    "Scene",
    "candidate_set",
    "detection_scores",
    "different",
    "needed",
    "scene_of",
    "supplied",
    "unpadded",
]
