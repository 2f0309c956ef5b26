"""Looking at videos: what is kept, recalled, filled in and left behind."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import av
import cv2
import numpy as np
import numpy.typing as npt
import pytest

from sentrack.errors import SentrackError
from sentrack.vision import load_clip
from sentrack.vision.clip import ClipError
from sentrack.vision.scan import scan_cache, scanner
from sentrack.vision.scan.detectors import ImageCandidates
from sentrack.vision.scan.observations import Observation, observe
from sentrack.vision.scan.video import Frame, Image
from tests.vision.films import film

SIZE = 320, 240


class Bright:
    """Finds the one bright box of a frame, except in frames that it is told to miss."""

    name, classes = "bright", ("ball", "person")

    def __init__(self, misses: tuple[int, ...] = (), fingerprint: str = "1") -> None:
        self.misses, self.fingerprint, self.calls = misses, fingerprint, 0

    def detect(self, image: Image) -> ImageCandidates:
        rows, columns = np.nonzero(image[..., 2] > 150)
        self.calls += 1
        if self.calls - 1 in self.misses or not len(rows):
            return ImageCandidates(np.zeros((0, 4)), np.zeros(0, np.int64), np.zeros(0))
        box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        return ImageCandidates(np.array([box], dtype=float), np.array([1]), np.array([0.8]))


def texture(height: int, width: int, low: int, high: int) -> npt.NDArray[np.uint8]:
    noise = np.random.default_rng(height).normal(size=(height, width))
    smooth = cv2.GaussianBlur(noise, (0, 0), 2)
    scaled = cv2.normalize(smooth, None, low, high, cv2.NORM_MINMAX)  # type: ignore[call-overload]
    return np.asarray(scaled, dtype=np.uint8)


def picture(left: float, shift: int = 0) -> Image:
    """A red textured box on a dark textured ground, which the camera shifts."""
    ground = texture(SIZE[1], 2 * SIZE[0], 0, 120)[:, shift : shift + SIZE[0]]
    image = np.repeat(ground[..., None], 3, axis=2)
    image[80:160, round(left) : round(left) + 48] = 0
    image[80:160, round(left) : round(left) + 48, 2] = texture(80, 48, 151, 255)
    return image


def frames(count: int, step: float, pan: int = 0) -> Iterator[Frame]:
    for n in range(count):
        yield Frame(n, n / 10, picture(40 + n * step, n * pan))


def everything(step: float = 4, pan: int = 0, misses: tuple[int, ...] = ()) -> list[Observation]:
    return list(observe(frames(12, step, pan), Bright(misses), SIZE, best=10))


def test_motion_and_colour_are_measured_in_every_frame() -> None:
    seen = everything()
    assert len(seen) == 12
    velocity = np.concatenate([one.velocity for one in seen])
    # 4 pixels of 240 in a tenth of a second.
    np.testing.assert_allclose(np.median(velocity, axis=0), [4 / 240 * 10, 0], atol=0.03)
    hue, saturation, _ = np.concatenate([one.colour for one in seen]).mean(axis=0)
    assert min(hue, 360 - hue) < 15
    assert saturation > 0.4


def test_the_motion_of_the_camera_is_told_apart() -> None:
    """The thing stays in the middle of the picture while the ground goes to the left."""
    seen = everything(step=0, pan=3)
    velocity = np.median(np.concatenate([one.velocity for one in seen]), axis=0)
    camera = np.median(np.concatenate([one.camera for one in seen]), axis=0)
    np.testing.assert_allclose(camera, [-3 / 240 * 10, 0], atol=0.05)
    np.testing.assert_allclose(velocity + camera, [0, 0], atol=0.05)


def test_a_thing_that_is_missed_is_moved_along_for_two_frames() -> None:
    seen = everything(misses=(4, 5, 6, 8))
    assert [one.age.tolist() for one in seen] == [[0]] * 4 + [[1], [2], []] + [[0], [1]] + [[0]] * 3
    for n in (4, 5, 8):
        np.testing.assert_allclose(seen[n].boxes[0, 0], 40 + 4 * n, atol=2.5)
        assert seen[n].score[0] < 0.8


def test_no_class_has_more_boxes_than_asked() -> None:
    """Things that flicker fill a frame only up to the number of the best."""

    class Flicker:
        name, fingerprint, classes = "flicker", "1", ("ball", "person")

        def __init__(self) -> None:
            self.rng = np.random.default_rng(0)

        def detect(self, _: Image) -> ImageCandidates:
            low = self.rng.uniform(0, 80, (6, 2))
            boxes = np.concatenate([low, low + 10], axis=1)
            return ImageCandidates(boxes, self.rng.integers(0, 2, 6), self.rng.uniform(0.1, 0.9, 6))

    for one in observe(frames(10, 2), Flicker(), SIZE, best=5):
        counts = np.bincount(one.label, minlength=2)
        real = np.bincount(one.label[one.age == 0], minlength=2)
        assert (counts <= np.maximum(5, real)).all()


@pytest.fixture
def clip_file(tmp_path: Path) -> Path:
    path = tmp_path / "walk.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=20, options={"crf": "10"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for n in range(80):
            image = av.VideoFrame.from_ndarray(picture(40 + n), format="bgr24")
            container.mux(stream.encode(image))
        container.mux(stream.encode(None))
    return path


@pytest.fixture
def bright(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bright:
    detector = Bright()
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(scanner, "open_detector", lambda *_, **__: detector)
    monkeypatch.setattr(scanner, "detector_parts", lambda *_: (detector.fingerprint,))
    return detector


def kept(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "cache" / "looks").iterdir())


def test_a_video_is_looked_at_once(tmp_path: Path, clip_file: Path, bright: Bright) -> None:
    first = load_clip(clip_file)
    assert bright.calls == first.T == 40
    np.testing.assert_allclose(first.times, np.arange(40) / 10, atol=1e-6)
    np.testing.assert_array_equal(first.frames, np.arange(40) * 2)
    assert (first.name, first.size, first.fps) == ("walk", SIZE, 20)
    assert first.classes == ("ball", "person")
    again = load_clip(clip_file)
    assert bright.calls == 40
    np.testing.assert_array_equal(again.boxes, first.boxes)
    part = load_clip(clip_file, start=1, end=2)
    assert bright.calls == 40
    np.testing.assert_array_equal(part.boxes, first.within(1, 2).boxes)
    # A copy under another name shows the same.
    copy = clip_file.with_name("other.mp4")
    copy.write_bytes(clip_file.read_bytes())
    load_clip(copy)
    assert bright.calls == 40
    assert len(kept(tmp_path)) == 1


def settle(path: Path, seconds: float) -> None:
    """Let a file be last changed so many seconds after the epoch."""
    os.utime(path, (seconds, seconds))


def forbid(monkeypatch: pytest.MonkeyPatch, module: ModuleType, *names: str) -> None:
    def forbidden(*_: object, **__: object) -> NoReturn:
        raise AssertionError("not to be called")

    for name in names:
        monkeypatch.setattr(module, name, forbidden)


@pytest.mark.usefixtures("bright")
@pytest.mark.parametrize("span", [(None, None), (0.5, 2.0)])
def test_a_fresh_scan_is_used_as_it_is_kept(
    span: tuple[float | None, float | None], clip_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, end = span
    with monkeypatch.context() as patch:
        forbid(patch, scan_cache, "read_arrow")
        fresh = load_clip(clip_file, start=start, end=end)
    kept = load_clip(clip_file, start=start, end=end)
    assert fresh.T > 0
    assert (fresh.name, fresh.sha256) == (kept.name, kept.sha256)


def test_rows_that_nobody_wants_are_not_held(clip_file: Path, bright: Bright) -> None:
    scan = scanner.scan_video(clip_file, file_only=True)
    assert (bright.calls, scan.fresh) == (40, None)
    assert scan.clip().sha256 == load_clip(clip_file).sha256


@pytest.mark.usefixtures("bright")
def test_the_cache_is_asked_first(clip_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(clip_file, 1e9)
    first = load_clip(clip_file)
    forbid(monkeypatch, scanner, "Video", "open_detector", "checksum")
    assert load_clip(clip_file).sha256 == first.sha256
    assert load_clip(clip_file, start=1, end=2).sha256 == first.within(1, 2).sha256
    with pytest.raises(AssertionError):
        load_clip(clip_file, fps=5)
    with pytest.raises(AssertionError):
        load_clip(clip_file, best=5)


def test_a_video_that_has_changed_is_scanned_again(clip_file: Path, bright: Bright) -> None:
    settle(clip_file, 1e9)
    load_clip(clip_file)
    film(clip_file, [n / 10 for n in range(5)])
    settle(clip_file, 1e9 + 1)
    assert load_clip(clip_file).T == 5
    assert bright.calls == 45


def test_what_may_still_be_written_is_not_recalled(
    tmp_path: Path, clip_file: Path, bright: Bright
) -> None:
    """A second change within the resolution of its time would leave a file's mark as it was."""
    settle(clip_file, 8e9)  # the clock is far behind that
    assert load_clip(clip_file).sha256 == load_clip(clip_file).sha256
    assert bright.calls == 40
    assert not (tmp_path / "cache" / "requests").exists()


