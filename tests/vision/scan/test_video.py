"""Decoding: true times, samples, cuts, rotation and files that are damaged or none."""

import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack.vision.clip import ClipError
from sentrack.vision.scan.video import Frame, Video
from tests.vision.films import film, shade, sound, turned


def numbers(frames: list[Frame]) -> list[int]:
    return [frame.number for frame in frames]


def grey(frame: Frame) -> float:
    return float(np.median(frame.image))


def test_all_frames_come_in_order_with_their_times_and_pixels(tmp_path: Path) -> None:
    video = Video(film(tmp_path / "a.mp4"))
    frames = list(video.frames())
    assert video.size == (64, 48)
    assert video.fps == pytest.approx(25)
    assert video.duration == pytest.approx(2.0, abs=0.05)
    assert numbers(frames) == list(range(50))
    np.testing.assert_allclose([frame.time for frame in frames], np.arange(50) / 25, atol=1e-3)
    np.testing.assert_allclose([grey(frame) for frame in frames], [shade(n) for n in range(50)], 3)
    assert all(frame.image.shape == (48, 64, 3) for frame in frames)


def test_the_times_of_a_variable_rate_are_true(tmp_path: Path) -> None:
    times = [0.0, 0.04, 0.5, 0.52, 0.9, 2.0, 2.03]
    frames = list(Video(film(tmp_path / "a.mkv", times)).frames())
    np.testing.assert_allclose([frame.time for frame in frames], times, atol=2e-3)


@given(st.lists(st.integers(1, 400), min_size=1, max_size=30), st.sampled_from([1.0, 3.0, 10.0]))
def test_samples_are_the_first_of_every_period(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], fps: float
) -> None:
    times = np.concatenate([[0], np.cumsum(steps)]) / 1000
    path = film(tmp_path_factory.mktemp("film") / "a.mkv", list(times), (16, 16))
    period = np.floor(times * fps + 1e-6)
    expected = [n for n in range(len(times)) if n == 0 or period[n] > period[n - 1]]
    assert numbers(list(Video(path).frames(fps=fps))) == expected


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.avi", "a.ts", "a.mov"])
def test_a_cut_gives_the_frames_that_the_whole_gives(tmp_path: Path, name: str) -> None:
    codec = "mpeg4" if name == "a.avi" else "libx264"
    video = Video(film(tmp_path / name, [n / 25 for n in range(600)], codec=codec))
    whole = [frame for frame in video.frames(fps=7) if 12.3 <= frame.time < 15.1]
    cut = list(video.frames(start=12.3, end=15.1, fps=7))
    assert len(cut) > 15
    assert numbers(cut) == numbers(whole)
    assert [frame.time for frame in cut] == [frame.time for frame in whole]
    assert [grey(frame) for frame in cut] == [grey(frame) for frame in whole]


def test_which_frames_are_sampled_does_not_depend_on_where_a_video_is_entered(
    tmp_path: Path,
) -> None:
    video = Video(film(tmp_path / "a.mp4", [n / 25 for n in range(450)], (16, 16)))
    for fps in (10.0, 3.0):
        whole = list(video.frames(fps=fps))
        # A key frame is every 12 frames: to enter at one is what may mislead.
        for entry in range(264, 420, 12):
            start, end = entry / 25, entry / 25 + 1.0
            expected = [frame for frame in whole if start - 1e-9 <= frame.time < end - 1e-9]
            cut = list(video.frames(start=start, end=end, fps=fps))
            assert numbers(cut) == numbers(expected)


def test_a_turned_video_stands_upright(tmp_path: Path) -> None:
    video = Video(turned(film(tmp_path / "a.mp4"), tmp_path / "b.mp4"))
    assert video.size == (48, 64)
    first = next(video.frames())
    assert first.image.shape == (64, 48, 3)
    # The dark bar at the top, turned clockwise, is at the right.
    assert first.image[:, 42:].max() < 15 < first.image[:, :38].min()


def test_odd_sizes_keep_all_their_pixels(tmp_path: Path) -> None:
    video = Video(film(tmp_path / "a.mkv", [0, 0.1], (63, 47)))
    assert video.size == (63, 47)
    assert next(video.frames()).image.shape == (47, 63, 3)


def test_a_stream_that_does_not_tell_its_duration(tmp_path: Path) -> None:
    video = Video(film(tmp_path / "a.h264"))
    assert video.duration is None
    assert len(list(video.frames())) == 50


@pytest.mark.parametrize("name", ["cut.mkv", "cut.mp4"])
def test_what_decodes_of_a_truncated_video_is_used_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    path = tmp_path / name
    data = film(path, [n / 25 for n in range(250)], (320, 240)).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with caplog.at_level(logging.WARNING, "sentrack"):
        frames = list(Video(path).frames())
    assert 20 < len(frames) < 245
    assert numbers(frames) == list(range(len(frames)))
    assert name in caplog.text


def test_a_whole_video_gives_no_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "sentrack"):
        list(Video(film(tmp_path / "a.mp4")).frames())
    assert not caplog.text


def faults(folder: Path) -> dict[str, Path]:
    """Files that are no video, each in its own way."""
    found = {name: folder / f"{name.replace(' ', '-')}.mp4" for name in ("text", "empty", "zeros")}
    found["text"].write_text("This is a diary and no video.\n" * 50)
    found["empty"].write_bytes(b"")
    found["zeros"].write_bytes(bytes(100_000))
    found["sound"] = sound(folder / "sound.mp4")
    found["missing"] = folder / "missing.mp4"
    found["folder"] = folder / "folder.mp4"
    found["folder"].mkdir()
    found["playlist"] = folder / "playlist.mp4"
    found["playlist"].write_text("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n")
    return found


@pytest.mark.parametrize(
    "kind", ["text", "empty", "zeros", "sound", "missing", "folder", "playlist"]
)
def test_what_is_no_video_is_named_in_one_line(tmp_path: Path, kind: str) -> None:
    path = faults(tmp_path)[kind]
    with pytest.raises(ClipError) as caught:
        Video(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_videos_give_frames_or_one_line(tmp_path: Path, seed: int) -> None:
    """Bytes flipped or cut in several containers: no other error, no standstill."""
    rng = np.random.default_rng(seed)
    name, codec = [("a.mp4", "libx264"), ("a.mkv", "libx264"), ("a.avi", "mpeg4")][seed % 3]
    path = film(tmp_path / name, codec=codec)
    data = np.frombuffer(path.read_bytes(), np.uint8).copy()
    if seed % 2:
        where = rng.integers(len(data), size=rng.integers(1, 200))
        data[where] ^= rng.integers(1, 256, size=len(where)).astype(np.uint8)
    else:
        first, last = np.sort(rng.integers(len(data), size=2))
        data = np.delete(data, slice(first, last)) if seed % 4 else data[:last]
    path.write_bytes(data.tobytes())
    fault, frames = "", list[Frame]()
    try:
        frames = list(Video(path).frames(fps=10))
    except ClipError as error:
        fault = str(error)
    assert bool(frames) != bool(fault)
    assert not fault or (path.name in fault and "\n" not in fault)
    times = [frame.time for frame in frames]
    assert times == sorted(set(times))
    assert len(frames) <= 200
