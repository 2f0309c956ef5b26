"""What is learned: from CAD-120 across subjects, from sampled data, and how fast.

    python -m benchmarks.learn [--only cad,validation,recovery,speed]
        [--output docs/measured/learning.md] [--picture docs/measured/confusion.png]

Prints Markdown. Every figure is measured in this run. The real data lies beside the project.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.cad_verbs import VERBS, Figures, by_habit, compared, examples, judged, said
from benchmarks.confusion import draw_confusion
from benchmarks.inference import machine
from benchmarks.sampled import sampled, sharp_word
from benchmarks.telling import Lines, tell
from sentrack.lexicon import Lexicon
from sentrack.progress import silent
from sentrack.tasks import track
from sentrack.tasks.learning.e_step import (
    Parameters,
    TrainingSet,
    expectations,
    measure_background,
)
from sentrack.tasks.learning.em import StoppingRule, run_em_with_restarts
from sentrack.tasks.learning.journal import Journal
from sentrack.tasks.learning.learner import Settings, learn
from sentrack.tasks.learning.m_step import Prior
from sentrack.vision import Clip, clip_from_arrays
from sentrack.workers import open_executor


def cad(picture: Path | None = None, limit: int | None = None, quick: bool = False) -> Lines:
    """CAD-120: learn from one subject, understand the other."""
    subjects = examples(limit)
    base = Settings(restarts=1, iterations=3, contrast=1) if quick else Settings()
    panels = []
    yield "## CAD-120, across subjects"
    yield ""
    yield "Sentences are made from the segments: “The hand picked up the cup.” Learned from all of"
    yield "one subject and judged on all of the other, every third frame, with default settings;"
    yield "nothing is chosen. A sentence is chosen by `match`, about all of the clip, as users see"
    yield "it. The verb prior always answers the commonest verb, or sentence, of the training"
    yield "subject. “From `everyday`” begins with the meanings that are written by hand, of the"
    yield "verbs that it has, and holds them. Seconds are of one processor."
    for test in sorted(subjects):
        (train,) = (subject for subject in subjects if subject != test)
        pairs = [(example.clip, example.sentence()) for example in subjects[train]]
        chosen = subjects[test]
        yield ""
        yield f"### From {train} ({len(pairs)} clips) to {test} ({len(chosen)} clips)"
        yield ""
        settings = replace(base, nouns=False)
        ways = {
            "learned": settings,
            "learned, from `everyday`": settings,
            "learned, first stage alone": replace(settings, contrast=0),
            "learned, nouns too": base,
        }
        yield "| words | pick or place | all verbs, given the object | macro F1 | learning s |"
        yield "|---|---|---|---|---|"
        chance = 1 / len(VERBS)
        yield f"| chance | 50.0% | {chance:.1%} | {1 / len(said(chosen)):.3f} | |"
        yield _row("verb prior", by_habit(subjects[train], chosen), "")
        yield _row("`everyday`", judged(chosen, Lexicon.load("everyday")), "")
        for name, way in ways.items():
            begin = time.process_time()
            start = "written" if "from" in name else None
            lexicon = learn(pairs, settings=way, start=start, workers=1)
            seconds = time.process_time() - begin
            result = judged(chosen, lexicon)
            yield _row(name, result, f"{seconds:.0f}")
            if name == "learned":
                panels.append((f"{train} to {test}", result.confusion))
    yield ""
    if picture is not None:
        draw_confusion(panels, [verb.replace("_", " ") for verb in VERBS], picture)
        yield f"![Which verb is taken for which]({picture.name})"
        yield ""


def validation() -> Lines:
    """What verbs look at, judged within each subject on activities left out."""
    yield "## What verbs look at, within a subject"
    yield ""
    yield "Four-fold validation on activities left out, by part right and by loss (nats per clip)."
    for subject, found in sorted(examples().items()):
        yield ""
        yield f"### {subject}"
        yield ""
        yield "| features of verbs | pick or place | loss | all verbs | loss |"
        yield "|---|---|---|---|---|"
        yield from compared(found, Settings(nouns=False))
    yield ""


def _row(name: str, result: Figures, seconds: str) -> str:
    return (
        f"| {name} | {result.pick_or_place:.1%} | {result.verbs:.1%} "
        f"| {result.sentences:.3f} | {seconds} |"
    )


def recovered(
    seed: int, clips: int = 60, restarts: int = Settings().restarts, frames: int = 40
) -> tuple[float, float]:
    """Nats per frame of fresh data under the truth and under what was learned from a sample."""
    rng = np.random.default_rng(seed)
    truth = {("verb", name): sharp_word(name, rng) for name in ("dax", "wug")}
    train, fresh = (
        [sampled(truth[key], frames, 3, rng) for key in truth for _ in range(clips)]
        for _ in range(2)
    )
    background = measure_background(train, truth)
    prior = Prior(Settings().smoothing, background, 1.0)
    known = Parameters(truth, {}, background, np.zeros(0), frozenset(truth))
    rule = StoppingRule(Settings().iterations, Settings().tolerance)
    journal = Journal(None, "")
    with open_executor(calls=len(train)) as executor:
        data = TrainingSet(train, executor)
        found = run_em_with_restarts(
            "words", known, data, prior, rule, restarts, seed, journal, silent
        )
    total = sum(example.T for example in fresh)
    true, learned = (sum(expectations(s, each)[0] for s in fresh) for each in (known, found))
    return true / total, learned / total


def recovery(seeds: Sequence[int] = (0, 1, 2, 3, 4)) -> Lines:
    """Data sampled from known words, learned from random starts."""
    yield "## Recovery of known words"
    yield ""
    yield "Two words of three states over six features, 60 clips of 40 frames each, three"
    yield "candidates for each of two participants, of which one is spoken of. Nats per frame on as"
    yield "many fresh clips, relative to usual bins."
    yield ""
    yield "| seed | truth | learned | short by |"
    yield "|---|---|---|---|"
    for seed in seeds:
        true, found = recovered(seed)
        yield f"| {seed} | {true:.4f} | {found:.4f} | {1 - found / true:.2%} |"
    yield ""


def crowd(seed: int, T: int = 60, J: int = 8) -> Clip:
    """Two classes with J boxes each that drift."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform(60, 420, (1, 2, J, 2)) + np.cumsum(rng.normal(0, 2, (T, 2, J, 2)), axis=0)
    boxes = np.concatenate((centre - 20, centre + 20), axis=-1).reshape(-1, 4)
    frame, label = np.repeat(np.arange(T), 2 * J), np.tile(np.repeat([0, 1], J), T)
    scores = rng.uniform(0.3, 1, len(boxes))
    return clip_from_arrays(
        f"crowd {seed}", (640, 480), 30, frame, ("hand", "cup"), boxes, scores, label=label
    )


