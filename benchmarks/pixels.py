"""From pixels: does each track stay on one person of MOT17 footage?

    python -m benchmarks.pixels [--whole]

The default detector looks at the footage beside the project; sentences are tracked in windows of
six seconds. A track's boxes are compared with the annotated people, whose boxes are known in every
third frame and lie on the line between in the others.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

import sentrack
from benchmarks.annotated import DATA, span_of, truths
from sentrack.boxes import iou
from sentrack.errors import SentrackError

FOOTAGE = DATA.parent / "footage"
VIDEOS = ("MOT17-05", "MOT17-10", "MOT17-13")
SENTENCES = (
    "The person walked to the left.",
    "The person walked to the right.",
    "The person walked past another person.",
    "The person stood.",
)
SECONDS, MEETS, FEWEST = 6.0, 0.5, 3
APART = 9  # frames between two annotations of somebody who was there in between
Boxes = dict[int, list[tuple[int, npt.NDArray[np.float64]]]]


def annotated(video: str, height: int) -> Boxes:
    """Per frame of a video, the people in it: identity and box, in pixels of that height."""
    truth = next(each for each in truths("svag_mot", 10**6) if each["video"] == video)
    real = span_of("svag_mot", truth | {"begin": 1, "end": 10**9}, frames=10**6)
    known: dict[int, dict[int, npt.NDArray[np.float64]]] = defaultdict(dict)
    for frame, rows in real.boxes.items():
        for id, kind, box in rows:
            if kind == "person":
                # Frame n there, from 1 on, is frame 3 n of the video, of which the first is 1.
                known[id][3 * (frame + 1) - 1] = box * height / truth["size"][1]
    found: Boxes = defaultdict(list)
    for id, boxes in known.items():
        for first, last in pairwise(sorted(boxes)):
            for frame in range(first, last) if last - first <= APART else ():
                part = (frame - first) / (last - first)
                found[frame].append((id, (1 - part) * boxes[first] + part * boxes[last]))
    return found


def tracks(video: str, whole: bool) -> Iterator[list[int]]:
    """The identities that each track lies on, frame by frame."""
    clip = sentrack.load_clip(FOOTAGE / f"{video}.mp4")
    real = annotated(video, clip.size[1])
    frames = round(SECONDS * clip.fps)
    for first in range(0, int(clip.frames[-1]) - frames + 1, frames):
        rows = np.flatnonzero((clip.frames >= first) & (clip.frames < first + frames))
        part = clip.cut(int(rows[0]), int(rows[-1]) + 1)
        for sentence in SENTENCES:
            try:
                found = sentrack.track(part, sentence, whole=whole)
            except SentrackError:
                continue
            for person in found.participants:
                own = []
                for frame, box, seen in zip(person.frames, person.boxes, person.seen, strict=True):
                    present = real.get(int(frame), []) if seen else []
                    overlap = [float(iou(box, each)) for _, each in present]
                    if overlap and max(overlap) >= MEETS:
                        own.append(present[int(np.argmax(overlap))][0])
                if len(own) >= FEWEST:
                    yield own


def main() -> None:
    """Print one row per video, and one for all."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--whole", action="store_true", help="track over all of each window")
    options = parser.parse_args()
    print("| video | tracks | purity | changes of identity a track |")
    print("|---|---|---|---|")
    every = []
    for video in VIDEOS:
        found = [
            (Counter(own).most_common(1)[0][1] / len(own), sum(a != b for a, b in pairwise(own)))
            for own in tracks(video, options.whole)
        ]
        every += found
        _row(video, found)
    _row("all", every)


def _row(name: str, found: list[tuple[float, int]]) -> None:
    purity, changes = np.mean(found, axis=0)
    print(f"| {name} | {len(found)} | {purity:.3f} | {changes:.2f} |", flush=True)


if __name__ == "__main__":
    main()
