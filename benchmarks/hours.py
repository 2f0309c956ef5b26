"""A library of many hours, made up of real tracks, built and searched.

    python -m benchmarks.search --only hours [--hours 1000] [--library FOLDER]

Things come at random, as many in an hour as in the annotated sets beside the project, each as one
of their tracks, or its mirror image: how they move, how large they are and how long they stay is
real, and when they come and what they look like is not.
"""

import gzip
import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.csv

from benchmarks.annotated import DATA
from benchmarks.scale import listing
from sentrack.lexicon import Lexicon
from sentrack.tasks import Library, Moments
from sentrack.tasks.search import steps
from sentrack.vision import Clip, Floats, clip_from_arrays
from sentrack.workers import Executor, cores

SETS = ("virat", "meva", "caviar")  # fixed cameras
FPS, SECONDS = 10.0, 600.0  # of a clip
SIZE = (1280, 720)
TRUE_SCORES, FALSE_SCORES = (0.5, 0.95), (0.05, 0.45)
MISSED = 0.05  # of the true boxes
K = 3  # moments that are asked for
FALSE = 6  # boxes of a frame that show nothing
ASKED = (
    "The person approached the car.",
    "The person walked to the left.",
)


@dataclass(frozen=True, eq=False)
class Track:
    """A thing: its class, and (T, 4) boxes in parts of the frame, ten in a second."""

    name: str
    boxes: Floats


@cache
def tracks(name: str) -> tuple[list[Track], float]:
    """The tracks of a set, and how many of them come in a second."""
    with (DATA / name / "truth.jsonl").open(encoding="utf-8") as file:
        facts = {row["video"]: row for row in map(json.loads, file)}
    found, seconds = [], 0.0
    for video, fact in facts.items():
        path = DATA / name / f"{video}.csv.gz"
        if not path.exists():
            continue
        with gzip.open(path) as file:
            table = pyarrow.csv.read_csv(file)
        frame, id = (table[column].to_numpy() for column in ("frame", "id"))
        boxes = np.stack([table[c].to_numpy() for c in ("x1", "y1", "x2", "y2")], axis=1)
        boxes = boxes / np.tile(fact["size"], 2)
        names = table["class"].to_pylist()
        seconds += (frame.max() - frame.min() + 1) / fact["fps"]
        for thing in np.unique(id):
            rows = np.flatnonzero(id == thing)
            at = (frame[rows] - frame[rows[0]]) / fact["fps"] * FPS
            steps = np.arange(int(at[-1]) + 1)
            own = np.stack([np.interp(steps, at, side) for side in boxes[rows].T], axis=1)
            if len(own) > 1 and (own[:, 2:] > own[:, :2] + 1e-3).all():
                found.append(Track(names[rows[0]], own))
    return found, len(found) / seconds


def clip(number: int) -> Clip:
    """Ten minutes; equal numbers give equal clips."""
    rng = np.random.default_rng(number)
    known, rate = tracks(SETS[number % len(SETS)])
    T = round(SECONDS * FPS)
    classes = sorted({track.name for track in known})
    frame, label, boxes, velocity, score = [], [], [], [], []
    for which in rng.integers(0, len(known), rng.poisson(rate * SECONDS)):
        track = known[which]
        begin = int(rng.integers(-len(track.boxes) + 1, T))
        steps = np.arange(max(0, -begin), min(len(track.boxes), T - begin))
        steps = steps[rng.random(len(steps)) >= MISSED]
        box = track.boxes[:, [2, 1, 0, 3]] * [-1, 1, -1, 1] + [1, 0, 1, 0]
        box = (box if rng.random() < 0.5 else track.boxes) * np.tile(SIZE, 2)
        moved = np.gradient((box[:, :2] + box[:, 2:]) / 2, axis=0) * FPS / SIZE[1]
        frame.append(begin + steps)
        label.append(np.full(len(steps), classes.index(track.name)))
        boxes.append(box[steps])
        velocity.append(moved[steps])
        score.append(rng.uniform(*TRUE_SCORES, len(steps)))
    low = rng.uniform(0, 0.9, (FALSE * T, 2)) * SIZE
    frame.append(np.repeat(np.arange(T), FALSE))
    label.append(rng.integers(0, len(classes), FALSE * T))
    boxes.append(np.hstack([low, low + rng.uniform(0.02, 0.1, low.shape) * SIZE]))
    velocity.append(np.zeros((FALSE * T, 2)))
    score.append(rng.uniform(*FALSE_SCORES, FALSE * T))
    return clip_from_arrays(
        f"clip-{number:05d}",
        SIZE,
        FPS,
        np.concatenate(frame),
        classes,
        np.concatenate(boxes),
        np.concatenate(score),
        label=np.concatenate(label),
        frames=np.arange(T),
        velocity=np.concatenate(velocity),
    )


