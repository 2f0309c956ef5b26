"""Fit the words of `everyday` to annotated video, and keep those that are better left out.

    make lexicon
    python -m benchmarks.lexicon [--most 30] [--words stand,walk]
        [--output docs/measured/lexicon.md] [--fitted FILE]

Starts at the meanings that are written by hand and holds them with a belief of so many frames. A
word is fitted if two sets or more speak of it, together with its opposite. It replaces the written
one only if it is better on sets that it was not fitted to, each of them left out in turn, and on
videos that it was not fitted to.
"""

import argparse
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import sentrack
from benchmarks.inference import machine
from benchmarks.real import SETS
from benchmarks.telling import Lines, publish
from benchmarks.word_cases import Case, cases, present
from sentrack.files import whole
from sentrack.lexicon import Lexicon, WordModel
from sentrack.lexicon.fitted import fitted_text
from sentrack.progress import silent
from sentrack.tasks.learning.choices import Choice, Held, log_choice
from sentrack.tasks.learning.contrast import Belief, Contrast, maximise_contrast
from sentrack.tasks.learning.e_step import Parameters
from sentrack.tasks.learning.examples import Key
from sentrack.tasks.learning.initial_models import (
    DEFAULT_FEATURES,
    narrowed_model,
    widened_model,
)
from sentrack.tasks.learning.journal import Journal
from sentrack.tasks.learning.questions import Question, Questions, answer
from sentrack.workers import Executor

SHIPPED = Path(sentrack.__file__).parent / "lexicon" / "shipped"
NOTHING_MORE: Mapping[str, str] = {}
# What is chosen by sets left out: frames of belief, and what else words may look at.
WAYS = {
    "100 frames": (100.0, NOTHING_MORE),
    "100 frames, more features": (100.0, DEFAULT_FEATURES),
}
ITERATIONS = 1  # a second one gains next to nothing with a firm belief
LEAST = 5  # cases of a set that count as its speaking of a word
FOLDS = 3  # of videos

Models = dict[Key, WordModel]


@dataclass(frozen=True)
class Judged:
    """How well clips choose their own sentences: nats per clip, lost; part of them right."""

    loss: float
    right: float
    clips: int


