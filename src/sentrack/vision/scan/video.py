"""Video files, decoded frame by frame: any container and codec that FFmpeg reads."""

import logging
import math
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from sentrack.vision.clip import ClipError
from sentrack.vision.early_end import warn_if_cut_off

Image = npt.NDArray[np.uint8]  # (height, width, 3), blue, green, red

FAR = 10.0  # seconds into a video from which on it pays to seek instead of decoding up to there
MOST_PIXELS = 2**27  # of a frame: more is a damaged header, not a video
FAILURES = 1000  # packets in a row that cannot be decoded, after which the rest is given up

_log = logging.getLogger("sentrack")


@dataclass(frozen=True, eq=False)
class Frame:
    """One decoded frame.

    Attributes:
        number: of the frame in the source, from 0.
        time: seconds from the start of the video.
        image: (height, width, 3) blue, green, red.
    """

    number: int
    time: float
    image: Image


class LimitError(ClipError):
    """A video is longer or larger than is allowed."""


@dataclass(frozen=True)
class Limit:
    """How long a video may last, and how many pixels a frame may have, whatever its header says."""

    seconds: float = math.inf
    pixels: int = MOST_PIXELS


class Video:
    """A video file with at least one frame that can be decoded.

    Args:
        path: the file.
        limit: decoding it fails where it exceeds this.

    Attributes:
        path: the file.
        size: width and height in pixels of a frame as it is watched, after rotation.
        fps: frames per second on average.
        duration: seconds, where the file says so.

    Raises:
        ClipError: the file cannot be read, is no video, or has no frame.
    """

    def __init__(self, path: str | Path, limit: Limit | None = None) -> None:
        self.path, self._limit = Path(path), limit or Limit()
        with self._open() as (container, stream):
            first = next(iter(decode(container, stream)), None)
            if first is None:
                raise ClipError(f"{path}: no frame of it can be decoded")
            self._allow(first, 0.0)
            turned = first.rotation % 180 != 0
            self.size = (first.height, first.width) if turned else (first.width, first.height)
            rate = stream.average_rate or stream.guessed_rate
            self.fps = float(rate) if rate and 0 < rate <= 1000 else 30.0
            self.duration = _duration(container, stream)

    def frames(
        self,
        start: float | None = None,
        end: float | None = None,
        fps: float | None = None,
    ) -> Iterator[Frame]:
        """Decode frames in order; at any time only a few are in memory.

        Args:
            start: seconds from which on.
            end: seconds before which.
            fps: at most so many per second, spread evenly; all if left out. Which ones does not
                depend on `start`.
        """
        low, high = start or 0.0, math.inf if end is None else end
        slot, last = -1, -math.inf
        # From the beginning of the period that `start` is in: its first frame is the one to take.
        begin = low if fps is None else (math.floor(low * fps + 1e-6) - 1e-6) / fps
        for number, time, picture in self._numbered(begin):
            if time >= high - 1e-9:
                return
            self._allow(picture, time)
            # Damaged files may go back in time.
            if time <= last:
                continue
            last = time
            if fps is not None:
                now = math.floor(time * fps + 1e-6)
                if now <= slot:
                    continue
                slot = now
            if time >= low - 1e-9:
                yield Frame(number, time, as_image(picture, self.size))
        if end is None:
            warn_if_cut_off(self.path, last, self.duration, self.fps)

    def _allow(self, picture: Any, time: float) -> None:
        """Refuse a frame that is too large, or too late."""
        if picture.width * picture.height > self._limit.pixels:
            text = f"frames of {picture.width}x{picture.height} are too large"
            raise LimitError(f"{self.path}: {text}")
        if time > self._limit.seconds:
            text = f"it lasts longer than {self._limit.seconds:g} s, which is the limit here"
            raise LimitError(f"{self.path}: {text}")

    def _numbered(self, start: float) -> Iterator[tuple[int, float, Any]]:
        """Frame number, time and picture of all frames from `start` on, and some before."""
        if start > FAR:
            numbers = self._stamps(start)
            with self._open() as (container, stream):
                origin = stream.start_time or 0
                try:
                    target = origin + int(start / stream.time_base)
                    container.seek(target, stream=stream, backward=True)
                    pictures = decode(container, stream, self.path)
                    first = next(pictures, None)
                except av.error.FFmpegError:
                    first = None
                # Not all containers can seek, and some land behind the target.
                if first is not None and first.pts is not None and first.pts <= target:
                    skipped = bisect_left(numbers, first.pts)
                    for number, picture in enumerate(chain([first], pictures), skipped):
                        yield number, _seconds(picture, stream, number, self.fps), picture
                    return
        with self._open() as (container, stream):
            for number, picture in enumerate(decode(container, stream, self.path)):
                yield number, _seconds(picture, stream, number, self.fps), picture

    def _stamps(self, until: float) -> list[int]:
        """Time stamps of the frames up to a time, ascending, read without decoding."""
        found = []
        with self._open() as (container, stream):
            limit = (stream.start_time or 0) + int((until + 1) / stream.time_base)
            try:
                for packet in container.demux(stream):
                    stamp = packet.dts if packet.pts is None else packet.pts
                    if stamp is None:
                        continue
                    if stamp > limit:
                        break
                    found.append(stamp)
            except av.error.FFmpegError:
                pass  # decoding will meet it and say so
        return sorted(found)

    @contextmanager
    def _open(self) -> Iterator[tuple[Any, Any]]:
        """The container and its first video stream."""
        try:
            # Of files only: a playlist that calls itself a video must not reach the network.
            container = av.open(
                str(self.path), options={"protocol_whitelist": "file"}, metadata_errors="replace"
            )
        except av.error.InvalidDataError:
            raise ClipError(f"{self.path}: it is no video that can be read") from None
        except (av.error.FFmpegError, OSError) as error:
            text = error.strerror or type(error).__name__
            raise ClipError(f"{self.path}: it cannot be read: {text}") from None
        with container:
            if not container.streams.video:
                raise ClipError(f"{self.path}: there is no video stream in it")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            yield container, stream


def decode(container: Any, stream: Any, path: Path | None = None) -> Iterator[Any]:
    """Pictures of a stream; damaged packets are left out, with a warning if a path is given."""
    damaged = in_a_row = 0
    try:
        for packet in container.demux(stream):
            try:
                pictures = packet.decode()
            except av.error.FFmpegError:
                damaged, in_a_row = damaged + 1, in_a_row + 1
                if in_a_row > FAILURES:
                    break
                continue
            in_a_row = 0
            yield from pictures
    except av.error.FFmpegError:
        damaged += 1
    if damaged and path is not None:
        _log.warning("%s: %d damaged parts are left out", path, damaged)


def _seconds(picture: Any, stream: Any, number: int, fps: float) -> float:
    """The true time of a picture; by its number where the file does not tell."""
    if picture.pts is None:
        return number / fps
    return float((picture.pts - (stream.start_time or 0)) * picture.time_base)


def _duration(container: Any, stream: Any) -> float | None:
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration else None


def as_image(picture: Any, size: tuple[int, int]) -> Image:
    """(height, width, 3) of the size wanted, upright."""
    turns = round(picture.rotation / 90) % 4
    width, height = size if turns % 2 == 0 else size[::-1]
    scaled = picture.reformat(width=width, height=height, format="bgr24", interpolation="BILINEAR")
    image: Image = scaled.to_ndarray()
    return np.ascontiguousarray(np.rot90(image, turns)) if turns else image
