"""The pixels of the made-up clip: a room, its things, and people who walk, carry and drink.

Everything is drawn from the true boxes, so that a box drawn over its thing fits. The picture is
painted at twice its size and shrunk, which makes edges smooth.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from sentrack.demo.strokes import (
    Canvas,
    Colour,
    Point,
    disc,
    line,
    shade,
    shape,
    slab,
    within,
)
from sentrack.demo.synthetic import SECONDS, Truth
from sentrack.vision import Clip, Floats
from sentrack.vision.scan import Frame

FINE = 2  # painted pixels per pixel of the frame
FLOOR = 0.415  # where the wall ends, in frame heights
STEP_WIDTHS = 0.36  # box widths that a foot moves back and forth about the middle
LIFT = 0.045  # box heights that a foot is lifted
REACH_SECONDS = 0.9  # seconds that a hand takes to reach what it is about to lift


@dataclass(frozen=True)
class Looks:
    """The colours of a person, and where it looks: 1 is to the right, -1 to the left."""

    skin: Colour
    hair: Colour
    shirt: Colour
    trousers: Colour
    shoes: Colour
    facing: int


DRINKER = Looks((140, 178, 226), (40, 60, 96), (112, 132, 52), (96, 72, 58), (46, 44, 50), 1)
CARRIER = Looks((96, 132, 184), (34, 30, 34), (196, 142, 70), (74, 60, 66), (225, 228, 232), 1)
WALKER = Looks((150, 190, 236), (62, 108, 172), (82, 76, 186), (124, 104, 88), (60, 62, 84), -1)


def paint(clip: Clip, truth: Truth) -> Iterator[Frame]:
    """The frames of the clip that `two_activities` made, with the truth about it."""
    room = _room(clip.size)
    drinker, cup, table, carrier, backpack, walker, chair = truth.boxes * FINE
    moved = np.flatnonzero((np.abs(np.diff(cup, axis=0)) > 1e-6).any(axis=1))
    lifted = clip.times[moved[0]] if len(moved) else SECONDS
    for t, time in enumerate(clip.times):
        image = room.copy()
        for boxes in (chair, walker, drinker, table, carrier):
            _shadow(image, boxes[t])
        _chair(image, chair[t])
        _walker(image, walker, t, WALKER)
        reached = float(np.clip((time - lifted) / REACH_SECONDS + 1, 0, 1))
        _drinker(image, drinker[t], table[t], cup[t], reached, DRINKER)
        _walker(image, carrier, t, CARRIER, backpack[t])
        small = cv2.resize(image, clip.size, interpolation=cv2.INTER_AREA)
        yield Frame(int(clip.frames[t]), float(time), small.astype(np.uint8, copy=False))


# People. Places are in units of the box: x from -0.5 to 0.5 towards where the person looks, y from
# 0 at the top to 1 at the soles.


class _Body:
    """A person's box, and limbs that are drawn in it."""

    def __init__(self, image: Canvas, box: Floats, looks: Looks) -> None:
        self.image, self.looks = image, looks
        self.middle = np.array([(box[0] + box[2]) / 2, box[1]])
        self.width, self.height = float(box[2] - box[0]), float(box[3] - box[1])

    def at(self, x: float, y: float) -> Point:
        """A place of the body, in pixels of the canvas."""
        away = [self.looks.facing * x * self.width, y * self.height]
        return np.asarray(self.middle + away)

    def thick(self, share: float) -> int:
        """A thickness, given in box heights."""
        return max(1, round(share * self.height))

    def joint(self, root: Point, end: Point, length: float, bend: float) -> Point:
        """Where two bones of `length` box heights each meet that lead from root to end.

        That is in front of the line from root to end where `bend` is 1, behind it at -1.
        """
        along = end - root
        span = float(np.hypot(*along))
        bone = max(length * self.height, 0.5 * span)
        out = np.sqrt(bone**2 - (0.5 * span) ** 2)
        across = np.array([along[1], -along[0]]) / max(span, 1e-9)
        return np.asarray(root + 0.5 * along + across * out * bend * self.looks.facing)

    def leg(self, foot: Point, colour: Colour) -> None:
        """A leg from the hip to a foot, which is the middle of the sole."""
        hip, ankle = self.at(0, 0.52), foot - np.array([0, 0.035 * self.height])
        knee = self.joint(hip, ankle, 0.225, 1)
        line(self.image, [hip, knee], colour, self.thick(0.088))
        line(self.image, [knee, ankle], colour, self.thick(0.068))
        long, high = 0.085 * self.height, 0.029 * self.height
        toe = foot + np.array([self.looks.facing * 0.7 * long, -0.5 * high])
        heel = foot + np.array([-self.looks.facing * 0.3 * long, -0.5 * high])
        line(self.image, [heel, toe], self.looks.shoes, round(high))

    def arm(self, hand: Point, shoulder: Point, colour: Colour) -> None:
        """An arm with a short sleeve."""
        elbow = self.joint(shoulder, hand, 0.17, -1)
        line(self.image, [shoulder, elbow], colour, self.thick(0.062))
        line(self.image, [elbow, hand], self.looks.skin, self.thick(0.042))
        disc(self.image, hand, 0.03 * self.height, 0.03 * self.height, self.looks.skin)

    def torso(self, wide: float) -> None:
        """The trunk, from the hip to the shoulders, `wide` box heights at the shoulders."""
        aspect = self.height / self.width
        chest, waist = 0.5 * wide * aspect, 0.36 * wide * aspect
        corners = [(-chest, 0.215), (chest, 0.215), (waist, 0.53), (-waist, 0.53)]
        points = [self.at(x, y) for x, y in corners]
        shape(self.image, points, self.looks.shirt)
        line(self.image, [*points, points[0]], self.looks.shirt, self.thick(0.05))

    def head(self) -> None:
        """The head in profile, with hair and an eye; the hair touches the top of the box."""
        h, w = self.height, self.height / self.width
        line(self.image, [self.at(0, 0.15), self.at(0, 0.21)], self.looks.skin, self.thick(0.05))
        disc(self.image, self.at(0, 0.083), 0.068 * h, 0.083 * h, self.looks.hair)
        disc(self.image, self.at(0.014 * w, 0.098), 0.058 * h, 0.068 * h, self.looks.skin)
        disc(self.image, self.at(-0.008 * w, 0.050), 0.062 * h, 0.036 * h, self.looks.hair)
        disc(self.image, self.at(0.074 * w, 0.105), 0.011 * h, 0.012 * h, self.looks.skin)
        disc(self.image, self.at(0.044 * w, 0.095), 0.008 * h, 0.011 * h, (50, 44, 40))
        disc(self.image, self.at(-0.022 * w, 0.105), 0.012 * h, 0.018 * h, shade(self.looks.skin))


