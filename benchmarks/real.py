"""Real video that others annotated: who did it, which of two opposites, and when.

    python -m benchmarks.real [--most 60] [--output docs/measured/real.md] [--pictures FOLDER]

Boxes of all annotated things without their identities, in the annotated span. Beside sentrack stand
chance and a rule, which is told the identities: a dozen lines that look at the annotated tracks.
"""

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import sentrack
from benchmarks.annotated import Span, clip_of, opposite, opposites, span_of, truths
from benchmarks.confusion import draw_confusion
from benchmarks.failures import Failure, confusion, draw_failures
from benchmarks.inference import machine
from benchmarks.telling import publish
from sentrack.boxes import iou
from sentrack.errors import SentrackError
from sentrack.tasks import Tracking
from sentrack.vision import Clip

Floats = npt.NDArray[np.float64]
SETS = ("virat", "meva", "caviar", "svag_mot", "vidvrd", "something_else")
WHOLE_VIDEOS = ("virat", "caviar")
EVENTS = ("entered", "exited", "ran", "took", "approached", "left", "picked", "walked with", "hit")
STRIPS = 10  # wrong answers that are shown
THERE, ON, MEETS, SAME = 0.3, 0.7, 0.5, 0.3  # shares of frames and of overlap that count


@dataclass(frozen=True)
class Life:
    """What a rule looks at: of a thing, or of one towards another, in own heights and seconds.

    Attributes:
        net: (2,) how far it gets, to the right and downwards.
        speed: on average.
        gain: speed of the second half less that of the first.
        comes: whether it is missing in the first frame.
        goes: whether it is missing in the last one.
        near: to the other, at its nearest.
        parts: by how much the distance to the other grows.
        off: (2,) from the other to it, to the right and downwards, on average.
    """

    net: Floats
    speed: float
    gain: float
    comes: bool
    goes: bool
    near: float
    parts: float
    off: Floats


# The larger, the better somebody fits the word.
RULES: Mapping[str, Callable[[list[Life]], float]] = {
    "entered": lambda people: people[0].goes - people[0].comes - people[0].near,
    "exited": lambda people: people[0].comes - people[0].goes - people[0].near,
    "picked up": lambda people: -people[1].net[1] - people[0].near,
    "put down": lambda people: people[1].net[1] - people[0].near,
    "above": lambda people: -people[0].off[1],
    "below": lambda people: people[0].off[1],
    "in front of": lambda people: people[-2].off[1],
    "behind": lambda people: -people[-2].off[1],
    "to the left of": lambda people: -people[0].off[0],
    "to the right of": lambda people: people[0].off[0],
    "to the left": lambda people: -people[-1].net[0],
    "to the right": lambda people: people[-1].net[0],
    "started": lambda people: people[0].gain,
    "stopped": lambda people: -people[0].gain,
    "approached": lambda people: -people[0].parts,
    "left the": lambda people: people[0].parts,
    "stood": lambda people: -people[0].speed,
    "ran": lambda people: people[0].speed,
    "walked": lambda people: people[0].speed,
    "moved": lambda people: people[0].speed,
    "": lambda people: -people[0].near,
}


def life(track: Mapping[int, Floats], other: Mapping[int, Floats], span: range, fps: float) -> Life:
    """Measure a thing by its boxes in some frames, towards another."""
    frames = sorted(track)
    boxes = np.array([track[t] for t in frames])
    size = float(np.median(boxes[:, 3] - boxes[:, 1]))
    at = (boxes[:, :2] + boxes[:, 2:]) / 2 / size
    gone = np.hypot(*np.diff(at, axis=0).T) if len(at) > 1 else np.zeros(1)
    half = len(gone) // 2
    halves = [float(part.mean()) * fps if len(part) else 0.0 for part in (gone[:half], gone[half:])]
    both = [t for t in frames if t in other]
    offsets = [at[frames.index(t)] - (other[t][:2] + other[t][2:]) / 2 / size for t in both]
    apart = np.array([np.hypot(*offset) for offset in offsets])
    far = len(apart) == 0
    return Life(
        at[-1] - at[0],
        float(gone.mean()) * fps,
        halves[1] - halves[0],
        frames[0] > span[0] + 2,
        frames[-1] < span[-1] - 2,
        9.0 if far else float(apart.min()),
        0.0 if far else float(apart[-1] - apart[0]),
        np.zeros(2) if far else np.mean(offsets, axis=0),
    )


def by_rule(sentence: str, tracks: list[Mapping[int, Floats]], span: range, fps: float) -> float:
    """How well some tracks fit a sentence, by the rule of its first word that has one."""
    word = next(each for each in RULES if each in sentence)
    others = [tracks[1] if len(tracks) > 1 else {}, *[tracks[0]] * (len(tracks) - 1)]
    pairs = zip(tracks, others, strict=True)
    return RULES[word]([life(track, other, span, fps) for track, other in pairs])


