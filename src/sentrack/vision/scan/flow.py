"""Motion measured on the pixels: optical flow, less the motion of the camera.

Dense flow (DIS) is computed on grey pictures of a fixed area, so that its cost hardly depends on
the size of the video. The camera is a similarity (pan, zoom, roll), fitted to the flow of the
background. The motion of a detection is the mean flow in the middle of its box, less the camera's.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from sentrack.boxes import moved
from sentrack.vision.clip import Floats
from sentrack.vision.scan.video import Image

AREA = 384 * 288  # pixels of a reduced picture; lengths below are in pixels of these
LEAST_SIDE = 16  # width and height that DIS needs
GRID_STEP = 8  # between the points that the camera is fitted to
DETAIL_SIDE = 9  # side of the square against whose mean a detail stands out
FAINT = 3.0  # grey levels of detail at which the flow of a point counts half
BOXED = 0.1  # weight of points in boxes, which may move, against the others'
TOLERANCES = (math.inf, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.5)  # off the camera, fit after fit
REST = 0.1  # a camera that displaces no corner of the frame farther rests
CUT = 0.4  # correlation of details along the flow, below which the scene has changed
MIDDLE = 0.6  # part of a box's width and height looked at: its border shows the background
LEAST_DIVISOR = 1e-9  # in place of nothing, where it divides

Plane = npt.NDArray[np.float32]
Complex = npt.NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Small:
    """A frame made ready for flow.

    Attributes:
        grey: (h, w) the reduced grey picture.
        detail: (h, w) by how much it differs from the mean around.
        texture: (h/GRID_STEP, w/GRID_STEP) the mean square of the detail around the points.
    """

    grey: npt.NDArray[np.uint8]
    detail: Plane
    texture: Plane


@dataclass(frozen=True, eq=False)
class Displacement:
    """Where everything in one frame is in another, the camera's motion included.

    Attributes:
        flow: (h, w, 2) displacements in the reduced picture.
        cut: whether the second frame shows another scene; then nothing moves.
        size: width and height of a frame, in pixels.
    """

    flow: Plane = field(repr=False)
    cut: bool
    size: tuple[int, int]

    @cached_property
    def _sums(self) -> Floats:
        return np.asarray(cv2.integral(self.flow, sdepth=cv2.CV_64F), dtype=np.float64)

    def mean(self, boxes: Floats) -> Floats:
        """(N, 2) source pixels: the mean over the middle of the visible part of (N, 4) boxes."""
        centre, reach = middle(boxes, self.size)
        scale = np.array(self.flow.shape[1::-1]) / self.size
        corners = np.stack([centre - reach, centre + reach], axis=1) * scale
        return box_means(self._sums, corners) / scale

    def carried(self, boxes: Floats) -> Floats:
        """(N, 4) boxes of the first frame as they are in the second, within it."""
        return np.clip(moved(boxes, self.mean(boxes)), 0, np.tile(self.size, 2))


@dataclass(frozen=True, eq=False)
class Field:
    """Motion from one frame to another, in which that of the camera is known.

    Attributes:
        camera: (2, 3) affine map that takes the background of the first frame to the second one, in
            source pixels, of which number i reaches from i to i + 1.
        seconds: between the frames.
        displacement: of everything.
    """

    camera: Floats
    seconds: float
    displacement: Displacement

    @property
    def cut(self) -> bool:
        """Whether the second frame shows another scene; then nothing moves."""
        return self.displacement.cut

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, in pixels."""
        return self.displacement.size

    def mean(self, boxes: Floats) -> Floats:
        """(N, 2) motion in frame heights per second, x to the right and y downwards.

        That is the mean over the middle of the visible part of each box, 0 where none is visible.

        Args:
            boxes: (N, 4) x1 y1 x2 y2, in source pixels.
        """
        centre, reach = middle(boxes, self.size)
        # The mean of an affine map over a box is its value at the centre.
        camera = centre @ self.camera[:, :2].T + self.camera[:, 2] - centre
        own = self.displacement.mean(boxes) - camera
        own[(reach <= 0).any(axis=1)] = 0
        return np.asarray(own / (self.size[1] * self.seconds))


def middle(boxes: Floats, size: tuple[int, int]) -> tuple[Floats, Floats]:
    """(N, 2) centres of the visible parts of boxes, and how far from there they are looked at."""
    visible = np.clip(boxes.reshape(-1, 2, 2), 0, size)
    return visible.mean(axis=1), MIDDLE * np.diff(visible, axis=1)[:, 0] / 2


def box_means(sums: Floats, corners: Floats) -> Floats:
    """(N, C) means of a picture in boxes, exact to the part of a pixel.

    Args:
        sums: (h+1, w+1, C) its integral image.
        corners: (N, 2, 2) the upper left and lower right x, y, within the picture.
    """
    # Between pixels an integral image is bilinear, for a picture is constant in a pixel.
    low = np.minimum(corners.astype(np.int64), np.array(sums.shape[1::-1]) - 2)
    part = corners - low
    total = np.zeros((len(corners), sums.shape[2]))
    for side, foot in np.ndindex(2, 2):
        x, y = low[:, side, 0], low[:, foot, 1]
        u, v = part[:, side, 0, None], part[:, foot, 1, None]
        upper = (1 - u) * sums[y, x] + u * sums[y, x + 1]
        lower = (1 - u) * sums[y + 1, x] + u * sums[y + 1, x + 1]
        total += (1 if side == foot else -1) * ((1 - v) * upper + v * lower)
    area = np.diff(corners, axis=1)[:, 0].prod(axis=1)[:, None]
    return np.asarray(total / np.maximum(area, LEAST_DIVISOR))


