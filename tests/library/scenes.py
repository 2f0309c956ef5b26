"""Clips for tests of the library, and what it means that two are equal."""

from pathlib import Path

import numpy as np

from sentrack.vision import Clip, clip_from_arrays, save_clip
from sentrack.vision.clip import ROWS


def scene(seed: int, T: int = 20) -> Clip:
    """Some things that jump about; everything that a clip can hold is in it."""
    rng = np.random.default_rng(seed)
    N = 3 * T
    low = rng.uniform(0, 300, (N, 2))
    return clip_from_arrays(
        f"scene-{seed}",
        (640, 480),
        25,
        np.repeat(np.arange(T) * 2, 3),
        ("person", "cup", "dog", "zebra"),
        np.concatenate([low, low + rng.uniform(1, 100, (N, 2))], axis=1),
        rng.uniform(0, 1, N),
        rng.integers(-1, 5, N),
        label=rng.integers(0, 3, N),
        velocity=rng.normal(size=(N, 2)),
        camera=rng.normal(size=(N, 2)),
        colour=np.where(rng.random((N, 1)) < 0.3, np.nan, rng.uniform(0, 1, (N, 3))),
        projected=rng.random(N) < 0.2,
    )


def files(folder: Path, seeds: range, T: int = 20) -> dict[str, Clip]:
    """Write a file of detections for every seed; the clips by the names they suggest."""
    folder.mkdir(exist_ok=True)
    clips = {f"scene-{seed}": scene(seed, T) for seed in seeds}
    for name, clip in clips.items():
        save_clip(clip, folder / f"{name}.parquet")
    return clips


def assert_equal(found: Clip, clip: Clip) -> None:
    """All of it, measurements to the digits of single precision."""
    assert (found.size, found.fps, found.classes) == (clip.size, clip.fps, clip.classes)
    for name in ("frames", "times", "start", "label", "id", "projected"):
        np.testing.assert_array_equal(getattr(found, name), getattr(clip, name), name)
    for name in set(ROWS) - {"label", "id", "projected"}:
        np.testing.assert_allclose(
            getattr(found, name), getattr(clip, name), rtol=1e-6, atol=1e-30, err_msg=name
        )
