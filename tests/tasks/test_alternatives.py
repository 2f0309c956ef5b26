"""How well a sentence fits all that its subject could be, against asking about each alone."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack import track
from sentrack.inference import best_paths
from sentrack.tasks.alternatives import alternative_fits
from sentrack.tasks.match import SHARPNESS
from sentrack.vision import Clip, clip_from_arrays


def walkers(speeds: list[float], T: int = 12) -> Clip:
    """People below each other who walk so many pixels a frame, at 10 frames a second."""
    t = np.arange(T)
    x = 300 + np.outer(t, speeds)
    y = np.broadcast_to(20.0 + 100 * np.arange(len(speeds)), x.shape)
    boxes = np.stack([x, y, x + 40, y + 80], axis=-1).reshape(-1, 4)
    frame = np.repeat(t, len(speeds))
    kinds = ["person"] * len(boxes)
    return clip_from_arrays("walkers", (640, 480), 10, frame, kinds, boxes, [0.9] * len(boxes))


@settings(max_examples=15)
@given(st.lists(st.floats(-15, 15), min_size=2, max_size=4))
@pytest.mark.parametrize("sentence", ["The person walked to the right.", "The person stopped."])
def test_each_fits_as_if_it_were_alone(sentence: str, speeds: list[float]) -> None:
    clip = walkers(speeds)
    found = track(clip, sentence, whole=True)
    fits = alternative_fits(found.objective, found.solution.tracks, found.words)
    row = np.tile(np.arange(len(speeds)), clip.T)
    alone = [track(clip.only(row == n), sentence, whole=True) for n in range(len(speeds))]
    # Of an event, alternatives are asked how much it tells in the time that it usually lasts.
    slack = 1e-6 if "walked" in sentence else 0.3
    np.testing.assert_allclose(sorted(fits), sorted(a.shown.fit for a in alone), atol=slack)
    mean = np.mean([math.exp(SHARPNESS * fit) for fit in fits])
    assert found.shown.fit == pytest.approx(math.log(mean) / SHARPNESS)


def test_what_more_people_do_is_the_more_probable() -> None:
    clip = walkers([8, 8.5, 9, -9])
    right, left = (
        track(clip, f"The person walked to the {side}.", whole=True).match
        for side in ("right", "left")
    )
    assert right > left


def test_two_participants_are_two_things() -> None:
    found = track(walkers([9, -9]), "The person approached another person.", whole=True)
    fits = alternative_fits(found.objective, found.solution.tracks, found.words)
    assert np.isfinite(fits).tolist() == [[False, True], [True, False]]


def test_all_participants_could_be_others() -> None:
    # Three people and two cars, each as far from the others as it is.
    x = np.array([20.0, 180, 420, 150, 560])
    kinds = np.array(["person", "person", "person", "car", "car"])
    boxes = np.stack([x, 0 * x + 200, x + 40, 0 * x + 280], axis=1)
    clip = clip_from_arrays(
        "near",
        (640, 480),
        10,
        np.repeat(np.arange(8), 5),
        np.tile(kinds, 8),
        np.tile(boxes, (8, 1)),
    )
    sentence = "The person was near the car."
    found = track(clip, sentence, whole=True)
    row = np.tile(np.arange(5), 8)
    alone = [
        [track(clip.only(np.isin(row, [a, b])), sentence, whole=True).shown.fit for b in (3, 4)]
        for a in range(3)
    ]
    fits = alternative_fits(found.objective, found.solution.tracks, found.words)
    np.testing.assert_allclose(np.sort(fits, axis=None), np.sort(alone, axis=None), atol=1e-9)
    # Half-way between all six pairs and, for each of three people, either car.
    total = sum(math.exp(SHARPNESS * fit) for fit in fits.ravel())
    expected = math.log(total / (3 * math.sqrt(2))) / SHARPNESS
    assert found.shown.fit == pytest.approx(expected)


def test_who_is_hardly_there_is_no_alternative_to_who_is() -> None:
    clip = walkers([9, -9])
    late = np.flatnonzero((np.arange(len(clip.id)) % 2 == 0) | (clip.frame_of >= 9))
    found = track(
        clip.only(np.isin(np.arange(len(clip.id)), late)), "The person stood.", whole=True
    )
    assert len(alternative_fits(found.objective, found.solution.tracks, found.words)) == 1


@given(seed=st.integers(0, 10**6), S=st.integers(1, 3), T=st.integers(1, 4))
def test_the_best_path_is_the_best_of_all_paths(seed: int, S: int, T: int) -> None:
    rng = np.random.default_rng(seed)
    initial, emission = rng.normal(size=S), rng.normal(size=(T, S, 2))
    transition = np.where(rng.random((S, S)) < 0.4, -np.inf, rng.normal(size=(S, S)))
    expected = [
        max(
            initial[path[0]]
            + sum(emission[t, path[t], n] for t in range(T))
            + sum(transition[a, b] for a, b in itertools.pairwise(path))
            for path in itertools.product(range(S), repeat=T)
        )
        for n in range(2)
    ]
    np.testing.assert_allclose(best_paths(initial, transition, emission), expected)