def _walker(image: Canvas, boxes: Floats, t: int, looks: Looks, load: Floats | None = None) -> None:
    """A person that walks along (T, 4) boxes, at the box of frame t, and may hold a load."""
    body = _Body(image, boxes[t], looks)
    gone = abs(boxes[t, 0] - boxes[0, 0]) / body.width
    near, far = (_foot(gone / (4 * STEP_WIDTHS) + shift) for shift in (0.1, 0.6))
    body.leg(body.at(*far), shade(looks.trousers))
    swing = near[0] / STEP_WIDTHS  # arms swing against the legs
    shoulder = body.at(0, 0.245)
    if load is None:
        body.arm(body.at(0.36 * swing, 0.56), shoulder, shade(looks.shirt))
    else:
        body.arm(np.array([load[0] + 0.72 * (load[2] - load[0]), load[3]]), shoulder, looks.shirt)
    body.torso(0.13)
    body.leg(body.at(*near), looks.trousers)
    body.head()
    if load is None:
        body.arm(body.at(-0.36 * swing, 0.56), shoulder, shade(looks.shirt, 0.9))
    else:
        _backpack(image, load)
        hand = np.array([load[0] + 0.5 * (load[2] - load[0]), load[1] + 0.62 * (load[3] - load[1])])
        body.arm(hand, shoulder, shade(looks.shirt, 0.9))


