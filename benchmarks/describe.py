"""What descriptions say of clips whose truth is known: real footage, a made-up clip, and CAD-120.

    python -m benchmarks.describe [--only footage,scene,cad] [--output docs/measured/describe.md]
    python -m benchmarks.describe --only footage --strips FOLDER

Prints Markdown. Every figure is measured in this run. The footage is that of
`benchmarks.true_false`; what was said of it was labelled by looking at frames of every sentence
(describe_labels.csv), of which --strips draws some. CAD-120 lies beside the project.
"""

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import sentrack
from benchmarks.cad import Segment, segments
from benchmarks.inference import machine
from benchmarks.telling import Lines, tell
from benchmarks.true_false import video
from sentrack.lexicon import Lexicon
from sentrack.tasks import Described, describe
from sentrack.vision import two_activities

HERE = Path(__file__).parent
FIRST = 3  # sentences of a segment that are looked at
LABELLED = {"pick": {"pick-up"}, "place": {"put-down"}}
# Verbs that say of the same event what is true of it, too.
TRUE = {
    "pick": {"pick-up", "take", "lift", "carry"},
    "place": {"put-down", "put", "lower", "carry"},
}
VIDEOS = (
    "vtest.avi",
    "prius_movie.mov",
    "demo.mp4",
    "MOT17-05.mp4",
    "MOT17-10.mp4",
    "MOT17-13.mp4",
    "person-bicycle-car-detection.mp4",
    "people-detection.mp4",
    "worker-zone-detection.mp4",
    "store-aisle-detection.mp4",
)


