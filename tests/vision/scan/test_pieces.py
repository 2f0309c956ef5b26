"""Long videos in pieces: the same is seen, whoever does them and in which order."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.cache import checksum
from sentrack.vision import Clip, load_clip
from sentrack.vision.scan import (
    ImageCandidates,
    Observation,
    keep_piece,
    left_of,
    scan_piece,
    scan_settings,
    scan_video,
)
from sentrack.vision.scan import pieces as module
from sentrack.vision.scan.pieces import LEAD, Pieces
from sentrack.vision.scan.video import Frame, Image
from tests.vision.moving import Finder, there_and_back


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return there_and_back(tmp_path / "there-and-back.mp4")


@pytest.fixture
def finder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Finder:
    found = Finder(blind=(9, 10, 19, 20, 21, 28))  # at the ends of pieces, too
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sentrack.vision.scan.scanner.open_detector", lambda *_, **__: found)
    monkeypatch.setattr("sentrack.vision.scan.piece_files.open_detector", lambda *_, **__: found)
    monkeypatch.setattr("sentrack.vision.scan.scanner.detector_parts", lambda *_: ())
    return found


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces last one second."""
    monkeypatch.setattr(module, "SECONDS", 1.0)


def move_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / name))


def kept(tmp_path: Path, name: str = "cache") -> int:
    return len(list((tmp_path / name / "looks").iterdir()))


