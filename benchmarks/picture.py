"""Draw the pictures of the documentation that need no footage.

    python -m benchmarks.picture [--output docs/images]

`picked-up.png` is the README's: key frames of a made-up clip, the tracks that depict a sentence,
and its words over time. `picture.png` shows candidates of a cluttered clip and the tracks among
them.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import sentrack
from benchmarks.scenes import ROWS, detections, problem
from sentrack.demo import paint
from sentrack.show.film_strip import strip
from sentrack.vision import two_activities

COLOURS = ("#d1495b", "#00798c", "#edae49", "#30638e")
SENTENCE = "The person picked up the cup while another person carried the backpack to the right."
FOLDER = Path(__file__).parents[1] / "docs" / "images"


def main() -> None:
    """Draw both pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder of the pictures")
    folder = parser.parse_args().output
    draw_words(folder / "picked-up.png")
    draw_tracks(folder / "picture.png")


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


if __name__ == "__main__":
    main()
