"""What it costs to index and to search, per hour of video, and what that makes for many hours."""

import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.clips import made_up
from benchmarks.footage import street
from sentrack.inference.intervals import best_interval
from sentrack.language import parse
from sentrack.lexicon import Lexicon
from sentrack.library import Entry
from sentrack.objective import interval, most_of_things
from sentrack.scene import scene_of, thing_table
from sentrack.tasks import RATE, Library
from sentrack.tasks.moment import LEAST_NATS
from sentrack.tasks.search import CLIPS_AT_ONCE
from sentrack.tasks.tracker import vocabulary_of
from sentrack.vision import load_clip
from sentrack.vision.scan import BEST, FPS, Video, observe
from sentrack.vision.scan.detectors import open_detector
from sentrack.workers import cores

SECONDS = 30.0  # of the street that are looked at
HOURS = 10_000
CORES = {"2 cores": 2, "one machine of 32 cores": 32, "50 machines of 16 cores": 800}
LISTINGS = 5  # of a library, of which the fastest counts
STEPS = ("read", "bound", "build", "solve")
BOUNDING = STEPS[:2]  # what every clip with all nouns takes; the others are for a few


def scale(count: int = 200, seconds: float = SECONDS) -> Iterator[str]:
    """All figures, and the cost of many hours by them."""
    looking, detecting, fewer = _indexing(seconds, 1)
    threaded, *_ = _indexing(seconds, cores())
    following = _following(seconds)
    yield "## Indexing"
    yield ""
    yield f"{seconds:g} s of street footage (768x576) at {FPS:g} frames per second with the default"
    yield "detector, whose network computes with one thread, as in each of the processes of"
    yield "`index --workers` that are as many as the cores; processor time of all threads together."
    yield "*Other* is decoding, flow, camera, colour and moving boxes along."
    yield ""
    yield "| | core seconds per video hour |"
    yield "|---|---|"
    yield f"| looking | {looking:.0f} |"
    yield f"| of these, detector | {detecting:.0f} |"
    yield f"| of these, other | {looking - detecting:.0f} |"
    yield f"| looking with `--fewer-frames` | {fewer:.0f} |"
    yield f"| looking by one process, {cores()} threads in its network | {threaded:.0f} |"
    yield f"| following things, for search | {following:.1f} |"
    yield ""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        real = Library(folder)
        real.add(street())
        made = made_up(other, count)
        listed = listing(other)
        said = {
            "the street": (real, "The person approached the car."),
            f"{count} made-up clips": (made, "The person picked up the cup."),
        }
        costs = {name: _searching(*each) for name, each in said.items()}
        sizes = {name: _bytes(library) for name, (library, _) in said.items()}
    yield "## Searching"
    yield ""
    yield "Core seconds per hour of video in which all nouns occur, at 10 frames per second, and"
    yield "megabytes that it takes. The things of all such clips were followed when they were"
    yield "indexed; they are read and bounded, many clips at a time. Of the few with the highest"
    yield "bounds windows are solved; *build* and *solve* are of all frames of a clip. Made-up"
    yield "clips last 10 s."
    yield ""
    yield f"| | MB | {' | '.join(STEPS)} | clips bounded per core second |"
    yield "|---" * (3 + len(STEPS)) + "|"
    for name, (steps, each) in costs.items():
        cells = " | ".join(f"{steps[step]:.2f}" for step in STEPS)
        yield f"| {name} | {sizes[name]:.1f} | {cells} | {1 / each:.1f} |"
    yield ""
    yield f"Listing them, once per search: {listed}."
    yield ""
    searching = [_total(steps) for steps, _ in costs.values()]
    yield from _many(looking + following, sorted(searching), sorted(sizes.values()))


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
    for name, many in CORES.items():
        each = HOURS / many
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


def listing(folder: str | Path) -> str:
    """How long it takes to list a library, in words."""
    least = math.inf
    for _ in range(LISTINGS):
        begin = time.process_time()
        entries = Library(folder).entries()
        least = min(least, (time.process_time() - begin) / len(entries))
    return f"{1e6 * least:.1f} microseconds per clip, the least of {LISTINGS} times"


def _indexing(seconds: float, threads: int) -> tuple[float, float, float]:
    """Core seconds per hour of video: of looking, of the detector alone, and with fewer looks."""
    video, detector = Video(street()), open_detector(best=BEST, threads=threads)
    detector.detect(next(iter(video.frames(0, seconds, FPS))).image)
    spent = [0.0, 0.0, 0.0]
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
        clock = time.process_time()
        for _ in observe(video.frames(*span, FPS), detector, video.size, BEST, False):
            pass
        spent[2] += time.process_time() - clock
    looking, alone, fewer = (each * 3600 / seconds for each in spent)
    return looking, alone, fewer


def _following(seconds: float) -> float:
    """Core seconds per hour of video to follow all things, whatever may be said of them."""
    clip = load_clip(street(), end=seconds)
    thing_table(clip.cut(0, 50), RATE)  # compile before anything is timed
    begin = time.process_time()
    thing_table(clip, RATE)
    return (time.process_time() - begin) * 3600 / seconds


def _bytes(library: Library) -> float:
    """Megabytes per hour of video, with what is kept of things."""
    size = sum(path.stat().st_size for path in Path(library.url).iterdir())
    return 3600e-6 * size / sum(entry.seconds for entry in library.entries())


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

    classes = frozenset(nouns)

    def bounded(entries: Sequence[Entry]) -> None:
        with timing("read"):
            tables = [library.things(entry, classes) for entry in entries]
        with timing("bound"):
            most_of_things([table for table in tables if table], meaning, lexicon, LEAST_NATS)

    bounded(fitting[:1])  # compile before anything is timed
    spent = dict.fromkeys(STEPS, 0.0)
    for begin in range(0, len(fitting), CLIPS_AT_ONCE):
        bounded(fitting[begin : begin + CLIPS_AT_ONCE])
    for entry in fitting:
        clip = library.clip(entry)
        with timing("build"):
            objective = interval(scene_of(clip, meaning, lexicon, RATE))
        with timing("solve"):
            best_interval(objective.problem, objective.final)
    hours = sum(entry.seconds for entry in fitting) / 3600
    each = sum(spent[step] for step in BOUNDING) / len(fitting)
    return {step: value / hours for step, value in spent.items()}, each
