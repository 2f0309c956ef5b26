"""What was seen: detections with motion and colour, frame by frame."""

from sentrack.vision.bridging import bridge
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.detections import clip_from_arrays
from sentrack.vision.formats.supervision import clip_from_detections, to_supervision
from sentrack.vision.loading import is_video, kept, load_clip, save_clip, videos
from sentrack.vision.motion import velocities
from sentrack.vision.synthetic import Truth, two_activities
from sentrack.vision.tables import class_name

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
