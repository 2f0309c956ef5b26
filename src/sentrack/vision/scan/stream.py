"""Live sources: a camera, an address, or a file that grows, frame by frame as they come."""

import errno
import logging
import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Event, Thread
from time import monotonic
from typing import Any

import av

from sentrack.vision.clip import ClipError
from sentrack.vision.scan.video import Frame, as_image, decode

ANSWER, SILENCE = 10.0, 10.0  # seconds: in which a source must answer, and may then say nothing
PAUSES = (1.0, 2.0, 5.0, 15.0, 30.0)  # seconds before it is tried again, the last one ever after
GROWTH = 0.5  # seconds between two looks at a file that grows
BACK = 5.0  # seconds before what was seen last at which a file that grew is read again
UNKNOWN = 30.0  # frames per second of a source that does not tell the time
WAITING = 4  # frames of a live source that wait; older ones are left out
NETWORK = "rtsp,rtp,rtmp,udp,tcp,tls,http,https,crypto,srtp"  # no files

_log = logging.getLogger("sentrack")


class Stream:
    """A source that goes on: when it breaks off, it is opened again.

    Args:
        source: an address such as rtsp://..., the number of a camera, or a file that grows.
        patience: seconds without more after which a file is taken to be complete.

    Attributes:
        source: as given.
        size: width and height in pixels of a frame, those of the first one.
        ended: set it, and there are no more frames.

    Raises:
        ClipError: it cannot be opened, or there is no picture in it.
    """

    def __init__(self, source: str, patience: float = 10.0) -> None:
        self.source, self.ended = source, Event()
        self._patience = patience
        self._file = Path(source) if "://" not in source and not source.isdigit() else None
        if self._file is not None and not self._file.exists():
            raise ClipError(f"{source}: no such file, and no address of a camera or a stream")
        if self._file is not None and self._file.is_dir():
            raise ClipError(f"{source}: this is a folder; name one file of it")
        first = next(self._opened(), None)
        if first is None:
            raise ClipError(f"{source}: no frame of it can be decoded")
        picture = first[1]
        turned = picture.rotation % 180 != 0
        self.size = (picture.height, picture.width) if turned else (picture.width, picture.height)

    def frames(self, fps: float) -> Iterator[Frame]:
        """Frames in order of time, at most so many per second.

        Of a file, all are there in the end. A live source does not wait: what cannot be looked at
        in time is left out.
        """
        thinned = self._thinned(fps)
        yield from thinned if self._file is not None else _newest(thinned, self.ended)

    def _thinned(self, fps: float) -> Iterator[Frame]:
        slot = -1
        for number, (time, picture) in enumerate(self._on()):
            now = math.floor(time * fps + 1e-6)
            if now > slot:
                slot = now
                yield Frame(number, time, as_image(picture, self.size))

    def _on(self) -> Iterator[tuple[float, Any]]:
        """Time and picture, over all interruptions."""
        begin, last, tries = monotonic(), -math.inf, 0
        while not self.ended.is_set():
            came, base, size = 0, 0.0, self._bytes()
            try:
                for time, picture in self._opened(last):
                    if came == 0 and self._file is None:
                        # A source that comes back goes on at the time that it is.
                        base = 0.0 if last == -math.inf else monotonic() - begin
                    came += 1
                    if base + time > last:
                        last, tries = base + time, 0
                        yield last, picture
                    if self.ended.is_set():
                        return
            except ClipError as error:
                _log.warning("%s", error)
            if self._file is not None:
                if not self._grows(size):
                    return
                continue
            pause = PAUSES[min(tries, len(PAUSES) - 1)]
            tries += 1
            _log.warning("%s: it broke off; trying again in %g s", self.source, pause)
            self.ended.wait(pause)

    def _bytes(self) -> int:
        """Of the file, if it is one that is there."""
        return self._file.stat().st_size if self._file is not None and self._file.exists() else 0

    def _grows(self, size: int) -> bool:
        """Wait until the file is longer than so many bytes; whether it came to that."""
        end = monotonic() + self._patience
        while self._bytes() <= size:
            if monotonic() >= end or self.ended.wait(GROWTH):
                return False
        return True

    def _opened(self, after: float = -math.inf) -> Iterator[tuple[float, Any]]:
        """Seconds from its first picture on, and the picture, until it breaks off.

        Of a file, pictures up to a time may be left out.
        """
        try:
            with self._container() as container:
                if not container.streams.video:
                    raise ClipError(f"{self.source}: there is no video in it")
                stream = container.streams.video[0]
                stream.thread_type = "AUTO"
                first: float | None = None
                if self._file is not None and stream.start_time is not None:
                    first = float(stream.start_time * stream.time_base)
                    if after > BACK:
                        container.seek(int((first + after - BACK) * av.time_base))
                for number, picture in enumerate(decode(container, stream)):
                    known = picture.pts is not None
                    own = float(picture.pts * picture.time_base) if known else number / UNKNOWN
                    first = own if first is None else first
                    yield own - first, picture
        except (av.error.FFmpegError, OSError) as error:
            text = error.strerror or type(error).__name__
            raise ClipError(f"{self.source}: it cannot be read: {text}") from None

    def _container(self) -> Any:
        if self._file is not None:
            options = {"protocol_whitelist": "file"}
            return av.open(str(self._file), options=options, metadata_errors="replace")
        if self.source.isdigit():
            return av.open(f"/dev/video{self.source}", format="v4l2")
        if not self.source.startswith("rtsp"):
            return self._address()
        try:
            return self._address(rtsp_transport="tcp")  # which loses nothing
        except av.error.FFmpegError as error:
            # So say servers that do not have it.
            refused = isinstance(error, av.error.HTTPBadRequestError)
            if not (refused or error.errno == errno.EPROTONOSUPPORT):
                raise
            return self._address(rtsp_transport="udp")

    def _address(self, **options: str) -> Any:
        return av.open(
            self.source,
            options={"protocol_whitelist": NETWORK, **options},
            timeout=(ANSWER, SILENCE),
            metadata_errors="replace",
        )


def _newest(frames: Iterator[Frame], ended: Event) -> Iterator[Frame]:
    """The frames that are there when one is wanted; the oldest that wait give way to new ones."""
    waiting: Queue[Frame | None] = Queue(WAITING)

    def work() -> None:
        for frame in frames:
            while not ended.is_set():
                try:
                    waiting.put_nowait(frame)
                    break
                except Full:
                    _drop(waiting)
            if ended.is_set():
                break
        while True:
            try:
                waiting.put_nowait(None)
                return
            except Full:
                _drop(waiting)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        while (frame := waiting.get()) is not None:
            yield frame
    finally:
        ended.set()


def _drop(waiting: "Queue[Frame | None]") -> None:
    with suppress(Empty):
        waiting.get_nowait()
