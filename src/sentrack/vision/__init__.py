"""What was seen: detections with motion and colour, frame by frame."""

from sentrack.vision.bridging import bridge
from sentrack.vision.clip import Clip, ClipError
from sentrack.vision.detections import clip_from_arrays, load_clip, save_clip, videos
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
    "load_clip",
    "save_clip",
    "two_activities",
    "velocities",
    "videos",
]
