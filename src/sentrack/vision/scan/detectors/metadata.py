"""What is told about an ONNX model in it or beside it: class names, size and range of the input."""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sentrack.vision.scan.detectors.candidates import DetectorError

SIZE = 640  # of the input, for a model that does not tell
STRIDE = 32  # the sides of the input are multiples of it, for a model that does not tell
# Mean and deviation of ImageNet's pictures, red, green and blue in 0..1.
IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Metadata:
    """What is known about a model.

    Its own metadata goes first. Exports of `transformers` have config.json with the names of
    classes and preprocessor_config.json beside the model.

    Attributes:
        source: the file of the model, or what messages call it.
        facts: its metadata.
        outputs: the names of its outputs.
    """

    source: str
    facts: Mapping[str, str]
    outputs: Sequence[str]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The class names: a list, or a dictionary by number."""
        for stored in (self._fact("names"), self._beside("config.json").get("id2label")):
            if isinstance(stored, dict):
                known = {int(key): stored[key] for key in stored if str(key).isdecimal()}
                stored = [known.get(number) for number in range(len(known))]
            if stored and isinstance(stored, list) and all(isinstance(one, str) for one in stored):
                return tuple(stored)
        text = "no class names in it; names= gives the names of classes"
        raise DetectorError(f"{self.source}: {text}")

    def size(self, shape: tuple[int | None, int | None]) -> tuple[int, int]:
        """Height and width of the input: by its shape, else by the metadata."""
        stored = self._fact("imgsz")
        match stored if isinstance(stored, list | tuple) else [stored, stored]:
            case [int(height), int(width)] if min(height, width) > 0:
                pass
            case _:
                height = width = SIZE
        return shape[0] or height, shape[1] or width

    @cached_property
    def stride(self) -> int:
        """The sides of an input of free size are multiples of it."""
        stored = self._fact("stride")
        return stored if isinstance(stored, int) and stored > 0 else STRIDE

    @cached_property
    def normal(self) -> tuple[Colour, Colour] | None:
        """Mean and deviation that the input is to be freed of; None if it is in 0..1."""
        beside = self._beside("preprocessor_config.json")
        match beside.get("do_normalize"), beside.get("image_mean"), beside.get("image_std"):
            case True, [float(), float(), float()] as mean, [float(), float(), float()] as spread:
                return tuple(mean), tuple(spread)
        # RF-DETR tells nothing, but it alone calls its outputs so.
        return IMAGENET if set(self.outputs) == {"dets", "labels"} else None

    def _fact(self, key: str) -> Any:
        """A value of the metadata, written as Python has it; None if there is none."""
        try:
            return ast.literal_eval(self.facts.get(key, "None"))
        except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: too deep
            return None

    def _beside(self, name: str) -> dict[str, Any]:
        """A JSON document beside the file; empty if there is none."""
        try:
            found = json.loads(Path(self.source).with_name(name).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}
