"""Clip × Meaning × Lexicon, measured once."""

from sentrack.scene.candidates import CandidateSet, detection_scores, unpadded
from sentrack.scene.distinctness import different
from sentrack.scene.identity import identified
from sentrack.scene.measurements import PRESENCE, Measurements
from sentrack.scene.presence import AFTER, BEFORE, NOT_SEEN, is_away, without_away
from sentrack.scene.scene import RATE, Scene, measure, scene_of
from sentrack.scene.thing_tables import (
    LOOKING,
    MOVING,
    Column,
    JoinedTables,
    ThingTable,
    table_of,
    thing_table,
)

__all__ = [
    "AFTER",
    "BEFORE",
    "LOOKING",
    "MOVING",
    "NOT_SEEN",
    "PRESENCE",
    "RATE",
    "CandidateSet",
    "Column",
    "JoinedTables",
    "Measurements",
    "Scene",
    "ThingTable",
    "detection_scores",
    "different",
    "identified",
    "is_away",
    "measure",
    "scene_of",
    "table_of",
    "thing_table",
    "unpadded",
    "without_away",
]