def same_but_motion(one: Clip, other: Clip) -> None:
    for name in ("frames", "times", "start", "label", "score", "colour", "projected"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    found = ~one.projected
    np.testing.assert_array_equal(one.boxes[found], other.boxes[found])
    # The search for flow starts from that of the frame before, of which a piece knows only some.
    np.testing.assert_allclose(one.boxes, other.boxes, atol=0.1)
    np.testing.assert_allclose(one.velocity, other.velocity, atol=0.02)


@pytest.mark.parametrize("span", [(None, None), (0.55, 4.25), (1.0, 3.0)])
def test_the_same_is_seen_in_one_piece(
    span: tuple[float | None, float | None],
    film: Path,
    finder: Finder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    single = load_clip(film, start=span[0], end=span[1])
    calls, finder.calls = finder.calls, 0
    assert calls == single.T
    assert single.projected.any()
    move_cache(tmp_path, monkeypatch, "other")
    monkeypatch.setattr(module, "SECONDS", 1.0)
    same_but_motion(load_clip(film, start=span[0], end=span[1]), single)
    # Each piece but the first looks at some frames of the one before, and all but the last at one.
    pieces = len({int(time) for time in single.times})
    assert finder.calls == single.T + (pieces - 1) * (LEAD + 1)
    assert kept(tmp_path, "other") == 1, "pieces were left behind"


@pytest.mark.usefixtures("seconds", "finder")
@pytest.mark.parametrize("span", [(None, None), (0.55, 4.25)])
def test_pieces_are_done_by_anybody_in_any_order(
    span: tuple[float | None, float | None],
    film: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start, end = span
    together = load_clip(film, start=start, end=end)
    move_cache(tmp_path, monkeypatch, "here")
    told = {"sha256": checksum(film), **scan_settings()}
    left = left_of(film, told, start, end)
    assert left == (((0, 1, 2, 3, 4, 5), 50) if end is None else ((0, 1, 2, 3, 4), 37))
    for number in (3, 0, 5, 2, 4, 1):
        move_cache(tmp_path, monkeypatch, "there")
        content = scan_piece(film, number, told, start=start, end=end)
        assert bool(content) == (number < 5)
        move_cache(tmp_path, monkeypatch, "here")
        keep_piece(told, start, end, number, content)
    monkeypatch.setattr(Finder, "detect", lambda *_: pytest.fail("it has been looked at"))
    scan = scan_video(film, start=start, end=end, settings=told)
    assert scan.clip(start, end).sha256 == together.sha256
    assert kept(tmp_path, "here") == 1
    assert left_of(film, told, start, end) == ((), 0)


@pytest.mark.usefixtures("seconds")
def test_a_scan_that_was_interrupted_goes_on(
    film: Path, finder: Finder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = load_clip(film)
    move_cache(tmp_path, monkeypatch, "other")
    finder.calls = 0

    def interrupted(image: Image) -> ImageCandidates:
        if finder.calls == 35:
            raise KeyboardInterrupt
        return Finder.detect(finder, image)

    with monkeypatch.context() as patch:
        patch.setattr(finder, "detect", interrupted)
        with pytest.raises(KeyboardInterrupt):
            load_clip(film)
    assert kept(tmp_path, "other") == 2
    finder.calls = 0
    told: list[tuple[float, float | None]] = []
    again = load_clip(film, report=lambda _, done, total: told.append((done, total)))
    assert again.sha256 == together.sha256
    assert finder.calls == 30 + LEAD + 2 * (LEAD + 1)
    assert (told[0], told[-1]) == ((1, 30), (30, 30))
    assert kept(tmp_path, "other") == 1


@pytest.mark.usefixtures("seconds", "finder")
def test_a_damaged_piece_is_scanned_again(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = load_clip(film)
    move_cache(tmp_path, monkeypatch, "other")
    told = {"sha256": checksum(film), **scan_settings()}
    keep_piece(told, None, None, 1, b"PAR1 and no more")
    assert scan_video(film, settings=told).clip().sha256 == together.sha256


class Irregular:
    """A video with frames at given times, of which all are looked at."""

    size, fps, duration = (32, 24), 10.0, None

    def __init__(self, times: list[float]) -> None:
        self._times = times

    def frames(self, start: float, end: float | None, _: float) -> Iterator[Frame]:
        for number, time in enumerate(self._times):
            if time >= start - 1e-9 and (end is None or time < end - 1e-9):
                image = np.zeros((24, 32, 3), dtype=np.uint8)
                image[:, :, 0] = np.random.default_rng(number).integers(0, 255, (24, 1))
                yield Frame(number, time, image)


class Rows:
    """Finds a thing in the bright rows of a picture, if there are many."""

    name, classes, fingerprint = "rows", ("thing",), "1"

    def detect(self, image: Image) -> ImageCandidates:
        rows = np.flatnonzero(image[:, 0, 0] > 128)
        if len(rows) % 2:
            return ImageCandidates(np.zeros((0, 4)), np.zeros(0, np.int64), np.zeros(0))
        box = [4.0, rows.min(), 28.0, rows.max() + 1]
        return ImageCandidates(np.array([box]), np.array([0]), np.array([0.9]))


def told_of(pieces: Pieces, number: int | None, *, one: bool = False) -> list[Observation]:
    """All from a piece on, or one piece."""
    found: list[Observation] = []
    while number is not None:
        found += pieces.of(number)
        number = None if one else pieces.next
    return found


@given(
    gaps=st.lists(st.sampled_from([1, 1, 1, 1, 5, 30, 700, 1300]), min_size=1, max_size=12),
    begin=st.sampled_from([0, 1, 595, 610]),
    start=st.sampled_from([None, 0.3, 59.9, 61.0]),
)
@settings(max_examples=40)
def test_times_may_be_irregular(gaps: list[int], begin: int, start: float | None) -> None:
    """Pieces may be empty, and frames between them far apart."""
    times = (np.cumsum([begin, *gaps]) / 10).tolist()
    video: Any = Irregular(times)
    facts = video, Rows(), 10, 10.0, start, None
    wanted = [time for time in times if time >= (start or 0)]
    together = told_of(Pieces(*facts), int((start or 0) // 60))
    apart = [
        seen
        for number in range(int(times[-1] // 60) + 1)
        for seen in told_of(Pieces(*facts), number, one=True)
    ]
    for found in (together, apart):
        assert [seen.time for seen in found] == wanted
    for one, other in zip(together, apart, strict=True):
        for name in ("boxes", "score", "age", "velocity", "camera", "colour"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
