"""Object detectors: the best boxes of every class in an image."""

from pathlib import Path

from sentrack.progress import Report, silent
from sentrack.vision.detectors.candidates import Detector, DetectorError, Found
from sentrack.vision.detectors.darknet import Darknet
from sentrack.vision.detectors.onnx import Onnx
from sentrack.vision.detectors.weights import KNOWN, fetch
from sentrack.vision.tables import nearest

__all__ = ["KNOWN", "THRESHOLD", "Detector", "DetectorError", "Found", "open_detector"]

# On a street scene with people half hidden, 0.01 finds no more of them, only more boxes of nothing,
# and 0.05 loses up to a tenth of those found. It gives 19 boxes a frame there by yolov4-tiny and 30
# by yolo11n.
THRESHOLD = 0.02


def open_detector(
    name: str | Path = "yolov4-tiny",
    *,
    names: Path | None = None,
    best: int = 10,
    threshold: float = THRESHOLD,
    report: Report = silent,
) -> Detector:
    """Open a detector, and fetch its weights first if they are known and not in the cache.

    Args:
        name: "yolov4-tiny", "yolo11n" or the path of an ONNX file of the YOLO family.
        names: a text file with one class name per line, to be used instead of the detector's own.
        best: the most candidates of a class in an image.
        threshold: the lowest score of a candidate.
        report: told how many bytes are fetched.

    Raises:
        DetectorError: there is no such detector, or it is not usable; the message says what to do.
        SentrackError: a file is corrupt or cannot be read.
    """
    known = str(name)
    if known in KNOWN:
        files = fetch(known, report)
        if ".onnx" in files:
            return Onnx(files[".onnx"], names, best, threshold)
        spoken = names or files[".names"]
        return Darknet(known, files[".cfg"], files[".weights"], spoken, best, threshold)
    path = Path(name)
    if path.is_file():
        return Onnx(path, names, best, threshold)
    wanted = f"{', '.join(KNOWN)} or the path of an ONNX file"
    if path.suffix or path.exists():
        raise DetectorError(f"{path}: no such file; a detector is {wanted}")
    guess = nearest(known, KNOWN)
    raise DetectorError(f"no detector {known!r}; nearest name: {guess!r}; a detector is {wanted}")
