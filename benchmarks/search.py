"""What search finds in videos whose truth is known, what bounds save, and what it all costs.

    python -m benchmarks.search [--only when,retrieval,bounds] [--output docs/measured/search.md]
    python -m benchmarks.search --only scale,hours --output docs/measured/scale.md

Prints Markdown. Every figure is measured in this run. CAD-120 lies beside the project; the
street footage is fetched.
"""

import argparse
import csv
import math
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.cad import DATA, PICK_OR_PLACE, Segment, segments
from benchmarks.clips import made_up
from benchmarks.hours import hours
from benchmarks.inference import machine
from benchmarks.matching import svo
from benchmarks.scale import scale
from benchmarks.telling import Lines, tell
from sentrack.inference.intervals import best_intervals
from sentrack.language import Meaning, parse
from sentrack.lexicon import Lexicon
from sentrack.library import index_one
from sentrack.objective import interval
from sentrack.scene import scene_of
from sentrack.tasks import RATE, Library, Moment, Moments
from sentrack.tasks.moment import LEAST_NATS, moments
from sentrack.tasks.tracker import vocabulary_of
from sentrack.vision import Bools, Clip, ClipError, Floats

OVERLAP = 0.3  # temporal intersection over union from which on a moment hits a segment
TOPS = (1, 3)  # moments that are looked at
ROUNDS = 1000  # random draws that an expectation is taken over
VERBS = {**PICK_OR_PLACE, "drink": "drank from"}
SENTENCES = (
    "The person picked up the cup.",
    "The person carried the backpack to the right.",
    "The person approached the chair.",
    "The person left the table slowly.",
)

Spans = Floats  # (N, 2) from when to when, in seconds


def main() -> None:
    """Run the sections asked for and print them."""
    sections: dict[str, Callable[[], Lines]] = {
        "when": when,
        "retrieval": retrieval,
        "bounds": bounds,
        "scale": scale,
        "hours": lambda: hours(options.hours, options.library),
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default=",".join(sections), help="sections to run")
    parser.add_argument("--hours", type=float, default=1000.0, help="of the library of many hours")
    parser.add_argument("--library", type=Path, help="a folder that keeps it, to go on with later")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    options = parser.parse_args()
    head = f"Made by `python -m benchmarks.search {' '.join(sys.argv[1:])}` on {machine()}."
    title = "Scale" if options.only.startswith("scale") else "Search"
    written = [f"# {title}, measured", "", head, ""]
    print("\n".join(written))
    written += tell(sections, options.only)
    if options.output:
        options.output.write_text("\n".join(written).rstrip() + "\n", "utf-8")


def when(limit: int | None = None) -> Lines:
    """CAD-120: is the moment found when something was picked up or put down?"""
    lexicon, rng = Lexicon.load("everyday"), np.random.default_rng(0)
    found, videos = segments(limit)
    begin = time.perf_counter()
    asked = dict.fromkeys((s.video, s.verb, s.noun) for s in found)
    answers = {key: _spans(videos[key[0]], *key[1:], lexicon) for key in asked}
    seconds = time.perf_counter() - begin
    yield f"## When: CAD-120, {len(found)} segments of {len(videos)} videos"
    yield ""
    yield "Each video is searched for “The hand picked up the X.” and “The hand put down the X.”,"
    yield "for every labelled pick and place. A moment hits if it overlaps a labelled segment of"
    yield f"the verb and class by {OVERLAP} or more (intersection over union in time). Chance puts"
    yield "as many intervals of the same lengths anywhere in the video. What a moment has to pay"
    yield "for its time was chosen on these two subjects: this is development data, and no figure"
    yield "is held out."
    yield ""
    tops = [f"{who}top-{top}" for top in TOPS for who in ("", "chance, ")]
    yield f"| segments | {' | '.join(tops)} |"
    yield "|---" * (1 + len(tops)) + "|"
    figures = []
    for segment in found:
        spans = answers[segment.video, segment.verb, segment.noun]
        truth, length = _truth(segment, found, videos), _length(videos[segment.video])
        row = []
        for top in TOPS:
            row += [float(hits(spans[:top], truth)), by_chance(spans[:top], truth, length, rng)]
        figures.append(row)
    for name in ("all", *PICK_OR_PLACE, *sorted({s.subject for s in found})):
        rows = [
            f for s, f in zip(found, figures, strict=True) if name in ("all", s.verb, s.subject)
        ]
        cells = " | ".join(f"{np.mean(column):.1%}" for column in zip(*rows, strict=True))
        yield f"| {name} ({len(rows)}) | {cells or '–'} |"
    yield ""
    yield f"{len(asked)} searches of {len(videos)} videos took {seconds:.0f} s."
    yield ""


