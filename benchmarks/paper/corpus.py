"""The clips: the real one of the paper's corpus, CAD-120 with clutter, and 93 made-up ones."""

import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import cad
from benchmarks.greedy import overlaps
from benchmarks.paper.films import FPS, SIZE, TOP, Film, Layout, shoot
from benchmarks.paper.sizes import Size
from benchmarks.paper.stories import STEP, films
from benchmarks.paper.writing import OURS, THEIRS, figure, paragraph, table, write_csv, write_figure
from benchmarks.sentences import DATA, OWN
from benchmarks.word_models import CLASSES
from sentrack.progress import Report
from sentrack.vision import Clip, Floats, load_clip

REAL = DATA / "mvi_0820" / "detections.csv.gz"
ROOM = Layout("room", 400.0, 700.0, ((300, 300, 160), (700, 500, 220), (1000, 350, 150)))
SAME = 0.5  # IoU of boxes in adjacent frames that are taken for one
NEAR = 0.2  # IoU with the best box of those that are next to it
SHORTEST = 9  # tracked frames of a segment: as many as a word has states
RANKS = (1, 2, 5, 20)


def real() -> tuple[Clip, str] | None:
    """The corpus' one public clip and what it says of it, or None where the data is not here."""
    return (load_clip(REAL, size=SIZE, fps=FPS), OWN) if REAL.exists() else None