def accepted(truth: Mapping[str, Any], number: int) -> set[int]:
    """The identities that a participant may have."""
    people = [each["id"] for each in truth["participants"]]
    also = [each[0] for each in truth.get("also", [])] if number == 0 else []
    return {people[number], *also, *(people if truth.get("symmetric") else [])}


def judge(truth: Mapping[str, Any], real: Span, found: Tracking) -> tuple[bool, list[list[int]]]:
    """Whether an answer has the annotated participants, and the identities that tracks lie on."""
    right, identities = True, []
    # Some annotations name fewer than the sentence does.
    named = found.participants[: len(truth["participants"])]
    for number, track in enumerate(named):
        wanted = accepted(truth, number)
        there = on = total = 0
        own = []
        for frame, box in zip(track.frames, track.boxes, strict=True):
            present = real.boxes.get(int(frame), [])
            mine = [each for id, _, each in present if id in wanted]
            seen = bool(np.isfinite(box).all())
            total += bool(mine)
            there += bool(mine) and seen
            if not (seen and present):
                continue
            overlap = iou(box, np.array([each for _, _, each in present]))
            on += bool(mine) and bool(iou(box, np.array(mine)).max() >= MEETS)
            if overlap.max() >= MEETS:
                own.append(present[int(overlap.argmax())][0])
        right &= there >= max(1, THERE * total) and on >= ON * there
        identities.append(own)
    return right, identities


def chance(truth: Mapping[str, Any], real: Span) -> float:
    """How often a thing of the noun's class, drawn at random, is the annotated one."""
    odds = 1.0
    for number, each in enumerate(truth["participants"]):
        frames = Counter(
            id for rows in real.boxes.values() for id, n, _ in rows if n == each["noun"]
        )
        often = [id for id, count in frames.items() if count >= 0.5 * len(real.boxes)] or list(
            frames
        )
        odds *= min(1.0, len(accepted(truth, number) & set(often)) / max(1, len(often)))
    return odds


def rule_answers(truth: Mapping[str, Any], real: Span) -> tuple[bool, bool | None]:
    """Whether the rule finds the annotated participants, and prefers the sentence to its opposite.

    None where there is no opposite.
    """
    tracks: dict[int, dict[int, Floats]] = defaultdict(dict)
    kinds: dict[int, str] = {}
    for frame, rows in real.boxes.items():
        for id, kind, box in rows:
            tracks[id][frame], kinds[id] = box, kind
    span = range(min(real.boxes), max(real.boxes) + 1)
    nouns = [each["noun"] for each in truth["participants"]]
    choices = [[id for id, kind in kinds.items() if kind == noun] for noun in nouns]

    def score(ids: tuple[int, ...], sentence: str) -> float:
        return by_rule(sentence, [tracks[id] for id in ids], span, real.fps)

    every = [ids for ids in product(*choices) if len(set(ids)) == len(ids)][:5000]
    other = opposite(truth["sentence"])
    if not every:
        return False, None if other is None else False
    best = max(every, key=lambda ids: score(ids, truth["sentence"]))
    right = all(id in accepted(truth, n) for n, id in enumerate(best))
    if other is None:
        return right, None
    best_other = max(score(ids, other) for ids in every)
    return right, score(best, truth["sentence"]) > best_other


def asked(clip: Clip, sentence: str) -> Tracking | None:
    """The answer about all of a clip; None if the sentence is refused."""
    try:
        return sentrack.track(clip, sentence, whole=True)
    except SentrackError:
        return None


def who_and_which(most: int, failures: list[Failure]) -> Iterator[str]:
    """One row per set of who, then one per pair of opposites; wrong answers are kept."""
    kinds: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    yield "| set | sentences | right | rule | chance | purity | changes of identity a track |"
    yield "|---|---|---|---|---|---|---|"
    for name in SETS:
        rows, pure, changes = [], [], []
        for truth in truths(name, most):
            clip = clip_of(name, truth)
            if clip is None:
                continue
            real = span_of(name, truth)
            found = asked(clip, truth["sentence"])
            right, ids = (False, []) if found is None else judge(truth, real, found)
            if found is not None and not right:
                failures.append(Failure(name, truth, real, found))
            ruled, told = rule_answers(truth, real)
            rows.append((right, ruled, chance(truth, real)))
            for each in filter(None, ids):
                pure.append(Counter(each).most_common(1)[0][1] / len(each))
                changes.append(sum(a != b for a, b in pairwise(each)))
            pair = opposites(truth["sentence"])
            if pair is not None and told is not None:
                against = asked(clip, truth["sentence"].replace(*pair))
                better = found is not None and (against is None or found.match > against.match)
                kinds[" / ".join(sorted(pair))].append((better, told))
        shares = " | ".join(f"{each:.3f}" for each in np.mean(rows, axis=0))
        yield (
            f"| {name} | {len(rows)} | {shares} | {np.mean(pure):.3f} | {np.mean(changes):.2f} |"
        )
    yield ""
    yield "## Which: a sentence against its opposite"
    yield ""
    yield "| words | sentences | right | rule |"
    yield "|---|---|---|---|"
    for kind, answers in sorted(kinds.items(), key=lambda each: -len(each[1])):
        shares = " | ".join(f"{each:.2f}" for each in np.mean(answers, axis=0))
        yield f"| {kind} | {len(answers)} | {shares} |"
    every = [answer for answers in kinds.values() for answer in answers]
    shares = " | ".join(f"{each:.3f}" for each in np.mean(every, axis=0))
    yield f"| all | {len(every)} | {shares} |"