def _foot(cycle: float) -> tuple[float, float]:
    """Where a foot is: half of the cycle it stands on the ground and the body moves over it."""
    part = cycle % 1.0
    if part < 0.5:
        return STEP_WIDTHS * (1 - 4 * part), 1.0
    part = 2 * part - 1
    return -STEP_WIDTHS * np.cos(np.pi * part), 1.0 - LIFT * np.sin(np.pi * part)


def _drinker(
    image: Canvas, box: Floats, table: Floats, cup: Floats, reached: float, looks: Looks
) -> None:
    """A person at a table, whose hand has come `reached` of the way to the cup."""
    body = _Body(image, box, looks)
    body.leg(body.at(0.19, 1), shade(looks.trousers))
    body.arm(body.at(-0.36, 0.55), body.at(-0.13, 0.25), shade(looks.shirt))
    body.torso(0.16)
    body.leg(body.at(-0.22, 1), looks.trousers)
    body.head()
    _table(image, table)
    _cup(image, cup)
    handle = np.array([cup[0] + 0.25 * (cup[2] - cup[0]), (cup[1] + cup[3]) / 2])
    ease = reached**2 * (3 - 2 * reached)
    hand = (1 - ease) * body.at(0.33, 0.56) + ease * handle
    body.arm(hand, body.at(0.04, 0.25), shade(looks.shirt, 0.9))


# Things.


def _chair(image: Canvas, box: Floats) -> None:
    wood, dark = (66, 112, 164), (44, 82, 126)
    for x, top in ((0.12, 0.5), (0.88, 0.5)):
        slab(image, box, x - 0.05, top, x + 0.05, 1.0, dark)
    for x in (0.0, 0.88):
        slab(image, box, x, 0.0, x + 0.12, 1.0, wood)
    for y in (0.04, 0.2, 0.36):
        slab(image, box, 0.06, y, 0.94, y + 0.09, wood)
    slab(image, box, 0.0, 0.53, 1.0, 0.64, shade(wood, 1.15))
    slab(image, box, 0.06, 0.78, 0.94, 0.82, dark)


def _table(image: Canvas, box: Floats) -> None:
    wood, dark = (92, 142, 192), (62, 104, 150)
    for x in (0.16, 0.76):
        slab(image, box, x, 0.1, x + 0.06, 0.88, shade(dark, 0.9))
    for x in (0.04, 0.88):
        slab(image, box, x, 0.1, x + 0.08, 1.0, dark)
    slab(image, box, 0.03, 0.12, 0.97, 0.26, dark)
    slab(image, box, 0.0, 0.0, 1.0, 0.14, wood)


def _cup(image: Canvas, box: Floats) -> None:
    red, height = (62, 66, 214), box[3] - box[1]
    ring = [within(box, 0.76, 0.32), within(box, 0.94, 0.34)]
    ring += [within(box, 0.92, 0.62), within(box, 0.72, 0.70)]
    line(image, ring, red, max(1, round(0.1 * height)))
    corners = [(0.0, 0.06), (0.78, 0.06), (0.70, 1.0), (0.08, 1.0)]
    shape(image, [within(box, x, y) for x, y in corners], red)
    rim = within(box, 0.39, 0.07)
    disc(image, rim, 0.39 * (box[2] - box[0]), 0.07 * height, (120, 124, 238))
    disc(image, rim, 0.33 * (box[2] - box[0]), 0.045 * height, (38, 48, 84))


