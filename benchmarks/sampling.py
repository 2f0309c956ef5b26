"""What is saved where the detector does not look at every frame, and whether answers stay.

python -m benchmarks.vision --only sampling
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from time import process_time

from benchmarks.true_false import auc, rows, video
from sentrack.errors import SentrackError
from sentrack.language import parse
from sentrack.lexicon import Lexicon
from sentrack.tasks import track
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
    compared = neither = 0
    same = dict.fromkeys(OVERLAPS, 0)
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
        for sentence in dict.fromkeys([*sentences, *ASKED]):
            one, other = (_first(clips[every], sentence, lexicon) for every in (True, False))
            if one is None or other is None:
                neither += one is other
                compared += one is not other
                continue
            compared += 1
            shared = min(one[1], other[1]) - max(one[0], other[0])
            union = max(one[1], other[1]) - min(one[0], other[0])
            for least in OVERLAPS:
                same[least] += shared >= least * union
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
    yield f"{compared} sentences have a first moment by one or both ways ({neither} more have none"
    yield "by both). It is the same if the two share so much of the time that they cover together:"
    yield ""
    yield "| shared | first moments the same |"
    yield "|---|---|"
    for least, many in same.items():
        yield f"| {least} | {many / compared:.1%} |"
    yield ""
    told = [auc(match[every], truth) for every in (True, False)]
    yield f"True against false by match: AUC {told[0]:.3f} with every frame, {told[1]:.3f} with"
    yield "fewer."
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


def _first(clip: Clip, sentence: str, lexicon: Lexicon) -> tuple[float, float] | None:
    """From when to when the first moment of a clip is, if there is one."""
    try:
        meaning = parse(sentence, vocabulary_of(lexicon, clip.classes))
        found = moments(clip, meaning, lexicon, 1).moments
    except SentrackError:
        return None
    return (found[0].start, found[0].end) if found else None


def _match(clip: Clip, sentence: str) -> float:
    try:
        return track(clip, sentence).match
    except SentrackError:
        return 0.0