def when(most: int) -> Iterator[str]:
    """One row per set: whether the first moment that is found is one that is annotated."""
    yield "| set | questions | first right | one of three |"
    yield "|---|---|---|---|"
    for name in WHOLE_VIDEOS:
        answers = moments_right(name, most)
        shares = " | ".join(f"{each:.3f}" for each in np.mean(answers, axis=0))
        yield f"| {name} | {len(answers)} | {shares} |"


def moments_right(name: str, most: int) -> list[tuple[bool, bool]]:
    """Of questions about whole videos of a set: is the first moment right, is one of three?"""
    spans: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    about = {}
    for truth in truths(name, 10**6):
        if any(word in truth["sentence"] for word in EVENTS):
            # A clip begins where anything is annotated.
            about[truth["video"]] = truth | {"begin": 0, "end": 10**9}
            first = span_of(name, about[truth["video"]], frames=10**6).first
            times = [(t - first) / truth["fps"] for t in (truth["begin"], truth["end"] + 1)]
            spans[truth["video"], truth["sentence"]].append((times[0], times[1]))
    answers = []
    for video, sentence in sorted(spans)[:: max(1, len(spans) // most)]:
        clip = clip_of(name, about[video], frames=10**6)
        assert clip is not None
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{video}.csv"
            sentrack.save_clip(clip, path)
            library = sentrack.Library(Path(folder) / "library")
            library.add(path, size=clip.size, fps=clip.fps)
            found = [(each.start, each.end) for each in library.search(sentence, k=3)]
        hits = [any(_meet(each, real) for real in spans[video, sentence]) for each in found]
        answers.append((bool(hits[:1] and hits[0]), any(hits)))
    return answers


def _meet(one: tuple[float, float], other: tuple[float, float]) -> bool:
    common = min(one[1], other[1]) - max(one[0], other[0])
    return common >= SAME * (max(one[1], other[1]) - min(one[0], other[0]))


def wrong_answers(failures: Sequence[Failure], folder: Path | None) -> Iterator[str]:
    """Some wrong answers, of different sentences, and what went wrong; drawn where asked to."""
    first: dict[tuple[str, str], Failure] = {}
    for each in failures:
        first.setdefault((each.source, each.truth["sentence"]), each)
    chosen = list(first.values())[:: max(1, -(-len(first) // STRIPS))][:STRIPS]
    yield "| set | sentence | match | what went wrong |"
    yield "|---|---|---|---|"
    for each in chosen:
        sentence, match = each.truth["sentence"], each.found.match
        yield f"| {each.source} | {sentence} | {match:.2f} | {each.cause} |"
    if folder is not None and chosen:
        draw_failures(chosen, folder / "real-failures.png")
        yield ""
        yield "![Boxes over time: annotated green, found red](real-failures.png)"


def verbs(most: int, folder: Path | None) -> Iterator[str]:
    """How often a verb is taken for another that can be said of the same participants."""
    names, counts = confusion(SETS, most)
    for n, name in enumerate(names):
        told = {other: int(c) for other, c in zip(names, counts[n], strict=True) if c}
        yield f"* {name}: " + ", ".join(f"{other} {c}" for other, c in told.items())
    if folder is not None:
        draw_confusion([("real video", counts)], names, folder / "real-confusion.png")
        yield ""
        yield "![Which verbs are taken for which](real-confusion.png)"


def page(most: int, folder: Path | None = None) -> Iterator[str]:
    """The whole page, as Markdown; pictures go into a folder."""
    failures: list[Failure] = []
    yield "# Real video, measured"
    yield ""
    yield f"Made by `python -m benchmarks.real` on {machine()}"
    yield f"from video that others annotated: of each set at most {most} sentences, none too often."
    yield "The rule is told the identities."
    yield ""
    yield "## Who"
    yield ""
    yield from who_and_which(most, failures)
    yield ""
    yield "## When: events in whole videos"
    yield ""
    yield from when(max(1, most // 2))
    yield ""
    yield "## Which verbs are taken for which"
    yield ""
    yield from verbs(max(1, most // 6), folder)
    yield ""
    yield "## Wrong answers"
    yield ""
    yield from wrong_answers(failures, folder)


def main() -> None:
    """Print the page, and write it where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--most", type=int, default=60, help="sentences of a set, at most")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of what goes wrong")
    options = parser.parse_args()
    publish(page(options.most, options.pictures), options.output)


if __name__ == "__main__":
    main()