def test_a_damaged_memory_is_no_harm(tmp_path: Path, clip_file: Path, bright: Bright) -> None:
    settle(clip_file, 1e9)
    load_clip(clip_file)
    (memory,) = (tmp_path / "cache" / "requests").iterdir()
    memory.write_text("{")
    assert load_clip(clip_file).T == 40
    assert bright.calls == 40


def test_other_settings_are_another_look(tmp_path: Path, clip_file: Path, bright: Bright) -> None:
    load_clip(clip_file, start=1, end=2)
    assert bright.calls == 10
    assert load_clip(clip_file, fps=5).T == 20
    bright.fingerprint = "2"
    load_clip(clip_file, fps=5)
    assert bright.calls == 50
    assert len(kept(tmp_path)) == 3


@pytest.mark.usefixtures("bright")
def test_a_cut_shows_what_the_whole_shows(clip_file: Path) -> None:
    part = load_clip(clip_file, start=1, end=2)
    whole = load_clip(clip_file).within(1, 2)
    np.testing.assert_array_equal(part.frames, whole.frames)
    np.testing.assert_array_equal(part.boxes, whole.boxes)
    # The last frame of a cut cannot know how things go on.
    np.testing.assert_allclose(part.velocity[1:-1], whole.velocity[1:-1], atol=0.02)


