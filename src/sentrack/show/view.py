"""All that there is to see of an answer, as plain data: what the report and the page draw."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sentrack.language import Piece, pieces
from sentrack.lexicon import Lexicon
from sentrack.show.palette import hexadecimal
from sentrack.tasks import Rivals, TrackedParticipant, Tracking
from sentrack.vision import Ints


@dataclass(frozen=True)
class ShownTrack:
    """A participant, frame by frame.

    Attributes:
        noun: its name.
        colour: in which it is drawn, as "#rrggbb".
        boxes: x1 y1 x2 y2 in every frame, in pixels; null where it is not seen.
        scores: the detector's; 0 where it is not seen.
    """

    noun: str
    colour: str
    boxes: list[list[float] | None]
    scores: list[float]


@dataclass(frozen=True)
class ShownWord:
    """A word, frame by frame.

    Attributes:
        word: its name.
        part: of speech.
        participants: indices of those that it speaks of.
        states: names of all of its states.
        state: index of the state in every frame.
        evidence: nats by which it explains a frame better than a word that means nothing.
        total: what it adds to the score.
        margin: evidence per frame, less what its changes of state cost.
    """

    word: str
    part: str
    participants: list[int]
    states: list[str]
    state: list[int]
    evidence: list[float]
    total: float
    margin: float


@dataclass(frozen=True)
class ShownTerm:
    """A row of the ledger: what one kind of term adds, in every frame and in all.

    Attributes:
        owner: the noun whose track it is, the word, "apart" for participants that must differ, or
            "time" for what frames cost.
        participants: indices of those that it is about.
        term: "detection", "coherence", "initial", "transition", "emission", "distinct" or "cost".
        values: nats in every frame.
        total: nats in all.
    """

    owner: str
    participants: list[int]
    term: str
    values: list[float]
    total: float


@dataclass(frozen=True)
class ShownRival:
    """Another reading, to compare with.

    Attributes:
        kind: "runner-up" or "swapped".
        sentence: that it depicts.
        about: what is different.
        score: in nats.
        match: 0..1.
        margin: by which the answer's match is higher.
        nats: by which the answer's score is higher.
        certified: whether these are proven to be the best tracks of this reading.
        tracks: one per participant, in the frames of the answer.
    """

    kind: str
    sentence: str
    about: str
    score: float
    match: float
    margin: float
    nats: float
    certified: bool
    tracks: list[ShownTrack]


@dataclass(frozen=True)
class ShownMatch:
    """How a match came about; see `sentrack.tasks.match`.

    Attributes:
        fit: of the word that fits least, as a part of what it could tell at best.
        seconds: how long it lasts.
        sureness: the mean detection score of the participant that is least surely detected.
    """

    fit: float
    seconds: float
    sureness: float


@dataclass(frozen=True)
class View:
    """An answer.

    Attributes:
        video: name of the clip.
        size: width and height of a frame, in pixels.
        frames: source frame numbers.
        times: seconds of these.
        sentence: as it was asked.
        pieces: the same in parts, nouns with their participants.
        lexicon: name of the lexicon.
        score: in nats; the ledger sums to it.
        upper_bound: no tracks score more; None if nothing is known.
        certified: whether these are proven to be the best tracks.
        match: 0..1.
        why: how the match came about.
        reason: the weakest point.
        unchecked: what was said and is not checked.
        method: of inference.
        seconds: that inference took.
        tracks: one per noun.
        words: all content words.
        ledger: the terms of the score.
        rivals: other readings.
    """

    video: str
    size: tuple[int, int]
    frames: list[int]
    times: list[float]
    sentence: str
    pieces: list[Piece]
    lexicon: str
    score: float
    upper_bound: float | None
    certified: bool
    match: float
    why: ShownMatch
    reason: str
    unchecked: list[str]
    method: str
    seconds: float
    tracks: list[ShownTrack]
    words: list[ShownWord]
    ledger: list[ShownTerm]
    rivals: list[ShownRival]


def view_of(tracking: Tracking, rivals: Rivals, lexicon: Lexicon) -> View:
    """All that there is to see of an answer.

    Args:
        tracking: the answer.
        rivals: to compare it with.
        lexicon: by which it was found.
    """
    clip = tracking.objective.clip
    return View(
        video=clip.name,
        size=(int(clip.size[0]), int(clip.size[1])),
        frames=[int(frame) for frame in clip.frames],
        times=_rounded(clip.times, 4),
        sentence=tracking.sentence,
        pieces=list(pieces(tracking.objective.meaning)),
        lexicon=lexicon.name,
        score=tracking.score,
        upper_bound=tracking.upper_bound if np.isfinite(tracking.upper_bound) else None,
        certified=tracking.certified,
        match=tracking.match,
        why=match_of(tracking),
        reason=tracking.reason,
        unchecked=list(tracking.unchecked),
        method=tracking.solution.method,
        seconds=tracking.seconds,
        tracks=_tracks(tracking, clip.frames),
        words=_words(tracking),
        ledger=_ledger(tracking),
        rivals=_rivals(tracking, rivals),
    )


view = view_of  # as version 0.1.0 called it


def match_of(tracking: Tracking) -> ShownMatch:
    """How the match of an answer came about."""
    shown = tracking.shown
    return ShownMatch(shown.fit, shown.seconds, shown.sureness)


def _tracks(tracking: Tracking, frames: Ints) -> list[ShownTrack]:
    """In these frames, of which the tracks may be about some only."""
    return [_track(p, i, frames) for i, p in enumerate(tracking.participants)]


def _track(participant: TrackedParticipant, number: int, frames: Ints) -> ShownTrack:
    boxes: list[list[float] | None] = [None] * len(frames)
    scores = [0.0] * len(frames)
    places = np.searchsorted(frames, participant.frames)
    for t in np.flatnonzero(participant.seen):
        boxes[places[t]] = _rounded(participant.boxes[t], 1)
        scores[places[t]] = round(float(participant.scores[t]), 3)
    return ShownTrack(participant.noun, hexadecimal(number), boxes, scores)


def _words(tracking: Tracking) -> list[ShownWord]:
    objective, states = tracking.objective, tracking.solution.states
    return [
        ShownWord(
            word=word.word,
            part=word.part,
            participants=list(word.participants),
            states=list(objective.state_names(w)),
            state=objective.states(w, states).tolist(),
            evidence=_rounded(word.evidence, 3),
            total=word.total,
            margin=word.margin,
        )
        for w, word in enumerate(tracking.words)
    ]


def _ledger(tracking: Tracking) -> list[ShownTerm]:
    """The terms in their order, less those that are zero throughout, as most of nouns are."""
    objective, meaning = tracking.objective, tracking.objective.meaning
    owners: list[tuple[str, list[int]]] = [("time", [])] if objective.frame_cost else []
    owners += [(p.noun, [i]) for i, p in enumerate(meaning.participants) for _ in range(2)]
    owners += [(word.word, list(word.participants)) for word in meaning.words for _ in range(3)]
    owners += [("apart", list(word.participants)) for word in objective.constraints]
    return [
        ShownTerm(owner, about, term.term, _rounded(term.values, 4), float(term.values.sum()))
        for (owner, about), term in zip(owners, tracking.ledger.terms, strict=True)
        if term.values.any()
    ]


def _rivals(tracking: Tracking, rivals: Rivals) -> list[ShownRival]:
    found = []
    if rivals.runner_up is not None:
        other = rivals.runner_up
        noun = tracking.participants[other.participant].noun
        about = f"the best tracks with another {noun}"
        if other.frames < len(tracking.objective.clip.frames):
            about += f" in {other.frames} of {len(tracking.objective.clip.frames)} frames"
        found.append(_rival("runner-up", about, tracking, other.tracking))
    if rivals.swapped is not None:
        found.append(_rival("swapped", "the roles swapped", tracking, rivals.swapped))
    return found


def _rival(kind: str, about: str, tracking: Tracking, other: Tracking) -> ShownRival:
    return ShownRival(
        kind=kind,
        sentence=other.sentence,
        about=about,
        score=other.score,
        match=other.match,
        margin=tracking.match - other.match,
        nats=tracking.score - other.score,
        certified=other.certified,
        tracks=_tracks(other, tracking.objective.clip.frames),
    )


def _rounded(values: Iterable[float], digits: int) -> list[float]:
    return [float(v) for v in np.round(np.asarray(values, dtype=np.float64), digits)]