def groups(found: Sequence[Case]) -> list[list[Key]]:
    """Words that two sets or more speak of, each with its opposites."""
    said: dict[Key, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for case in found:
        for key in case.words:
            said[key][case.source] += 1
    known = [key for key in sorted(said) if sum(n >= LEAST for n in said[key].values()) > 1]
    found_groups = [{key} for key in known]
    for case in found:
        touched = [group for group in found_groups if group & case.contrary]
        if len(touched) > 1:
            found_groups = [group for group in found_groups if not group & case.contrary]
            found_groups.append(set().union(*touched))
    return sorted(sorted(group) for group in found_groups)


def fit(train: Sequence[Case], keys: Sequence[Key], start: Models, way: str) -> Models:
    """The words of a group, fitted to cases; every set counts as much as any other."""
    belief, features = WAYS[way]
    models = start | {key: widened_model(start[key], features) for key in keys}
    number: dict[str, int] = defaultdict(int)
    for case in train:
        number[case.source] += 1
    asked: list[Question] = []
    choices: list[Choice] = []
    for case in train:
        own, weight = len(asked), len(train) / (len(number) * number[case.source])
        asked += [case.own, *case.others]
        choices.append(Choice(own, tuple(range(own + 1, len(asked))), weight))
    after = maximise_contrast(
        Parameters(models, {}, {}, np.zeros(0), frozenset(keys)),
        Questions(asked, Executor()),
        Contrast(choices, {key: Belief(models[key], belief) for key in keys}),
        ITERATIONS,
        1e-3,
        Journal(None, ""),
        silent,
    )
    return {key: narrowed_model(after.models[key]) for key in keys}


def answered(found: Sequence[Case], models: Models) -> tuple[list[float], list[bool]]:
    """Of each case, nats lost, and whether its own sentence fits best."""
    losses, right = [], []
    for case in found:
        asked = [case.own, *case.others]
        held = Held([answer(question, models) for question in asked])
        fits = held.fits(models)
        log, _ = log_choice(fits, [Choice(0, tuple(range(1, len(asked))))])
        losses.append(-float(log[0]))
        right.append(bool(fits[0] > fits[1:].max()))
    return losses, right


def judged(answers: tuple[list[float], list[bool]]) -> Judged:
    """The mean of answers."""
    losses, right = answers
    return Judged(float(np.mean(losses)), float(np.mean(right)), len(right))


def by_sets(found: Sequence[Case], keys: Sequence[Key], start: Models, way: str) -> list[Judged]:
    """On every set that speaks of the words, fitted to the others."""
    return [
        judged(
            answered(
                [case for case in found if case.source == name],
                start | fit([case for case in found if case.source != name], keys, start, way),
            )
        )
        for name in speaking(found)
    ]


def by_videos(found: Sequence[Case], keys: Sequence[Key], start: Models, way: str) -> Judged:
    """On videos, fitted to the other videos."""
    videos = sorted({(case.source, case.video) for case in found})
    order = np.random.default_rng(0).permutation(len(videos))
    fold = {videos[v]: int(n) % FOLDS for n, v in enumerate(order)}
    losses: list[float] = []
    right: list[bool] = []
    for k in range(FOLDS):
        train = [case for case in found if fold[case.source, case.video] != k]
        test = [case for case in found if fold[case.source, case.video] == k]
        lost, best = answered(test, start | fit(train, keys, start, way))
        losses += lost
        right += best
    return judged((losses, right))


def speaking(found: Sequence[Case]) -> list[str]:
    """The sets that speak of what cases are about."""
    names = sorted({case.source for case in found})
    return [name for name in names if sum(case.source == name for case in found) >= LEAST]


def better(written: Sequence[Judged], fitted: Sequence[Judged]) -> bool:
    """Whether less is lost in every set, and no fewer are right in the mean of the sets."""
    lost = all(new.loss < old.loss for old, new in zip(written, fitted, strict=True))
    right = [float(np.mean([each.right for each in some])) for some in (written, fitted)]
    return lost and right[1] >= right[0]


def chosen(found: Sequence[Case], keys: Sequence[Key], start: Models) -> Iterator[str | Models]:
    """Rows of a table of what was tried; at last the words to be replaced, perhaps none."""
    name = ", ".join(key[1] for key in keys)
    names = speaking(found)
    written = [
        judged(answered([case for case in found if case.source == each], start)) for each in names
    ]
    tried = {way: by_sets(found, keys, start, way) for way in WAYS}
    good = [way for way, results in tried.items() if better(written, results)]
    for way, results in [("as written", written), *tried.items()]:
        for source, each in zip(names, results, strict=True):
            cells = f"{source} | {each.clips} | {each.loss:.3f} | {each.right:.3f}"
            yield f"| {name} | {way} | {cells} |"
    if not good:
        yield f"| {name} | **kept as written** | | | | |"
        return
    best = min(good, key=lambda way: float(np.mean([each.loss for each in tried[way]])))
    before, after = judged(answered(found, start)), by_videos(found, keys, start, best)
    for way, each in (("as written", before), (best, after)):
        cells = f"videos | {each.clips} | {each.loss:.3f} | {each.right:.3f}"
        yield f"| {name} | {way} | {cells} |"
    if not better([before], [after]):
        yield f"| {name} | **kept as written** | | | | |"
        return
    yield f"| {name} | **fitted**, {best} | | | | |"
    yield fit(found, keys, start, best)


def page(most: int, wanted: Sequence[str], fitted: Path | None) -> Lines:
    """Fit all words; write them, and say what was found."""
    lexicon = Lexicon.load("written")
    names = present()
    yield "# `everyday`, fitted"
    yield ""
    yield f"Made by `make lexicon` on {machine()}:"
    yield "words that two sets or more speak of, fitted with their"
    yield "opposites. A clip chooses between its own sentence, of those of whom it is annotated;"
    yield "the opposite, of the same; and the sentence of somebody else. Lost: nats per clip of"
    yield "the choice by `match`. Right: part of the clips whose own sentence fits best. All is"
    yield "of sets, or of videos, that were left out."
    yield ""
    found: list[Case] = []
    counts = []
    for name in names:
        own = list(cases(name, lexicon, most))
        counts.append(f"{name} {len(own)}")
        found += own
    yield f"Sentences: {', '.join(counts)}; of each sentence of a set at most {most}."
    yield ""
    yield "| words | how | left out | clips | lost | right |"
    yield "|---|---|---|---|---|---|"
    start = {key: model for key, model in lexicon.words.items() if model.observed}
    start = {key: widened_model(model, NOTHING_MORE) for key, model in start.items()}
    replaced: Models = {}
    tried = []
    for keys in groups(found):
        if wanted and not {key[1] for key in keys} & set(wanted):
            continue
        tried += [key[1] for key in keys]
        about = [case for case in found if case.words & set(keys)]
        for row in chosen(about, keys, start):
            if isinstance(row, str):
                yield row
            else:
                replaced |= row
    yield ""
    yield f"Replaced: {', '.join(key[1] for key in sorted(replaced)) or 'none'}."
    if fitted is not None:
        _write(fitted, replaced, f"{', '.join(counts)} sentences. Tried: {', '.join(tried)}.")


def _write(path: Path, words: Models, source: str) -> None:
    """The file of fitted meanings."""
    written = tomllib.loads((SHIPPED / "everyday.toml").read_text("utf-8"))
    keys = {
        next(each for each in (f"{part}/{name}", name) if each in written["words"]): model
        for (part, name), model in words.items()
    }
    about = (
        "Made by `make lexicon`; not to be edited. Words of everyday.toml that are better fitted\n"
        "than as they are written, on sets and on videos that were left out.\n"
        f"Fitted to: {source}"
    )
    with whole(path) as temporary:
        temporary.write_text("\n".join(fitted_text(about, keys, written)) + "\n", encoding="utf-8")


def main() -> None:
    """Print the page, and write it and the words where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--most", type=int, default=30, help="cases of a sentence in a set")
    parser.add_argument("--words", default="", help="some of them only, as in stand,walk")
    parser.add_argument("--fitted", type=Path, help="write fitted meanings there")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    options = parser.parse_args()
    absent = [name for name in (*SETS, "cad120") if name not in present()]
    if absent:
        print(f"not beside the project, and left out: {', '.join(absent)}", file=sys.stderr)
    if not present():
        print("there is nothing to fit to: `everyday` stays as it is", file=sys.stderr)
        return
    words = list(filter(None, options.words.split(",")))
    publish(page(options.most, words, options.fitted), options.output)


if __name__ == "__main__":
    main()
