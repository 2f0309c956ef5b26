"""The detectors that the guide shows, with tiny models in place of the packages they wrap.

The stand-ins have the interface of the packages and weights drawn at random: they tell boxes from
the brightness of the picture.
"""

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from sentrack.vision.scan.video import Image
from tests.vision.films import film

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "detectors.md"
WEIGHTS = np.random.default_rng(0).uniform(0.1, 0.9, (3, 5))


def boxes_of(image: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """(3, 5): boxes and scores, by a layer of random weights."""
    height, width = image.shape[:2]
    place = WEIGHTS * (0.5 + image.mean() / 512)
    low = place[:, :2] * [width / 2, height / 2]
    return np.hstack([low, low + 4 + place[:, 2:4] * 10, place[:, 4:]])


class Tensor:
    """What has to be brought from a device first."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self.values = values

    def cpu(self) -> npt.NDArray[Any]:
        return self.values


class Yolo:
    """As `ultralytics.YOLO`."""

    names = {0: "person", 1: "tea cup", 2: "dog"}  # noqa: RUF012 - as the package has it

    def __init__(self, weights: str) -> None:
        assert weights.endswith(".pt")

    def __call__(self, image: Image, conf: float, verbose: bool) -> list[Any]:
        assert (conf, verbose) == (0.02, False)
        found = boxes_of(image)
        parts = Tensor(found[:, :4]), Tensor(np.arange(3.0)), Tensor(found[:, 4])
        return [SimpleNamespace(boxes=SimpleNamespace(xyxy=parts[0], cls=parts[1], conf=parts[2]))]


def pipeline(task: str, model: str) -> Any:
    """As `transformers.pipeline`."""
    assert (task, bool(model)) == ("zero-shot-object-detection", True)

    def detect(image: Any, candidate_labels: list[str], threshold: float) -> list[dict[str, Any]]:
        assert (image.mode, threshold) == ("RGB", 0.02)
        sides = ("xmin", "ymin", "xmax", "ymax")
        return [
            {
                "score": float(row[4]),
                "label": candidate_labels[k % len(candidate_labels)],
                "box": dict(zip(sides, map(int, row[:4]), strict=True)),
            }
            for k, row in enumerate(boxes_of(np.asarray(image)))
        ]

    return detect


def test_the_guides_detectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ultralytics.YOLO": Yolo, "transformers.pipeline": pipeline}.items():
        package, _, attribute = name.partition(".")
        module = ModuleType(package)
        setattr(module, attribute, value)
        monkeypatch.setitem(sys.modules, package, module)
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    film(tmp_path / "street.mp4")
    first, second = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    known: dict[str, Any] = {}
    exec(first, known)
    assert known["clip"].classes == ("person", "tea-cup", "dog")
    assert len(known["clip"].boxes) >= 3 * known["clip"].T
    exec(second, known)
    assert known["clip"].classes == ("forklift", "pallet")
    assert len(known["clip"].boxes) >= 2 * known["clip"].T
    # A class of its own is ten lines.
    for code in (first, second):
        body = code[code.index("class ") :].split("\n\n\n")[0]
        assert len([line for line in body.splitlines() if line.strip()]) <= 10
