"""Made-up clips of the paper's corpus' kind: one person and two or three things, outdoors.

The paper's clips are no longer public. These have their sizes (1280 pixels wide, 30 frames per
second, 2 to 5 seconds), their six classes and their kind of detector: 20 boxes of every class in
every frame, whatever there is to see. How its scores fall off, how its boxes last and jump, and how
it fires again beside what it sees, is fitted to the one clip of which detections are public.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks.word_models import CLASSES
from sentrack.vision import Clip, Floats, Ints, clip_from_arrays

SIZE, FPS = (1280, 960), 30.0
TOP = 20  # boxes of a class in a frame

# Widths and heights of things, in heights of the person.
EXTENTS = {
    "person": (0.45, 1.0),
    "backpack": (0.19, 0.30),
    "chair": (0.33, 0.50),
    "trash-can": (0.33, 0.41),
    "stool": (0.24, 0.31),
    "traffic-cone": (0.21, 0.33),
}
SMALL = (0.15, 0.15)  # of other classes
# Scores of what is there: median, spread, and correlation with the frame before. The real clip
# shows a person, a backpack and a trash-can; others are like the one they resemble most.
_PACK, _CAN = (0.25, 0.33, 0.98), (-0.14, 0.08, 0.84)
TRUE = {
    "person": (1.18, 0.27, 0.97),
    "backpack": _PACK,
    "chair": _PACK,
    "trash-can": _CAN,
    "stool": _PACK,
    "traffic-cone": _CAN,
}
# Scores of what is not there: places that the detector fires at, the least score, the mean above
# it (an exponential distribution), and the noise from frame to frame.
_SEAT, _POST = (50, -1.0, 0.08, 0.022), (26, -1.19, 0.17, 0.025)
FALSE = {
    "person": (47, -1.45, 0.40, 0.045),
    "backpack": (50, -1.0, 0.09, 0.025),
    "chair": _SEAT,
    "trash-can": _POST,
    "stool": _SEAT,
    "traffic-cone": _POST,
}
# A thing is detected again next to itself, weaker by these shares of what it stands out by.
ECHOES = np.array([0.28, 0.52, 0.70])
BESIDE = 0.35  # of its width and height, by which those boxes are off
MISSED = 0.03  # of the boxes of what is there
GRID = 13.0  # pixels: boxes lie on the grid of the detector's windows
JITTER = 4.0  # pixels, before a box is put on the grid
FLOW_NOISE = 0.3  # pixels per frame
FILLED = 0.85  # of a box shows the thing, the rest what is behind it


@dataclass(frozen=True)
class Layout:
    """A place: how tall a person is, where the ground is (pixels), and what stands around.

    Attributes:
        name: of the place.
        tall: height of a person.
        ground: y of the feet.
        structures: x, y and spread of what the detector fires at: trees, walls, cars.
    """

    name: str
    tall: float
    ground: float
    structures: tuple[tuple[float, float, float], ...]


LAYOUTS = (
    Layout("courtyard", 620.0, 780.0, ((330, 250, 120), (1020, 600, 110), (420, 420, 160))),
    Layout("lawn", 520.0, 760.0, ((200, 300, 150), (640, 330, 200), (1100, 320, 120))),
    Layout("street", 450.0, 720.0, ((150, 420, 140), (900, 400, 240), (1180, 500, 90))),
    Layout("car park", 400.0, 700.0, ((260, 500, 160), (700, 470, 220), (1080, 460, 150))),
)


@dataclass(frozen=True, eq=False)
class Film:
    """A clip and the truth about it.

    Attributes:
        clip: 20 boxes of every class in every frame, at 30 frames per second.
        sentence: what happens.
        layout: where.
        nouns: the class of every object there is.
        boxes: (O, F, 4) where the objects really are.
        object_of: (N,) the object that a detection of the clip shows, -1 for a false one.
        participants: the objects that the nouns of the sentence speak of, in order.
    """

    clip: Clip
    sentence: str
    layout: str
    nouns: tuple[str, ...]
    boxes: Floats
    object_of: Ints
    participants: tuple[int, ...]


def shoot(
    name: str,
    sentence: str,
    layout: Layout,
    nouns: tuple[str, ...],
    boxes: Floats,
    participants: tuple[int, ...],
    rng: np.random.Generator,
    classes: tuple[str, ...] = CLASSES,
) -> Film:
    """What the detector and the optical flow make of objects that are really at (O, F, 4)."""
    F = boxes.shape[1]
    centres = (boxes[..., :2] + boxes[..., 2:]) / 2
    steps = np.diff(centres, axis=1, append=centres[:, -1:])
    parts = []
    for k, noun in enumerate(classes):
        here = [o for o, other in enumerate(nouns) if other == noun]
        seen = [_seen(rng, noun, o, boxes[o]) for o in here] + [_false(rng, noun, F, layout)]
        corners, score, shown = (np.concatenate(c, axis=1) for c in zip(*seen, strict=True))
        best = np.argsort(-score, axis=1, kind="stable")[:, :TOP]
        frame = np.arange(F)[:, None]
        label = np.full((F, TOP), k)
        parts.append((corners[frame, best], score[frame, best], shown[frame, best], label))
    corners, score, shown, label = (np.concatenate(c, axis=1) for c in zip(*parts, strict=True))
    flow = _flow(corners, boxes, steps) + rng.normal(0, FLOW_NOISE, (*score.shape, 2))
    clip = clip_from_arrays(
        name,
        SIZE,
        FPS,
        np.repeat(np.arange(F), score.shape[1]),
        classes,
        corners.reshape(-1, 4),
        score.ravel(),
        label=label.ravel(),
        frames=np.arange(F),
        velocity=flow.reshape(-1, 2) * FPS / SIZE[1],
    )
    return Film(clip, sentence, layout.name, nouns, boxes, shown.ravel(), participants)


Seen = tuple[Floats, Floats, Ints]  # (F, n, 4) boxes, (F, n) scores, (F, n) object or -1


def _seen(rng: np.random.Generator, noun: str, o: int, boxes: Floats) -> Seen:
    """Detections of object o, which is at (F, 4): itself, and weaker ones next to it."""
    F, n = len(boxes), len(ECHOES)
    middle, spread, kept = TRUE.get(noun, _PACK)
    score = middle + spread * _wandering(rng, F, kept)
    out = middle - FALSE.get(noun, _SEAT)[1]
    score = score[:, None] - out * np.concatenate([[0.0], ECHOES * rng.uniform(0.8, 1.2, n)])
    score[:, 1:] += rng.normal(0, 0.05, (F, n))
    score[rng.random(F) < MISSED, 0] = -np.inf
    extent = boxes[:, None, 2:] - boxes[:, None, :2]
    centre = (boxes[:, None, 2:] + boxes[:, None, :2]) / 2
    off = np.zeros((1, n + 1, 2))
    off[:, 1:] = BESIDE * rng.choice((-1.0, 1.0), (n, 2)) * rng.uniform(0.6, 1.4, (n, 2))
    scale = np.concatenate([[1.0], rng.uniform(0.8, 1.25, n)])[None, :, None]
    corners = _gridded(rng, centre + off * extent, scale * extent)
    shown = np.full((F, n + 1), -1)
    shown[:, 0] = o
    return corners, score, shown


def _false(rng: np.random.Generator, noun: str, F: int, layout: Layout) -> Seen:
    """Detections of nothing: places at which the detector fires again and again."""
    n, least, mean, noise = FALSE.get(noun, _SEAT)
    structure = np.array(layout.structures)[rng.integers(len(layout.structures), size=n)]
    around = structure[:, :2] + rng.normal(0, 1, (n, 2)) * structure[:, 2:]
    anywhere = rng.uniform((60, 150), (SIZE[0] - 60, SIZE[1] - 180), (n, 2))
    place = np.where(rng.random((n, 1)) < 0.6, around, anywhere).clip((60, 120), (1220, 780))
    tall = layout.tall * np.exp(rng.normal(-0.1, 0.3, (n, 1)))
    extent = tall * EXTENTS.get(noun, SMALL)
    score = least + mean * rng.exponential(size=n) + rng.normal(0, noise, (F, n))
    corners = _gridded(rng, np.broadcast_to(place, (F, n, 2)), extent[None])
    return corners, score, np.full((F, n), -1)


def _gridded(rng: np.random.Generator, centre: Floats, extent: Floats) -> Floats:
    """(F, n, 4) boxes whose centres lie on a grid, about (F, n, 2)."""
    centre = np.round((centre + rng.normal(0, JITTER, centre.shape)) / GRID) * GRID
    # A level of the pyramid up or down now and then, a fifth of an octave each.
    level = np.round(rng.normal(0, 0.25, (*centre.shape[:2], 1))) / 5
    half = extent * 2.0**level / 2
    return np.concatenate([centre - half, centre + half], axis=2)


def _wandering(rng: np.random.Generator, F: int, kept: float) -> Floats:
    """(F,) a stationary walk of spread 1 that keeps so much of itself from frame to frame."""
    steps = rng.normal(0, 1, F)
    steps[1:] *= np.sqrt(1 - kept**2)
    walk = np.empty(F)
    value = 0.0
    for t, step in enumerate(steps):
        value = walk[t] = kept * value + step
    return walk


def _flow(corners: Floats, boxes: Floats, steps: Floats) -> Floats:
    """(F, n, 2): mean motion of the pixels in boxes (F, n, 4), of objects (O, F, 4) that moved."""
    flow = np.zeros((*corners.shape[:2], 2))
    area = (corners[..., 2:] - corners[..., :2]).prod(axis=-1)
    for box, step in zip(boxes[:, :, None], steps[:, :, None], strict=True):
        low = np.maximum(corners[..., :2], box[..., :2])
        high = np.minimum(corners[..., 2:], box[..., 2:])
        covered = FILLED * np.maximum(high - low, 0).prod(axis=-1) / area
        # What is in front hides what is behind it.
        flow += covered[..., None] * (step - flow)
    return flow
