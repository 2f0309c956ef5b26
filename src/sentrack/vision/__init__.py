"""What was seen: detections with motion and colour, frame by frame."""

from typing import TYPE_CHECKING

from sentrack.lazy import lazy
from sentrack.vision.arrays import clip_from_arrays
from sentrack.vision.bridging import bridge
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.io.columns import class_name
from sentrack.vision.io.formats import is_video, kept, load_clip, save_clip, videos
from sentrack.vision.io.supervision import clip_from_detections, to_supervision
from sentrack.vision.motion import velocities

if TYPE_CHECKING:
    from sentrack.demo.synthetic import Truth, two_activities
else:
    __getattr__ = lazy(__name__, {"sentrack.demo.synthetic": "Truth two_activities"})

__all__ = [
    "Clip",
    "ClipError",
    "Truth",
    "bridge",
    "class_name",
    "clip_from_arrays",
    "clip_from_detections",
    "is_video",
    "kept",
    "load_clip",
    "save_clip",
    "to_supervision",
    "two_activities",
    "velocities",
    "videos",
]
