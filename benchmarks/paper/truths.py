"""What can be said of made-up clips, what of it is true, and clips that show two things at once."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from benchmarks.paper.films import LAYOUTS, Film, shoot
from benchmarks.paper.stories import films
from benchmarks.word_models import CLASSES
from sentrack.vision import Floats

VERBS = ("approached", "left", "carried", "picked up", "put down")
MOVED, STILL, NEAR = 100.0, 20.0, 225.0  # pixels


def sentences(classes: Sequence[str] = CLASSES) -> list[str]:
    """All sentences of two different nouns and a verb: 150 of the corpus' six classes."""
    return [f"The {a} {verb} the {b}." for (a, b), verb in product(permutations(classes, 2), VERBS)]


def true_of(nouns: Sequence[str], boxes: Floats) -> set[str]:
    """The sentences that are true of objects at (O, F, 4), by where they begin and end.

    This is kind to everyone who has to find them: who comes 100 pixels nearer has approached.
    """
    centre = (boxes[..., :2] + boxes[..., 2:]) / 2
    moved = centre[:, -1] - centre[:, 0]
    true = set()
    for a, b in permutations(range(len(nouns)), 2):
        begin, end = np.abs(centre[a, [0, -1], 0] - centre[b, [0, -1], 0])
        along = abs(moved[a, 0] - moved[b, 0]) < STILL and begin < NEAR
        if abs(moved[a, 0]) > MOVED and abs(moved[b, 0]) < STILL:
            if end < begin - MOVED:
                true.add(f"The {nouns[a]} approached the {nouns[b]}.")
            elif end > begin + MOVED:
                true.add(f"The {nouns[a]} left the {nouns[b]}.")
        if nouns[a] == "person" and along:
            if abs(moved[b, 0]) > MOVED:
                true.add(f"The person carried the {nouns[b]}.")
            elif abs(moved[b, 1]) > MOVED:
                verb = "picked up" if moved[b, 1] < 0 else "put down"
                true.add(f"The person {verb} the {nouns[b]}.")
    return true


def doubled(count: int, seed: int) -> Iterator[tuple[Film, Film]]:
    """Pairs of made-up films that share one clip: two persons do different things at once.

    Each film of a pair has all objects of both and a sentence of its own, about a thing that the
    other does not show.
    """
    made = list(films(8 * count, seed))
    rng = np.random.default_rng([seed, count])
    found = 0
    while found < count:
        a, b = (made[i] for i in rng.choice(len(made), 2, replace=False))
        spoken = [{film.nouns[o] for o in film.participants} - {"person"} for film in (a, b)]
        if a.layout != b.layout or spoken[0] & set(b.nouns) or spoken[1] & set(a.nouns):
            continue
        if len({film.sentence.split()[2] for film in (a, b)}) == 1:
            continue
        found += 1
        yield _together(f"double-{found:02d}", a, b, rng)


def _together(name: str, a: Film, b: Film, rng: np.random.Generator) -> tuple[Film, Film]:
    F = max(a.clip.T, b.clip.T)
    boxes = np.concatenate([_stretched(film.boxes, F) for film in (a, b)])
    nouns = (*a.nouns, *b.nouns)
    layout = next(layout for layout in LAYOUTS if layout.name == a.layout)
    ours = a.participants
    theirs = tuple(len(a.nouns) + o for o in b.participants)
    one = shoot(name, a.sentence, layout, nouns, boxes, ours, rng)
    two = Film(one.clip, b.sentence, one.layout, nouns, boxes, one.object_of, theirs)
    return one, two


def _stretched(boxes: Floats, F: int) -> Floats:
    """(O, F, 4) the same motion in so many frames."""
    at = np.linspace(0, boxes.shape[1] - 1, F)
    known = np.arange(boxes.shape[1])
    flat = boxes.transpose(0, 2, 1).reshape(-1, boxes.shape[1])
    some = np.stack([np.interp(at, known, values) for values in flat])
    return some.reshape(len(boxes), 4, F).transpose(0, 2, 1)
