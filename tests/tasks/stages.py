"""Made-up clips for learning: a hand and a thing that goes up or down, among things that drift."""

import numpy as np

from sentrack.lexicon import Lexicon
from sentrack.vision import Clip, clip_from_arrays

UP, DOWN = -1, 1


def stage(direction: int, thing: str, seed: int, others: tuple[str, ...] = ("rock",)) -> Clip:
    """Two seconds: the hand comes to the thing, and both go up; or the other way round."""
    rng = np.random.default_rng(seed)
    T = 20
    spot = rng.uniform(200, 440), 300.0
    phase = np.linspace(0, 1, T)
    # Up: reach in the first half, lift in the second. Down is the same played backwards.
    phase = phase if direction == UP else phase[::-1]
    lift = np.maximum(phase - 0.5, 0) * 2 * 150
    reach = np.maximum(0.5 - phase, 0) * 2 * 120
    paths = {
        thing: np.stack([np.full(T, spot[0]), spot[1] - lift], axis=1),
        "hand": np.stack([spot[0] - 35 - reach, spot[1] - 10 - lift], axis=1),
    }
    for other in others:
        drift = np.linspace(0, 1, T)[:, None] * rng.uniform(-150, 150, 2)
        paths[other] = rng.uniform((100, 100), (540, 380)) + drift
    names = sorted(paths)
    centre = np.stack([paths[name] for name in names], axis=1) + rng.normal(
        0, 0.4, (T, len(names), 2)
    )
    boxes = np.concatenate((centre - 25, centre + 25), axis=-1).reshape(-1, 4)
    frame, label = np.repeat(np.arange(T), len(names)), np.tile(np.arange(len(names)), T)
    return clip_from_arrays(f"stage {seed}", (640, 480), 10, frame, names, boxes, label=label)


def corpus(number: int, things: tuple[str, ...] = ("cup", "box")) -> list[tuple[Clip, str]]:
    """Pairs with words that no lexicon has: "glorped" is up, "fribbed" is down."""
    pairs = []
    for n in range(number):
        direction = (UP, DOWN)[n % 2]
        thing = things[n // 2 % len(things)]
        verb = "glorped" if direction == UP else "fribbed"
        # What else is there changes, so that only the hand is always there.
        others = (("rock",), ("leaf",), ("rock", "leaf"))[n % 3]
        pairs.append((stage(direction, thing, n, others), f"The hand {verb} the {thing}."))
    return pairs


def same_words(a: Lexicon, b: Lexicon) -> bool:
    """Whether two lexicons have the same words with the same numbers, to the last bit."""
    return list(a.words) == list(b.words) and all(
        own.classes == other.classes
        and all(map(np.array_equal, own.outputs, other.outputs))
        and np.array_equal(own.initial, other.initial)
        and np.array_equal(np.asarray(own.seconds), np.asarray(other.seconds))
        for own, other in zip(a.words.values(), b.words.values(), strict=True)
    )
