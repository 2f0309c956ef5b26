"""What goes wrong on annotated video: which verbs are taken for which, and answers that are wrong.

`python -m benchmarks.real --pictures FOLDER` draws both.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import sentrack
from benchmarks.annotated import Span, clip_of, truths
from sentrack.errors import SentrackError
from sentrack.files import whole
from sentrack.tasks import Tracking
from sentrack.vision import clip_from_arrays

# Verbs that can be said of the same participants.
FAMILIES = (
    ("walked", "stood", "ran"),
    ("started", "stopped"),
    ("entered", "exited"),
    ("picked up", "put down", "carried"),
)
FRAMES = 5  # of a strip


@dataclass(frozen=True)
class Failure:
    """A sentence whose answer has the wrong participants."""

    source: str
    truth: Mapping[str, Any]
    real: Span
    found: Tracking

    @property
    def cause(self) -> str:
        """What went wrong: whether the annotated ones fit, if nothing else is there."""
        wanted = {each["id"] for each in self.truth["participants"]}
        rows = [
            (t, kind, box)
            for t, present in self.real.boxes.items()
            for id, kind, box in present
            if id in wanted
        ]
        frame, kinds, boxes = zip(*rows, strict=True)
        size = int(self.truth["size"][0]), int(self.truth["size"][1])
        clip = clip_from_arrays(
            "wanted", size, self.real.fps, frame, kinds, np.array(boxes), [0.9] * len(rows)
        )
        try:
            alone = sentrack.track(clip, self.truth["sentence"], whole=True)
        except SentrackError as error:
            return str(error)
        if alone.depicted:
            return f"others do so too: those annotated match {alone.match:.2f} by themselves"
        return f"those annotated match {alone.match:.2f}: {alone.reason}"


def confusion(sets: Sequence[str], most: int) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The verbs, and (V, V) how often each (row) is taken for each of its family (column).

    Args:
        sets: of annotated video.
        most: sentences of a verb in a set, at most.
    """
    names = [verb for family in FAMILIES for verb in family]
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    for source in sets:
        asked: Counter[str] = Counter()
        for truth in truths(source, 10**6):
            sentence = truth["sentence"]
            for family in FAMILIES:
                said = next((verb for verb in family if f" {verb}" in sentence), None)
                if said is None or asked[said] >= most:
                    continue
                asked[said] += 1
                clip = clip_of(source, truth)
                if clip is None:
                    continue
                matches = [
                    sentrack.track(clip, sentence.replace(said, verb), whole=True).match
                    for verb in family
                ]
                answered = family[int(np.argmax(matches))]
                counts[names.index(said), names.index(answered)] += 1
    return names, counts


def draw_failures(failures: Sequence[Failure], path: Path) -> None:
    """Write a picture: a strip of boxes for each, the annotated ones and those that were found."""
    figure = Figure(figsize=(2.4 * FRAMES, 1.75 * len(failures)), layout="constrained")
    axes = figure.subplots(len(failures), FRAMES, squeeze=False)
    for strip, failure in zip(axes, failures, strict=True):
        width, height = failure.truth["size"]
        wanted = {each["id"] for each in failure.truth["participants"]}
        times = np.linspace(0, len(failure.found.participants[0].frames) - 1, FRAMES).astype(int)
        strip[0].set_title(f"{failure.source}: {failure.truth['sentence']}", loc="left", fontsize=8)
        for panel, t in zip(strip, times, strict=True):
            panel.set(xlim=(0, width), ylim=(height, 0), xticks=[], yticks=[], aspect="equal")
            frame = int(failure.found.participants[0].frames[t])
            boxes = [(box, "0.8", 0.5) for _, _, box in failure.real.boxes.get(frame, [])]
            boxes += [
                (box, "tab:green", 2.5)
                for id, _, box in failure.real.boxes.get(frame, [])
                if id in wanted
            ]
            boxes += [(each.boxes[t], "tab:red", 1.2) for each in failure.found.participants]
            for (x1, y1, x2, y2), colour, line in boxes:
                if np.isfinite(x1):
                    corner = Rectangle((x1, y1), x2 - x1, y2 - y1, fill=False)
                    corner.set(edgecolor=colour, linewidth=line)
                    panel.add_patch(corner)
    with whole(path) as temporary:
        figure.savefig(temporary, dpi=70)