def test_an_interrupted_look_leaves_nothing(
    tmp_path: Path, clip_file: Path, bright: Bright, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(image: Image) -> ImageCandidates:
        if bright.calls == 20:
            raise KeyboardInterrupt
        return Bright.detect(bright, image)

    monkeypatch.setattr(bright, "detect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        load_clip(clip_file)
    assert kept(tmp_path) == []


def test_faults_are_told_in_one_line(tmp_path: Path, clip_file: Path, bright: Bright) -> None:
    with pytest.raises(ClipError, match=r"no frame from 90 to inf s"):
        load_clip(clip_file, start=90)
    with pytest.raises(ClipError, match="fps must be above 0"):
        load_clip(clip_file, fps=0)
    with pytest.raises(ClipError, match="does not take size="):
        load_clip(clip_file, size=(1, 2))
    assert bright.calls == 0
    assert not any((tmp_path / "cache").rglob("*.parquet"))


def test_a_cache_that_is_a_file(tmp_path: Path, clip_file: Path, bright: Bright) -> None:
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(SentrackError, match="SENTRACK_CACHE"):
        load_clip(clip_file)
    assert bright.calls == 0


def test_a_video_without_anything_in_it(tmp_path: Path, bright: Bright) -> None:
    clip = load_clip(film(tmp_path / "grey.mp4", [n / 10 for n in range(5)]))
    assert clip.T == 5
    assert bright.calls == 5
