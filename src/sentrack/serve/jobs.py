"""What workers do: every job is a generator, which may be left between two pieces."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from sentrack.cache import checksum
from sentrack.files import Mark, mark
from sentrack.inference import Infeasible
from sentrack.lexicon import Lexicon
from sentrack.library import Entry, Store
from sentrack.objective import interval
from sentrack.scene import scene_of
from sentrack.serve.errors import ChangedError, JobError
from sentrack.serve.media_cache import trim
from sentrack.serve.schemas import (
    Completions,
    Done,
    FoundMoment,
    MomentsSoFar,
    NounAt,
    Progress,
    Sentence,
    Sentences,
    json_line,
    to_json,
)
from sentrack.serve.snapshot import PIXELS, SnapshotCache, may_show
from sentrack.show import View, hexadecimal, view_of
from sentrack.tasks import (
    RATE,
    Described,
    Moment,
    Tracking,
    best_moment,
    describe,
    rivals,
    steps,
    track,
    understand,
)
from sentrack.vision import Clip, ClipError
from sentrack.workers import Executor

CLOSE = 5e-4  # seconds by which an address may have rounded a time
DESCRIBED = 120.0  # seconds of a clip that are described


@dataclass(frozen=True)
class Span:
    """A part of a video: seconds from which on, and before which; None for the rest of it."""

    start: float | None = None
    end: float | None = None

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.start >= self.end:
            text = f"start ({self.start:g} s) must be before end ({self.end:g} s)"
            raise JobError(text, 422)

    def of(self, clip: Clip) -> Clip:
        """The part of a clip."""
        start, end = (None if t is None else t - CLOSE for t in (self.start, self.end))
        return clip.within(start, end)


@dataclass(frozen=True, eq=False)
class Jobs:
    """The jobs.

    Attributes:
        url: of the library.
        lexicon: what words mean.
    """

    url: str
    lexicon: Lexicon
    _same: dict[tuple[str, str], Mark] = field(default_factory=dict)

    @cached_property
    def _store(self) -> Store:
        return Store(self.url)

    def search(self, sentence: str, k: int) -> Iterator[bytes]:
        """Lines about moments of the whole library: see `Line`."""
        begin = time.monotonic()
        entries = {entry.name: entry for entry in self._store.entries()}
        shown: tuple[Moment, ...] = ()
        for step in steps(self._store, sentence, k, self.lexicon, Executor()):
            yield json_line(Progress("progress", step.stage, step.done, step.total))
            if step.found.found != shown:
                shown = step.found.found
                told = [_moment(each, entries.get(each.video)) for each in shown]
                yield json_line(MomentsSoFar("moments", told))
        found, seconds = step.found, time.monotonic() - begin
        yield json_line(Done("done", found.clips, found.read, found.solved, seconds))

    def moment(self, entry: Entry, sentence: str, span: Span, seconds: float) -> Iterator[bytes]:
        """A view of one answer, within about so many seconds."""
        clip, lexicon = self._store.clip(entry), self.lexicon
        tracking = _best(clip, sentence, lexicon, span, seconds / 4)
        others = rivals(tracking, lexicon, time_limit=seconds / 8)
        yield to_json(View, view_of(tracking, others, lexicon))

    def description(self, entry: Entry, n: int, span: Span) -> Iterator[bytes]:
        """The sentences that tell best of a clip, each with the moment that it tells of."""
        clip = span.of(self._store.clip(entry).thinned(RATE))
        if clip.times[-1] - clip.times[0] > DESCRIBED:
            clip = clip.within(None, float(clip.times[0]) + DESCRIBED)
        lexicon = self.lexicon
        try:
            told: Sequence[Described] = describe(clip, n, lexicon)
        except ClipError:  # nothing was detected in it
            told = ()
        found = [Sentence(each.sentence, each.match, each.start, each.end) for each in told]
        yield to_json(Sentences, Sentences(found))

    def picture(self, entry: Entry, at: float, width: int) -> Iterator[tuple[bytes, bool]]:
        """A frame of a video as JPEG, or its boxes alone if there are no pixels; and which."""
        if not PIXELS:
            raise JobError('pictures need: pip install "sentrack[video]"', 404)
        from sentrack.serve.media import picture, sketch

        try:
            source = self._source(entry)
        except JobError:
            yield sketch(self._store.clip(entry), at, width), False
        else:
            yield picture(source, at, width), True

    def media(self, entry: Entry, start: float, end: float, path: Path) -> Iterator[None]:
        """A part of a video as a file that browsers play."""
        from sentrack.serve.media import piece

        path.parent.mkdir(parents=True, exist_ok=True)
        piece(self._source(entry), start, end, path)
        trim(path.parent)
        yield None

    def upload(self, draft: Path, name: str) -> Iterator[str]:
        """Look at a video that somebody sent; the name that it has in the library."""
        from sentrack.serve.uploads import keep

        yield keep(self._store, draft, name)

    def _source(self, entry: Entry) -> Path:
        """The video of a clip, if it is the one that was indexed.

        Whatever leads to the file, only content that is in the library is shown.
        """
        now = mark(entry.source) if may_show(entry) else None
        if now is None:
            raise JobError("there are no pixels of this video", 404)
        key = entry.source, entry.origin.sha256
        if self._same.get(key) != now:
            if checksum(Path(entry.source)) != entry.origin.sha256:
                raise ChangedError("this video has changed since it was indexed", 404)
            self._same[key] = now
        return Path(entry.source)


@dataclass(frozen=True, eq=False)
class SentenceJobs:
    """Jobs about sentences, for a worker that does nothing else.

    Attributes:
        url: of the library, whose classes are the nouns.
        lexicon: all other words.
    """

    url: str
    lexicon: Lexicon

    @cached_property
    def _snapshots(self) -> SnapshotCache:
        return SnapshotCache(Store(self.url), self.lexicon)

    def parse(self, sentence: str) -> Iterator[bytes]:
        """How a sentence is read."""
        told = self._snapshots.look().understand(sentence)
        yield to_json(type(told), told)

    def complete(self, text: str, limit: int) -> Iterator[bytes]:
        """How a text may go on."""
        yield to_json(Completions, self._snapshots.look().complete(text, limit))


def _best(clip: Clip, sentence: str, lexicon: Lexicon, span: Span, seconds: float) -> Tracking:
    """The tracks of the best interval of a part, as a search of the clip finds them.

    What is seen in the rest of the clip tells which boxes show one thing, and how sure the detector
    usually is.
    """
    if span == Span():
        return track(clip, sentence, lexicon, time_limit=seconds)
    scene = scene_of(clip, understand(sentence, lexicon, clip), lexicon, RATE)
    times = span.of(scene.clip).times
    first = int(np.searchsorted(scene.clip.times, times[0]))
    try:
        return best_moment(interval(scene), time_limit=seconds, within=(first, first + len(times)))
    except Infeasible:
        raise ClipError(f"{clip.name}: nothing there can depict it") from None


def _moment(moment: Moment, entry: Entry | None) -> FoundMoment:
    tracking, clip = moment.tracking, moment.tracking.objective.clip
    middle = int(np.abs(clip.times - (moment.start + moment.end) / 2).argmin())
    return FoundMoment(
        video=moment.video,
        sentence=moment.sentence,
        start=moment.start,
        end=moment.end,
        match=moment.match,
        score=moment.score,
        reason=tracking.reason,
        pixels=entry is not None and may_show(entry),
        participants=[
            NounAt(p.noun, hexadecimal(i), tuple(p.boxes[middle].tolist()))
            for i, p in enumerate(tracking.participants)
            if p.seen[middle]
        ],
        width=clip.size[0],
        height=clip.size[1],
    )
