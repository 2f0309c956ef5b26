"""What descriptions say of clips whose truth is known: a made-up clip, and CAD-120.

    python -m benchmarks.describe [--only scene,cad] [--output docs/measured/describe.md]

Prints Markdown. Every figure is measured in this run. CAD-120 lies beside the project.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.cad import Segment, segments
from benchmarks.inference import machine
from benchmarks.telling import Lines, tell
from sentrack.lexicon import Lexicon
from sentrack.tasks.description.cores import cores
from sentrack.tasks.description.describer import Described, describe
from sentrack.tasks.description.evidence import Evidence
from sentrack.vision import Clip, two_activities

FIRST = 3  # sentences that are looked at
RIGHT = {"pick": "pick-up", "place": "put-down"}
# Verbs that say of the same event what is true of it, too.
TRUE = {"pick": {"pick-up", "take", "lift", "carry"}, "place": {"put-down", "lower", "carry"}}


def main() -> None:
    """Run the sections asked for and print them."""
    sections: dict[str, Callable[[], Lines]] = {"scene": scene, "cad": cad}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default=",".join(sections), help="sections to run")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    options = parser.parse_args()
    written = tell(sections, options.only)
    if options.output:
        command = "python -m benchmarks.describe " + " ".join(sys.argv[1:])
        head = f"# Descriptions, measured\n\nMade by `{command.strip()}` on {machine()}.\n\n"
        options.output.write_text(head + "\n".join(written).rstrip() + "\n", "utf-8")


def scene(seeds: Sequence[int] = (0, 1, 2)) -> Lines:
    """The made-up clip: what is said, and what it took."""
    yield "## The made-up clip"
    yield ""
    yield "Six seconds in which a person picks up a cup, another carries a backpack to the right"
    yield "and a third walks to the left, up to a chair; among false boxes of all five classes."
    for seed in seeds:
        clip, _ = two_activities(seed)
        begin = time.perf_counter()
        said = describe(clip)
        seconds = time.perf_counter() - begin
        yield ""
        yield (
            f"Seed {seed}: {said.fragment} sentences to choose from, {said.bounded} cores bounded, "
            f"{said.solved} tracked, {seconds:.1f} s."
        )
        yield ""
        yield "| sentence | match | fit |"
        yield "|---|---|---|"
        for each in said:
            yield f"| {each.sentence} | {each.match:.2f} | {each.fit:.2f} |"
    yield ""


def cad(limit: int | None = None) -> Lines:
    """CAD-120: is what was picked up or placed said so?"""
    found, videos = segments(limit)
    lexicon = Lexicon.load("everyday")
    begin = time.perf_counter()
    clips = [segment.of(videos[segment.video]) for segment in found]
    said = [describe(clip, FIRST, lexicon) for clip in clips]
    seconds = time.perf_counter() - begin
    yield f"## CAD-120: picked up or placed, {len(found)} segments of {len(videos)} videos"
    yield ""
    yield "All boxes of each segment are described with `everyday`: hands, head and all things."
    yield "Right is a hand, the labelled verb (pick up, put down) and the labelled class, in the"
    yield f"first {FIRST} sentences. *True* also counts other verbs of the same event: take, lift"
    yield "and carry for a pick, lower and carry for a place. *The thing* counts any verb of a hand"
    yield "and that class. Chance draws as many different cores from all that could be said; the"
    yield "narrow chance only from picks and places by a hand. These two subjects are the set's"
    yield "part for development, and the fit was made on them: no figure is held out."
    yield ""
    yield "| segments | right | chance | narrow chance | right at once | true | the thing |"
    yield "|---|---|---|---|---|---|---|"
    chances = [chance(segment, clip, lexicon) for segment, clip in zip(found, clips, strict=True)]
    for name in ("all", *RIGHT):
        rows = [i for i, s in enumerate(found) if name in ("all", s.verb)]
        verbs = [{RIGHT[found[i].verb]} for i in rows]
        figures = (
            [hits(said[i], found[i], right) for i, right in zip(rows, verbs, strict=True)],
            [chances[i][0] for i in rows],
            [chances[i][1] for i in rows],
            [hits(said[i][:1], found[i], right) for i, right in zip(rows, verbs, strict=True)],
            [hits(said[i], found[i], TRUE[found[i].verb]) for i in rows],
            [hits(said[i], found[i], None) for i in rows],
        )
        cells = " | ".join(f"{np.mean(figure):.1%}" for figure in figures)
        yield f"| {name} ({len(rows)}) | {cells} |"
    yield ""
    yield (
        f"{seconds:.0f} s in all; of {sum(d.bounded for d in said)} cores "
        f"{sum(d.solved for d in said)} were tracked; {np.mean([len(d) for d in said]):.1f} "
        "sentences per segment."
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


def chance(segment: Segment, clip: Clip, lexicon: Lexicon) -> tuple[float, float]:
    """The probability that the right core is among random ones: of all, of a hand's handling."""
    every = [(core.model.name, core.nouns) for core in cores(Evidence(clip, lexicon))]
    narrow = [
        (name, nouns) for name, nouns in every if name in RIGHT.values() and nouns[0] == "hand"
    ]
    right = RIGHT[segment.verb], ("hand", segment.noun)
    assert right in narrow
    return FIRST / len(every), min(1.0, FIRST / len(narrow))


if __name__ == "__main__":
    main()
