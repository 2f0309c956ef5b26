"""A video in which a box moves there and back, and a detector that finds it."""

from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from sentrack.vision.scan import Image, ImageCandidates

SIZE = 96, 64


class Finder:
    """Finds the bright box of a frame, except where it is at some places."""

    name, classes, fingerprint = "finder", ("ball", "person"), "1"

    def __init__(self, blind: tuple[int, ...] = ()) -> None:
        self.blind, self.calls = blind, 0

    def detect(self, image: Image) -> ImageCandidates:
        self.calls += 1
        columns = np.flatnonzero(image[30, :, 2] > 200)
        if not len(columns) or round(columns.min() / 2) in self.blind:
            return ImageCandidates(np.zeros((0, 4)), np.zeros(0, np.int64), np.zeros(0))
        box = [columns.min(), 20, columns.max() + 1, 50]
        return ImageCandidates(np.array([box], dtype=float), np.array([1]), np.array([0.75]))


def picture(number: int) -> Image:
    """A bright box that moves by two pixels a frame, there and back, over a patterned ground."""
    noise = np.random.default_rng(1).normal(size=SIZE[::-1])
    ground = cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 2), None, 0, 120, cv2.NORM_MINMAX)  # type: ignore[call-overload]
    image = np.repeat(np.asarray(ground, dtype=np.uint8)[..., None], 3, axis=2)
    left = 2 * (number % 30 if number % 60 < 30 else 30 - number % 30)
    image[20:50, left : left + 20] = (60, 60, 250)
    return image


def there_and_back(path: Path) -> Path:
    """5 s at 10 frames a second, with a key frame in every second."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=10, options={"crf": "4", "g": "10"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for number in range(50):
            image = av.VideoFrame.from_ndarray(picture(number), format="bgr24")
            container.mux(stream.encode(image))
        container.mux(stream.encode(None))
    return path