class Flow:
    """Measures the motion between frames of one size.

    Args:
        size: width and height of a frame, in pixels.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size
        scale = min(1.0, math.sqrt(AREA / math.prod(size)))
        self.width, self.height = (max(LEAST_SIDE, round(scale * side)) for side in size)
        self.dis = cv2.DISOpticalFlow.create(cv2.DISOpticalFlow_PRESET_ULTRAFAST)
        self.dis.setFinestScale(1)
        self.dis.setGradientDescentIterations(25)
        rows = np.arange(GRID_STEP // 2, self.height, GRID_STEP)
        columns = np.arange(GRID_STEP // 2, self.width, GRID_STEP)
        self.points = np.ix_(rows, columns)
        x, y = np.meshgrid(columns.astype(np.float32), rows.astype(np.float32))
        self.x, self.y = x, y
        self.scale = np.array([self.width, self.height]) / size
        # Planes of complex numbers turn similarities into lines.
        self.place = (x + 0.5) / self.scale[0] + 1j * (y + 0.5) / self.scale[1]

    def prepare(self, image: Image) -> Small:
        """What flow needs of a frame (height, width, 3)."""
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        while grey.shape[0] >= 2 * self.height and grey.shape[1] >= 2 * self.width:
            # Halving is far quicker than other reductions.
            half = (grey.shape[1] // 2, grey.shape[0] // 2)
            grey = cv2.resize(grey, half, interpolation=cv2.INTER_AREA)
        grey = cv2.resize(grey, (self.width, self.height), interpolation=cv2.INTER_AREA)
        detail = cv2.subtract(grey, cv2.blur(grey, (DETAIL_SIDE, DETAIL_SIDE)), dtype=cv2.CV_32F)
        texture = cv2.blur(detail * detail, (DETAIL_SIDE, DETAIL_SIDE))[self.points]
        planes = (np.asarray(plane, dtype=np.float32) for plane in (detail, texture))
        return Small(np.asarray(grey, dtype=np.uint8), *planes)

    def displacement(
        self, before: Small, after: Small, last: Displacement | None = None
    ) -> Displacement:
        """Where everything in one frame is in a later one.

        Args:
            before: the frame.
            after: the later frame.
            last: what led to the first frame, if known. Things often go on as they went, which
                finds motion so fast that it is beyond the reach of a search that starts from rest.
        """
        shape = (self.height, self.width, 2)
        start = np.zeros(shape, np.float32) if last is None else last.flow.copy()
        flow = np.asarray(self.dis.calc(before.grey, after.grey, start), dtype=np.float32)
        grid = flow[self.points]
        there = cv2.remap(
            after.detail, self.x + grid[..., 0], self.y + grid[..., 1], cv2.INTER_LINEAR
        )
        here = before.detail[self.points]
        likeness = np.vdot(here, there) - CUT * np.linalg.norm(here) * np.linalg.norm(there)
        cut = bool(likeness <= 0 and (here.any() or there.any()))
        return Displacement(np.zeros_like(flow) if cut else flow, cut, self.size)

    def field(
        self, before: Small, displacement: Displacement, seconds: float, boxes: Floats
    ) -> Field:
        """The same with the camera's part.

        Args:
            before: the first frame.
            displacement: from there to the second one.
            seconds: between them.
            boxes: (N, 4) what may move in the first frame; the camera is fitted to the rest.
        """
        camera = np.eye(2, 3)
        if not displacement.cut:
            weight = before.texture / (before.texture + FAINT**2)
            weight[self._covered(boxes)] *= BOXED
            grid = displacement.flow[self.points]
            shift = grid[..., 0] / self.scale[0] + 1j * grid[..., 1] / self.scale[1]
            camera = self._camera(shift, weight)
        return Field(camera, seconds, displacement)

    def _covered(self, boxes: Floats) -> npt.NDArray[np.bool_]:
        """Which of the points lie in any of the boxes (N, 4)."""
        rows, columns = self.x.shape
        # The corners of a box among the points, and what they add to the points beyond them.
        edge = np.ceil((boxes.reshape(-1, 2, 2) * self.scale - (GRID_STEP + 1) / 2) / GRID_STEP)
        x, y = np.moveaxis(np.clip(edge, 0, (columns, rows)).astype(np.int64), 2, 0)
        count = np.zeros((rows + 1, columns + 1), dtype=np.int64)
        for side, foot in np.ndindex(2, 2):
            np.add.at(count, (y[:, foot], x[:, side]), 1 if side == foot else -1)
        return np.asarray(count.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0)

    def _camera(self, moved: Complex, weight: Plane) -> Floats:
        """(2, 3) the similarity that most of the weight of the displacements follows.

        Weighted least squares, in which a displacement counts the less the farther it is off the
        fit before; what is far off is tightened from fit to fit.
        """
        pixel = 1 / self.scale.mean()
        off = np.zeros(moved.shape)
        for tolerance in TOLERANCES:
            trust = weight / (1 + (off / (tolerance * pixel)) ** 2) ** 2
            total = trust.sum() + LEAST_DIVISOR
            here, there = (trust * self.place).sum() / total, (trust * moved).sum() / total
            arm = self.place - here
            turn = (trust * arm.conj() * (moved - there)).sum()
            turn /= (trust * np.abs(arm) ** 2).sum() + LEAST_DIVISOR
            off = np.abs(moved - there - turn * arm)
        shift = there - turn * here
        width, height = self.size
        corners = np.array([0, width, 1j * height, width + 1j * height])
        if np.abs(turn * corners + shift).max() < REST * pixel:
            return np.eye(2, 3)
        a, b = turn.real, turn.imag
        return np.array([[1 + a, -b, shift.real], [b, 1 + a, shift.imag]])
