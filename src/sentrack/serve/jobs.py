"""What workers do: every job is a generator, which may be left between two pieces."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from sentrack.cache import checksum
from sentrack.errors import SentrackError
from sentrack.files import Mark, mark
from sentrack.inference import Infeasible
from sentrack.language import alternatives
from sentrack.lexicon import Lexicon
from sentrack.library import Entry, Store
from sentrack.objective import interval
from sentrack.scene import scene_of
from sentrack.serve.errors import ChangedError, JobError
from sentrack.serve.media_cache import trim
from sentrack.serve.schemas import (
    Boxes,
    Completions,
    Done,
    FoundMoment,
    Misses,
    MomentsSoFar,
    NounAt,
    SearchProgress,
    Sentence,
    Sentences,
    json_line,
    to_json,
)
from sentrack.serve.snapshot import PIXELS, SnapshotCache, may_show
from sentrack.show import View, hexadecimal, match_of, pictures, view_of, write_report
from sentrack.tasks import (
    RATE,
    Described,
    Moment,
    Tracking,
    best_moment,
    describe,
    moments,
    rivals,
    steps,
    track,
    understand,
    vocabulary_of,
)
from sentrack.vision import Clip, ClipError
from sentrack.workers import Executor

TIME_TOLERANCE = 5e-4  # seconds by which an address may have rounded a time
MISSES = 3  # that are shown where nothing depicts a sentence
TRIED = 12  # clips that are looked at for these
PATIENCE = 3.0  # seconds for each
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
        start, end = (None if t is None else t - TIME_TOLERANCE for t in (self.start, self.end))
        return clip.within(start, end)


@dataclass(frozen=True, eq=False)
class Jobs:
    """The jobs.

    Attributes:
        url: of the library.
        lexicon: what words mean.
        detector_threads: with which videos that are added are looked at.
    """

    url: str
    lexicon: Lexicon
    detector_threads: int | None = None
    _same: dict[tuple[str, str], Mark] = field(default_factory=dict)

    @cached_property
    def _store(self) -> Store:
        return Store(self.url)

    def search(self, sentence: str, k: int, only: Entry | None = None) -> Iterator[bytes]:
        """Lines about moments of the whole library, or of one video: see `Line`."""
        if only is not None:
            yield from self._within(only, sentence, k)
            return
        begin = time.monotonic()
        entries = {entry.name: entry for entry in self._store.entries()}
        shown: tuple[Moment, ...] = ()
        for step in steps(self._store, [sentence], k, self.lexicon, Executor()):
            yield json_line(SearchProgress("progress", step.stage, step.done, step.total))
            if step.found.found != shown:
                shown = step.found.found
                told = [_moment(each, entries.get(each.video)) for each in shown]
                yield json_line(MomentsSoFar("moments", told))
        found, seconds = step.found, time.monotonic() - begin
        if not found.found:
            yield json_line(self._misses(list(entries.values()), sentence))
        yield json_line(Done("done", found.clips, found.read, found.solved, seconds))

    def _within(self, entry: Entry, sentence: str, k: int) -> Iterator[bytes]:
        """Lines about moments of one video."""
        begin = time.monotonic()
        yield json_line(SearchProgress("progress", "search", 0, 1))
        clip = self._store.clip(entry)
        meanings = alternatives(sentence, vocabulary_of(self.lexicon, entry.known))
        answers = [moments(clip, meaning, self.lexicon, k) for meaning in meanings]
        found = sorted((m for a in answers for m in a.moments), key=lambda m: -m.score)[:k]
        if found:
            yield json_line(MomentsSoFar("moments", [_moment(each, entry) for each in found]))
        else:
            yield json_line(self._misses([entry], sentence))
        solved = sum(answer.solved for answer in answers)
        yield json_line(Done("done", 1, 1, min(solved, 1), time.monotonic() - begin))

    def _misses(self, entries: Sequence[Entry], sentence: str) -> Misses:
        """What comes nearest to a sentence that no moment depicts."""
        known = sorted({name for entry in entries for name in entry.known})
        if not known:
            return Misses("misses", [], [])
        meanings = alternatives(sentence, vocabulary_of(self.lexicon, known))
        nouns = dict.fromkeys(p.noun for meaning in meanings for p in meaning.participants)
        fitting = [
            (entry, meaning)
            for entry in entries
            for meaning in meanings
            if all(self._shows(entry, p.noun) for p in meaning.participants)
        ]
        missing = [n for n in nouns if not any(self._shows(entry, n) for entry in entries)]
        nearest = []
        for entry, meaning in fitting[:TRIED]:
            try:
                tracking = track(
                    self._store.clip(entry), meaning, self.lexicon, time_limit=PATIENCE
                )
            except SentrackError:  # they are never there together
                continue
            nearest.append((tracking, entry))
        nearest.sort(key=lambda each: -each[0].match)
        shown = [
            _moment(Moment(e.name, t.sentence, t.start, t.end, t.match, t.score, t), e)
            for t, e in nearest[:MISSES]
        ]
        return Misses("misses", shown, missing)

    def _shows(self, entry: Entry, noun: str) -> bool:
        return any(name in entry.classes for name in self.lexicon.named(noun, entry.known))

    def boxes(self, entry: Entry, span: Span) -> Iterator[bytes]:
        """All that was detected in a part of a video, candidates of low scores among it."""
        clip = span.of(self._store.clip(entry))
        kinds, label = np.unique(clip.label, return_inverse=True)
        rows = np.column_stack([label, clip.score.round(3), clip.boxes.round(1)])
        kept = ~clip.projected
        yield to_json(
            Boxes,
            Boxes(
                clip.times.round(3).tolist(),
                [clip.classes[kind] for kind in kinds],
                [
                    rows[first:last][kept[first:last]].tolist()
                    for first, last in pairwise(clip.start.tolist())
                ],
            ),
        )

    def download(
        self, entry: Entry, sentence: str, span: Span, kind: str, seconds: float
    ) -> Iterator[bytes]:
        """An answer as a file: "csv", "mot", "json", or "report", a page of its own."""
        clip, lexicon = self._store.clip(entry), self.lexicon
        tracking = _best(clip, sentence, lexicon, span, seconds / 4)
        if kind == "mot":
            yield tracking.to_mot().encode()
        elif kind == "json":
            yield tracking.to_json().encode()
        elif kind == "csv":
            yield _csv(tracking).encode()
        else:
            view = view_of(tracking, rivals(tracking, lexicon, time_limit=seconds / 8), lexicon)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "report.html"
                frames = None
                if may_show(entry):
                    frames = pictures(self._source(entry), tracking.objective.clip)
                write_report([view], path, frames)
                yield path.read_bytes()

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
        from sentrack.serve.media import kept_picture, sketch

        try:
            source = self._source(entry)
        except JobError:
            yield sketch(self._store.clip(entry), at, width), False
        else:
            yield kept_picture(source, entry.origin.sha256, at, width), True

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

        yield keep(self._store, draft, name, self.detector_threads)

    def _source(self, entry: Entry) -> Path:
        """The video of a clip, if it is the one that was indexed.

        Whatever leads to the file, only content that is in the library is shown.
        """
        now = mark(entry.path) if may_show(entry) else None
        if now is None:
            raise JobError("there are no pixels of this video", 404)
        key = entry.source, entry.origin.sha256
        if self._same.get(key) != now:
            if checksum(entry.path) != entry.origin.sha256:
                raise ChangedError("this video has changed since it was indexed", 404)
            self._same[key] = now
        return entry.path


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


def _csv(tracking: Tracking) -> str:
    """A row for every box of an answer."""
    lines = ["frame,seconds,participant,class,x1,y1,x2,y2,score"]
    for number, participant in enumerate(tracking.participants, 1):
        rows = zip(
            participant.frames,
            participant.times,
            participant.boxes,
            participant.scores,
            strict=True,
        )
        for t, (frame, at, box, score) in enumerate(rows):
            if participant.seen[t]:
                corners = ",".join(f"{side:.2f}" for side in box)
                cells = f"{frame},{at:.3f},{number},{participant.noun},{corners},{score:.4g}"
                lines.append(cells)
    return "\n".join(lines) + "\n"


def _moment(moment: Moment, entry: Entry | None) -> FoundMoment:
    tracking, clip = moment.tracking, moment.tracking.objective.clip
    middle = int(np.abs(clip.times - (moment.start + moment.end) / 2).argmin())
    return FoundMoment(
        video=moment.video,
        sentence=moment.sentence,
        start=moment.start,
        end=moment.end,
        match=moment.match,
        why=match_of(tracking),
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
