"""A library of made-up clips: somebody does something with one of some things, among others."""

from pathlib import Path

import numpy as np

from sentrack.tasks import Library
from sentrack.vision import Clip, clip_from_arrays

THINGS = ("cup", "backpack", "chair", "bottle")
ACTS = ("up", "down", "carry", "come", "rest")
CLASSES = ("person", *THINGS, "zebra")  # no clip shows the last one


def scene(seed: int, T: int = 25) -> Clip:
    """T frames, ten a second, of a person, a thing, others of their kinds, and things that rest.

    Those others drift and take no part, which a bound that sees less than all does not know. In
    clips of odd seeds it all happens twice, seen less well the second time.
    """
    rng = np.random.default_rng(seed)
    things = rng.permutation(THINGS)[: rng.integers(1, 4)].tolist()
    phase = np.linspace(0, 1, T)
    place = rng.uniform(0.4, 0.9, 2)
    near, moved, away = place - (0.06, 0), np.zeros((T, 2)), np.zeros((T, 2))
    match ACTS[rng.integers(len(ACTS))]:
        case "up" | "down" as act:
            phase = phase if act == "up" else phase[::-1]
            moved[:, 1] = -0.3 * np.maximum(2 * phase - 1, 0)
            away[:, 0] = -0.3 * np.maximum(1 - 2 * phase, 0)
        case "carry":
            moved[:, 0] = rng.choice([-1, 1]) * 0.5 * phase
        case "come":
            away[:, 0] = -0.5 * (1 - phase)
        case _:
            away[:, 0] = -0.5
    drifts = [
        rng.uniform(0.3, 1.0, 2) + rng.normal(0, 0.2, 2) * phase[:, None]
        for _ in range(2 * rng.integers(2))
    ]
    paths = [near + moved + away, place + moved, *drifts]
    shown = ["person", things[0]] * (len(paths) // 2) + things[1:]
    paths += [np.tile(rng.uniform(0.2, 1.1, 2), (T, 1)) for _ in things[1:]]
    jitter = [0.001, 0.006][: 1 + seed % 2]
    centre = np.stack(paths, axis=1)
    centre = np.concatenate([centre + rng.normal(0, s, centre.shape) for s in jitter])
    T = len(centre)
    boxes = np.concatenate([centre - 0.05, centre + 0.05], axis=-1).reshape(-1, 4) * 480
    label = [CLASSES.index(name) for name in shown]
    return clip_from_arrays(
        f"scene-{seed:02d}",
        (640, 480),
        10,
        np.repeat(np.arange(T), len(paths)),
        CLASSES,
        boxes,
        rng.uniform(0.6, 1.0, len(boxes)),
        label=np.tile(label, T),
    )


def library(folder: Path, seeds: range, T: int = 25) -> Library:
    """A library of a scene for every seed."""
    made = Library(folder)
    for seed in seeds:
        made.add(scene(seed, T))
    made.refresh()
    return made
