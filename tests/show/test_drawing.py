import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.show.drawing import (
    BLACK,
    REJECTED,
    WHITE,
    Mark,
    chip,
    chip_extent,
    draw_marks,
    draw_rejected,
    extent,
    interpolate,
    letters,
    movings,
    outline,
    write,
)
from sentrack.show.palette import PALETTE, Colour, colour, hexadecimal
from sentrack.vision.scan.video import Image

from .conftest import Shown, hidden

ORANGE, BLUE = PALETTE[:2]


def blank(width: int = 320, height: int = 240, level: int = 90) -> Image:
    return np.full((height, width, 3), level, np.uint8)


def is_colour(image: Image, wanted: Colour) -> np.ndarray:
    return np.asarray((image == wanted).all(axis=-1))


def mark(box: list[float], tint: Colour = ORANGE) -> Mark:
    return Mark(np.array(box, np.float64), "person", tint)


def test_many_participants_have_many_colours() -> None:
    colours = [colour(n) for n in range(28)]
    assert len(set(colours)) == 28
    assert colours[:7] == list(PALETTE)
    for n, (blue, green, red) in enumerate(colours):
        assert bytes.fromhex(hexadecimal(n)[1:]) == bytes((red, green, blue))


def test_a_box_is_drawn_where_it_is_and_nowhere_else() -> None:
    image = blank()
    outline(image, np.array([40.2, 50.0, 119.8, 200.0]), ORANGE, 1)
    expected = np.zeros(image.shape[:2], bool)
    expected[50:201, 40:121] = True
    expected[51:200, 41:120] = False
    np.testing.assert_array_equal(is_colour(image, ORANGE), expected)


@given(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4))
def test_no_box_breaks_the_drawing(box: list[float]) -> None:
    x, y = sorted(box[::2]), sorted(box[1::2])
    image = blank(64, 48)
    draw_marks(image, [mark([x[0], y[0], x[1], y[1]])], 13)
    assert is_colour(image, ORANGE).any()  # the label stays in the picture


def test_a_label_stands_above_its_box_in_its_colour() -> None:
    image = blank()
    draw_marks(image, [mark([100, 100, 200, 220])], 15)
    width, height = chip_extent("person", 15)
    label = image[99 - height : 99, 99 : 99 + width]
    ground = is_colour(label, ORANGE)
    assert ground[0].all()
    assert 0.4 < ground.mean() < 0.95  # the rest is text ...
    assert is_colour(label, BLACK).any()  # ... dark on a bright ground
    assert not is_colour(image[: 99 - height], ORANGE).any()


def test_labels_of_one_thing_do_not_hide_each_other() -> None:
    image = blank(640, 480)
    box = [300.0, 200.0, 360.0, 400.0]
    draw_marks(image, [mark(box), mark([v + 1 for v in box], BLUE)], 15)
    width, height = chip_extent("person", 15)
    for tint in (ORANGE, BLUE):
        rows, columns = np.nonzero(is_colour(image[:198], tint))
        assert np.ptp(rows) >= height - 5
        assert np.ptp(columns) >= width - 2


def test_boxes_of_one_thing_are_nested() -> None:
    image = blank(640, 480)
    box = [300.0, 200.0, 360.0, 400.0]
    draw_marks(image, [mark(box), mark(box, BLUE)], 15)
    middle = image[300]
    assert is_colour(middle[299:302], ORANGE).any()
    assert is_colour(middle[292:299], BLUE).any()


@pytest.mark.parametrize("ground", PALETTE)
def test_text_on_a_chip_can_be_read(ground: Colour) -> None:
    image = blank(200, 60)
    chip(image, "WWWW", 10, 10, 20, ground)

    def luminance(bgr: Colour) -> float:
        parts = [c / 255 for c in bgr]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.0722 * linear[0] + 0.7152 * linear[1] + 0.2126 * linear[2]

    ink = WHITE if is_colour(image, WHITE).any() else BLACK
    assert is_colour(image, ink).sum() > 20
    low, high = sorted([luminance(ground), luminance(ink)])
    assert (high + 0.05) / (low + 0.05) > 3  # the contrast that WCAG asks of large text