def hours(many: float = 1000.0, kept: Path | None = None) -> Iterator[str]:
    """Build such a library and search it, for the first time and again.

    Args:
        many: hours.
        kept: where it is built, and gone on with; in a temporary folder if left out.
    """
    count = max(1, round(many * 3600 / SECONDS))
    with tempfile.TemporaryDirectory() as temporary:
        folder = kept or Path(temporary)
        begin = time.process_time()
        library = Library(folder)
        held = {entry.name for entry in library.entries()}
        new = [number for number in range(count) if f"clip-{number:05d}" not in held]
        for number in new:
            library.add(clip(number))
        library.refresh()
        built = time.process_time() - begin
        size = sum(path.stat().st_size for path in folder.iterdir())
        yield f"## A library of {count * SECONDS / 3600:g} hours"
        yield ""
        yield f"{count} clips of {SECONDS / 60:g} minutes, made up of the tracks of"
        yield f"{', '.join(SETS)} with as many things in an hour as there; {FALSE} false boxes in"
        yield f"every frame, and no looks. The {K} best moments: processor seconds of one process"
        yield "to bound all clips, listing included, the same by hours with all nouns, and to solve"
        yield f"some; seconds on the clock by {cores()} processes, with their start, the files"
        yield "first on the disk alone, and then in memory."
        yield ""
        if new:
            yield f"{len(new)} clips were built in {built:.0f} processor seconds."
        yield f"It takes {size / 1e6 / (count * SECONDS / 3600):.1f} MB an hour."
        yield f"Listing it, once per search: {listing(folder)}."
        yield ""
        cells = "solved | bound | an hour | solve | first | again"
        yield f"| question | hours with all nouns | {cells} |"
        yield "|---|---|---|---|---|---|---|---|"
        for sentence in ASKED:
            bounding, solving, found = _searched(Library(folder), sentence)
            shown = found.read * SECONDS / 3600
            _forget(folder)
            first, again = (_on_the_clock(folder, sentence) for _ in range(2))
            cells = f"{shown:.1f} | {found.solved} | {bounding:.1f} s | {bounding / shown:.2f} s"
            yield f"| {sentence} | {cells} | {solving:.1f} s | {first:.1f} s | {again:.1f} s |"
        yield ""


def _forget(folder: Path) -> None:
    """Have the system keep nothing of the files in memory."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _on_the_clock(folder: Path, sentence: str) -> float:
    begin = time.monotonic()
    Library(folder).search(sentence, K, workers=cores())
    return time.monotonic() - begin


def _searched(library: Library, sentence: str) -> tuple[float, float, Moments]:
    """Processor seconds to bound all clips, listing included, and to solve some; what is found."""
    begin = bounded = time.process_time()
    for step in steps(library, [sentence], K, Lexicon.load("everyday"), Executor()):
        # The first step of solving comes when all clips are bounded.
        if step.stage == "bound" or step.done == 0:
            bounded = time.process_time()
        found = step.found
    return bounded - begin, time.process_time() - bounded, found
