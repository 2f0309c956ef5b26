"""What was seen: detections with motion and colour, frame by frame."""

from typing import TYPE_CHECKING

from sentrack.lazy import on_demand
from sentrack.vision.arrays import clip_from_arrays
from sentrack.vision.bridging import add_projected, bridge
from sentrack.vision.clip import ROWS, Bools, Clip, ClipError, Floats, Ints, class_name
from sentrack.vision.downloads import fetch_files
from sentrack.vision.early_end import warn_if_cut_off
from sentrack.vision.io import clip_from_detections, is_video, save_clip, to_supervision, videos
from sentrack.vision.load import (
    as_clip,
    check_span,
    detector_classes,
    kept,
    load_clip,
    local_path,
    scan_settings,
    scan_video,
)
from sentrack.vision.motion import velocities
from sentrack.vision.presence import LASTS, SURE, most_seen, seen_classes, surely

if TYPE_CHECKING:
    from sentrack.demo import Truth, two_activities
else:
    __getattr__ = on_demand(__name__)

__all__ = [
    "LASTS",
    "ROWS",
    "SURE",
    "Bools",
    "Clip",
    "ClipError",
    "Floats",
    "Ints",
    "Truth",
    "add_projected",
    "as_clip",
    "bridge",
    "check_span",
    "class_name",
    "clip_from_arrays",
    "clip_from_detections",
    "detector_classes",
    "fetch_files",
    "is_video",
    "kept",
    "load_clip",
    "local_path",
    "most_seen",
    "save_clip",
    "scan_settings",
    "scan_video",
    "seen_classes",
    "surely",
    "to_supervision",
    "two_activities",
    "velocities",
    "videos",
    "warn_if_cut_off",
]