def speed(clips: int = 200) -> Lines:
    """The cost of an iteration beside that of scoring every clip once."""
    found = [crowd(seed) for seed in range(clips)]
    pairs = [
        (clip, f"The hand {'picked up' if i % 2 else 'put down'} the cup.")
        for i, clip in enumerate(found)
    ]
    lexicon = Lexicon.load("everyday")
    for _ in range(2):  # all kernels are compiled before anything is timed
        begin = time.process_time()
        for clip, sentence in pairs:
            track(clip, sentence, lexicon)
        scoring = time.process_time() - begin
    times: list[float] = []
    settings = Settings(nouns=False, restarts=1, iterations=4, tolerance=0.0, contrast=0)
    learn(
        pairs,
        settings=settings,
        workers=1,
        report=lambda *_: times.append(time.process_time()),
    )
    iteration = float(np.median(np.diff(times)))
    yield f"## Speed: {clips} clips of 60 frames, two participants, 8 candidates each"
    yield ""
    yield "Processor time, in one process."
    yield f"Scoring every clip once (`track`): {scoring:.2f} s. An iteration: {iteration:.2f} s,"
    yield f"{iteration / scoring:.2f} times that."
    yield ""


def main() -> None:
    """Run the sections asked for and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="cad,validation,recovery,speed", help="sections to run")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    parser.add_argument("--picture", type=Path, help="also draw the confusions there")
    options = parser.parse_args()
    sections: dict[str, Callable[[], Lines]] = {
        "cad": lambda: cad(options.picture),
        "validation": validation,
        "recovery": recovery,
        "speed": speed,
    }
    written = tell(sections, options.only)
    if options.output:
        command = "python -m benchmarks.learn " + " ".join(sys.argv[1:])
        head = f"# Learning, measured\n\nMade by `{command.strip()}` on {machine()}.\n\n"
        options.output.write_text(head + "\n".join(written) + "\n")


if __name__ == "__main__":
    main()
