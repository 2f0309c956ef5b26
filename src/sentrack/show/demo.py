"""A made-up scene, solved before the reader's eyes."""

import math

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from sentrack.inference import Problem, Solution, TrackTerms, WordTerms, solve

Array = npt.NDArray[np.float64]

FRAMES = 40
CANDIDATES = 12


def show_demo(seed: int) -> None:
    """Make up a scene, find who approached what in it, and print the proof."""
    console = Console()
    problem, planted = scene(seed)
    solution = solve(problem)
    console.print(
        f"[bold]One object approached another[/bold], in {FRAMES} frames with {CANDIDATES} "
        "detections each, most of them false."
    )
    table = Table(show_header=False, box=None)
    for name, value in _facts(problem, solution, planted):
        table.add_row(name, value)
    console.print(table)


def scene(seed: int) -> tuple[Problem, npt.NDArray[np.int64]]:
    """A mover that approaches a goal among clutter, as a problem, and their true candidates (2, T).

    The word "approach" has three states: far to the left of the goal; closing in; near.
    """
    rng = np.random.default_rng(seed)
    path = np.clip((np.arange(FRAMES) - 8) / 24, 0, 1)
    truth = np.stack([0.1 + 0.6 * path, np.full(FRAMES, 0.8)])
    positions = rng.random((FRAMES, CANDIDATES))
    scores = rng.normal(-2.0, 0.5, (FRAMES, CANDIDATES))
    planted = np.argsort(rng.random((FRAMES, CANDIDATES)), axis=1)[:, :2].T
    frames = np.arange(FRAMES)
    for position, place in zip(truth, planted, strict=True):
        positions[frames, place] = position + rng.normal(0, 0.005, FRAMES)
        scores[frames, place] = rng.normal(-1.0, 0.6, FRAMES)
    jumps = np.abs(positions[1:, None, :] - positions[:-1, :, None])
    track = TrackTerms(list(scores), list(-40.0 * jumps))
    return Problem([track, track], [_approach(positions)]), planted


def _approach(positions: Array) -> WordTerms:
    gap = positions[:, None, :] - positions[:, :, None]
    far, near = np.log(0.02 + (gap > 0.5)), np.log(0.02 + (np.abs(gap) < 0.25))
    # Nothing approaches itself.
    emission = np.stack([far, np.zeros_like(gap), near], axis=1)
    emission[:, :, np.arange(CANDIDATES), np.arange(CANDIDATES)] = -np.inf
    emission[-1, :2] = -np.inf
    with np.errstate(divide="ignore"):
        transition = np.log([[0.9, 0.1, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]])
        initial = np.log([1.0, 0.0, 0.0])
    return WordTerms(initial, transition, list(emission), (0, 1))


def _facts(
    problem: Problem, solution: Solution, planted: npt.NDArray[np.int64]
) -> list[tuple[str, str]]:
    found = int((solution.tracks == planted).all(axis=0).sum())
    answers = sum(math.log10(n) for n in problem.sizes.ravel()) + problem.T * math.log10(3)
    proof = "yes, no answer is better" if solution.certified else f"within {solution.gap:.3g} nats"
    starts = np.flatnonzero(np.diff(solution.states[0], prepend=-1)).tolist()
    return [
        ("possible answers", f"10^{answers:.0f}"),
        ("score", f"{solution.score:.6f} nats"),
        ("upper bound", f"{solution.upper_bound:.6f} nats"),
        ("certified", proof),
        ("found", f"both true objects in {found} of {problem.T} frames"),
        ("the word", ", ".join(f"state {i} from frame {t}" for i, t in enumerate(starts))),
        ("took", f"{solution.seconds:.3f} s by method {solution.method}"),
    ]
