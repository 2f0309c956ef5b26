"""Sentences about what goes on: each moment is told once, when it is sure."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sentrack.errors import SentrackError
from sentrack.extras import requires
from sentrack.language import alternatives
from sentrack.lexicon import Lexicon
from sentrack.tasks.match import BORDER
from sentrack.tasks.moment import Moment, moments
from sentrack.tasks.tracker import open_lexicon, vocabulary_of
from sentrack.vision import Clip

if TYPE_CHECKING:
    from sentrack.vision.scan import Asked, Frame, Observation, Stream

WINDOW = 20.0  # seconds that are looked at together
LAG = 2.0  # seconds for which nothing may go on with a moment before it is told
STEP = 1.0  # seconds between two looks
MANY = 8  # moments of a sentence in a window
SURE_NATS = 3.0  # by which a moment beats the background, so that it is told unasked


class Watcher:
    """Finds moments in a window that moves over what is seen.

    The moments of a window are exactly those that a search of it finds. One is told when the window
    has gone on for `lag` seconds after its end, so that more frames would hardly change it, or when
    it is as long as the window; and it is told once: what overlaps it later is the same.

    Args:
        sentences: English, each with alternatives joined by "or".
        lexicon: what words mean.
        classes: that the detector knows.
        name: of the source.
        size: width and height of a frame, in pixels.
        window: seconds that are looked at together; memory does not grow beyond that.
        lag: seconds after the end of a moment at which it is told.

    Raises:
        SentenceError: a sentence cannot be understood.
    """

    def __init__(
        self,
        sentences: Sequence[str],
        lexicon: Lexicon,
        classes: tuple[str, ...],
        name: str,
        size: tuple[int, int],
        window: float = WINDOW,
        lag: float = LAG,
    ) -> None:
        if not 0 < lag < window:
            raise SentrackError(
                f"the lag ({lag:g} s) must be shorter than the window ({window:g} s)"
            )
        known = vocabulary_of(lexicon, classes)
        self._meanings = [m for sentence in sentences for m in alternatives(sentence, known)]
        self._lexicon, self._classes, self._name, self._size = lexicon, classes, name, size
        self._window, self._lag, self._next = window, lag, lag
        self._seen: deque[Observation] = deque()
        self._told: list[Moment] = []

    def see(self, observation: "Observation") -> list[Moment]:
        """Take one more frame; the moments that are sure now."""
        self._seen.append(observation)
        now = observation.time
        while now - self._seen[0].time > self._window:
            self._seen.popleft()
        if now < self._next:
            return []
        self._next = now + STEP
        return self._new(now - self._lag)

    def finish(self) -> list[Moment]:
        """The moments that were not sure yet, when nothing more comes."""
        return self._new(float("inf")) if self._seen else []

    def _new(self, until: float) -> list[Moment]:
        """Moments that ended by a time and were not told before, in order of time."""
        clip, first = self._clip(), self._seen[0].time
        self._told = [moment for moment in self._told if moment.end > first]
        found = []
        for meaning in self._meanings:
            for moment in moments(clip, meaning, self._lexicon, MANY, SURE_NATS).moments:
                fills = moment.start - first < clip.seconds and until - first > self._window / 2
                sure = moment.end <= until or fills
                if moment.match >= BORDER and sure and not any(map(moment.overlaps, self._told)):
                    self._told.append(moment)
                    found.append(moment)
        return sorted(found, key=lambda moment: moment.start)

    def _clip(self) -> Clip:
        from sentrack.vision.scan import clip_of_frames

        seen = list(self._seen)
        lasts = seen[-1].time - seen[0].time
        fps = (len(seen) - 1) / lasts if lasts > 0 else 1.0
        return clip_of_frames(seen, self._name, self._size, fps, self._classes)


def watch(
    source: "str | Path | Stream",
    sentences: str | Sequence[str],
    *,
    lexicon: Lexicon | str | Path | None = None,
    detector: "Asked | None" = None,
    names: Sequence[str] | str | Path | None = None,
    best: int | None = None,
    device: str | None = None,
    detector_threads: int | None = None,
    fps: float | None = None,
    window: float = WINDOW,
    lag: float = LAG,
    patience: float = 10.0,
    looked_at: "Callable[[Frame], None] | None" = None,
) -> Iterator[Moment]:
    """The moments of a live source that depict any of some sentences, each as soon as it is sure.

    Args:
        source: an address such as rtsp://..., the number of a camera, or a file that grows.
        sentences: one or several.
        lexicon: or its name or file; `everyday` by default.
        detector: as of `load_clip`, and so are those that follow.
        names: of classes.
        best: boxes of every class in a frame.
        device: where the detector runs.
        detector_threads: that it computes with.
        fps: frames per second to look at, at most.
        window: seconds that are looked at together.
        lag: seconds after the end of a moment at which it is told.
        patience: seconds without more after which a file is taken to be complete.
        looked_at: told of every frame, in another thread, before it is looked at.

    Raises:
        SentrackError: a sentence, the source or the detector is at fault.
    """
    with requires("sentrack[video]"):
        from sentrack.vision.scan import BEST, DETECTOR, FPS, Stream, observe, open_detector
    most = BEST if best is None else best
    finder = open_detector(
        detector or DETECTOR,
        names=names,
        best=most,
        device=device or "auto",
        threads=detector_threads,
    )
    asked = [sentences] if isinstance(sentences, str) else sentences
    # What is wrong with a sentence is said before the source is opened.
    known = vocabulary_of(open_lexicon(lexicon), finder.classes)
    for sentence in asked:
        alternatives(sentence, known)
    stream = Stream(str(source), patience) if isinstance(source, str | Path) else source
    watcher = Watcher(
        asked, open_lexicon(lexicon), finder.classes, stream.source, stream.size, window, lag
    )
    frames = stream.frames(FPS if fps is None else fps)
    if looked_at is not None:
        frames = _told(frames, looked_at)
    seen = observe(frames, finder, stream.size, most)
    try:
        for observation in seen:
            yield from watcher.see(observation)
        yield from watcher.finish()
    finally:
        stream.ended.set()


def _told(frames: "Iterator[Frame]", tell: "Callable[[Frame], None]") -> "Iterator[Frame]":
    for frame in frames:
        tell(frame)
        yield frame
