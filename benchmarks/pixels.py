"""From pixels: does each track stay on one person of MOT17 footage?

    python -m benchmarks.pixels [--whole] [--detector NAME] [--only sentrack]

The default detector, or another, looks at the footage beside the project; sentences are tracked in
windows of six seconds. A track's boxes are compared with the annotated people, whose boxes are
known in every third frame and lie on the line between in the others. The same sentences are asked
of the same boxes once more with the identities that ByteTrack and greedy linking by overlap give
them, which are then believed.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

import sentrack
from benchmarks.annotated import DATA, span_of, truths
from benchmarks.paper.first import Setting, identities
from sentrack.boxes import iou
from sentrack.errors import SentrackError
from sentrack.vision import Clip, Ints

FOOTAGE = DATA.parent / "footage"
VIDEOS = ("MOT17-05", "MOT17-10", "MOT17-13")
SENTENCES = (
    "The person walked to the left.",
    "The person walked to the right.",
    "The person walked past another person.",
    "The person stood.",
)
SECONDS, MEETS, FEWEST = 6.0, 0.5, 3
# Peers begin with boxes that are surely there; this setting of ByteTrack takes the most of them.
SURE, LINKED = 0.25, 0.3
BYTETRACK = Setting("ByteTrack", 0.5, 0.1, 1)
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


def greedy(clip: Clip, rows: Ints) -> Ints:
    """(M,) identities of (M,) detections: of two frames the pairs that meet most go on, in turn."""
    id = np.full(len(rows), -1, dtype=np.int64)
    frame_of, new = clip.frame_of[rows], 0
    for t in range(clip.T):
        here, before = np.flatnonzero(frame_of == t), np.flatnonzero(frame_of == t - 1)
        meet = iou(clip.boxes[rows[here]][:, None], clip.boxes[rows[before]][None])
        while meet.size and meet.max() >= LINKED:
            i, j = np.unravel_index(np.argmax(meet), meet.shape)
            id[here[i]] = id[before[j]]
            meet[i], meet[:, j] = 0.0, 0.0
        fresh = here[id[here] < 0]
        id[fresh] = np.arange(new, new + len(fresh))
        new += len(fresh)
    return id


def linked(clip: Clip, link: Callable[[Clip, Ints], Ints]) -> Clip:
    """The people of a clip that are surely there, with the identities that somebody gives them."""
    person = clip.label == clip.classes.index("person")
    sure = clip.only(person & (clip.score >= SURE) & ~clip.projected)
    numbers = link(sure, np.arange(len(sure.boxes)))
    return replace(sure, id=numbers).only(numbers >= 0)


TRACKERS: dict[str, Callable[[Clip], Clip]] = {
    "sentrack": lambda clip: clip,
    "ByteTrack": lambda clip: linked(clip, lambda part, rows: identities(part, rows, BYTETRACK)),
    "greedy": lambda clip: linked(clip, greedy),
}


def tracks(clip: Clip, real: Boxes, whole: bool) -> Iterator[list[int]]:
    """The identities that each track of a clip lies on, frame by frame."""
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


def kept_to(video: str, clip: Clip, whole: bool = False) -> list[tuple[int, float, int]]:
    """Of every track of a video: its frames, its purity, and its changes from one to another."""
    real = annotated(video, clip.size[1])
    return [
        (
            len(own),
            Counter(own).most_common(1)[0][1] / len(own),
            sum(a != b for a, b in pairwise(own)),
        )
        for own in tracks(clip, real, whole)
    ]


def main() -> None:
    """Print one row per tracker and video, and one for all videos."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--whole", action="store_true", help="track over all of each window")
    parser.add_argument("--detector", help="by which the videos are looked at; else the default")
    parser.add_argument("--only", help="one of the trackers")
    options = parser.parse_args()
    clips = {
        video: sentrack.load_clip(FOOTAGE / f"{video}.mp4", detector=options.detector)
        for video in VIDEOS
    }
    print("| identities by | video | tracks | frames a track | purity | changes a track |")
    print("|---|---|---|---|---|---|")
    for tracker, seen_by in TRACKERS.items():
        if options.only not in (None, tracker):
            continue
        every = []
        for video, clip in clips.items():
            found = kept_to(video, seen_by(clip), options.whole)
            every += found
            _row(tracker, video, found)
        _row(tracker, "all", every)


def _row(tracker: str, video: str, found: list[tuple[int, float, int]]) -> None:
    frames, purity, changes = np.mean(found, axis=0)
    print(
        f"| {tracker} | {video} | {len(found)} | {frames:.0f} | {purity:.3f} | {changes:.2f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
