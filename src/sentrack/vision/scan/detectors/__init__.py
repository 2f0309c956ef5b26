"""Object detectors: the best boxes of every class in an image."""

from pathlib import Path

from sentrack.progress import Report, silent
from sentrack.text import nearest
from sentrack.vision.io import Names, in_order
from sentrack.vision.scan.detectors.candidates import OVERLAP, Detector, DetectorError, Found
from sentrack.vision.scan.detectors.weights import KNOWN, fetch

__all__ = [
    "BEST",
    "KNOWN",
    "THRESHOLD",
    "Detector",
    "DetectorError",
    "Found",
    "detector_parts",
    "open_detector",
]

# On a street scene with people half hidden, 0.01 finds no more of them, only more boxes of nothing,
# and 0.05 loses up to a tenth of those found. It gives 19 boxes a frame there by yolov4-tiny and 30
# by yolo11n.
THRESHOLD = 0.02
BEST = 10  # boxes of every class in a frame


def open_detector(
    name: str | Path = "yolov4-tiny",
    *,
    names: Names | None = None,
    best: int = BEST,
    threshold: float = THRESHOLD,
    report: Report = silent,
) -> Detector:
    """Open a detector, and fetch its weights first if they are known and not in the cache.

    Args:
        name: "yolov4-tiny", "yolo11n" or the path of an ONNX file of the YOLO family.
        names: of its classes, to be used instead of the detector's own: a sequence, a text file
            with a name on each line, or a COCO file with categories.
        best: the most candidates of a class in an image.
        threshold: the lowest score of a candidate.
        report: told how many bytes are fetched.

    Raises:
        DetectorError: there is no such detector, or it is not usable; the message says what to do.
        SentrackError: a file is corrupt or cannot be read.
    """
    # ONNX Runtime takes a while to load, and whoever only needs pixels does without.
    from sentrack.vision.scan.detectors.darknet import Darknet
    from sentrack.vision.scan.detectors.onnx import Onnx

    known = str(name)
    spoken = None if names is None else tuple(filter(None, in_order(names)))
    if known in KNOWN:
        files = fetch(known, report)
        if ".onnx" in files:
            return Onnx(files[".onnx"], spoken, best, threshold)
        own = tuple(filter(None, in_order(files[".names"])))
        facts = files[".cfg"], files[".weights"], own if spoken is None else spoken
        return Darknet(known, *facts, best, threshold)
    path = Path(name)
    if path.is_file():
        return Onnx(path, spoken, best, threshold)
    wanted = f"{', '.join(KNOWN)} or the path of an ONNX file"
    if path.suffix or path.exists():
        raise DetectorError(f"{path}: no such file; a detector is {wanted}")
    guess = nearest(known, KNOWN)
    raise DetectorError(f"no detector {known!r}; nearest name: {guess!r}; a detector is {wanted}")


def detector_parts(name: str | Path, names: Names | None) -> tuple[object, ...]:
    """What decides on what a detector finds, told without opening it; paths stand for files."""
    weights = KNOWN[str(name)].members if str(name) in KNOWN else Path(name)
    return weights, Path(names) if isinstance(names, str) else names, THRESHOLD, OVERLAP
