"""What went wrong on annotated video, on a made-up scene in which it is known."""

from pathlib import Path

import numpy as np

from benchmarks.annotated import Span
from benchmarks.failures import FAMILIES, Failure, draw_failures
from sentrack import track
from sentrack.vision import clip_from_arrays

TRUTH = {
    "sentence": "The person walked.",
    "size": (640, 480),
    "participants": [{"noun": "person", "id": 0}],
}


def failure(speed: float) -> Failure:
    """One person of so many pixels a frame is annotated; another who walks is found."""
    boxes = {
        t: [
            (id, "person", np.array([x, y, x + 40.0, y + 100]))
            for id, x, y in ((0, 100 + speed * t, 20), (1, 100.0 + 9 * t, 300))
        ]
        for t in range(20)
    }
    rows = [(t, box) for t, present in boxes.items() for _, _, box in present]
    frame, every = zip(*rows, strict=True)
    clip = clip_from_arrays(
        "two", (640, 480), 10, frame, ["person"] * len(rows), np.array(every), [0.9] * len(rows)
    )
    found = track(clip.only(np.arange(len(rows)) % 2 == 1), "The person walked.", whole=True)
    return Failure("made up", TRUTH, Span(boxes, 10.0, 0), found)


def test_the_cause_says_whether_the_annotated_one_does_it() -> None:
    assert failure(9.0).cause.startswith("others do so too")
    assert failure(0.0).cause.startswith("those annotated match 0.")


def test_strips_are_drawn(tmp_path: Path) -> None:
    draw_failures([failure(9.0), failure(0.0)], tmp_path / "failures.png")
    assert (tmp_path / "failures.png").stat().st_size < 200_000


def test_no_verb_is_in_two_families() -> None:
    names = [verb for family in FAMILIES for verb in family]
    assert len(names) == len(set(names))