def test_text_is_clipped_at_the_edges() -> None:
    width, height = extent("text", 20)
    whole = blank(width + 40, height + 40)
    write(whole, "text", 20, 20, 20, WHITE)
    assert (whole[20 : 20 + height, 20 : 20 + width] != 90).any()
    part = blank(width // 2, height // 2)
    write(part, "text", -5, -5, 20, WHITE)
    h, w = part.shape[:2]
    np.testing.assert_array_equal(part, whole[25 : 25 + h, 25 : 25 + w])
    for x, y in ((-1000, 0), (0, -1000), (1000, 0), (0, 1000)):
        untouched = blank(30, 30)
        write(untouched, "text", x, y, 20, WHITE)
        assert (untouched == 90).all()


def test_text_grows_with_its_size() -> None:
    assert extent("participant", 40)[0] == pytest.approx(2 * extent("participant", 20)[0], rel=0.1)
    assert letters("participant", 20).max() > 200


def test_rejected_candidates_are_thin_and_grey() -> None:
    image = blank()
    draw_rejected(image, np.array([[10.0, 20, 50, 60], [100, 100, 120, 130]]))
    assert is_colour(image, REJECTED).sum() == 4 * 40 + 2 * 20 + 2 * 30
    assert is_colour(image, REJECTED)[40, [10, 50]].all()


@given(
    st.lists(st.floats(0.01, 5), min_size=1, max_size=12),
    st.floats(0, 1),
    st.integers(0, 2**32),
)
def test_boxes_that_move_evenly_are_interpolated_exactly(
    gaps: list[float], share: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    times = 3 + np.cumsum([0.0, *gaps])
    place, speed = rng.normal(0, 100, (2, 3, 1, 4))
    time = times[0] + share * (times[-1] - times[0])
    nearest, boxes = interpolate(times, place + speed * times[:, None], time)
    np.testing.assert_allclose(boxes, (place + speed * time)[:, 0], rtol=1e-9, atol=1e-6)
    assert abs(times[nearest] - time) == pytest.approx(np.abs(times - time).min(), abs=1e-9)


def test_boxes_stay_outside_of_the_tracked_span() -> None:
    times, boxes = np.array([1.0, 2.0]), np.arange(8.0).reshape(1, 2, 4)
    for time, t in ((0.9, 0), (1.0, 0), (2.0, 1), (2.1, 1)):
        nearest, found = interpolate(times, boxes, time)
        assert nearest == t
        np.testing.assert_array_equal(found, boxes[:, t])
    nearest, found = interpolate(times[:1], boxes[:, :1], 1.0)
    assert nearest == 0
    np.testing.assert_array_equal(found, boxes[:, 0])


def test_nothing_is_marked_where_it_is_not_seen(shown: Shown) -> None:
    tracking = hidden(hidden(shown.parts[0], 0, [0, 1, 2]), 1, [])
    first, other = tracking.participants
    assert len(first.times) > 5
    (moving,) = movings([tracking], shown.clip.size)
    for t, time in enumerate(first.times):
        at, marks = moving.at(float(time))
        assert at == t
        assert [each.noun for each in marks] == [first.noun] * (t > 2) + [other.noun]
    # Between a frame in which it is not seen and one in which it is, it is where it is seen.
    early, late = (float(first.times[2] + share * 0.2) for share in (0.4, 0.6))
    assert len(moving.at(early)[1]) == 1
    np.testing.assert_allclose(moving.at(late)[1][0].box, first.boxes[3])
    assert all(np.isfinite(each.box).all() for each in moving.at(late)[1])


def test_nothing_is_marked_outside_of_the_interval(shown: Shown) -> None:
    tracking = hidden(shown.parts[0], 0, [])
    (moving,) = movings([tracking], shown.clip.size)
    for time, inside in (
        (tracking.start - 0.1, False),
        (tracking.start, True),
        (tracking.end, True),
        (tracking.end + 0.1, False),
    ):
        assert bool(moving.at(time)[1]) is inside
        assert moving.covers(time) is inside
