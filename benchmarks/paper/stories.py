"""What happens in the made-up clips: a subject, a verb and an object, or one of the long sentences.

In every clip somebody rests, does something, and rests. Distances are such that the paper's words
are true: near is less than 225 pixels across, far more than 375.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.paper.films import EXTENTS, FPS, LAYOUTS, SIZE, Film, Layout, shoot
from benchmarks.scenes import Row
from sentrack.vision import Floats

THINGS = ("backpack", "chair", "trash-can", "stool", "traffic-cone")
VERBS = ("approached", "carried", "picked up", "put down", "left", "brought")
STEP = 8  # every so many frames are tracked: 15 of a clip of 4 seconds
EDGE = 110.0  # pixels of the frame's border in which no thing stands
HELD = 0.45  # heights of the person at which a thing is held
BESIDE = 90.0  # pixels from the person to what it holds
WAY = 330.0  # pixels that the things of the long sentences are carried
# Where the things of the first long sentence are instead: two traffic-cones that are well apart.
APART = {"row 1": (770.0, 700.0, 1200.0, 1060.0, 860.0)}
QUICK = 13.0  # pixels per frame of what is picked up quickly


def films(count: int, seed: int) -> Iterator[Film]:
    """Clips of one person and two or three of five things, each with a sentence of three words."""
    for number in range(count):
        yield _film(number, np.random.default_rng([seed, number]))


def _film(number: int, rng: np.random.Generator) -> Film:
    turn, kind = divmod(number, len(VERBS))
    layout, verb = LAYOUTS[turn % len(LAYOUTS)], VERBS[kind]
    things = [str(n) for n in rng.choice(THINGS, rng.integers(2, 4), replace=False)]
    F = round(FPS * rng.triangular(2.0, 5.0, 5.0))
    begin, end = rng.uniform(0.07, 0.2), rng.uniform(0.65, 0.9)
    done = _ramp(F, begin * F, end * F)
    way = min(rng.uniform(280.0, 480.0), 9.0 * (end - begin) * F)
    side = rng.choice((-1.0, 1.0))
    x = rng.uniform(260.0, 380.0) if side > 0 else SIZE[0] - rng.uniform(260.0, 380.0)
    far, near = x + side * (way + rng.uniform(100.0, 170.0)), x + side * BESIDE
    still = np.zeros(F)
    # Across: the person, the thing spoken of, and the second thing; the height of the thing held.
    plots: dict[str, tuple[Floats, Floats, float, Floats]] = {
        "approached": (x + side * way * done, still + far, near, still),
        "left": (far - side * 120.0 - side * way * done, still + far, near, still),
        "carried": (x + side * way * done, near + side * way * done, far + 250.0 * side, still + 1),
        "brought": (x + side * way * done, near + side * way * done, far + 90.0 * side, still + 1),
        "picked up": (x + still, near + still, far, done),
        "put down": (x + still, near + still, far, 1 - done),
    }
    walk, thing, second, lifted = plots[verb]
    second = float(np.clip(second, EDGE, SIZE[0] - EDGE))
    third = x - side * 150.0
    across = [walk, thing, still + second, still + third][: 1 + len(things)]
    up = [still, lifted, still, still][: 1 + len(things)]
    nouns = ("person", *things)
    sentence, participants = f"The person {verb} the {things[0]}.", (0, 1)
    if verb == "brought":  # the corpus speaks like this of its one public clip
        sentence, participants = f"The {things[0]} approached the {things[1]}.", (1, 2)
    boxes = _boxes(layout, nouns, np.stack(across), np.stack(up))
    name = f"film-{number:02d}"
    return shoot(name, sentence, layout, nouns, boxes, participants, rng)


def film_of(row: Row, seed: int) -> Film:
    """A clip of one of the paper's long sentences, of STEP times its number of frames."""
    rng = np.random.default_rng([seed, *row.name.encode()])
    layout = LAYOUTS[int(row.name[-1]) % len(LAYOUTS)]
    F = STEP * row.T
    begin = STEP * row.K / 3  # the models leave their first phase so soon
    done = _ramp(F, begin, begin + 0.6 * F)
    lift = HELD * layout.tall
    done_up = _ramp(F, begin, begin + lift / QUICK)
    still = np.zeros(F)
    across, up = [], []
    places = APART.get(row.name, tuple(thing.x for thing in row.things))
    for thing, x in zip(row.things, places, strict=True):
        sign = {"left": -1.0, "right": 1.0}.get(thing.motion, 0.0)
        across.append(x + rng.uniform(-10, 10) + sign * WAY * done)
        held = sign != 0 and thing.noun != "person"
        up.append(done_up if thing.motion == "up" else still + held)
    nouns = tuple(thing.noun for thing in row.things)
    boxes = _boxes(layout, nouns, np.stack(across), np.stack(up))
    return shoot(row.name, row.sentence, layout, nouns, boxes, row.roles, rng)


def _ramp(F: int, begin: float, end: float) -> Floats:
    """(F,) 0 until `begin`, 1 from `end` on."""
    return np.clip((np.arange(F) - begin) / (end - begin), 0.0, 1.0)


def _boxes(layout: Layout, nouns: tuple[str, ...], across: Floats, up: Floats) -> Floats:
    """(O, F, 4) boxes of things on the ground at (O, F) across, or so far (0..1) lifted."""
    extent = layout.tall * np.array([EXTENTS[noun] for noun in nouns])[:, None]
    down = layout.ground - extent[..., 1] / 2 - up * HELD * layout.tall
    centre = np.stack([across, np.broadcast_to(down, across.shape)], axis=2)
    return np.concatenate([centre - extent / 2, centre + extent / 2], axis=2)
