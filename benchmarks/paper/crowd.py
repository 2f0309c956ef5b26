"""Who is meant in a crowd: MOT17's public detections, with identities by sentrack and by peers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.annotated import DATA, span_of, truths
from benchmarks.paper.first import SETTINGS, Setting, identities
from benchmarks.paper.joint import INSTALL, drawn
from benchmarks.paper.many import each
from benchmarks.paper.sizes import Size
from benchmarks.paper.writing import paragraph, table, write_csv
from benchmarks.real import asked, judge
from sentrack.progress import Report
from sentrack.vision import Clip, Floats, load_clip

FOLDER = DATA / "svag_mot" / "detected"
HEADER = ["video", "sentence", "way", "right", "purity", "changes"]
OWN = "sentrack"
PEERS = {
    kind: [setting for setting in SETTINGS if setting.kind == kind and setting.weighed]
    for kind in dict.fromkeys(setting.kind for setting in SETTINGS)
}


def questions(most: int) -> list[dict[str, Any]]:
    """What is asked of videos whose public detections are there."""
    if not FOLDER.exists():
        return []
    every = truths("svag_mot", 10**6)
    return [each for each in every if (FOLDER / f"{each['video']}.csv.gz").exists()][:most]


def seen(truth: Mapping[str, Any]) -> Clip:
    """The detections of the span of a question, as the annotation counts its frames."""
    size = int(truth["size"][0]), int(truth["size"][1])
    clip = load_clip(FOLDER / f"{truth['video']}.csv.gz", size=size, fps=truth["fps"])
    kept = (clip.frames >= truth["begin"]) & (clip.frames <= truth["end"])
    first, last = np.flatnonzero(kept)[[0, -1]]
    part = clip.cut(int(first), int(last) + 1)
    return replace(part, frames=part.frames - truth["begin"])


def linked(clip: Clip, setting: Setting) -> Clip:
    """The clip with the identities that a tracker gives; what it leaves out is gone."""
    numbers = identities(clip, np.arange(len(clip.boxes)), setting)
    return replace(clip, id=numbers).only(numbers >= 0)


def answers(truth: Mapping[str, Any], settings: Sequence[Setting | None]) -> list[list[float]]:
    """(ways, 3): whether an answer is right, the purity of its tracks and changes of identity."""
    real = span_of("svag_mot", truth, frames=10**6)
    clip = seen(truth)
    rows = []
    for setting in settings:
        found = asked(clip if setting is None else linked(clip, setting), truth["sentence"])
        if found is None:
            rows.append([0.0, np.nan, np.nan])
            continue
        right, own = judge(truth, real, found)
        tracks = [each for each in own if each]
        pure = [Counter(track).most_common(1)[0][1] / len(track) for track in tracks]
        changes = [sum(a != b for a, b in pairwise(track)) for track in tracks]
        mean = [float(np.mean(each)) if each else np.nan for each in (pure, changes)]
        rows.append([float(right), *mean])
    return rows


def section(size: Size, output: Path, report: Report) -> Iterator[str]:
    """Right answers and purity, of sentrack and of trackers with the best of their settings."""
    yield "## Who is meant in a crowd"
    yield ""
    asked_of = questions(size.joint.questions)
    if find_spec("trackers") is None or not asked_of:
        yield from paragraph(f"The data or the package that tracks is not here; run: {INSTALL}")
        return
    settings = [None, *(setting for several in PEERS.values() for setting in several)]
    found = np.array(
        list(each(partial(answers, settings=settings), asked_of, report, "who in a crowd"))
    )
    videos = np.array([truth["video"] for truth in asked_of])
    ways = {OWN: found[:, 0]}
    for kind, several in PEERS.items():
        columns = found[:, [settings.index(setting) for setting in several]]
        ways[kind] = _chosen(columns, videos)
    write_csv(
        output / "crowd.csv",
        HEADER,
        (
            (truth["video"], truth["sentence"], way, *(f"{value:.4f}" for value in figures[n]))
            for way, figures in ways.items()
            for n, truth in enumerate(asked_of)
        ),
    )
    yield from paragraph(
        f"{len(asked_of)} English queries (`svag_mot`) about the annotated spans of "
        f"{', '.join(sorted(set(videos)))}, asked of MOT17's public detections. The same words "
        "are asked of the same boxes with the identities that each tracker gives, which are "
        "believed. A tracker's setting is the one of its three with the most right answers on the "
        "other videos. An answer is right if its track is there in 0.3 of the frames of somebody "
        "who is meant, and on it (IoU 0.5) in 0.7 of those. What sentrack has more is told with "
        "its 95 % interval, from queries drawn anew."
    )
    rows = []
    for way, figures in ways.items():
        right, pure, changes = np.nanmean(figures, axis=0)
        low, high = drawn(ways[OWN][:, :1] - figures[:, :1])[0]
        more = "" if way == OWN else f"{low:+.3f} to {high:+.3f}"
        rows.append((way, f"{right:.3f}", more, f"{pure:.3f}", f"{changes:.2f}"))
    yield from table(("identities by", "right", "sentrack has more", "purity", "changes"), rows)


def _chosen(figures: Floats, videos: Any) -> Floats:
    """(questions, 3): of (questions, settings, 3) the setting that is best on the other videos."""
    found = np.empty((len(figures), figures.shape[2]))
    for video in np.unique(videos):
        here = videos == video
        rest = figures[~here] if (~here).any() else figures
        found[here] = figures[here][:, rest[..., 0].mean(axis=0).argmax()]
    return found