def _spans(clip: Clip, verb: str, noun: str, lexicon: Lexicon) -> Spans:
    """The best moments of "The hand verb the noun.", at most as many as are looked at."""
    meaning = svo("hand", PICK_OR_PLACE[verb], noun, vocabulary_of(lexicon, clip.classes))
    answer = moments(clip, meaning, lexicon, max(TOPS))
    return np.array([(m.start, m.end) for m in answer.moments]).reshape(-1, 2)


def _truth(segment: Segment, found: Sequence[Segment], videos: dict[str, Clip]) -> Spans:
    """All segments of the same video, verb and class."""
    same = [
        (s.first, s.last + 1)
        for s in found
        if (s.video, s.verb, s.noun) == (segment.video, segment.verb, segment.noun)
    ]
    return np.array(same) / videos[segment.video].fps


def _length(clip: Clip) -> float:
    return float(clip.times[-1] - clip.times[0]) + clip.seconds


def hits(spans: Spans, truth: Spans) -> bool:
    """Whether one of (N, 2) spans overlaps one of (M, 2) others well enough."""
    low = np.maximum(spans[:, None, 0], truth[None, :, 0])
    high = np.minimum(spans[:, None, 1], truth[None, :, 1])
    shared = np.maximum(high - low, 0)
    lengths = [each[:, 1] - each[:, 0] for each in (spans, truth)]
    union = lengths[0][:, None] + lengths[1][None, :] - shared
    return bool((shared >= OVERLAP * union).any())


def by_chance(spans: Spans, truth: Spans, length: float, rng: np.random.Generator) -> float:
    """How often spans of the same lengths hit that begin anywhere in a video."""
    lasting = spans[:, 1] - spans[:, 0]
    begin = rng.uniform(0, np.maximum(length - lasting, 0), (ROUNDS, len(spans)))
    drawn = np.stack([begin, begin + lasting], axis=-1)
    return float(np.mean([hits(each, truth) for each in drawn]))


def retrieval(limit: int | None = None) -> Lines:
    """CAD-120: do videos in which it happened come first?"""
    lexicon, rng = Lexicon.load("everyday"), np.random.default_rng(0)
    with (DATA / "segments.csv").open(encoding="utf-8") as file:
        labelled = [(r["video"], r["verb"], r["class"]) for r in csv.DictReader(file)]
    with tempfile.TemporaryDirectory() as folder:
        library = Library(folder)
        for task in library.plan([DATA / "tracks.csv.gz"], size=(640, 480), fps=30)[:limit]:
            index_one(library.url, task)
        watched = {entry.name: library.clip(entry) for entry in library.entries()}
    true = {each for each in labelled if each[0] in watched and each[1] in VERBS}
    yield f"## Retrieval: CAD-120, {len(watched)} videos"
    yield ""
    yield "All videos are a library of detections. For each verb and each class that occurs with"
    yield "it, videos are ranked by their best moment of “The hand picked up (put down, drank from)"
    yield "the X.”; those without a moment come last. A video is relevant if a segment of it is"
    yield "labelled so. Presence ranks by the number of frames that show a hand and the class,"
    yield "chance at random; ties are broken at random, and figures are means over how that can"
    yield "turn out. These are the same development subjects."
    yield ""
    yield "| verb | classes | relevant videos | search, mAP | presence, mAP | chance, mAP |"
    yield "|---|---|---|---|---|---|"
    for verb, said in VERBS.items():
        nouns = sorted({noun for _, other, noun in true if other == verb})
        figures = []
        for noun in nouns:
            meaning = svo("hand", said, noun, vocabulary_of(lexicon, ["hand", noun]))
            relevant = np.array([(name, verb, noun) in true for name in watched])
            rankings = (
                [_best(clip, meaning, lexicon) for clip in watched.values()],
                [_together(clip, "hand", noun) for clip in watched.values()],
                [0.0] * len(watched),
            )
            figures.append([average_precision(np.array(r), relevant, rng) for r in rankings])
        cells = " | ".join(f"{np.mean(column):.3f}" for column in zip(*figures, strict=True))
        number = sum(other == verb for _, other, _ in true)
        yield f"| {verb} | {len(nouns)} | {number} | {cells or '– | – | –'} |"
    yield ""


