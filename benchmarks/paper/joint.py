"""Does joint tracking pay? Joint inference against tracking first, as detectors get worse."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from itertools import groupby, product
from pathlib import Path

import numpy as np

import sentrack
from benchmarks.paper.first import (
    SETTINGS,
    Setting,
    Track,
    boxes_of,
    filled,
    on_tracks,
    only,
    tracks,
)
from benchmarks.paper.many import each
from benchmarks.paper.noise import LEVELS, NONE, Level, Shown, detected, iou, of_cad, of_film
from benchmarks.paper.sizes import Size
from benchmarks.paper.stories import films
from benchmarks.paper.writing import OURS, THEIRS, figure, paragraph, table, write_csv, write_figure
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon
from sentrack.objective import Objective, build
from sentrack.progress import Report
from sentrack.tasks import understand
from sentrack.vision import Clip

HEADER = ["source", "series", "missed", "false", "way", "clips", "accuracy", "iou", "setting"]
JOINT, FIRST, FILLED = WAYS = ("joint", "track first", "joint, filled")
# Not by pip alone: its dependency opencv-python would overwrite opencv-python-headless.
INSTALL = "`make paper`, which installs it"
APART = 1000  # between the seeds that settings are chosen on and those they are judged on


@dataclass(frozen=True)
class Verdict:
    """What a way makes of a clip.

    Attributes:
        right: 1 if the true sentence scores more than its rival, 0.5 if they score the same.
        iou: mean IoU of the tracks of the true sentence with the truth, over frames.
    """

    right: float
    iou: float


@dataclass(frozen=True, eq=False)
class Look:
    """A clip as detectors of some levels see it, and the settings to track it with first."""

    shown: Shown
    seed: int
    levels: tuple[Level, ...]
    settings: tuple[tuple[Setting, ...], ...]  # for every level


@cache
def _lexicon() -> Lexicon:
    return Lexicon.load("everyday")


def judge(shown: Shown, clip: Clip, objective: Callable[[Meaning], Objective]) -> Verdict:
    """Solve both sentences; the one with the greater likelihood ratio is believed.

    That is the score less that of words that mean nothing, on the same participants.
    """
    ratios, overlap = [], 0.0
    for sentence in (shown.sentence, shown.rival):
        made = objective(understand(sentence, _lexicon(), clip))
        found = sentrack.solve(made.problem)
        ratios.append(found.score - made.problem.T * sum(m.background for m in made.models))
        if sentence == shown.sentence:
            truth = shown.boxes[list(shown.participants)]
            overlap = float(iou(boxes_of(made, found.tracks), truth).mean())
    return Verdict(float(ratios[0] > ratios[1]) + 0.5 * (ratios[0] == ratios[1]), overlap)


def joint(shown: Shown, clip: Clip) -> Verdict:
    """Tracks and words at once."""
    return judge(shown, clip, lambda meaning: build(clip, meaning, _lexicon()))


def first(shown: Shown, clip: Clip, found: Sequence[Track], weighed: bool) -> Verdict:
    """Tracks first, of which every sentence takes its best ones; no track of a class is a tie."""
    tracked = only(clip, found)
    if tracked is None:
        return Verdict(0.5, 0.0)
    return judge(shown, tracked, lambda m: on_tracks(tracked, m, _lexicon(), weighed))


def attempts(look: Look) -> list[list[Verdict]]:
    """For every level, tracking first with every setting."""
    rows = []
    for level, settings in zip(look.levels, look.settings, strict=True):
        clip = detected(look.shown, level, look.seed)
        row = []
        # Settings that differ only in how tracks are chosen follow each other.
        for _, alike in groupby(settings, key=lambda setting: replace(setting, weighed=True)):
            several = list(alike)
            found = tracks(clip, several[0])
            row += [first(look.shown, clip, found, setting.weighed) for setting in several]
        rows.append(row)
    return rows


def compare(look: Look) -> list[list[Verdict]]:
    """For every level what all ways make of it, with the first setting of the level."""
    rows = []
    for level, (setting, *_) in zip(look.levels, look.settings, strict=True):
        clip = detected(look.shown, level, look.seed)
        found = tracks(clip, setting)
        rows.append(
            [
                joint(look.shown, clip),
                first(look.shown, clip, found, setting.weighed),
                joint(look.shown, filled(clip, found)),
            ]
        )
    return rows


def choose(shows: Sequence[Shown], size: Size, report: Report) -> tuple[Setting, ...]:
    """The best setting for no noise and for each severity, on other noise than it is judged on.

    Accuracy of a few clips is coarse, so the best is that with the greatest sum of both measures.
    """
    levels = (NONE, *LEVELS["both"])
    every = (SETTINGS[: size.joint.settings],) * len(levels)
    some = shows[:: max(1, len(shows) // size.joint.tuned)][: size.joint.tuned]
    looks = [Look(shown, size.seed + APART, levels, every) for shown in some]
    found = list(each(attempts, looks, report, "settings of trackers"))
    best = []
    for i in range(len(levels)):
        rows = [verdicts[i] for verdicts in found]
        means = [_mean(column) for column in zip(*rows, strict=True)]
        best.append(SETTINGS[max(range(len(means)), key=lambda n: sum(means[n]))])
    return tuple(best)


def _mean(verdicts: Sequence[Verdict]) -> tuple[float, float]:
    right, overlap = zip(*((v.right, v.iou) for v in verdicts), strict=True)
    return float(np.mean(right)), float(np.mean(overlap))


@dataclass(frozen=True)
class Row:
    """A way at a level: mean accuracy and IoU over so many looks at clips."""

    source: str
    series: str
    level: Level
    way: str
    clips: int
    accuracy: float
    iou: float
    setting: str


def measured(source: str, shows: Sequence[Shown], size: Size, report: Report) -> Iterator[Row]:
    """Both ways on clips of one source, at every level of every series."""
    chosen = choose(shows, size, report)
    places = [("none", NONE, chosen[0])]
    for series, levels in LEVELS.items():
        places += [(series, *pair) for pair in zip(levels, chosen[1:], strict=True)]
    noise = tuple(level for _, level, _ in places)
    settings = tuple((setting,) for _, _, setting in places)
    seeds = range(size.seed, size.seed + size.joint.noises)
    looks = [Look(shown, seed, noise, settings) for seed in seeds for shown in shows]
    found = list(each(compare, looks, report, f"joint tracking: {source}"))
    for i, (series, level, setting) in enumerate(places):
        for n, way in enumerate(WAYS):
            accuracy, overlap = _mean([rows[i][n] for rows in found])
            told = str(setting) if way != JOINT else ""
            yield Row(source, series, level, way, len(found), accuracy, overlap, told)


def section(size: Size, output: Path, report: Report) -> Iterator[str]:
    """Accuracy and overlap of both ways as misses and clutter grow."""
    yield "## Does joint tracking pay?"
    yield ""
    if find_spec("trackers") is None:
        yield from paragraph(f"The package that tracks first is not here; run: {INSTALL}")
        return
    sources = {
        "CAD-120": list(of_cad(size.joint.segments)),
        "made-up": [of_film(film) for film in films(size.joint.films, size.seed)],
    }
    rows = [
        row
        for source, shows in sources.items()
        if shows
        for row in measured(source, shows, size, report)
    ]
    write_csv(
        output / "joint.csv",
        HEADER,
        (
            [
                *(r.source, r.series, r.level.missed, r.level.false, r.way, r.clips),
                *(f"{r.accuracy:.4f}", f"{r.iou:.4f}", r.setting),
            ]
            for r in rows
        ),
    )
    _draw(rows, output / "joint.png")
    yield from paragraph(
        "A sentence and one that differs by a word (picked up or put down; approached or left; "
        "carried to the left or to the right) are scored on the same clip. Right is the one with "
        "the greater ratio to words that mean nothing; chance is one half. The clips are segments "
        "of CAD-120 in which a hand picks up or puts down a thing, by their annotated boxes, and "
        "made-up ones of the corpus' kind, by their true boxes, both at 30 frames per second with "
        "`everyday`. The detector misses true boxes in runs of 5 frames on average and makes up "
        "boxes, of which one half last a second and drift; boxes are off by 2 %. True ones "
        "score 2/3 and false ones 1/3 on average, and these overlap. IoU is that of the true "
        "sentence's tracks with the truth."
    )
    yield from paragraph(
        "*Track first* runs SORT or ByteTrack (package `trackers`) on every class, interpolates "
        "gaps, and lets each sentence take the best pair out of the 8 strongest tracks of each "
        "class, by the same word models. Its setting (least score and overlap, frames until a "
        "track is one; whether scores count in the choice) is the best of "
        f"{size.joint.settings} by both measures, for each severity of both kinds of noise on "
        f"{size.joint.tuned} of the same clips with other noise. *Joint* has no setting. *Joint, "
        "filled* is joint tracking of all boxes and of those by which the tracker fills gaps: "
        "where a thing is missed and others of its class are made up, joint tracking has often "
        "nothing to go on with."
    )
    header = ["clips", "noise", "missed", "false", "n", *(f"{way}: right" for way in WAYS)]
    header += [*(f"{way}: IoU" for way in WAYS), "setting of the tracker"]
    several = zip(*(rows[n :: len(WAYS)] for n in range(len(WAYS))), strict=True)
    yield from table(header, (_line(ways) for ways in several))
    yield "![Accuracy and overlap of all ways against the severity of noise](joint.png)"
    yield ""


def _line(ways: Sequence[Row]) -> list[object]:
    row = ways[0]
    return [
        *(row.source, row.series, f"{row.level.missed:.0%}", row.level.false, row.clips),
        *(f"{way.accuracy:.1%}" for way in ways),
        *(f"{way.iou:.3f}" for way in ways),
        ways[1].setting,
    ]


def _draw(rows: Sequence[Row], path: Path) -> None:
    """A line of panels for each source: accuracy and IoU of each series."""
    sources = list(dict.fromkeys(row.source for row in rows))
    picture, axes = figure(len(sources), 2 * len(LEVELS), width=15.0, height=2.8)
    for panels, source in zip(axes, sources, strict=True):
        for n, (series, measure) in enumerate(product(LEVELS, ("accuracy", "iou"))):
            panel = panels[n]
            for way, colour in zip(WAYS, (OURS, THEIRS, "#edae49"), strict=True):
                values = [
                    getattr(row, measure)
                    for row in rows
                    if (row.source, row.way) == (source, way) and row.series in ("none", series)
                ]
                panel.plot(range(len(values)), values, "o-", ms=3, color=colour, label=way)
            panel.set_xticks(range(4), ("none", "light", "medium", "heavy"), fontsize=8)
            panel.set_ylim(0.0, 1.03)
            if measure == "accuracy":
                panel.axhline(0.5, color="#999999", linewidth=0.8, linestyle=":")
                panel.set_ylim(0.4, 1.02)
            what = "right" if measure == "accuracy" else "IoU"
            panel.set_title(f"{source}, {series}: {what}", fontsize=9)
    axes[0, 0].legend(frameon=False, fontsize=8)
    write_figure(picture, path)
