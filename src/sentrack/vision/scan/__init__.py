"""Videos scanned: what is where in every frame, how it moves and what colour it has."""

from sentrack.vision.scan.detectors import (
    BEST,
    DETECTOR,
    KNOWN,
    Asked,
    Detector,
    DetectorError,
    ImageCandidates,
    Own,
    files,
    open_detector,
)
from sentrack.vision.scan.observations import Observation, observe
from sentrack.vision.scan.piece_files import (
    Left,
    clip_of_frames,
    keep_piece,
    left_of,
    scan_piece,
)
from sentrack.vision.scan.scan_cache import Scan
from sentrack.vision.scan.scanner import FPS, VERSION, scan_settings, scan_video
from sentrack.vision.scan.stream import Stream
from sentrack.vision.scan.video import Frame, Image, Limit, LimitError, Video

__all__ = [
    "BEST",
    "DETECTOR",
    "FPS",
    "KNOWN",
    "VERSION",
    "Asked",
    "Detector",
    "DetectorError",
    "Frame",
    "Image",
    "ImageCandidates",
    "Left",
    "Limit",
    "LimitError",
    "Observation",
    "Own",
    "Scan",
    "Stream",
    "Video",
    "clip_of_frames",
    "files",
    "keep_piece",
    "left_of",
    "observe",
    "open_detector",
    "scan_piece",
    "scan_settings",
    "scan_video",
]
