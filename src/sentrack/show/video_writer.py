"""MP4 files that browsers play, written whole or not at all."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import cv2
import numpy as np
from av.error import FFmpegError
from av.video.reformatter import ColorRange, Colorspace

from sentrack.errors import SentrackError
from sentrack.files import whole
from sentrack.vision.scan import Image

TICKS = 90_000  # of the file's clock in a second
OPTIONS = {"crf": "23", "preset": "veryfast"}
BT709 = 1  # the number of that standard for matrix, primaries and transfer


class VideoWriter:
    """An H.264 video, frame by frame, each shown at its own time.

    To be used in a `with` statement. If that ends in an error or is interrupted, nothing is left
    behind. Frames are encoded as they come, so that memory does not grow with the video.

    Args:
        path: of the file.
        fps: frames per second, about: it guides the encoder and fixes nothing.

    Raises:
        SentrackError: the file cannot be written, or there was no frame.
    """

    def __init__(self, path: str | Path, fps: float) -> None:
        self.path = Path(path)
        self._rate = Fraction(fps).limit_denominator(1001)
        self._stream: av.VideoStream | None = None
        self._start, self._last = 0.0, -1

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            temporary = stack.enter_context(whole(self.path))
            with self._writing():
                self._container = av.open(
                    str(temporary), "w", format="mp4", options={"movflags": "+faststart"}
                )
            self._stack = stack.pop_all()
        return self

    def write(self, image: Image, time: float) -> None:
        """Add an image (height, width, 3), of the same size each, at an ascending time."""
        down, right = (side % 2 for side in image.shape[:2])
        if down or right:  # H.264 halves the resolution of colour, so both sides must be even
            padded = cv2.copyMakeBorder(image, 0, down, 0, right, cv2.BORDER_REPLICATE)
            image = padded.astype(np.uint8, copy=False)
        stream = self._stream
        with self._writing():
            if stream is None:
                self._start = time
                stream = self._stream = self._begin(image.shape[1], image.shape[0])
            frame = av.VideoFrame.from_ndarray(image, format="bgr24").reformat(
                format="yuv420p",
                dst_colorspace=Colorspace.ITU709,
                dst_color_range=ColorRange.MPEG,
            )
            self._last = max(round((time - self._start) * TICKS), self._last + 1)
            frame.pts, frame.time_base = self._last, Fraction(1, TICKS)
            self._container.mux(stream.encode(frame))

    def _begin(self, width: int, height: int) -> av.VideoStream:
        stream = self._container.add_stream("libx264", rate=self._rate, options=OPTIONS)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, TICKS)
        context = stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = BT709
        context.color_range = ColorRange.MPEG
        return stream

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            with suppress(FFmpegError, OSError):
                self._container.close()
            self._stack.__exit__(kind, error, trace)
            return
        with self._stack, self._writing():
            if self._stream is None:
                self._container.close()
                raise SentrackError(f"{self.path}: there is no frame to write")
            self._container.mux(self._stream.encode())
            self._container.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Say in one line what went wrong."""
        try:
            yield
        except FFmpegError as error:
            raise SentrackError(f"{self.path}: it cannot be written: {error.strerror}") from None
