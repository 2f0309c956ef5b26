"""Small video files for tests, written with FFmpeg through PyAV."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

TICK = Fraction(1, 1000)
TIMES = tuple(n / 25 for n in range(50))


def shade(number: int) -> int:
    """The grey of a frame, by which a test knows it again."""
    return 20 + (number * 37) % 200


def film(
    path: Path,
    times: Sequence[float] = TIMES,
    size: tuple[int, int] = (64, 48),
    codec: str = "libx264",
) -> Path:
    """Frames of an even grey each, with a dark bar on top, at given seconds."""
    # The index first, as in files made for the web: what is cut off can still be read.
    flags = {"movflags": "faststart"} if path.suffix in (".mp4", ".mov") else {}
    with av.open(str(path), "w", options=flags) as container:
        stream: Any = container.add_stream(codec, rate=25, options={"bf": "2", "g": "12"})
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p" if size[0] % 2 == size[1] % 2 == 0 else "yuv444p"
        stream.codec_context.time_base = TICK
        for number, time in enumerate(times):
            image = np.full((size[1], size[0], 3), shade(number), dtype=np.uint8)
            image[: size[1] // 6] = 0
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = round(time / TICK), TICK
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def sound(path: Path) -> Path:
    """A file with a sound and no picture."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def turned(source: Path, path: Path) -> Path:
    """A copy of an MP4 file whose header says: turn clockwise by 90 degrees to watch."""
    data = bytearray(source.read_bytes())
    at = data.index(b"tkhd") + 4 + 40  # version 0: the matrix follows 40 bytes of other fields
    one, last = 1 << 16, 1 << 30
    matrix = (0, one, 0, -one, 0, 0, 0, 0, last)
    data[at : at + 36] = b"".join(value.to_bytes(4, "big", signed=True) for value in matrix)
    path.write_bytes(data)
    return path
