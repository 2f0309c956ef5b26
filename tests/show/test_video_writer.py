"""Files are read back by a decoder and, for their layout, byte by byte."""

import signal
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.errors import SentrackError
from sentrack.show.video_writer import VideoWriter
from sentrack.vision.scan.video import Image


def decoded(path: Path) -> list[tuple[float, np.ndarray]]:
    with av.open(str(path)) as container:
        return [(f.time, f.to_ndarray(format="bgr24")) for f in container.decode(video=0)]


def grey(level: int, width: int = 32, height: int = 32) -> Image:
    return np.full((height, width, 3), level, np.uint8)


def test_the_file_plays_in_a_browser(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    with VideoWriter(path, 25) as writer:
        for n in range(30):
            writer.write(grey(8 * n), n / 25)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert stream.frames == 30
        assert stream.duration is not None
        assert stream.time_base is not None
        assert float(stream.duration * stream.time_base) == pytest.approx(30 / 25, abs=1e-3)
    data = path.read_bytes()
    assert 0 < data.find(b"moov") < data.find(b"mdat")
    assert [p.name for p in tmp_path.iterdir()] == ["a.mp4"]


@settings(max_examples=15)
@given(
    st.lists(st.floats(0.002, 3.0), min_size=0, max_size=40),
    st.floats(0, 1e4),
)
def test_every_frame_is_shown_at_its_own_time(
    tmp_path_factory: pytest.TempPathFactory, gaps: list[float], start: float
) -> None:
    path = tmp_path_factory.mktemp("times") / "a.mp4"
    times = start + np.cumsum([0.0, *gaps])
    with VideoWriter(path, 30) as writer:
        for n, time in enumerate(times):
            writer.write(grey(n), float(time))
    found = [time for time, _ in decoded(path)]
    assert len(found) == len(times)
    np.testing.assert_allclose(found, times - start, atol=1e-3)


def test_frames_at_one_time_do_not_stop_it(tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "a.mp4", 30) as writer:
        for time in (1.0, 1.0, 1.0, 2.0):
            writer.write(grey(9), time)
    assert [round(time, 3) for time, _ in decoded(tmp_path / "a.mp4")] == [0, 0, 0, 1]


@pytest.mark.parametrize(("width", "height"), [(33, 32), (32, 33), (35, 37)])
def test_odd_sizes_become_even_and_lose_nothing(tmp_path: Path, width: int, height: int) -> None:
    with VideoWriter(tmp_path / "a.mp4", 30) as writer:
        writer.write(grey(200, width, height), 0)
    [(_, image)] = decoded(tmp_path / "a.mp4")
    assert image.shape == (height + height % 2, width + width % 2, 3)
    assert (np.abs(image.astype(int) - 200) < 6).all()


@pytest.mark.parametrize("height", [64, 1080])
def test_colours_are_kept(tmp_path: Path, height: int) -> None:
    colours = [(0, 159, 230), (233, 180, 86), (115, 158, 0), (66, 228, 240), (0, 0, 255)]
    image = np.repeat(np.array([colours], np.uint8), 32, axis=1).repeat(height, axis=0)
    with VideoWriter(tmp_path / "a.mp4", 30) as writer:
        writer.write(image, 0)
    [(_, found)] = decoded(tmp_path / "a.mp4")
    for n, colour in enumerate(colours):
        middle = found[height // 4 : height // 2, 32 * n + 8 : 32 * n + 24].mean(axis=(0, 1))
        np.testing.assert_allclose(middle, colour, atol=8)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_nothing_is_left_when_it_is_interrupted(tmp_path: Path, error: type[BaseException]) -> None:
    def work() -> None:
        with VideoWriter(tmp_path / "a.mp4", 30) as writer:
            for n in range(100):
                writer.write(grey(n), n / 30)
            raise error

    with pytest.raises(error):
        work()
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    code = f"""
import numpy as np
from sentrack.show.video_writer import VideoWriter

with VideoWriter({str(tmp_path / "a.mp4")!r}, 30) as writer:
    for n in range(10**9):
        writer.write(np.full((96, 128, 3), n % 256, np.uint8), n / 30)
        if n == 100:
            print("busy", flush=True)
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"busy\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in process.communicate()[1]
    assert list(tmp_path.iterdir()) == []


def test_an_older_file_survives_an_interruption(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    path.write_text("older")

    def work() -> None:
        with VideoWriter(path, 30) as writer:
            writer.write(grey(0), 0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert path.read_text() == "older"


@pytest.mark.parametrize(("limit", "frames"), [(100, 2), (20_000, 4), (20_000, 90)])
def test_a_full_disk_is_one_line_and_leaves_nothing(
    tmp_path: Path, limit: int, frames: int
) -> None:
    code = f"""
import resource, sys
import numpy as np
from sentrack.errors import SentrackError
from sentrack.show.video_writer import VideoWriter

resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
rng = np.random.default_rng(0)
try:
    with VideoWriter({str(tmp_path / "a.mp4")!r}, 30) as writer:
        for n in range({frames}):
            writer.write(rng.integers(0, 256, (96, 128, 3), np.uint8), n / 30)
except SentrackError as error:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    print(error)
    sys.exit(1)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1, result.stderr
    assert len(result.stdout.splitlines()) == 1
    assert "cannot be written: File too large" in result.stdout
    assert result.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    def work() -> None:
        with VideoWriter(tmp_path / "none" / "a.mp4", 30) as writer:
            writer.write(grey(0), 0)

    with pytest.raises(SentrackError, match="No such file or directory") as caught:
        work()
    assert "\n" not in str(caught.value)


def test_no_frame_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SentrackError, match="no frame"), VideoWriter(tmp_path / "a.mp4", 30):
        pass
    assert list(tmp_path.iterdir()) == []
