"""CAD-120: was it picked up or put down, with all boxes and with what a worse detector sees."""

import csv
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

import sentrack
from benchmarks.greedy import followed, greedy_tracks
from benchmarks.matching import svo
from sentrack.lexicon import Lexicon
from sentrack.objective import build
from sentrack.tasks import Tracking
from sentrack.vision import Clip, Floats, clip_from_arrays, load_clip

DATA = Path(__file__).parents[2] / "shared" / "data" / "cad120"
PICK_OR_PLACE = {"pick": "picked up", "place": "put down"}

MISSED = 0.2  # of the boxes of the worse detector
FALSE = 5  # boxes that it makes up, per class and frame
SEEDS = (0, 1, 2)
RIVALS = 3  # tracks per class of the second of the two trackers


@dataclass(frozen=True, eq=False)
class Segment:
    """A part of a video in which a hand picks up or places a thing."""

    video: str
    first: int
    last: int
    verb: str
    noun: str

    @property
    def subject(self) -> str:
        """Who acts."""
        return self.video.split("-")[0]

    def of(self, clip: Clip) -> Clip:
        """The segment's frames of its video."""
        first, last = np.searchsorted(clip.frames, [self.first, self.last + 1])
        return clip.cut(int(first), int(last))


def segments(limit: int | None = None) -> tuple[list[Segment], dict[str, Clip]]:
    """All segments of picking and placing, and the videos they are in."""
    with (DATA / "segments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["verb"] in PICK_OR_PLACE]
    found = [
        Segment(r["video"], int(r["start"]), int(r["end"]), r["verb"], r["class"])
        for r in rows[:limit]
    ]
    path = DATA / "tracks.csv.gz"
    videos = dict.fromkeys(segment.video for segment in found)
    return found, {v: load_clip(path, size=(640, 480), fps=30, video=v) for v in videos}


def ratios(clip: Clip, noun: str, lexicon: Lexicon) -> Floats:
    """(2,): the log ratios of "The hand picked up the noun." and of "... put down ..."."""
    vocabulary = lexicon.vocabulary().with_nouns(clip.classes)
    found = []
    for verb in PICK_OR_PLACE.values():
        meaning = svo("hand", verb, noun, vocabulary)
        objective = build(clip, meaning, lexicon)
        words = Tracking.of(objective, sentrack.solve(objective.problem)).words
        found += [word.evidence.mean() for word in words if word.part == "verb"]
    return np.array(found)


def corrupted(clip: Clip, classes: Iterable[str], seed: int) -> Clip:
    """What a worse detector sees of some classes: it misses boxes and makes others up."""
    rng = np.random.default_rng([seed, zlib.crc32(clip.name.encode())])
    frame, boxes, label = [], [], []
    for k in sorted(clip.classes.index(name) for name in set(classes)):
        rows = np.flatnonzero(clip.label == k)
        kept = rows[rng.random(len(rows)) >= MISSED]
        sizes = (clip.boxes[:, 2:] - clip.boxes[:, :2])[rng.choice(rows, clip.T * FALSE)]
        corner = rng.random((clip.T * FALSE, 2)) * np.maximum(np.array(clip.size) - sizes, 0)
        frame += [clip.frame_of[kept], np.repeat(np.arange(clip.T), FALSE)]
        boxes += [clip.boxes[kept], np.hstack((corner, corner + sizes))]
        label.append(np.full(len(kept) + len(sizes), k))
    return clip_from_arrays(
        clip.name,
        clip.size,
        clip.fps,
        clip.frames[np.concatenate(frame)],
        clip.classes,
        np.concatenate(boxes),
        label=np.concatenate(label),
        frames=clip.frames,
        times=clip.times,
    )


def track_first(clip: Clip, noun: str, lexicon: Lexicon, rivals: int) -> Floats:
    """(2,): the log ratios given tracks; of several pairs, each sentence takes its best."""
    hands, things = (greedy_tracks(clip, name)[:rivals] for name in ("hand", noun))
    clips = [followed(clip, {"hand": a, noun: b}) for a, b in product(hands, things)]
    return np.asarray(np.max([ratios(each, noun, lexicon) for each in clips], axis=0))


def accuracy(found: Sequence[Segment], answers: Sequence[Floats]) -> dict[str, tuple[int, int]]:
    """Right answers and all: overall, by who acts and by verb."""
    tally: dict[str, tuple[int, int]] = {}
    for segment, (pick, place) in zip(found, answers, strict=True):
        right = int((pick > place) == (segment.verb == "pick"))
        for key in ("all", segment.subject, segment.verb):
            good, number = tally.get(key, (0, 0))
            tally[key] = good + right, number + 1
    return tally


def cad(limit: int | None = None, seeds: Sequence[int] = SEEDS) -> Iterator[str]:
    """CAD-120: whether a thing was picked up or put down."""
    lexicon = Lexicon.load("everyday")
    found, videos = segments(limit)
    nouns = {v: {"hand", *(s.noun for s in found if s.video == v)} for v in videos}
    ways: dict[str, Callable[[Clip, str], Floats]] = {
        "joint": lambda clip, noun: ratios(clip, noun, lexicon),
        "longest tracks first": lambda clip, noun: track_first(clip, noun, lexicon, 1),
        f"{RIVALS} tracks each first": lambda clip, noun: track_first(clip, noun, lexicon, RIVALS),
    }
    yield f"## CAD-120: picked up or put down, {len(found)} segments of {len(videos)} videos"
    yield ""
    yield "“The hand picked up the X.” against “The hand put down the X.” by their log ratio, with"
    yield "`everyday`. The worse detector misses a fifth of the boxes and makes up five per class"
    yield f"and frame, all of the same score; {len(seeds)} seeds. Tracking first links boxes"
    yield "greedily by overlap and scores the sentences on the longest track of each class, or on"
    yield f"the pair out of {RIVALS} of each that suits the sentence best. These two subjects are"
    yield "the set's part for development, so no figure is held out; other subjects are kept back."
    keys = ("all", *sorted({s.subject for s in found}), *sorted({s.verb for s in found}))
    for title, seen in (
        ("All boxes", [videos]),
        ("The worse detector", _worse(videos, nouns, seeds)),
    ):
        yield ""
        yield f"### {title}"
        yield ""
        yield f"| way | {' | '.join(keys)} | seconds |"
        yield "|---" * (len(keys) + 2) + "|"
        for name, way in ways.items():
            begin = time.perf_counter()
            answers = [[way(s.of(clips[s.video]), s.noun) for s in found] for clips in seen]
            seconds = (time.perf_counter() - begin) / len(seen)
            tallies = [accuracy(found, each) for each in answers]
            parts = [_mean([tally[key] for tally in tallies]) for key in keys]
            yield f"| {name} | {' | '.join(parts)} | {seconds:.1f} |"
    yield ""


def _worse(
    videos: dict[str, Clip], nouns: dict[str, set[str]], seeds: Sequence[int]
) -> list[dict[str, Clip]]:
    return [{v: corrupted(c, nouns[v], seed) for v, c in videos.items()} for seed in seeds]


def _mean(counts: Sequence[tuple[int, int]]) -> str:
    good, number = np.mean(counts, axis=0)
    return f"{good / number:.1%} ({good:.4g}/{number:.0f})"
