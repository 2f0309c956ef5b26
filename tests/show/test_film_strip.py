from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.errors import SentrackError
from sentrack.show.annotation import LIGHT, Caption, decimals
from sentrack.show.drawing import movings
from sentrack.show.film_strip import GAP, HEIGHT, strip
from sentrack.show.key_frames import key_frames, key_times, movement
from sentrack.show.palette import PALETTE
from sentrack.tasks import track
from sentrack.vision.scan.video import Frame

from .conftest import Shown, hidden


def dark(times: np.ndarray) -> Iterator[Frame]:
    for n, time in enumerate(times):
        yield Frame(n, float(time), np.full((480, 640, 3), 40, np.uint8))


@pytest.mark.parametrize(("count", "columns", "rows"), [(1, 1, 1), (4, 4, 1), (6, 6, 1), (9, 5, 2)])
@pytest.mark.parametrize("rate", [5, 30])
def test_it_has_as_many_key_frames_as_asked_for(
    shown: Shown, tmp_path: Path, count: int, columns: int, rows: int, rate: int
) -> None:
    path = tmp_path / "a.png"
    reports: list[tuple[str, float, float | None]] = []
    frames = dark(np.arange(0, 6, 1 / rate))
    strip(shown.trackings[:1], frames, path, count=count, report=lambda *r: reports.append(r))
    image = cv2.imread(str(path))
    assert image is not None
    picture = (image == 40).all(axis=-1).astype(np.uint8)
    # Boxes and labels cut a picture up, so what is large is counted.
    found, _, stats, _ = cv2.connectedComponentsWithStats(picture)
    large = stats[1:][stats[1:, cv2.CC_STAT_WIDTH] > 470]
    assert found > count
    assert len(large) == count
    assert (large[:, cv2.CC_STAT_HEIGHT] > 0.9 * HEIGHT).all()
    assert len(set(large[:, cv2.CC_STAT_LEFT])) == columns
    assert len(set(large[:, cv2.CC_STAT_TOP])) == rows
    assert image.shape[1] == columns * (480 + GAP) + GAP
    assert reports == [("strip", n + 1, count) for n in range(count)]
    for tint in PALETTE[:2]:  # in every key frame, in the title, and before the word
        assert ((image == tint).all(axis=-1).sum() > 100 * count).all()


def test_it_needs_frames(shown: Shown, tmp_path: Path) -> None:
    with pytest.raises(SentrackError, match="no frame between"):
        strip(shown.trackings[:1], dark(np.array([9.0])), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_it_is_not_left_half_written(shown: Shown, tmp_path: Path) -> None:
    def frames() -> Iterator[Frame]:
        yield from dark(np.arange(0, 3, 0.2))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        strip(shown.trackings[:1], frames(), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SentrackError, match="cannot be written"):
        strip(shown.trackings[:1], dark(np.arange(0, 6, 0.2)), tmp_path / "none" / "a.png")


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=15, max_size=15), min_size=1, max_size=3),
    st.integers(1, 20),
    st.none() | st.lists(st.floats(0, 9), min_size=15, max_size=15),
    st.none() | st.lists(st.booleans(), min_size=15, max_size=15),
)
def test_key_frames_are_distinct_and_show_every_phase(
    words: list[list[int]], count: int, change: list[float] | None, avoided: list[bool] | None
) -> None:
    picked = key_frames(
        np.array(words),
        count,
        None if change is None else np.array(change),
        None if avoided is None else np.array(avoided),
    )
    assert len(picked) == min(count, 15)
    assert (np.diff(picked) > 0).all()
    assert picked[0] >= 0
    assert picked[-1] < 15
    joint = list(zip(*words, strict=True))
    phase = np.cumsum([t > 0 and joint[t] != joint[t - 1] for t in range(15)])
    if phase[-1] < count:
        assert set(phase[picked]) == set(phase)


def test_key_frames_are_where_something_changes() -> None:
    states = np.zeros((1, 100), np.int64)
    change = np.zeros(100)
    change[60:80] = 1.0  # it stands, moves for a while, and stands again
    picked = key_frames(states, 6, change)
    assert ((picked >= 58) & (picked < 80)).sum() >= 5
    change[:] = 0.0
    change[50] = 5.0  # all of it at once: frames before and after
    picked = key_frames(states, 3, change)
    assert len(set(picked)) == 3


def test_what_moves_is_told_in_its_own_heights(shown: Shown) -> None:
    tracking = shown.trackings[0]
    told = movement(tracking)
    boxes = tracking.participants[0].boxes
    assert told.shape == (len(boxes),)
    assert told[0] == 0
    # It comes after the third frame.
    assert movement(hidden(tracking, 0, [0, 1, 2]))[3] >= 1
    # To be hidden for a frame is to move neither in it nor in the next one.
    others = range(1, len(tracking.participants))
    alone = reduce(lambda one, p: hidden(one, p, range(len(boxes))), others, tracking)
    most = int(movement(alone)[1:-1].argmax()) + 1
    assert movement(alone)[most] > 0
    assert list(movement(hidden(alone, 0, [most]))[most : most + 2]) == [0, 0]


def test_key_frames_show_all_that_is_there(shown: Shown) -> None:
    tracking = shown.trackings[0]
    every = tracking.objective.clip.times
    first = key_times(tracking, 4)
    missed = np.searchsorted(every, first).tolist()
    assert not set(key_times(hidden(tracking, 0, missed), 4)) & set(first)


def test_several_sentences_are_below_each_other(shown: Shown, tmp_path: Path) -> None:
    frames = list(dark(np.arange(0, 6, 0.1)))
    sizes = []
    for part in (shown.parts[:1], shown.parts[1:], shown.parts):
        strip(part, frames, tmp_path / "a.png")
        image = cv2.imread(str(tmp_path / "a.png"))
        assert image is not None
        sizes.append(image.shape)
    assert sizes[2][0] == sizes[0][0] + sizes[1][0]
    assert sizes[2][1] == max(sizes[0][1], sizes[1][1])
    # Every participant has a colour of its own through all sentences.
    people = sum(len(tracking.participants) for tracking in shown.parts)
    tints = [np.all(image == tint, axis=-1).sum() > 500 for tint in PALETTE[:people]]
    assert all(tints)


def test_times_below_the_bands_do_not_overlap(shown: Shown) -> None:
    moving = movings(shown.trackings[:1], (640, 480))
    caption = Caption(moving, 900, 20, LIGHT, False)
    image = np.empty((caption.height, 900, 3), np.uint8)
    spare = np.empty_like(image)
    caption.draw_all(image, [2.0, 2.1, 2.2])
    caption.draw_all(spare, [2.0])
    below = caption.tops[-1][2] + caption.band
    assert (image[below:] == spare[below:]).all()
    caption.draw_all(image, [1.0, 2.0])
    assert (image[below:] != spare[below:]).any()


def test_times_are_told_apart() -> None:
    assert decimals([2.7, 2.8, 3.0]) == 1
    assert decimals([2.75, 2.83]) == 2
    assert decimals([]) == 1


def test_key_frames_of_one_phase_are_spread_evenly() -> None:
    assert list(key_frames(np.zeros((2, 60), np.int64), 6)) == [5, 15, 25, 35, 45, 55]


def test_a_clip_of_fewer_frames_shows_all_of_them(shown: Shown, tmp_path: Path) -> None:
    tracking = track(shown.clip.cut(9, 10), "The person moved.")
    strip([tracking], dark(shown.clip.times), tmp_path / "a.png")
    image = cv2.imread(str(tmp_path / "a.png"))
    assert image is not None
    assert image.shape[1] == 480 + 2 * GAP
