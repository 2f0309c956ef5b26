"""Object detectors: the best boxes of every class in an image."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sentrack.progress import Report, silent
from sentrack.text import nearest
from sentrack.vision.io import Names, in_order
from sentrack.vision.scan.detectors.candidates import (
    OVERLAP,
    Detector,
    DetectorError,
    ImageCandidates,
)
from sentrack.vision.scan.detectors.several import Adapted, Own, Several, own_parts
from sentrack.vision.scan.detectors.weights import KNOWN, fetch, files

__all__ = [
    "BEST",
    "DETECTOR",
    "KNOWN",
    "LIKELY",
    "THRESHOLD",
    "Asked",
    "Detector",
    "DetectorError",
    "ImageCandidates",
    "Own",
    "detector_parts",
    "files",
    "open_detector",
]

# The lowest score of a candidate, where scores are as a network gives them. On a street scene with
# people half hidden, 0.01 finds no more of them by YOLO networks, only more boxes of nothing, and
# 0.05 loses up to a tenth of those found.
THRESHOLD = 0.02
# The lowest probability, where scores are calibrated: by the curves of the YOLO networks that are
# known by name, the same candidates. It is a score of 0.17 of PicoDet.
LIKELY = 0.05
DETECTOR = "yolov4-tiny"
BEST = 10  # boxes of every class in a frame

Asked = str | Path | Own | Sequence[str | Path | Own]


def open_detector(
    name: Asked = DETECTOR,
    *,
    names: Names | None = None,
    best: int = BEST,
    threshold: float | None = None,
    device: str = "auto",
    threads: int | None = None,
    calibrated: bool = True,
    report: Report = silent,
) -> Detector:
    """Open a detector, and fetch its weights first if they are known and not in the cache.

    Args:
        name: one of `KNOWN`, the path of an ONNX file, or an object that finds things (`Own`);
            several of them in a sequence, or with commas between.
        names: of its classes, to be used instead of the detector's own: a sequence, a text file
            with a name on each line, or a COCO file with categories. Of several detectors, those of
            the one that is a file.
        best: the most candidates of a class in an image.
        threshold: the lowest probability of a candidate; if left out, 0.05 for known detectors
            and 0.02 for others, whose scores are not calibrated.
        device: "auto", "cpu", or one of `devices.PROVIDERS` that ONNX Runtime has here.
        threads: that it computes with; by default one per core.
        calibrated: turn the scores of known detectors into probabilities.
        report: told how many bytes are fetched.

    Raises:
        DetectorError: there is no such detector, or it is not usable; the message says what to do.
        SentrackError: a file is corrupt or cannot be read.
    """
    if threads is not None and threads < 1:
        raise DetectorError(f"the threads of a detector are at least 1, and not {threads}")
    each = list(_each(name))
    spoken = None if names is None else tuple(filter(None, in_order(names)))
    taking = each if len(each) == 1 else [one for one in each if _is_file(one)]
    if spoken is not None and len(taking) != 1:
        raise DetectorError("names= is of one detector; leave it out, or name one ONNX file")
    how = best, threshold, device, threads, calibrated, report
    opened = [_open(one, spoken if one in taking else None, *how) for one in each]
    return opened[0] if len(opened) == 1 else Several(opened, best)


def detector_parts(name: Asked, names: Names | None) -> tuple[object, ...]:
    """What decides on what a detector finds, told without opening it; paths stand for files."""
    parts: list[object] = []
    for one in _each(name):
        if isinstance(one, Own):
            parts.append(own_parts(one))
        elif one in KNOWN:
            parts += [KNOWN[one].members, KNOWN[one].curve]
        else:
            parts.append(Path(one))
    return *parts, Path(names) if isinstance(names, str) else names, THRESHOLD, LIKELY, OVERLAP


def _each(name: Asked) -> Iterator[str | Own]:
    """The detectors that are asked for, one by one; paths as text."""
    if isinstance(name, Path) or (isinstance(name, str) and Path(name).is_file()):
        yield str(name)
    elif isinstance(name, str):
        yield from (part.strip() for part in name.split(",") if part.strip())
    elif isinstance(name, Own):
        yield name
    else:
        for one in name:
            yield from _each(one)


def _is_file(name: str | Own) -> bool:
    return isinstance(name, str) and name not in KNOWN


def _open(
    name: str | Own,
    names: tuple[str, ...] | None,
    best: int,
    threshold: float | None,
    device: str,
    threads: int | None,
    calibrated: bool,
    report: Report,
) -> Detector:
    known = isinstance(name, str) and name in KNOWN
    if threshold is None:
        threshold = LIKELY if known and calibrated else THRESHOLD
    if isinstance(name, Own):
        return Adapted(name, best, threshold)
    # ONNX Runtime takes a while to load, and whoever only needs pixels does without.
    from sentrack.vision.scan.detectors import darknet, picodet
    from sentrack.vision.scan.detectors.hands import Hands
    from sentrack.vision.scan.detectors.onnx import Onnx

    if known:
        here, curve = fetch(name, report), KNOWN[name].curve if calibrated else None
        if ".onnx" in here:
            return Onnx(here[".onnx"], name, names, best, threshold, device, curve, threads)
        if ".pdmodel" in here:
            network = picodet.model(here[".pdmodel"], here[".pdiparams"], here[".yml"])
            return Onnx(network, name, names, best, threshold, device, curve, threads)
        if ".task" in here:
            return Hands(here[".task"], best, threshold, device, threads)
        own = tuple(filter(None, in_order(here[".names"])))
        network = darknet.model(here[".cfg"], here[".weights"], own)
        return Onnx(network, name, names, best, threshold, device, curve, threads)
    path = Path(name)
    if path.is_file():
        return Onnx(path, path.stem, names, best, threshold, device, threads=threads)
    wanted = f"{', '.join(KNOWN)} or the path of an ONNX file"
    if path.suffix or path.exists():
        raise DetectorError(f"{path}: no such file; a detector is {wanted}")
    guess = nearest(name, KNOWN)
    raise DetectorError(f"no detector {name!r}; nearest name: {guess!r}; a detector is {wanted}")