def cad_films(count: int, seed: int) -> list[Film]:
    """Segments of CAD-120 with their true motion, seen by the made-up detector: 19 at most.

    Boxes are scaled to the corpus' frame. There are six classes, some of them just clutter.
    """
    if not cad.DATA.exists() or not count:
        return []
    with (cad.DATA / "segments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["verb"] in cad.PICK_OR_PLACE]
    rows = [row for row in rows if int(row["end"]) - int(row["start"]) >= STEP * (SHORTEST - 1)]
    rows = rows[:: max(1, len(rows) // count)][:count]
    tracks = _tracks({row["video"] for row in rows})
    return [_cad_film(row, tracks[row["video"]], seed) for row in rows]


Tracks = dict[tuple[str, str], dict[int, list[float]]]  # by object and class, boxes by frame


def _tracks(videos: set[str]) -> dict[str, Tracks]:
    """The hand-annotated boxes of some videos, in the corpus' frame."""
    found: dict[str, Tracks] = {video: {} for video in videos}
    with gzip.open(cad.DATA / "tracks.csv.gz", "rt", encoding="utf-8") as file:
        for video, frame, name, kind, *corners in csv.reader(file):
            if video in found:
                track = found[video].setdefault((name, kind), {})
                track[int(frame)] = [2 * float(x) for x in corners]
    return found


def _cad_film(row: dict[str, str], tracks: Tracks, seed: int) -> Film:
    frames = np.arange(int(row["start"]), int(row["end"]) + 1)
    names = [row["hand"], row["object"]]
    # The two that the sentence speaks of come first; what is not seen in the segment is left out.
    keys = sorted(
        (key for key, track in tracks.items() if set(track) & set(frames.tolist())),
        key=lambda key: names.index(key[0]) if key[0] in names else 2,
    )
    kinds = list(dict.fromkeys(kind for _, kind in keys))[:6]
    classes = tuple([*kinds, *(c for c in CLASSES if c not in kinds)][:6])
    keys = [key for key in keys if key[1] in kinds]
    boxes = np.stack([_filled(tracks[key], frames) for key in keys])
    sentence = f"The hand {cad.PICK_OR_PLACE[row['verb']]} the {row['class']}."
    name = f"{row['video']}-{row['start']}"
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    nouns = tuple(kind for _, kind in keys)
    return shoot(name, sentence, ROOM, nouns, boxes, (0, 1), rng, classes)


def _filled(track: dict[int, list[float]], frames: np.ndarray) -> Floats:
    """(F, 4) a track's boxes in some frames, interpolated where they are missing."""
    known, boxes = list(track), np.array(list(track.values()))
    return np.stack([np.interp(frames, known, column) for column in boxes.T], axis=1)


@dataclass(frozen=True, eq=False)
class Habits:
    """How a detector behaves on one class.

    Attributes:
        scores: (M, 20) of the best boxes of a frame, best first.
        lasting: share of boxes that are there in the next frame, too.
        change: median change of their score.
        jump: spread of the change of their place, in pixels.
        beside: share of boxes that lie next to the best one.
        high: median height of the best box, in pixels.
    """

    scores: Floats
    lasting: float
    change: float
    jump: float
    beside: float
    high: float


def habits(clips: Sequence[Clip], noun: str) -> Habits:
    """Measure the detector of some clips on one class."""
    scores, lasting, change, jump, beside, high = [], [], [], [], [], []
    for clip in clips:
        boxes, score = _ranked(clip, noun)
        scores.append(score)
        high.append(boxes[:, 0, 3] - boxes[:, 0, 1])
        for t in range(len(boxes) - 1):
            shared = overlaps(boxes[t], boxes[t + 1])
            there, other = shared.max(axis=1) > SAME, shared.argmax(axis=1)
            lasting.append(there)
            change.append(np.abs(score[t + 1, other] - score[t])[there])
            moved = boxes[t + 1, other] - boxes[t]
            jump.append(((moved[:, :2] + moved[:, 2:]) / 2)[there].ravel())
            beside.append(overlaps(boxes[t, 1:], boxes[t, :1])[:, 0] > NEAR)
    return Habits(
        np.concatenate(scores),
        float(np.mean(lasting)),
        float(np.median(np.concatenate(change))),
        float(np.std(np.concatenate(jump))),
        float(np.mean(beside)),
        float(np.median(np.concatenate(high))),
    )


def _ranked(clip: Clip, noun: str) -> tuple[Floats, Floats]:
    """(F, 20, 4) boxes and (F, 20) scores of a class, the best first."""
    rows = np.flatnonzero(clip.label == clip.classes.index(noun))
    order = rows[np.lexsort((-clip.score[rows], clip.frame_of[rows]))]
    assert len(order) == clip.T * TOP
    return clip.boxes[order].reshape(-1, TOP, 4), clip.score[order].reshape(-1, TOP)


def section(size: Size, output: Path, report: Report) -> Iterator[str]:
    """What the clips are, and how the made-up detector compares with the real one."""
    made = list(films(size.films, size.seed))
    genuine = real()
    segments = cad_films(max((cell.clips for cell in size.cad), default=0), size.seed)
    report("corpus", 1, 2)
    yield "## The corpus"
    yield ""
    yield from paragraph(
        "The paper's 94 clips are no longer public, but for the detections of one. Clips are 1280 "
        f"pixels wide, 30 frames per second; every {STEP}th frame is tracked. The made-up clips "
        "show one person and two or three of five things in four places, each with one sentence of "
        "subject, verb and object. CAD-120 gives the true motion of hands and things, to which the "
        "same made-up detector adds clutter. Every class has 20 boxes in every frame, of which the "
        "5 or 20 best are candidates: J is 30 or 120 with six classes, 20 or 80 with the real "
        "clip's four."
    )
    sources = {
        "made-up": [f.clip for f in made],
        "CAD-120 with clutter": [f.clip for f in segments],
    }
    if genuine is None:
        yield from paragraph("The real clip and CAD-120 lie beside the project and are not here.")
    else:
        sources = {"real (MVI_0820)": [genuine[0]], **sources}
    rows = []
    for name, clips in sources.items():
        if clips:
            seconds = [clip.T / clip.fps for clip in clips]
            T = [len(range(0, clip.T, STEP)) for clip in clips]
            spread = f"{min(seconds):.1f}–{max(seconds):.1f}"
            frames = f"{min(T)}–{max(T)}, mean {np.mean(T):.1f}"
            classes = len(clips[0].classes)
            rows.append(
                (name, len(clips), spread, frames, classes, f"{5 * classes}, {20 * classes}")
            )
    yield from table(("clips", "number", "seconds", "T", "classes", "J"), rows)
    if genuine is not None:
        yield from _fit(genuine[0], made, output)
    report("corpus", 2, 2)


def _fit(genuine: Clip, made: list[Film], output: Path) -> Iterator[str]:
    """The real clip's statistics beside those of the made-up clips that show the same classes."""
    seen = ("person", "backpack", "trash-can")  # there is no chair in the real clip
    yield from paragraph(
        "The detector's habits on the real clip, and on the made-up clips in which the class is "
        "there or not, as in the real one (it shows no chair): medians of the scores of the best, "
        "2nd, 5th and 20th box of a frame; the share of boxes that are in the next frame, too; by "
        "how much the score of those changes (median), and their place (spread, pixels); and the "
        "share that lies next to the best one."
    )
    header = ["class", "clips", *(f"score {r}" for r in RANKS)]
    header += ["lasting", "score change", "jump", "beside"]
    rows: list[list[object]] = []
    picture, axes = figure(1, len(genuine.classes), width=11.0, height=3.0)
    for axis, noun in zip(axes[0], genuine.classes, strict=True):
        alike = [film.clip for film in made if (noun in film.nouns) == (noun in seen)]
        for name, clips, colour in (("real", [genuine], THEIRS), ("made-up", alike, OURS)):
            found = habits(clips, noun)
            middle = np.median(found.scores, axis=0)
            shares = [f"{found.lasting:.2f}", f"{found.change:.3f}", f"{found.jump:.1f}"]
            scores = [f"{middle[r - 1]:.2f}" for r in RANKS]
            rows.append([noun, name, *scores, *shares, f"{found.beside:.2f}"])
            low, high = np.quantile(found.scores, (0.1, 0.9), axis=0)
            ranks = np.arange(1, TOP + 1)
            axis.fill_between(ranks, low, high, color=colour, alpha=0.2, linewidth=0)
            axis.plot(ranks, middle, color=colour, label=name)
        axis.set_title(noun if noun in seen else f"{noun} (not there)", fontsize=10)
        axis.set_xlabel("rank in its frame")
    axes[0, 0].set_ylabel("detector score")
    axes[0, 0].legend(frameon=False)
    write_figure(picture, output / "corpus_fit.png")
    write_csv(output / "corpus_fit.csv", header, rows)
    yield from table(header, rows)
    yield "![Scores by rank: median and 10 to 90 %](corpus_fit.png)"
    yield ""
