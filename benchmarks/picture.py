"""Draw the README's picture: candidates of a cluttered clip, and the tracks that depict a sentence.

python -m benchmarks.picture docs/picture.png
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import sentrack
from benchmarks.scenes import ROWS, detections, problem

COLOURS = ("#d1495b", "#00798c", "#edae49", "#30638e")


def main() -> None:
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
    figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
