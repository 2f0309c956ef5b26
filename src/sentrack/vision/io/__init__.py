"""Detections from files and objects of other programs, and to them."""

from sentrack.vision.io.class_names import Names, in_order
from sentrack.vision.io.columns import CORNERS, METADATA, Table, read_arrow, stem
from sentrack.vision.io.formats import (
    FORMATS,
    is_video,
    kind_of,
    known_format,
    save_clip,
    videos,
)
from sentrack.vision.io.limits import read_content
from sentrack.vision.io.supervision import clip_from_detections, to_supervision
from sentrack.vision.io.tables import TableWriter, clip_of, compact, read_table, table_of

__all__ = [
    "CORNERS",
    "FORMATS",
    "METADATA",
    "Names",
    "Table",
    "TableWriter",
    "clip_from_detections",
    "clip_of",
    "compact",
    "in_order",
    "is_video",
    "kind_of",
    "known_format",
    "read_arrow",
    "read_content",
    "read_table",
    "save_clip",
    "stem",
    "table_of",
    "to_supervision",
    "videos",
]
