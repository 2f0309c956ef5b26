"""A long video is scanned in pieces of a minute, each of which can be done by itself.

What is seen in a frame depends on few others: on the two before it, from which boxes are moved
along, and on the next one, to which things move. So a piece looks at some frames before its first
one and at one behind its last, and tells what is in its own. Who does a piece, and in which order,
makes no difference.
"""

from collections import deque
from collections.abc import Iterator

from sentrack.vision.scan.detectors import Detector
from sentrack.vision.scan.observations import AHEAD, Observation, observe
from sentrack.vision.scan.video import Frame, Video

SECONDS = 60.0  # of a piece
# Frames before a piece that are looked at: those from which boxes are moved along, and one more,
# so that the flow of the first has one to start from.
LEAD = AHEAD + 1
SLACK = 2.0  # how much longer than usual these frames may last before they are too old


class Pieces:
    """The pieces of a video that are numbered by the minutes since its start.

    Args:
        video: the video.
        detector: finds the things in a frame.
        best: boxes of a class in a frame.
        fps: frames per second to look at, at most.
        start: seconds from which on.
        end: seconds before which.
        every_frame: let the detector look at every frame; see `samples`.
    """

    def __init__(
        self,
        video: Video,
        detector: Detector,
        best: int,
        fps: float,
        start: float | None,
        end: float | None,
        every_frame: bool = True,
    ) -> None:
        self._video, self._detector, self._best, self._fps = video, detector, best, fps
        self._start, self._end, self._every = start, end, every_frame
        self._margin = SLACK * LEAD / min(fps, video.fps)
        self._frames: Iterator[Frame] | None = None
        self._last = deque[Frame](maxlen=LEAD + 1)
        self._more = False

    def of(self, number: int) -> Iterator[Observation]:
        """What is in the frames of a piece; decoding goes on where the piece before it ended."""
        begin, end = span_of(number)
        how = self._detector, self._video.size, self._best, self._every
        for seen in observe(self._around(begin, end), *how):
            if begin <= seen.time < end:
                yield seen

    def skip(self) -> None:
        """The next piece is not the one after the last."""
        self._frames = None
        self._last.clear()

    @property
    def next(self) -> int | None:
        """After a piece was told, the number of the next one that has a frame."""
        return number_of(self._last[-1].time) if self._last and self._more else None

    def _around(self, begin: float, end: float) -> Iterator[Frame]:
        """The frames of a piece, the last ones before it and the first one after it."""
        first, self._more = begin - self._margin, False
        if self._frames is None:
            low = first if self._start is None else max(first, self._start)
            self._frames = self._video.frames(max(low, 0.0), self._end, self._fps)
        while not (self._last and self._last[-1].time >= begin):
            frame = next(self._frames, None)
            if frame is None:
                return
            self._last.append(frame)
        # Not those long ago, which who begins with this piece does not decode.
        yield from [frame for frame in self._last if frame.time >= first - 1e-9]
        while self._last[-1].time < end:
            frame = next(self._frames, None)
            if frame is None:
                return
            self._last.append(frame)
            yield frame
        self._more = True


def number_of(time: float | None) -> int:
    """The number of the piece that a time is in; of the first one, where none is given."""
    return int(max(time or 0.0, 0.0) // SECONDS)


def span_of(number: int) -> tuple[float, float]:
    """From when to when a piece lasts, in seconds."""
    return number * SECONDS, (number + 1) * SECONDS
