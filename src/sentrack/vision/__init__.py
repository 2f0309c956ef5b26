"""What was seen: detections with motion and colour, frame by frame."""

from typing import TYPE_CHECKING

from sentrack.lazy import on_demand
from sentrack.vision.arrays import clip_from_arrays
from sentrack.vision.bridging import add_projected, bridge
from sentrack.vision.clip import ROWS, Bools, Clip, ClipError, Floats, Ints, class_name
from sentrack.vision.downloads import fetch_files
from sentrack.vision.io import clip_from_detections, is_video, save_clip, to_supervision, videos
from sentrack.vision.load import kept, load_clip, scan_settings, scan_video
from sentrack.vision.motion import velocities

if TYPE_CHECKING:
    from sentrack.demo import Truth, two_activities
else:
    __getattr__ = on_demand(__name__)

__all__ = [
    "ROWS",
    "Bools",
    "Clip",
    "ClipError",
    "Floats",
    "Ints",
    "Truth",
    "add_projected",
    "bridge",
    "class_name",
    "clip_from_arrays",
    "clip_from_detections",
    "fetch_files",
    "is_video",
    "kept",
    "load_clip",
    "save_clip",
    "scan_settings",
    "scan_video",
    "to_supervision",
    "two_activities",
    "velocities",
    "videos",
]