def _best(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> float:
    """The score of the best moment, -inf if there is none."""
    found = moments(clip, meaning, lexicon, 1).moments
    return found[0].score if found else -math.inf


def _together(clip: Clip, *classes: str) -> float:
    """The number of frames that show all of some classes."""
    shown = [
        np.isin(np.arange(clip.T), clip.frame_of[clip.label == clip.classes.index(name)])
        if name in clip.classes
        else np.zeros(clip.T, np.bool_)
        for name in classes
    ]
    return float(np.logical_and.reduce(shown).sum())


def average_precision(scores: Floats, relevant: Bools, rng: np.random.Generator) -> float:
    """Mean precision at the relevant ones, best score first; the mean over orders of ties."""
    found = []
    for _ in range(ROUNDS):
        order = np.lexsort((rng.random(len(scores)), -scores))
        good = relevant[order]
        precision = np.cumsum(good) / np.arange(1, len(good) + 1)
        found.append(precision[good].mean())
    return float(np.mean(found))


def bounds(count: int = 2000, k: int = 10, sentences: Sequence[str] = SENTENCES) -> Lines:
    """Made-up clips: what bounds save, and that the answer is the same."""
    lexicon = Lexicon.load("everyday")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as small:
        made_up(small, 5).search(sentences[0], k, workers=1)  # compile before anything is timed
        library = made_up(folder, count)
        yield f"## Bounds: {count} made-up clips of {library.entries()[0].T} frames, the {k} best"
        yield ""
        yield "Each clip has two or three of five kinds of things, each with a person who picks it"
        yield "up, puts it down, carries, approaches or leaves it or stands by, among false boxes."
        yield "Solving all reads every clip, finds up to that many moments in each, exactly and"
        yield "without bounds, and ranks them. Both in one process; seconds of processor time."
        yield ""
        yield (
            "| sentence | clips | with all nouns | solved | fewer solved | search s "
            "| solving all s | faster | same answer |"
        )
        yield "|---|---|---|---|---|---|---|---|---|"
        totals = np.zeros(4)
        for sentence in sentences:
            begin = time.process_time()
            found = library.search(sentence, k, workers=1)
            middle = time.process_time()
            every = solving_all(library, sentence, k, lexicon)
            end = time.process_time()
            row = np.array([found.clips, found.solved, middle - begin, end - middle])
            totals += row
            same = "yes" if agree(found, every) else "NO"
            yield f"| {sentence} | {found.clips} | {found.read} | {_saved(row)} | {same} |"
        yield f"| all | {totals[0]:.0f} | | {_saved(totals)} | |"
        yield ""


def _saved(row: Floats) -> str:
    clips, solved, search, everything = row
    return (
        f"{solved:.0f} | {clips / max(solved, 1):.1f} x | {search:.1f} | {everything:.1f} "
        f"| {everything / search:.1f} x"
    )


Found = tuple[float, str, float]  # score, video, start in seconds


def solving_all(library: Library, sentence: str, k: int, lexicon: Lexicon) -> list[Found]:
    """The k best moments of a library, by solving every clip."""
    entries = library.entries()
    known = sorted({name for entry in entries for name in entry.known})
    meaning = parse(sentence, vocabulary_of(lexicon, known))
    found = []
    for entry in entries:
        clip = library.clip(entry)
        try:
            objective = interval(scene_of(clip, meaning, lexicon, RATE))
        except ClipError:  # a noun that is not there
            continue
        found += [
            (best.solution.score, entry.name, float(objective.clip.times[best.first]))
            for best in best_intervals(objective.problem, k, objective.final, LEAST_NATS)
        ]
    return sorted(found, key=lambda each: (-each[0], *each[1:]))[:k]


def agree(found: Moments | Sequence[Moment], every: Sequence[Found]) -> bool:
    """Whether search found what solving every clip did."""
    answers = [(m.score, m.video, m.start) for m in found]
    return len(answers) == len(every) and all(
        a[1:] == b[1:] and math.isclose(a[0], b[0], rel_tol=1e-9)
        for a, b in zip(answers, every, strict=True)
    )


if __name__ == "__main__":
    main()
