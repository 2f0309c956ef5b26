"""What the API answers with; the OpenAPI schema is made of these."""

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter

from sentrack.language import Completion, Piece
from sentrack.show import ShownMatch
from sentrack.tasks import RightBox


@dataclass(frozen=True)
class ErrorMessage:
    """Why there is no answer, in one line."""

    error: str


@dataclass(frozen=True)
class Health:
    """That the server lives, and how much it does.

    Attributes:
        status: always "ok".
        version: of sentrack.
        busy: workers that do something.
        waiting: requests that wait for a worker.
    """

    status: Literal["ok"]
    version: str
    busy: int
    waiting: int


@dataclass(frozen=True)
class ClassCount:
    """A class of things, and the number of clips that it is seen in."""

    name: str
    clips: int


@dataclass(frozen=True)
class LibraryFacts:
    """The library as a whole.

    Attributes:
        name: of its folder.
        clips: how many.
        seconds: of all of them together.
        classes: that are surely seen, the most frequent first, at most 100.
        lexicon: its name.
        uploads: whether videos may be added.
    """

    name: str
    clips: int
    seconds: float
    classes: list[ClassCount]
    lexicon: str
    uploads: bool


@dataclass(frozen=True)
class VideoFacts:
    """A clip of the library.

    Attributes:
        name: by which it is asked for.
        seconds: how long it lasts.
        frames: that were looked at.
        width: of a frame, in pixels.
        height: of a frame, in pixels.
        fps: source frames per second.
        classes: that are surely seen, each with its number of frames.
        pixels: whether its video is there, for pictures and media.
    """

    name: str
    seconds: float
    frames: int
    width: int
    height: int
    fps: float
    classes: dict[str, int]
    pixels: bool


@dataclass(frozen=True)
class Videos:
    """Some clips, by name.

    Attributes:
        total: how many there are in all.
        videos: those asked for.
    """

    total: int
    videos: list[VideoFacts]


@dataclass(frozen=True)
class Sentence:
    """A sentence that tells of a clip, and when it best depicts it, in seconds."""

    sentence: str
    match: float
    start: float
    end: float


@dataclass(frozen=True)
class Sentences:
    """A description: the most telling sentence first."""

    sentences: list[Sentence]


@dataclass(frozen=True)
class Noun:
    """A participant, and the colour "#rrggbb" in which it is shown."""

    noun: str
    colour: str


@dataclass(frozen=True)
class LinkedWord:
    """A word, and the indices of the participants it speaks of."""

    word: str
    part: str
    participants: list[int]


@dataclass(frozen=True)
class Understood:
    """What a sentence says.

    Attributes:
        ok: it can be searched for.
        sentence: as asked.
        pieces: the sentence in parts; those of alternatives joined by "or" name no participants.
        participants: one per noun.
        words: all content words.
        read_as: what is looked for, in plain English, and what is not checked.
        reading: how ambiguities were resolved.
        unchecked: what was said and is not checked.
    """

    ok: Literal[True]
    sentence: str
    pieces: list[Piece]
    participants: list[Noun]
    words: list[LinkedWord]
    read_as: str
    reading: list[str]
    unchecked: list[str]


@dataclass(frozen=True)
class Misunderstood:
    """Why a sentence cannot be understood, and sentences that may be meant."""

    ok: Literal[False]
    error: str
    suggestions: list[str]


@dataclass(frozen=True)
class Completions:
    """What a text may go on with, the likeliest first."""

    completions: list[Completion]


@dataclass(frozen=True)
class NounAt:
    """A participant, its colour, and its box x1 y1 x2 y2 in the middle of a moment, in pixels."""

    noun: str
    colour: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class FoundMoment:
    """A part of a video that depicts the sentence.

    Attributes:
        video: its name.
        sentence: what it depicts: one of the alternatives, if there were several.
        start: seconds.
        end: seconds.
        match: 0..1.
        why: how the match came about.
        score: nats, by which the best moments are found.
        reason: the weakest point.
        pixels: whether there is a picture.
        participants: one per noun.
        width: of a frame, in pixels.
        height: of a frame, in pixels.
    """

    video: str
    sentence: str
    start: float
    end: float
    match: float
    why: ShownMatch
    score: float
    reason: str
    pixels: bool
    participants: list[NounAt]
    width: int
    height: int


@dataclass(frozen=True)
class SearchProgress:
    """How far a search is: clips of a stage that are done, of how many."""

    kind: Literal["progress"]
    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class MomentsSoFar:
    """The best moments so far, in rank order; in place of those told before."""

    kind: Literal["moments"]
    moments: list[FoundMoment]


@dataclass(frozen=True)
class Misses:
    """Where no moment depicts the sentence: what comes nearest, and which nouns are nowhere."""

    kind: Literal["misses"]
    moments: list[FoundMoment]
    missing: list[str]


@dataclass(frozen=True)
class Done:
    """The end of a search.

    Attributes:
        kind: of line.
        clips: in the library.
        read: of these, with all nouns in them.
        solved: of these, not ruled out by a bound.
        seconds: that it took.
    """

    kind: Literal["done"]
    clips: int
    read: int
    solved: int
    seconds: float


@dataclass(frozen=True)
class Trouble:
    """The end of a search that failed; partial if moments told before are to be kept."""

    kind: Literal["error"]
    error: str
    partial: bool


Line = SearchProgress | MomentsSoFar | Misses | Done | Trouble


@dataclass(frozen=True)
class Boxes:
    """All that was detected in a part of a video.

    Attributes:
        times: seconds of its frames.
        classes: names of those that are detected in it.
        boxes: per frame, [class, score, x1, y1, x2, y2] of every detection, in pixels.
    """

    times: list[float]
    classes: list[str]
    boxes: list[list[list[float]]]


@dataclass(frozen=True)
class Judgement:
    """What somebody says of an answer.

    Attributes:
        video: that it is about.
        sentence: that was asked.
        start: seconds.
        end: seconds.
        right: whether the sentence is depicted there, by these tracks.
        boxes: that were put right.
    """

    video: str
    sentence: str
    start: float
    end: float
    right: bool
    boxes: list[RightBox] = field(default_factory=list)


@dataclass(frozen=True)
class Judged:
    """How many judgements the library has now."""

    judgements: int


@dataclass(frozen=True)
class Added:
    """The name of a video that was added."""

    name: str


def to_json(kind: Any, value: Any) -> bytes:
    """JSON of an answer."""
    return TypeAdapter(kind).dump_json(value)


def json_line(value: Any) -> bytes:
    """A line of JSON."""
    return to_json(type(value), value) + b"\n"
