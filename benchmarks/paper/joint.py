"""Does joint tracking pay? Joint inference against tracking first, as detectors get worse."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
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
    on_tracks,
    only,
    tracks,
)
from benchmarks.paper.journal import Journal
from benchmarks.paper.many import each_once
from benchmarks.paper.noise import LEVELS, NONE, Level, Shown, detected, iou, of_cad, of_film
from benchmarks.paper.sizes import Size
from benchmarks.paper.stories import films
from benchmarks.paper.writing import OURS, THEIRS, figure, paragraph, table, write_csv, write_figure
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon
from sentrack.objective import Objective, build
from sentrack.progress import Report
from sentrack.tasks import understand
from sentrack.vision import Clip, Floats

HEADER = ["source", "series", "missed", "false", "way", "clips", "accuracy", "iou", "setting"]
JOINT, FIRST = WAYS = ("joint", "track first")
DRAWS = 2000  # of clips, by which an interval is found
# Not by pip alone: its dependency opencv-python would overwrite opencv-python-headless.
INSTALL = "`make paper`, which installs it"
APART = 1000  # between the seeds that settings are chosen on and those they are judged on
# Found by looking at frames, on a page that is written by hand.
WHY = "[Where joint tracking lost, and why](../joint.md), and what was tried, is a page of its own."


@dataclass(frozen=True)
class Verdict:
    """What a way makes of a clip.

    Attributes:
        right: 1 if the true sentence scores more than its rival, 0.5 if they score the same.
        iou: mean IoU of the tracks of the true sentence with the truth, over frames.
    """

    right: float
    iou: float


Figures = tuple[float, float]  # of a verdict


@dataclass(frozen=True, eq=False)
class Look:
    """A clip as detectors of some levels see it, and the settings to track it with first."""

    shown: Shown
    seed: int
    levels: tuple[Level, ...]
    settings: tuple[tuple[Setting, ...], ...]  # for every level

    def __str__(self) -> str:
        settings = "; ".join(" ".join(map(str, several)) for several in self.settings)
        return f"{self.shown.name} {self.shown.sentence} {self.seed} {self.levels} {settings}"


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


def attempts(look: Look) -> list[list[Figures]]:
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
        rows.append(list(map(astuple, row)))
    return rows


def compare(look: Look) -> list[list[Figures]]:
    """For every level what all ways make of it, with the first setting of the level."""
    rows = []
    for level, (setting, *_) in zip(look.levels, look.settings, strict=True):
        clip = detected(look.shown, level, look.seed)
        found = tracks(clip, setting)
        verdicts = joint(look.shown, clip), first(look.shown, clip, found, setting.weighed)
        rows.append(list(map(astuple, verdicts)))
    return rows


def choose(
    shows: Sequence[Shown], size: Size, journal: Journal, report: Report
) -> tuple[Setting, ...]:
    """The best setting for no noise and for each severity, on other noise than it is judged on.

    Accuracy of a few clips is coarse, so the best is that with the greatest sum of both measures.
    """
    levels = (NONE, *LEVELS["both"])
    every = (SETTINGS[: size.joint.settings],) * len(levels)
    some = shows[:: max(1, len(shows) // size.joint.tuned)][: size.joint.tuned]
    looks = {str(k): k for shown in some for k in [Look(shown, size.seed + APART, levels, every)]}
    found = each_once(attempts, looks, journal, report, "settings of trackers")
    # (clips, levels, settings, measures)
    means = np.array(found).mean(axis=0).sum(axis=-1)
    return tuple(SETTINGS[best] for best in means.argmax(axis=1))


@dataclass(frozen=True)
class Row:
    """Both ways at a level.

    Attributes:
        source: of the clips.
        series: kind of noise.
        level: how much of it.
        looks: at clips.
        figures: (ways, measures): share of right answers and mean IoU.
        gains: (measures, 2): 95 % interval of what joint tracking has more, over clips.
        setting: of the tracker.
    """

    source: str
    series: str
    level: Level
    looks: int
    figures: Floats
    gains: Floats
    setting: str


def measured(
    source: str, shows: Sequence[Shown], size: Size, journal: Journal, report: Report
) -> Iterator[Row]:
    """Both ways on clips of one source, at every level of every series."""
    chosen = choose(shows, size, journal, report)
    places = [("none", NONE, chosen[0])]
    for series, levels in LEVELS.items():
        places += [(series, *pair) for pair in zip(levels, chosen[1:], strict=True)]
    places = [place for place in places if place[0] in ("none", *size.joint.series)]
    noise = tuple(level for _, level, _ in places)
    settings = tuple((setting,) for _, _, setting in places)
    seeds = range(size.seed, size.seed + size.joint.noises)
    looks = [Look(shown, seed, noise, settings) for seed in seeds for shown in shows]
    every = {str(look): look for look in looks}
    found = each_once(compare, every, journal, report, f"joint tracking: {source}")
    # (noises, clips, levels, ways, measures)
    figures = np.array(found).reshape(len(seeds), len(shows), len(places), len(WAYS), 2)
    for i, (series, level, setting) in enumerate(places):
        here = figures[:, :, i].mean(axis=0)
        gains = drawn(here[:, 0] - here[:, 1])
        mean = here.mean(axis=0)
        yield Row(source, series, level, len(looks), mean, gains, str(setting))


def drawn(gains: Floats) -> Floats:
    """(measures, 2): the 95 % interval of the mean of (clips, measures), by drawing clips anew."""
    rng = np.random.default_rng(0)
    means = gains[rng.integers(len(gains), size=(DRAWS, len(gains)))].mean(axis=1)
    return np.asarray(np.percentile(means, (2.5, 97.5), axis=0).T)


def section(size: Size, output: Path, report: Report) -> Iterator[str]:
    """Accuracy and overlap of both ways as misses and clutter grow."""
    yield "## Does joint tracking pay?"
    yield ""
    if find_spec("trackers") is None:
        yield from paragraph(f"The package that tracks first is not here; run: {INSTALL}")
        return
    journal = Journal(output / "joint.journal")
    sources = {
        "CAD-120": list(of_cad(size.joint.segments)),
        "made-up": [of_film(film) for film in films(size.joint.films, size.seed)],
    }
    rows = [
        row
        for source, shows in sources.items()
        if shows
        for row in measured(source, shows, size, journal, report)
    ]
    write_csv(
        output / "joint.csv",
        HEADER,
        (
            [
                *(r.source, r.series, r.level.missed, r.level.false, way, r.looks),
                *(f"{figure:.4f}" for figure in r.figures[n]),
                r.setting if way == FIRST else "",
            ]
            for r in rows
            for n, way in enumerate(WAYS)
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
        "sentence's tracks with the truth, in all frames: for both ways, boxes are interpolated in "
        "gaps and held before the first and after the last one."
    )
    yield from paragraph(
        "*Track first* runs SORT, ByteTrack or OC-SORT (package `trackers`) on every class, "
        "interpolates gaps, and lets each sentence take the best pair out of the 8 strongest "
        "tracks of each class, by the same word models. Its setting (least score and overlap, "
        "frames until a track is one; whether scores count in the choice) is the best of "
        f"{size.joint.settings} by both measures, for each severity of both kinds of noise on "
        f"{size.joint.tuned} of the same clips with other noise. *Joint* has no setting. What "
        "joint tracking has more is told with its 95 % interval, from clips drawn anew; there are "
        f"{size.joint.noises} noises for each clip."
    )
    header = ["clips", "noise", "missed", "false", "looks", *(f"{way}: right" for way in WAYS)]
    header += ["more", *(f"{way}: IoU" for way in WAYS), "more", "setting of the tracker"]
    yield from table(header, map(_line, rows))
    yield "![Accuracy and overlap of both ways against the severity of noise](joint.png)"
    yield ""
    yield from _lost(rows)
    yield from paragraph(WHY)
    journal.end()


def _line(row: Row) -> list[object]:
    right, overlap = row.figures.T
    lines: list[object] = [row.source, row.series, f"{row.level.missed:.0%}", row.level.false]
    lines += [row.looks, *(f"{value:.1%}" for value in right)]
    lines.append("{:+.1%} to {:+.1%}".format(*row.gains[0]))
    lines += [f"{value:.3f}" for value in overlap]
    lines.append("{:+.3f} to {:+.3f}".format(*row.gains[1]))
    return [*lines, row.setting]


def _lost(rows: Sequence[Row]) -> Iterator[str]:
    """Where tracking first is better, beyond chance."""
    lost = [
        f"{row.source}, {row.series} ({row.level.missed:.0%} missed, {row.level.false} false): "
        f"{measure}"
        for row in rows
        for measure, (_, high) in zip(("right", "IoU"), row.gains, strict=True)
        if high < 0
    ]
    won = sum(low > 0 for row in rows for low, _ in row.gains)
    yield from paragraph(
        f"Of {2 * len(rows)} comparisons joint tracking wins {won} beyond chance, and loses "
        f"{len(lost)}" + (f": {'; '.join(lost)}." if lost else ".")
    )


def _draw(rows: Sequence[Row], path: Path) -> None:
    """A line of panels for each source: accuracy and IoU of each series."""
    sources = list(dict.fromkeys(row.source for row in rows))
    every = [name for name in dict.fromkeys(row.series for row in rows) if name != "none"]
    picture, axes = figure(len(sources), 2 * len(every), width=5.0 * len(every), height=2.8)
    for panels, source in zip(axes, sources, strict=True):
        for n, (series, (m, what)) in enumerate(product(every, enumerate(("right", "IoU")))):
            panel = panels[n]
            own = [r for r in rows if r.source == source and r.series in ("none", series)]
            for way, colour in enumerate((OURS, THEIRS)):
                values = [row.figures[way, m] for row in own]
                panel.plot(range(len(values)), values, "o-", ms=3, color=colour, label=WAYS[way])
            panel.set_xticks(range(4), ("none", "light", "medium", "heavy"), fontsize=8)
            panel.set_ylim(0.0, 1.03)
            if what == "right":
                panel.axhline(0.5, color="#999999", linewidth=0.8, linestyle=":")
                panel.set_ylim(0.4, 1.02)
            panel.set_title(f"{source}, {series}: {what}", fontsize=9)
    axes[0, 0].legend(frameon=False, fontsize=8)
    write_figure(picture, path)
