"""What sentences reach on real detections: the paper's clip, CAD-120, and the time to build.

    python -m benchmarks.sentences [--only mvi,cad,build] [--output docs/measured/sentences.md]

Prints Markdown. Every figure is measured in this run. The real data lies beside the project.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import permutations, product
from pathlib import Path

import numpy as np

from benchmarks.cad import cad
from benchmarks.inference import machine
from benchmarks.matching import Timed, svo, timed
from benchmarks.telling import Lines, tell
from sentrack.language import Meaning, Participant, Word, distinct_pairs
from sentrack.lexicon import Lexicon
from sentrack.vision import Clip, clip_from_arrays, load_clip

DATA = Path(__file__).parents[2] / "shared" / "data"
NOUNS = ("person", "backpack", "chair", "trash-can")
VERBS = ("approached", "carried", "picked up", "put down")
OWN = "The backpack approached the trash-can."  # what the corpus says of its clip


def main() -> None:
    """Run the sections asked for and print them."""
    sections: dict[str, Callable[[], Lines]] = {"mvi": mvi, "cad": cad, "build": building}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default=",".join(sections), help="sections to run")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    options = parser.parse_args()
    written = tell(sections, options.only)
    if options.output:
        command = "python -m benchmarks.sentences " + " ".join(sys.argv[1:])
        head = f"# Sentences, measured\n\nMade by `{command.strip()}` on {machine()}.\n\n"
        options.output.write_text(head + "\n".join(written) + "\n")


def every(clip: Clip, step: int) -> Clip:
    """Every so many frames of a clip; motion stays as measured on all of them."""
    return clip.picked(np.arange(0, clip.T, step))


def all_pairs(
    clip: Clip, lexicon: Lexicon, nouns: Sequence[str] = NOUNS, peer: bool = False
) -> list[Timed]:
    """All sentences of two nouns and one of the verbs."""
    vocabulary = lexicon.vocabulary().with_nouns(clip.classes)
    said = product(permutations(nouns, 2), VERBS)
    meanings = [svo(a, verb, b, vocabulary) for (a, b), verb in said]
    timed(clip, meanings[0], lexicon)  # compile before anything is timed
    return [timed(clip, meaning, lexicon, peer) for meaning in meanings]


def mvi() -> Lines:
    """The paper's clip, all sentences of two nouns and a verb."""
    clip = load_clip(DATA / "mvi_0820" / "detections.csv.gz", size=(1280, 960), fps=30)
    yield "## The paper's clip, all 48 sentences of two nouns and a verb"
    yield ""
    yield "Four classes with 20 boxes each and what bridging adds. Seconds are totals over the"
    yield "sentences, with the lexicon `paper`; toulbar2's hold handing the problem over and"
    yield "solving it, but not building it."
    yield ""
    yield "| frames | certified | build s | auto s | build + auto s | toulbar2 s | same optimum |"
    yield "|---|---|---|---|---|---|---|"
    clips = (clip, every(clip, 8))
    for each in clips:
        runs = all_pairs(each, Lexicon.load("paper"), peer=True)
        built, solved, peer = (sum(getattr(r, k) for r in runs) for k in ("build", "solve", "peer"))
        yield (
            f"| {each.T} | {sum(r.certified for r in runs)}/{len(runs)} | {built:.2f} "
            f"| {solved:.2f} | {built + solved:.2f} | {peer:.2f} "
            f"| {sum(r.agrees for r in runs)}/{len(runs)} |"
        )
    yield ""
    for each in clips:
        runs = sorted(all_pairs(each, Lexicon.load("everyday")), key=lambda r: -r.match)
        rank = 1 + [r.sentence for r in runs].index(OWN)
        best = "; ".join(f"{r.sentence} {r.match:.2f}" for r in runs[:5])
        yield f"With `everyday`, {each.T} frames: “{OWN}” is number {rank} of {len(runs)} by match."
        yield f"The best: {best}"
        yield ""


def crowd(T: int = 300, J: int = 20, seed: int = 0) -> Clip:
    """A person carries a backpack slowly towards a chair, among J of each."""
    rng = np.random.default_rng(seed)
    seconds = np.arange(T)[:, None, None] / 30
    start = rng.uniform((0.1, 0.2), (1.2, 0.9), (3, J, 1, 2)).transpose(0, 2, 1, 3)
    speed = rng.normal(0, 0.01, (3, 1, J, 2))
    start[:, 0, 0], speed[:, 0, 0] = [(0.1, 0.5), (0.15, 0.5), (1.1, 0.6)], 0
    speed[:2, 0, 0, 0] = 0.1
    size = np.array([(0.15, 0.4), (0.1, 0.12), (0.12, 0.2)])[:, None, None]
    centre = start + speed * seconds + rng.normal(0, 0.002, (3, T, J, 2))
    boxes = 480 * np.concatenate((centre - size / 2, centre + size / 2), axis=-1)
    score = rng.uniform(0.05, 0.5, (3, T, J))
    score[:, :, 0] = 0.9
    frame, label = np.tile(np.repeat(np.arange(T), J), 3), np.repeat(np.arange(3), T * J)
    names = ("person", "backpack", "chair")
    return clip_from_arrays(
        "crowd", (640, 480), 30, frame, names, boxes.reshape(-1, 4), score.ravel(), label=label
    )


def slow_carrying() -> Meaning:
    """The person left of the chair carries the backpack slowly towards that very chair."""
    people = tuple(Participant(noun) for noun in ("person", "backpack", "chair"))
    words = [Word(p.noun, (i,), "noun") for i, p in enumerate(people)]
    words += [Word("carry", (0, 1), "verb"), Word("left-of", (0, 2), "preposition")]
    words += [Word("slowly", (1,), "adverb"), Word("towards", (1, 2), "motion")]
    return Meaning("", people, tuple(words), distinct_pairs(people, words))


def building(lexicons: Sequence[str] = ("paper", "everyday"), T: int = 300, J: int = 20) -> Lines:
    """The time to build a problem, beside the time to solve it."""
    clip, meaning = crowd(T, J), slow_carrying()
    yield f"## Building: {T} frames, three participants, {J} candidates each"
    yield ""
    yield "The sentence has carry, left-of, slowly and towards; the best of three"
    yield "runs after a first one, which also bridges the clip's gaps."
    yield ""
    yield "| lexicon | build s | solve s | certified |"
    yield "|---|---|---|---|"
    for name in lexicons:
        runs = [timed(clip, meaning, Lexicon.load(name)) for _ in range(4)][1:]
        built, solved = min(r.build for r in runs), min(r.solve for r in runs)
        yield f"| {name} | {built:.3f} | {solved:.3f} | {runs[0].certified} |"
    yield ""


if __name__ == "__main__":
    main()
