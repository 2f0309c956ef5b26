"""Flow against scenes whose motion is known, and means in boxes against sums over pixels."""

from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sentrack.vision.clip import Floats
from sentrack.vision.scan.flow import Displacement, Field, Flow, Small
from sentrack.vision.scan.video import Image

SIZE = WIDTH, HEIGHT = 768, 576
MARGIN = 150  # pixels of the world around the frame, which come into view when the camera moves
SECONDS = 0.1
NOBODY = np.empty((0, 4))
CORNERS = np.array([[0, 0], [WIDTH, 0], [0, HEIGHT], SIZE], dtype=float)


def cloth(width: int, height: int, seed: int) -> Image:
    """A grey picture with texture of all sizes."""
    random = np.random.default_rng(seed)
    total = np.zeros((height, width))
    for size in (2, 4, 8, 16, 32, 64):
        coarse = random.normal(size=(height // size + 2, width // size + 2))
        total += np.sqrt(size) * cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    grey = np.clip(120 + 45 * (total - total.mean()) / total.std(), 0, 255).astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def world(seed: int) -> Image:
    return cloth(WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN, seed)


def view(scene: Image, camera: Floats) -> Image:
    """What a camera sees of a world that it moves by an affine map of points of the frame."""
    # OpenCV counts from the middle of a pixel, and the world starts before the frame.
    turn = camera[:, :2]
    shift = camera[:, 2] + turn @ np.full(2, 0.5 - MARGIN) - 0.5
    matrix = np.hstack([turn, shift[:, None]])
    return np.asarray(cv2.warpAffine(scene, matrix, SIZE, flags=cv2.INTER_CUBIC), dtype=np.uint8)


STILL = np.eye(2, 3)


def moved(zoom: float = 1, degrees: float = 0, x: float = 0, y: float = 0) -> Floats:
    """A camera that zooms and rolls about the middle of the frame, then pans."""
    turn = zoom * cv2.getRotationMatrix2D((0, 0), -degrees, 1)[:, :2]
    middle = np.array(SIZE) / 2
    return np.hstack([turn, (middle - turn @ middle + [x, y])[:, None]])


def populated(
    scene: Image, boxes: npt.NDArray[np.int64], seed: int, shape: str = "box", dark: float = 1
) -> Image:
    """A world with a cloth of its own in each of the boxes, wherever the box is."""
    scene = scene.copy()
    for k, (x1, y1, x2, y2) in enumerate(boxes + MARGIN):
        thing = (dark * cloth(int(x2 - x1), int(y2 - y1), seed + k)).astype(np.uint8)
        mask = np.full(thing.shape[:2], shape == "box")
        if shape == "ellipse":
            y, x = np.linspace(-1, 1, y2 - y1), np.linspace(-1, 1, x2 - x1)
            mask = np.hypot(x, y[:, None]) < 1
        scene[y1:y2, x1:x2][mask] = thing[mask]
    return scene


def crowd(seed: int, share: float) -> npt.NDArray[np.int64]:
    """Boxes apart from each other that cover a share of the frame."""
    random = np.random.default_rng(seed)
    covered = np.zeros((HEIGHT, WIDTH), dtype=bool)
    boxes = list[tuple[int, ...]]()
    while covered.mean() < share:
        width, height = map(int, random.integers((50, 100), (140, 200)))
        x, y = map(int, random.integers((30, 30), (WIDTH - width - 30, HEIGHT - height - 30)))
        # So far from each other that they do not meet when they move.
        if not covered[max(y - 20, 0) : y + height + 20, max(x - 20, 0) : x + width + 20].any():
            covered[y : y + height, x : x + width] = True
            boxes.append((x, y, x + width, y + height))
    return np.array(boxes)


def between(
    flow: Flow, before: Small, after: Small, boxes: Floats, last: Field | None = None
) -> Field:
    known = None if last is None else last.displacement
    return flow.field(before, flow.displacement(before, after, known), SECONDS, boxes)


def measure(before: Image, after: Image, boxes: Floats = NOBODY) -> Field:
    flow = Flow((before.shape[1], before.shape[0]))
    return between(flow, flow.prepare(before), flow.prepare(after), boxes)


def pixels(field: Field, boxes: npt.NDArray[np.generic]) -> Floats:
    """Motion in source pixels from frame to frame."""
    return field.mean(np.asarray(boxes, dtype=float)) * HEIGHT * SECONDS


def apart(camera: Floats, other: Floats) -> float:
    """By how many pixels two cameras put a corner of the frame elsewhere, at most."""
    difference = CORNERS @ (camera - other)[:, :2].T + (camera - other)[:, 2]
    return float(np.hypot(*difference.T).max())


@pytest.mark.parametrize("x", [-0.7, 1, 3, -8, 20, 45])
def test_a_pan_is_the_camera_and_nothing_moves(x: float) -> None:
    scene, camera = world(1), moved(x=x, y=0.4 * x)
    field = measure(view(scene, STILL), view(scene, camera))
    assert not field.cut
    assert apart(field.camera, camera) < 0.1
    middle = np.array([[100, 100, 200, 250], [300, 200, 340, 300], [200, 90, 600, 480]])
    assert np.abs(pixels(field, middle)).max() < 0.15


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("x", [2, 5, 10, -15])
def test_a_figure_crosses_a_resting_picture(width: int, x: int) -> None:
    scene = world(2)
    figure = np.array([[300, 200, 300 + width, 300 + width]])
    step = np.array([x, 1, x, 1])
    before, after = (populated(scene, box, 9, "ellipse") for box in (figure, figure + step))
    field = measure(view(before, STILL), view(after, STILL), figure.astype(float))
    np.testing.assert_array_equal(field.camera, STILL)
    np.testing.assert_allclose(pixels(field, figure), [[x, 1]], atol=0.6 + 0.05 * abs(x))
    elsewhere = figure + np.array([150, 0, 150, 0])
    assert np.abs(pixels(field, elsewhere)).max() < 0.05


def run(scene: Image, step: int, seed: int, dark: float) -> float:
    """By how many pixels the motion of a runner is off, in the fourth step."""
    x = 60 + abs(step) * np.arange(5)[:: 1 if step > 0 else -1]
    boxes = np.stack([x, 0 * x + 200, x + 40, 0 * x + 300], axis=1)[:, None]
    flow, last = Flow(SIZE), None
    figures = [populated(scene, box, seed, "ellipse", dark) for box in boxes]
    small = [flow.prepare(view(figure, STILL)) for figure in figures]
    for k in range(4):
        last = between(flow, small[k], small[k + 1], boxes[k].astype(float), last)
    assert last is not None
    return float(np.hypot(*(pixels(last, boxes[3])[0] - [step, 0])))


def test_runners_are_found() -> None:
    """Half a width from frame to frame in camouflage, three quarters dressed in a colour."""
    scenes = [world(seed) for seed in range(20, 26)]
    hidden = [run(scene, 20, 40 + k, dark=1) for k, scene in enumerate(scenes)]
    dressed = [run(scene, -30, 40 + k, dark=0.3) for k, scene in enumerate(scenes)]
    assert np.sum(np.array(hidden) < 4) >= 5
    assert np.sum(np.array(dressed) < 6) >= 5


@pytest.mark.parametrize(
    "camera",
    [
        STILL,
        moved(x=10),
        moved(x=-25, y=12),
        moved(zoom=1.03),
        moved(zoom=0.97),
        moved(degrees=2),
        moved(zoom=1.02, degrees=-1, x=12, y=-8),
    ],
    ids=["rest", "slow pan", "fast pan", "zoom in", "zoom out", "roll", "all"],
)
@pytest.mark.parametrize("together", [False, True])
def test_a_crowd_before_a_moving_camera(camera: Floats, together: bool) -> None:
    scene, boxes = world(4), crowd(4, 0.35)
    steps = np.random.default_rng(4).integers(-15, 16, (len(boxes), 2))
    if together:
        steps[:] = (12, 3)
    before, after = (populated(scene, b, 50) for b in (boxes, boxes + np.tile(steps, 2)))
    field = measure(view(before, STILL), view(after, camera), boxes.astype(float))
    assert apart(field.camera, camera) < 0.4
    np.testing.assert_allclose(pixels(field, boxes), steps @ camera[:, :2].T, atol=0.7)
    x, y = (a.ravel() for a in np.meshgrid(np.arange(60, 660, 30), np.arange(60, 470, 30)))
    free = np.stack([x, y, x + 40, y + 40], axis=1)
    met = (free[:, None, :2] < boxes[:, 2:] + 20) & (free[:, None, 2:] > boxes[:, :2] - 20)
    free = free[~np.any(met[..., 0] & met[..., 1], axis=1)]
    assert len(free) > 5
    assert np.abs(pixels(field, free)).max() < 0.5


def test_noise_does_not_move_a_resting_camera() -> None:
    scene, random = view(world(5), STILL), np.random.default_rng(5)
    noisy = [np.clip(scene + random.normal(0, 5, scene.shape), 0, 255) for _ in range(2)]
    field = measure(noisy[0].astype(np.uint8), noisy[1].astype(np.uint8))
    np.testing.assert_array_equal(field.camera, STILL)


def test_a_pan_is_seen_though_most_of_the_picture_is_blank_or_boxed() -> None:
    scene, camera = world(6), moved(x=9)
    scene[: MARGIN + 400] = 200
    before, after = view(scene, STILL), view(scene, camera)
    assert apart(measure(before, after).camera, camera) < 0.3
    everything = np.array([[0, 0, WIDTH, HEIGHT]], dtype=float)
    assert apart(measure(before, after, everything).camera, camera) < 0.3


def test_nothing_moves_where_nothing_is_seen() -> None:
    grey = np.full((HEIGHT, WIDTH, 3), 90, dtype=np.uint8)
    field = measure(grey, grey)
    assert not field.cut
    np.testing.assert_array_equal(field.camera, STILL)
    np.testing.assert_array_equal(pixels(field, CORNERS.reshape(2, 4)), 0)


@pytest.mark.parametrize(
    "after", [cloth(WIDTH, HEIGHT, 70), np.zeros((HEIGHT, WIDTH, 3), np.uint8)]
)
def test_nothing_moves_across_a_cut(after: Image) -> None:
    before = view(world(7), STILL)
    for field in (measure(before, after), measure(after, before)):
        assert field.cut
        np.testing.assert_array_equal(field.camera, STILL)
        assert not field.mean(np.array([[300.0, 200, 400, 300]])).any()


def test_a_change_of_light_is_no_cut() -> None:
    before = view(world(8), STILL)
    after = (view(world(8), moved(x=6)) * 0.6 + 10).astype(np.uint8)
    field = measure(before, after)
    assert not field.cut
    assert apart(field.camera, moved(x=6)) < 0.3


def test_motion_is_the_same_at_any_resolution() -> None:
    scene, box = world(9), np.array([[300, 200, 400, 400]])
    pair = [view(populated(scene, b, 9), STILL) for b in (box, box + np.array([12, 6, 12, 6]))]
    for scale in (0.5, 1, 2, 2.5):
        before, after = (cv2.resize(image, None, fx=scale, fy=scale) for image in pair)
        field = measure(before.astype(np.uint8), after.astype(np.uint8), scale * box)
        expected = np.array([[12, 6]]) / (HEIGHT * SECONDS)
        np.testing.assert_allclose(field.mean(scale * box), expected, rtol=0.05)


def test_the_same_frames_give_the_same_motion() -> None:
    scene, boxes = world(10), crowd(10, 0.3).astype(float)
    images = [view(scene, moved(x=4 * k, degrees=0.2 * k)) for k in range(4)]

    def run() -> list[Field]:
        flow, fields = Flow(SIZE), list[Field]()
        small = [flow.prepare(image) for image in images]
        for before, after in pairwise(small):
            last = fields[-1] if fields else None
            fields.append(between(flow, before, after, boxes, last))
        return fields

    for one, two in zip(run(), run(), strict=True):
        np.testing.assert_array_equal(one.displacement.flow, two.displacement.flow)
        np.testing.assert_array_equal(one.camera, two.camera)
        np.testing.assert_array_equal(one.mean(boxes), two.mean(boxes))


@pytest.mark.parametrize("size", [(8, 8), (400, 5), (17, 33), (321, 241), (90, 1600)])
def test_odd_sizes_work(size: tuple[int, int]) -> None:
    image = cloth(*size, seed=11)
    field = measure(image, image, np.array([[1.0, 1, 4, 4]]))
    np.testing.assert_allclose(field.mean(np.array([[0.0, 0, *size]])), 0, atol=1e-3)


@given(
    flow=arrays(np.float32, (5, 7, 2), elements=st.floats(-9, 9, width=32)),
    camera=arrays(np.float64, (2, 3), elements=st.floats(-2, 2)),
    box=st.tuples(*[st.floats(-3, 20)] * 2, *[st.floats(0.01, 20)] * 2),
)
def test_means_are_sums_over_parts_of_pixels(
    flow: npt.NDArray[np.float32], camera: Floats, box: tuple[float, float, float, float]
) -> None:
    width, height, seconds = 14, 15, 0.2  # a reduced pixel is 2 x 3 source pixels
    field = Field(camera, seconds, Displacement(flow, False, (width, height)))
    x1, y1, x2, y2 = box[0], box[1], box[0] + box[2], box[1] + box[3]
    x1, x2, y1, y2 = max(x1, 0), min(x2, width), max(y1, 0), min(y2, height)
    answer = field.mean(np.array([[box[0], box[1], box[0] + box[2], box[1] + box[3]]]))
    assert answer.shape == (1, 2)
    if min(x2 - x1, y2 - y1) <= 1e-6:
        assert min(x2 - x1, y2 - y1) > 0 or not answer.any()
        return
    x1, x2 = x1 + 0.2 * (x2 - x1), x2 - 0.2 * (x2 - x1)
    y1, y2 = y1 + 0.2 * (y2 - y1), y2 - 0.2 * (y2 - y1)
    total, area = np.zeros(2), 0.0
    for row in range(5):
        for column in range(7):
            left, right = max(x1, 2 * column), min(x2, 2 * column + 2)
            top, bottom = max(y1, 3 * row), min(y2, 3 * row + 3)
            if left < right and top < bottom:
                part = (right - left) * (bottom - top)
                place = np.array([(left + right) / 2, (top + bottom) / 2, 1])
                total += part * (flow[row, column] * (2.0, 3.0) - (camera @ place - place[:2]))
                area += part
    expected = total / area / (height * seconds)
    np.testing.assert_allclose(answer[0], expected, atol=1e-3, rtol=1e-6)


def test_no_boxes_have_no_motion() -> None:
    flow = np.ones((5, 7, 2), dtype=np.float32)
    field = Field(STILL, 1.0, Displacement(flow, False, (14, 10)))
    assert field.mean(NOBODY).shape == (0, 2)
    outside = np.array([[20.0, 3, 30, 8], [3, -9, 5, 0], [4, 4, 4, 8]])
    np.testing.assert_array_equal(field.mean(outside), 0)
