"""What each part is worth: who, which, when and true / false with one part switched off in turn.

    python -m benchmarks.ablations [--sentences 60] [--videos 30] [--output docs/measured/parts.md]

The parts are taken out of the program as it runs; nothing else is changed, and nothing is fitted
again. Who and which are asked of annotated boxes of the development half, when of whole videos of
VIRAT and CAVIAR, and true / false of footage that a detector looked at.
"""

import argparse
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import sentrack
from benchmarks.annotated import SETS, clip_of, opposites, span_of, truths
from benchmarks.inference import machine
from benchmarks.real import WHOLE_VIDEOS, asked, judge, moments_right
from benchmarks.telling import publish
from benchmarks.true_false import answered, auc, right_side, rows
from sentrack.lexicon import Lexicon
from sentrack.objective import interval_problem, whole_problem
from sentrack.scene import identity, measurements
from sentrack.scene.presence import presence_scores
from sentrack.vision import Clip, Floats
from sentrack.vision.scan.detectors.weights import KNOWN

COLUMNS = ("who", "which", "when: first", "when: one of three", "true / false: AUC", "right side")
POINTS = 1000  # of a curve that is read backwards


def everything(_: ExitStack) -> None:
    """Nothing is switched off."""


def no_identity(stack: ExitStack) -> None:
    """Tracks may change from thing to thing, as far as the paper's coherence lets them."""
    load = Lexicon.load
    stack.enter_context(
        patch.object(Lexicon, "load", lambda *given: replace(load(*given), identity=False))
    )


def no_absence(stack: ExitStack) -> None:
    """Every participant is there in every frame, whatever the words say."""
    usual = presence_scores
    stack.enter_context(
        patch.object(
            measurements,
            "presence_scores",
            lambda clip, scores, _: usual(clip, scores, -np.inf),
        )
    )


def no_durations(stack: ExitStack) -> None:
    """A state of a word may last as long as its transitions let it, which is any time."""
    for module in (interval_problem, whole_problem):
        stack.enter_context(
            patch.object(
                module,
                "lasting",
                lambda model, seconds, *_: interval_problem.plain(model, seconds),
            )
        )


def no_births(stack: ExitStack) -> None:
    """What it takes to be another thing is the same in every clip."""
    none: Callable[..., Floats] = lambda clip, *_: np.full(len(clip.classes), np.inf)  # noqa: E731
    stack.enter_context(patch.object(identity, "_births", none))


def no_calibration(stack: ExitStack) -> None:
    """The scores of the detector as they were before they were made probabilities."""
    load, curve = sentrack.load_clip, KNOWN["yolov4-tiny"].curve
    assert curve is not None
    raw = np.linspace(0, 1, POINTS)
    probability = curve(raw)

    def uncalibrated(*given: Any, **named: Any) -> Clip:
        clip = load(*given, **named)
        return replace(clip, score=np.interp(clip.score, probability, raw))

    stack.enter_context(patch.object(sentrack, "load_clip", uncalibrated))


PARTS: dict[str, Callable[[ExitStack], None]] = {
    "everything": everything,
    "without identity": no_identity,
    "without absence": no_absence,
    "without durations": no_durations,
    "without births that are estimated": no_births,
    "without calibrated scores": no_calibration,
}


def figures(sentences: int, videos: int) -> list[float]:
    """One for each of COLUMNS: the means over sets of who and when, and which over all."""
    who, which = [], []
    for name in SETS:
        right = []
        for truth in truths(name, sentences):
            clip = clip_of(name, truth)
            if clip is None:
                continue
            found = asked(clip, truth["sentence"])
            right.append(found is not None and judge(truth, span_of(name, truth), found)[0])
            if pair := opposites(truth["sentence"]):
                other = asked(clip, truth["sentence"].replace(*pair))
                which.append(found is not None and (other is None or found.match > other.match))
        who.append(np.mean(right))
    when = [np.mean(moments_right(name, videos), axis=0) for name in WHOLE_VIDEOS]
    listed = rows()
    true = np.array([row.true for row in listed])
    told = np.array([0.0 if found is None else found.match for _, found in answered(listed, None)])
    first, three = np.mean(when, axis=0)
    side = right_side(told, true)
    return [float(x) for x in (np.mean(who), np.mean(which), first, three, auc(told, true), side)]


def page(sentences: int, videos: int) -> Iterator[str]:
    """A table with a row for each part."""
    yield "# What each part is worth, measured"
    yield ""
    yield from textwrap.wrap(
        f"Made by `python -m benchmarks.ablations --sentences {sentences} --videos {videos}` on "
        f"{machine()}: each part is switched off in turn, and nothing is fitted again; no word is "
        f"shipped that was fitted to video. Who and which: {sentences} sentences of each of "
        f"{len(SETS)} annotated sets (means over sets, and over sentences); when: {videos} "
        f"questions or a few more each about whole videos of {' and '.join(WHOLE_VIDEOS)}; true / "
        f"false: {len(rows())} sentences about footage. Annotated boxes have no scores to "
        "calibrate. Where every participant must be in view all the time, sentences are refused "
        "for which that is never so.",
        100,
    )
    yield ""
    yield f"| part | {' | '.join(COLUMNS)} |"
    yield "|---" * (1 + len(COLUMNS)) + "|"
    for name, switch in PARTS.items():
        with ExitStack() as stack:
            switch(stack)
            told = figures(sentences, videos)
        yield f"| {name} | {' | '.join(f'{value:.3f}' for value in told)} |"


def main() -> None:
    """Print the page, line by line, and write it where asked to."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--sentences", type=int, default=60, help="of each set")
    parser.add_argument("--videos", type=int, default=30, help="questions about whole videos")
    parser.add_argument("--output", type=Path, help="also write the page there")
    options = parser.parse_args()
    publish(page(options.sentences, options.videos), options.output)


if __name__ == "__main__":
    main()
