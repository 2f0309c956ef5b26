"""What it costs to index and to search, per hour of video, and what that makes for many hours."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.clips import made_up
from benchmarks.footage import street
from sentrack.inference.intervals import best_interval
from sentrack.language import parse
from sentrack.lexicon import Lexicon
from sentrack.objective import interval
from sentrack.scene import scene_of
from sentrack.tasks import RATE, Library
from sentrack.tasks.moment import most
from sentrack.tasks.tracker import vocabulary_of
from sentrack.vision.scan import BEST, FPS, Video, observe
from sentrack.vision.scan.detectors import open_detector

SECONDS = 30.0  # of the street that are looked at
HOURS = 10_000
CORES = {"2 cores": 2, "one machine of 32 cores": 32, "50 machines of 16 cores": 800}
STEPS = ("read", "follow", "bound", "build", "solve")
BOUNDING = STEPS[:3]  # what every clip with all nouns takes; the others are for a few


def scale(count: int = 200, seconds: float = SECONDS) -> Iterator[str]:
    """All figures, and the cost of many hours by them."""
    looking, detecting = _indexing(seconds)
    yield "## Indexing"
    yield ""
    yield f"{seconds:g} s of street footage (768x576) at {FPS:g} frames per second with the default"
    yield "detector; processor time of all threads together. *Other* is decoding, flow, camera,"
    yield "colour and moving boxes along."
    yield ""
    yield "| | core seconds per video hour |"
    yield "|---|---|"
    yield f"| looking | {looking:.0f} |"
    yield f"| of these, detector | {detecting:.0f} |"
    yield f"| of these, other | {looking - detecting:.0f} |"
    yield ""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        real = Library(folder)
        real.add(street())
        made = made_up(other, count)
        begin = time.process_time()
        Library(other).entries()
        listing = (time.process_time() - begin) / count
        said = {
            "the street": (real, "The person approached the car."),
            f"{count} made-up clips": (made, "The person picked up the cup."),
        }
        costs = {name: _searching(*each) for name, each in said.items()}
        sizes = {name: _bytes(library) for name, (library, _) in said.items()}
    yield "## Searching"
    yield ""
    yield "Core seconds per hour of video in which all nouns occur, at 10 frames per second, and"
    yield "megabytes that it takes. All such clips are read, the things in them are followed, and"
    yield "they are bounded; only the few with the highest bounds are built and solved. Made-up"
    yield "clips last 10 s."
    yield ""
    yield f"| | MB | {' | '.join(STEPS)} | clips bounded per core second |"
    yield "|---" * (3 + len(STEPS)) + "|"
    for name, (steps, each) in costs.items():
        cells = " | ".join(f"{steps[step]:.2f}" for step in STEPS)
        yield f"| {name} | {sizes[name]:.1f} | {cells} | {1 / each:.1f} |"
    yield ""
    yield f"Listing a library, once per search: {1e6 * listing:.0f} microseconds per clip."
    yield ""
    searching = [_total(steps) for steps, _ in costs.values()]
    yield from _many(looking, sorted(searching), sorted(sizes.values()))


def _many(index: float, searching: list[float], sizes: list[float]) -> Iterator[str]:
    """The cost of many hours, given core seconds and megabytes per hour, the least and the most."""
    yield f"## {HOURS:,} hours"
    yield ""
    yield "The figures above times the hours, divided by the cores: an estimate, not measured. A"
    yield "search costs what the one or the other of the videos above takes, the cheaper one first;"
    yield "the nouns occur in a tenth of the hours, or in all of them."
    yield ""
    yield "| | index | search, nouns in a tenth | search, nouns in all |"
    yield "|---|---|---|---|"
    for name, cores in CORES.items():
        each = HOURS / cores
        tenth, whole = (
            " to ".join(_lasting(share * seconds * each) for seconds in searching)
            for share in (0.1, 1.0)
        )
        yield f"| {name} | {_lasting(index * each)} | {tenth} | {whole} |"
    yield ""
    yield f"It takes {' to '.join(f'{size * HOURS / 1000:.0f}' for size in sizes)} GB."
    yield ""


def _lasting(seconds: float) -> str:
    """Seconds in a unit that suits them."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} s"


def _total(steps: dict[str, float]) -> float:
    return sum(steps[step] for step in BOUNDING)


def _indexing(seconds: float) -> tuple[float, float]:
    """Of looking and of the detector alone, core seconds per hour of video."""
    video, detector = Video(street()), open_detector(best=BEST)
    detector.detect(next(iter(video.frames(0, seconds, FPS))).image)
    spent = [0.0, 0.0]
    # In turns, for others may use the machine.
    for begin in (0, seconds / 3, 2 * seconds / 3):
        span = begin, begin + seconds / 3
        images = [frame.image for frame in video.frames(*span, FPS)]
        clock = time.process_time()
        for _ in observe(video.frames(*span, FPS), detector, video.size, BEST):
            pass
        spent[0] += time.process_time() - clock
        clock = time.process_time()
        for image in images:
            detector.detect(image)
        spent[1] += time.process_time() - clock
    return spent[0] * 3600 / seconds, spent[1] * 3600 / seconds


def _bytes(library: Library) -> float:
    """Megabytes per hour of video."""
    entries = library.entries()
    return 3600e-6 * sum(e.bytes for e in entries) / sum(e.seconds for e in entries)


def _searching(library: Library, sentence: str) -> tuple[dict[str, float], float]:
    """Per step, core seconds per hour of video with all nouns; core seconds to bound a clip."""
    lexicon = Lexicon.load("everyday")
    entries = library.entries()
    meaning = parse(sentence, vocabulary_of(lexicon, entries[0].known))
    nouns = {participant.noun for participant in meaning.participants}
    fitting = [entry for entry in entries if nouns <= entry.classes.keys()]
    spent = dict.fromkeys(STEPS, 0.0)

    @contextmanager
    def timing(step: str) -> Iterator[None]:
        begin = time.process_time()
        yield
        spent[step] += time.process_time() - begin

    most(library.clip(fitting[0]), meaning, lexicon)  # compile before anything is timed
    for entry in fitting:
        with timing("read"):
            clip = library.clip(entry)
        with timing("follow"):
            scene_of(clip, meaning, lexicon, RATE)
        with timing("bound"):
            most(clip, meaning, lexicon)
        with timing("build"):
            objective = interval(scene_of(clip, meaning, lexicon, RATE))
        with timing("solve"):
            best_interval(objective.problem, objective.final)
    hours = sum(entry.seconds for entry in fitting) / 3600
    each = sum(spent[step] for step in BOUNDING) / len(fitting)
    return {step: value / hours for step, value in spent.items()}, each