def _backpack(image: Canvas, box: Floats) -> None:
    cloth, dark = (60, 118, 60), (40, 84, 42)
    w, h = box[2:] - box[:2]
    grip = [within(box, x, y) for x, y in ((0.36, 0.10), (0.40, 0.03), (0.60, 0.03), (0.64, 0.10))]
    line(image, grip, dark, max(1, round(0.05 * h)))
    disc(image, within(box, 0.5, 0.32), 0.46 * w, 0.26 * h, cloth)
    slab(image, box, 0.04, 0.3, 0.96, 0.96, cloth)
    disc(image, within(box, 0.5, 0.94), 0.46 * w, 0.06 * h, cloth)
    slab(image, box, 0.0, 0.48, 1.0, 0.88, dark)
    slab(image, box, 0.14, 0.54, 0.86, 0.92, shade(cloth, 1.2))
    slab(image, box, 0.14, 0.54, 0.86, 0.62, dark)
    line(image, [within(box, 0.14, 0.36), within(box, 0.86, 0.36)], dark, max(1, round(0.03 * h)))


def _shadow(image: Canvas, box: Floats) -> None:
    """A soft shadow on the floor under a box."""
    radii = np.array([0.56 * (box[2] - box[0]), 0.045 * (box[3] - box[1]) + 4])
    centre = np.array([(box[0] + box[2]) / 2, box[3] - 0.3 * radii[1]])
    low = np.maximum(np.floor(centre - radii), 0).astype(int)
    high = np.ceil(centre + radii).astype(int) + 1
    part = image[low[1] : high[1], low[0] : high[0]]
    y, x = np.ogrid[low[1] : low[1] + part.shape[0], low[0] : low[0] + part.shape[1]]
    away = ((x - centre[0]) / radii[0]) ** 2 + ((y - centre[1]) / radii[1]) ** 2
    light = 1 - 0.45 * np.clip(1 - away, 0, 1)
    part[:] = (part * light[..., None]).astype(np.uint8)


def _room(size: tuple[int, int]) -> Canvas:
    """What never moves: wall, window, picture and floor boards."""
    width, height = size[0] * FINE, size[1] * FINE
    floor = round(FLOOR * height)
    image = np.zeros((height, width, 3), np.uint8)
    fade = np.linspace(0, 1, floor)[:, None, None]
    image[:floor] = (1 - fade) * (216, 226, 232) + fade * (198, 211, 220)
    fade = np.linspace(0, 1, height - floor)[:, None, None]
    image[floor:] = (1 - fade) * (118, 152, 184) + fade * (150, 186, 216)
    board, vanish = (104, 138, 170), np.array([0.5 * width, -1.2 * height])
    for share in np.linspace(-0.3, 1.3, 15):
        foot = np.array([share * width, height])
        top = vanish + (foot - vanish) * (floor - vanish[1]) / (height - vanish[1])
        line(image, [top, foot], board, FINE)
    frame = np.array([0.0, 0.0, width, height])
    slab(image, frame, 0.0, FLOOR - 0.018, 1.0, FLOOR, (232, 238, 242))
    slab(image, frame, 0.0, FLOOR, 1.0, FLOOR + 0.004, (92, 122, 150))
    slab(image, frame, 0.30, 0.035, 0.52, 0.245, (240, 244, 246))
    for x in (0.31, 0.415):
        slab(image, frame, x, 0.048, x + 0.095, 0.232, (236, 214, 178))
        slab(image, frame, x, 0.19, x + 0.095, 0.232, (150, 190, 150))
    slab(image, frame, 0.285, 0.245, 0.535, 0.26, (228, 234, 238))
    slab(image, frame, 0.86, 0.06, 0.96, 0.20, (70, 96, 120))
    slab(image, frame, 0.868, 0.071, 0.952, 0.189, (222, 230, 236))
    centre = np.array([0.91 * width, 0.13 * height])
    disc(image, centre, 0.026 * height, 0.026 * height, (92, 160, 232))
    return image