def main() -> None:
    """Run the sections asked for and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="footage,scene,cad", help="sections to run")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    parser.add_argument("--strips", type=Path, help="draw what is said of the footage there")
    options = parser.parse_args()
    sections: dict[str, Callable[[], Lines]] = {
        "footage": partial(footage, options.strips),
        "scene": scene,
        "cad": cad,
    }
    written = tell(sections, options.only)
    if options.output:
        command = "python -m benchmarks.describe " + " ".join(sys.argv[1:])
        head = f"# Descriptions, measured\n\nMade by `{command.strip()}` on {machine()}.\n\n"
        options.output.write_text(head + "\n".join(written).rstrip() + "\n", "utf-8")


@dataclass(frozen=True)
class Label:
    """What was seen in the frames of a sentence about a video."""

    video: str
    start: float
    end: float
    sentence: str
    true: bool


def labels(path: Path = HERE / "describe_labels.csv") -> list[Label]:
    """The list."""
    with path.open(encoding="utf-8") as file:
        return [
            Label(r["video"], float(r["start"]), float(r["end"]), r["sentence"], r["true"] == "1")
            for r in csv.DictReader(file)
        ]


def label_of(known: Sequence[Label], name: str, said: Described) -> bool | None:
    """Whether a sentence is true; None if nobody has looked.

    A label holds for the same sentence about a time that is for the most part the same.
    """
    for label in known:
        common = min(label.end, said.end) - max(label.start, said.start)
        longer = max(label.end - label.start, said.end - said.start)
        if (label.video, label.sentence) == (name, said.sentence) and common >= 0.5 * longer:
            return label.true
    return None


def footage(strips: Path | None = None) -> Lines:
    """Real footage: is what is said so?"""
    known = labels()
    yield f"## Real footage, {len(VIDEOS)} videos"
    yield ""
    yield "Everything that `sentrack describe` says of them, by default at most five sentences of"
    yield "each; labelled by looking at frames of every sentence with the boxes of those it speaks"
    yield "of. *?* is what nobody has looked at, and counts for nothing. These videos were looked"
    yield "at while it was chosen what is sure: no figure is held out."
    yield ""
    yield "| video | seconds | sentence | from | to | match | true |"
    yield "|---|---|---|---|---|---|---|"
    told: list[bool | None] = []
    for name in VIDEOS:
        clip = sentrack.load_clip(video(name, None))
        lasts = f"{clip.times[-1] - clip.times[0]:.0f}"
        said = describe(clip)
        if not said:
            yield f"| {name} | {lasts} | (nothing) | | | | |"
        for n, each in enumerate(said):
            told.append(label_of(known, name, each))
            mark = {True: "yes", False: "no", None: "?"}[told[-1]]
            span = f"{each.start:.1f} | {each.end:.1f} | {each.match:.2f}"
            yield f"| {name} | {lasts} | {each.sentence} | {span} | {mark} |"
            if strips is not None:
                _draw(each, name, strips / f"{name}-{n}.png")
    yield ""
    yield (
        f"**{told.count(True)} of {len(told)} sentences are true**, {told.count(False)} are false, "
        f"and at {told.count(None)} nobody has looked."
    )
    yield ""


def _draw(said: Described, name: str, path: Path) -> None:
    from sentrack.show import strip
    from sentrack.vision.scan import Video

    path.parent.mkdir(parents=True, exist_ok=True)
    strip([said.tracking], Video(video(name, None)).frames(said.start, said.end), path)


def scene(seeds: Sequence[int] = (0, 1, 2)) -> Lines:
    """The made-up clip: what is said, and what it took."""
    yield "## The made-up clip"
    yield ""
    yield "Six seconds in which a person picks up a cup, another carries a backpack to the right"
    yield "and a third walks to the left, up to a chair; among false boxes of all five classes."
    for seed in seeds:
        clip, _ = two_activities(seed)
        begin = time.process_time()
        said = describe(clip)
        seconds = time.process_time() - begin
        yield ""
        yield f"Seed {seed}: {said.cores} cores, {said.tracked} sentences tracked, {seconds:.1f} s."
        yield ""
        yield "| sentence | from | to | match | fit |"
        yield "|---|---|---|---|---|"
        for each in said:
            span = f"{each.start:.1f} | {each.end:.1f}"
            yield f"| {each.sentence} | {span} | {each.match:.2f} | {each.fit:.2f} |"
    yield ""


def cad(limit: int | None = None) -> Lines:
    """CAD-120: is what was picked up or placed said so?"""
    found, videos = segments(limit)
    lexicon = Lexicon.load("everyday")
    begin = time.process_time()
    said = [describe(segment.of(videos[segment.video]), FIRST, lexicon) for segment in found]
    seconds = time.process_time() - begin
    yield f"## CAD-120: picked up or placed, {len(found)} segments of {len(videos)} videos"
    yield ""
    yield "All boxes of each segment are described with `everyday`: hands, head and all things."
    yield "*Right* is a hand, a verb that says of the event what is true of it (pick up, take, lift"
    yield "or carry for a pick; put down, put, lower or carry for a place) and the labelled class,"
    yield f"in the first {FIRST} sentences; *labelled verb* counts only pick up and put down; *the"
    yield "thing* counts any verb of a hand and that class; *opposite* counts a verb of the other"
    yield "event; *nothing* is where nothing was said. These two subjects are the set's part for"
    yield "development: no figure is held out."
    yield ""
    yield "| segments | right | right at once | labelled verb | the thing | opposite | nothing |"
    yield "|---|---|---|---|---|---|---|"
    for name in ("all", *LABELLED):
        rows = [i for i, s in enumerate(found) if name in ("all", s.verb)]
        figures = (
            [hits(said[i], found[i], TRUE[found[i].verb]) for i in rows],
            [hits(said[i][:1], found[i], TRUE[found[i].verb]) for i in rows],
            [hits(said[i], found[i], LABELLED[found[i].verb]) for i in rows],
            [hits(said[i], found[i], None) for i in rows],
            [hits(said[i], found[i], opposite(found[i].verb)) for i in rows],
            [not said[i] for i in rows],
        )
        cells = " | ".join(f"{np.mean(figure):.1%}" for figure in figures)
        yield f"| {name} ({len(rows)}) | {cells} |"
    yield ""
    yield (
        f"{seconds:.0f} s of processor in all; {sum(d.cores for d in said)} cores, "
        f"{np.mean([len(d) for d in said]):.1f} sentences per segment."
    )
    yield ""


def hits(said: Sequence[Described], segment: Segment, verbs: set[str] | None) -> bool:
    """Whether one of the sentences says one of the verbs of a hand and the labelled class."""
    for each in said:
        words = each.tracking.words
        verb = next(word for word in words if word.part == "verb")
        nouns = [each.tracking.participants[p].noun for p in verb.participants]
        right = nouns[:1] == ["hand"] and nouns[1:2] == [segment.noun]
        if right and (verbs is None or verb.word in verbs):
            return True
    return False


def opposite(verb: str) -> set[str]:
    """Verbs that are false of an event: those of the other one that are not also true of it."""
    (other,) = TRUE.keys() - {verb}
    return TRUE[other] - TRUE[verb]


if __name__ == "__main__":
    main()
