"""Draw the pictures of the documentation that need no footage.

    python -m benchmarks.picture [--output docs/images]

`picked-up.png` is the README's: key frames of a made-up clip, the tracks that depict a sentence,
and its words over time. `picture.png` shows candidates of a cluttered clip and the tracks among
them. `features.png` shows what two verbs look at, frame by frame, and the states they are in.
"""

import argparse
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from PIL import Image

import sentrack
from benchmarks.scenes import ROWS, detections, problem
from sentrack.demo import paint, two_activities
from sentrack.objective import whole
from sentrack.scene import scene_of
from sentrack.show.film_strip import strip
from sentrack.tasks.tracker import open_lexicon, understand
from sentrack.vision import Floats, Ints

COLOURS = ("#d1495b", "#00798c", "#edae49", "#30638e")
SENTENCE = "The person picked up the cup while another person carried the backpack to the right."
# Sentences of the made-up clip whose verbs are shown in the picture of features.
LOOKED_AT = (
    "The person picked up the cup.",
    "The person approached the chair.",
)
SHADES = ("#f2f2f2", "#b7d3e6", "#5f9dc4", "#1f5f8b", "#0b2f4a")
FOLDER = Path(__file__).parents[1] / "docs" / "images"


def main() -> None:
    """Draw all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder of the pictures")
    folder = parser.parse_args().output
    draw_words(folder / "picked-up.png")
    draw_tracks(folder / "picture.png")
    draw_features(folder / "features.png")


def draw_words(path: Path) -> None:
    """Track a sentence with four nouns and draw key frames, with no more than 256 colours."""
    clip, truth = two_activities()
    strip([sentrack.track(clip, SENTENCE)], paint(clip, truth), path, count=4)
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(256, kmeans=3, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def draw_tracks(path: Path) -> None:
    """Solve row 5 of the paper at greater length and draw horizontal position over time."""
    row = ROWS[4]
    seen = detections(row, 1, T=60)
    solution = sentrack.solve(problem(row, seen, "soft"))
    figure, axes = plt.subplots(figsize=(8, 3.6), dpi=110)
    frames = np.arange(60)
    axes.scatter(
        np.repeat(frames, row.J), seen.centres[..., 0].ravel(), s=3, c="#bbbbbb", linewidths=0
    )
    for noun, track, colour in zip(row.nouns, solution.tracks, COLOURS, strict=False):
        axes.plot(frames, seen.centres[frames, track, 0], color=colour, lw=2.5, label=noun)
    proof = "proven best" if solution.certified else f"within {solution.gap:.2g} nats of the best"
    axes.set_title(f"{row.sentence}\n{row.J} detections in every frame; {proof}", fontsize=10)
    axes.set_xlabel("frame")
    axes.set_ylabel("horizontal position")
    axes.legend(loc="upper left", fontsize=9)
    axes.set_xlim(0, 59)
    figure.tight_layout()
    figure.savefig(path)


def draw_features(path: Path) -> None:
    """Draw the bins of every feature that verbs look at over time, on the tracks that are found."""
    clip, _ = two_activities()
    figure, panels = plt.subplots(len(LOOKED_AT), 1, figsize=(8, 5.6), dpi=110)
    for axes, sentence in zip(panels, LOOKED_AT, strict=True):
        meaning = understand(sentence, clip=clip)
        objective = whole(scene_of(clip, meaning, open_lexicon(None)))
        solution = sentrack.solve(objective.problem)
        verb = next(w for w, word in enumerate(meaning.words) if word.part == "verb")
        word, model = meaning.words[verb], objective.models[verb]
        players = [
            objective.candidates[p].candidates.along(solution.tracks[p]) for p in word.participants
        ]
        nouns = [meaning.participants[p].noun for p in word.participants]
        rows: list[tuple[str, Sequence[str], Ints]] = [
            (
                f"{each.feature.name} ({', '.join(nouns[role] for role in each.roles)})",
                each.feature.bins,
                each.bins(players).ravel().astype(np.int64),
            )
            for each in model.observed
        ]
        names = [name or "says nothing" for name in objective.state_names(verb)]
        rows.append((f"state of “{word.word}”", names, objective.states(verb, solution.states)))
        _ribbons(axes, rows, clip.times)
        axes.set_title(sentence, fontsize=10, loc="left")
    panels[-1].set_xlabel("seconds")
    figure.tight_layout()
    figure.savefig(path)


def _ribbons(axes: Axes, rows: Sequence[tuple[str, Sequence[str], Ints]], times: Floats) -> None:
    """A ribbon for each row (name, names of bins, (T,) bins), with the name in every longer run."""
    for y, (_, names, bins) in enumerate(rows):
        cuts = [0, *(np.flatnonzero(np.diff(bins)) + 1), len(bins)]
        for first, last in pairwise(cuts):
            start, end = (
                times[first],
                times[last] if last < len(times) else 2 * times[-1] - times[-2],
            )
            which = int(bins[first])
            axes.barh(y, end - start, left=start, height=0.8, color=SHADES[which % len(SHADES)])
            if end - start > 0.055 * len(names[which]):
                ink = "white" if which % len(SHADES) > 2 else "black"
                axes.text(
                    (start + end) / 2,
                    y,
                    names[which],
                    ha="center",
                    va="center",
                    fontsize=7,
                    color=ink,
                )
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=8)
    axes.set_xlim(times[0], 2 * times[-1] - times[-2])
    axes.invert_yaxis()


if __name__ == "__main__":
    main()
