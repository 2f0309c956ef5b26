"""What is saved where the detector does not look at every frame, and whether answers stay.

python -m benchmarks.vision --only sampling
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from time import process_time

import numpy as np

from benchmarks.true_false import auc, rows, video
from sentrack.errors import SentrackError
from sentrack.language import parse
from sentrack.lexicon import Lexicon
from sentrack.tasks import Moment, track
from sentrack.tasks.moment import moments
from sentrack.tasks.tracker import vocabulary_of
from sentrack.vision import Clip
from sentrack.vision.scan import (
    BEST,
    FPS,
    Detector,
    Image,
    ImageCandidates,
    Video,
    clip_of_frames,
    observe,
)
from sentrack.vision.scan.detectors import open_detector

OVERLAPS = (0.3, 0.5)  # in time, from which on two moments are the same
CLEAR = 3.0  # nats by which a moment beats the background clearly
NOISE = 0.5  # pixels, the deviation of the sides of boxes that are moved at random
# Asked of all footage, beside what is asked of some.
ASKED = (
    "The person walked to the left.",
    "The person walked to the right.",
    "The person stood.",
    "The person walked past another person.",
    "The person approached the car.",
    "The person left the car.",
    "The car moved.",
    "The person approached another person.",
)


def sampling() -> Iterator[str]:
    """The footage of `benchmarks.true_false`, with every frame looked at and with fewer."""
    lexicon, detector = Lexicon.load("everyday"), open_detector(best=BEST)
    asked: dict[tuple[str, float | None, float | None], dict[str, bool | None]] = defaultdict(dict)
    for row in rows():
        asked[row.video, row.start, row.end][row.sentence] = row.true
    frames, looked, seconds = defaultdict[str, int](int), defaultdict[str, int](int), 0.0
    spent = {True: 0.0, False: 0.0}
    firsts = dict[str, list[tuple[Moment | None, Moment | None]]](fewer=[], moved=[])
    truth, match = list[bool](), {True: list[float](), False: list[float]()}
    for (name, start, end), sentences in asked.items():
        clips = {}
        for every in (True, False):
            begin = process_time()
            clips[every], count = _seen(name, start, end, detector, every)
            spent[every] += process_time() - begin
        frames[name] += clips[True].T
        looked[name] += count
        seconds += clips[True].T / FPS
        moved, _ = _seen(name, start, end, _Noisy(detector), True)
        for sentence in dict.fromkeys([*sentences, *ASKED]):
            one = _first(clips[True], sentence, lexicon)
            firsts["fewer"].append((one, _first(clips[False], sentence, lexicon)))
            firsts["moved"].append((one, _first(moved, sentence, lexicon)))
        truth += [bool(true) for true in sentences.values()]
        for every, sentence in product(clips, sentences):
            match[every].append(_match(clips[every], sentence))
    yield "## Looking at fewer frames"
    yield ""
    yield f"`--fewer-frames` on {sum(frames.values())} frames of the footage of"
    yield "[true or false](match.md): the share of frames that the detector looks at, and core"
    yield "seconds per hour of video."
    yield ""
    yield "| video | frames | looked at |"
    yield "|---|---|---|"
    for name in frames:
        yield f"| {name} | {frames[name]} | {looked[name] / frames[name]:.2f} |"
    share = sum(looked.values()) / sum(frames.values())
    yield f"| all | {sum(frames.values())} | {share:.2f} |"
    yield ""
    hourly = [3600 * spent[every] / seconds for every in (True, False)]
    yield f"Every frame: {hourly[0]:.0f} core seconds; fewer: {hourly[1]:.0f}."
    yield ""
    met = [pair for pair in firsts["fewer"] if pair != (None, None)]
    none = len(firsts["fewer"]) - len(met)
    yield f"{len(met)} sentences have a first moment by one or both ways ({none} more have none by"
    yield "both). It is the same if the two share so much of the time that they cover together."
    yield f"Clear are those that beat the background by {CLEAR:g} nats or more in one of the ways."
    yield "For comparison, every frame is looked at and the sides of all boxes are"
    yield f"moved at random, by {NOISE:g} pixels (standard deviation):"
    yield ""
    yield "| shared | fewer frames | of clear moments | moved boxes | of clear moments |"
    yield "|---|---|---|---|---|"
    for least in OVERLAPS:
        told = [_same(pairs, least, low) for pairs in firsts.values() for low in (-np.inf, CLEAR)]
        yield f"| {least} | {' | '.join(told)} |"
    yield ""
    full, fewer = (auc(match[every], truth) for every in (True, False))
    yield f"True against false by match: AUC {full:.3f} with every frame, {fewer:.3f} with fewer."
    yield ""


def _seen(
    name: str, start: float | None, end: float | None, detector: Detector, every: bool
) -> tuple[Clip, int]:
    """What is seen in a part of a video, and how often the detector looked."""
    source, detector = Video(video(name, None)), _Counting(detector)
    frames = source.frames(start, end, FPS)
    seen = list(observe(frames, detector, source.size, BEST, every))
    clip = clip_of_frames(seen, name, source.size, source.fps, detector.classes)
    return clip, detector.looked


class _Counting:
    """A detector that counts how often it looks."""

    def __init__(self, detector: Detector) -> None:
        self._detector, self.looked = detector, 0
        self.name, self.classes = detector.name, detector.classes
        self.fingerprint = detector.fingerprint

    def detect(self, image: Image) -> ImageCandidates:
        self.looked += 1
        return self._detector.detect(image)


class _Noisy(_Counting):
    """A detector whose boxes are moved at random, by less than can be seen."""

    def __init__(self, detector: Detector) -> None:
        super().__init__(detector)
        self._rng = np.random.default_rng(0)

    def detect(self, image: Image) -> ImageCandidates:
        found = super().detect(image)
        return replace(found, boxes=found.boxes + self._rng.normal(0, NOISE, found.boxes.shape))


def _same(pairs: Sequence[tuple[Moment | None, Moment | None]], least: float, low: float) -> str:
    """How many pairs of moments, of which one has that score, share so much of their time."""
    met = same = 0
    for one, other in pairs:
        if max((moment.score for moment in (one, other) if moment), default=-np.inf) <= low:
            continue
        met += 1
        if one and other:
            shared = min(one.end, other.end) - max(one.start, other.start)
            union = max(one.end, other.end) - min(one.start, other.start)
            same += shared >= least * union
    return f"{same / met:.1%} of {met}"


def _first(clip: Clip, sentence: str, lexicon: Lexicon) -> Moment | None:
    """The first moment of a clip, if there is one."""
    try:
        meaning = parse(sentence, vocabulary_of(lexicon, clip.classes))
        found = moments(clip, meaning, lexicon, 1).moments
    except SentrackError:
        return None
    return found[0] if found else None


def _match(clip: Clip, sentence: str) -> float:
    try:
        return track(clip, sentence).match
    except SentrackError:
        return 0.0
