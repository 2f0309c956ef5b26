"""Tracks that depict a sentence, and why they do."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.extras import requires
from sentrack.inference import Solution
from sentrack.lexicon import WordModel
from sentrack.notebook import InNotebook
from sentrack.objective import SILENT, Objective
from sentrack.read_only import ReadOnly
from sentrack.scene import detection_scores
from sentrack.tasks.alternatives import fit_of_all
from sentrack.tasks.explain import reason, unusual_words
from sentrack.tasks.ledger import Ledger, ledger_of
from sentrack.tasks.match import BORDER, Depiction, depiction
from sentrack.text import strict_json
from sentrack.vision import Clip

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

UNKNOWN = "unknown"  # the last bin of features that need pixels


@dataclass(frozen=True, eq=False)
class TrackedParticipant(ReadOnly):
    """One noun's track.

    Attributes:
        noun: its name.
        boxes: (T, 4) x1 y1 x2 y2, in pixels; NaN where it is not seen.
        frames: (T,) source frame numbers.
        times: (T,) seconds.
        scores: (T,) the detector's scores.
        seen: (T,) whether it is seen; where not, it has not come yet, has gone, or is hidden.
    """

    noun: str
    boxes: Floats
    frames: Ints
    times: Floats
    scores: Floats
    seen: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TrackedWord(ReadOnly):
    """One word's states.

    Attributes:
        word: its name.
        part: its part of speech.
        participants: indices of the participants it speaks of.
        states: the name of its state in every frame, empty before and after an event.
        total: what it adds to the score, in nats.
        evidence: (T,) how much better it explains each frame than a word that means nothing, in
            nats.
        margin: the same per frame that it tells of, on average, less what its changes of state
            cost.
        unknown: what was said, if nothing is known of what it looks at, so that it is not checked.
    """

    word: str
    part: str
    participants: tuple[int, ...]
    states: tuple[str, ...]
    total: float
    evidence: Floats
    margin: float
    unknown: str = ""


@dataclass(frozen=True, eq=False)
class Tracking(InNotebook):
    """The answer to a clip and a sentence.

    Attributes:
        sentence: as it was asked.
        score: Eq. 4, in nats; of an interval, by how much it beats the background.
        upper_bound: no tracks score more.
        certified: whether these are proven to be the best tracks.
        shown: what the match depends on.
        reason: the weakest point, in plain English.
        start: seconds, when the first frame is that the tracks are about.
        end: seconds, when the last one ends.
        seconds: inference took.
        participants: one per noun.
        words: all content words.
        ledger: the terms of the score.
        solution: what inference returned.
        objective: what it was asked.
    """

    sentence: str
    score: float
    upper_bound: float
    certified: bool
    shown: Depiction
    reason: str
    start: float
    end: float
    seconds: float
    participants: tuple[TrackedParticipant, ...]
    words: tuple[TrackedWord, ...]
    ledger: Ledger
    solution: Solution
    objective: Objective

    def __repr__(self) -> str:
        told = f"{self.sentence!r}, match {self.match:.2f}, {self.start:.1f} to {self.end:.1f} s"
        return f"Tracking({told}, {'' if self.certified else 'not '}certified)"

    def plot(self, video: str | Path | None = None, count: int = 4) -> Any:
        """Key frames with the tracks, and every word over time, as a figure of Matplotlib.

        Args:
            video: whose pixels are shown; without it, boxes on a plain ground.
            count: number of key frames.

        Raises:
            SentrackError: when Matplotlib is not installed, or the video cannot be read.
        """
        from sentrack.show import plot

        return plot(self, video, count)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """What was said and is not checked, and what is not known of what was seen."""
        unknown = (word.unknown for word in self.words if word.unknown)
        return tuple(dict.fromkeys((*self.objective.meaning.unchecked, *unknown)))

    @classmethod
    def of(cls, objective: Objective, solution: Solution, end: float | None = None) -> "Tracking":
        """Read a solution in terms of the clip and the sentence.

        Args:
            objective: what was asked.
            solution: the answer.
            end: seconds, when the last frame ends, if it is known.
        """
        ledger = ledger_of(objective, solution)
        words = _words(objective, solution, ledger)
        participants = _participants(objective, solution)
        clip = objective.clip
        start, end = float(clip.times[0]), _end(clip) if end is None else end
        shown = _shown(objective, solution, words, end - start)
        return cls(
            sentence=objective.meaning.sentence,
            score=solution.score,
            upper_bound=solution.upper_bound,
            certified=solution.certified,
            shown=shown,
            reason=reason(objective, solution.tracks, words, shown),
            start=start,
            end=end,
            seconds=solution.seconds,
            participants=participants,
            words=words,
            ledger=ledger,
            solution=solution,
            objective=objective,
        )

    @classmethod
    def of_part(cls, objective: Objective, first: int, last: int, solution: Solution) -> "Tracking":
        """Read a solution of the frames first to last - 1, which end when the next one begins."""
        clip = objective.clip
        end = float(clip.times[last]) if last < clip.T else _end(clip)
        return cls.of(objective.cut(first, last), solution, end)

    @property
    def match(self) -> float:
        """0..1, the probability that the sentence is depicted there."""
        return self.shown.match

    @property
    def depicted(self) -> bool:
        """Whether the sentence is depicted, more probably than not."""
        return self.match >= BORDER

    def bounded(self, upper_bound: float) -> "Tracking":
        """The same answer where more could be the best than was looked at."""
        solution = replace(self.solution, upper_bound=max(self.upper_bound, upper_bound))
        return replace(
            self,
            solution=solution,
            upper_bound=solution.upper_bound,
            certified=solution.certified,
        )

    def to_dict(self) -> dict[str, Any]:
        """Numbers and text only, as `sentrack track --json` prints them; see `to_json`."""
        return {
            "sentence": self.sentence,
            "score": self.score,
            "upper_bound": self.upper_bound,
            "certified": self.certified,
            "match": self.match,
            "reason": self.reason,
            "start": self.start,
            "end": self.end,
            "seconds": self.seconds,
            "participants": [
                {
                    "noun": p.noun,
                    "boxes": [
                        [int(f), float(t), *map(float, box), float(s)]
                        for f, t, box, s, seen in zip(
                            p.frames, p.times, p.boxes, p.scores, p.seen, strict=True
                        )
                        if seen
                    ],
                }
                for p in self.participants
            ],
            "unchecked": list(self.unchecked),
            "words": [
                {
                    "word": w.word,
                    "participants": list(w.participants),
                    "states": list(w.states),
                    "total": w.total,
                }
                for w in self.words
            ],
        }

    def to_json(self) -> str:
        """One JSON document; null stands for a score or a bound that is not finite."""
        return strict_json(self.to_dict())

    def to_mot(self) -> str:
        """MOT Challenge lines: frame, id, x, y, width, height, score, -1, -1, -1.

        Frames and ids count from 1 there, so a source frame is one less.
        """
        lines = []
        for t in range(len(self.objective.clip.frames)):
            for i, p in enumerate(self.participants, 1):
                if not p.seen[t]:
                    continue
                x1, y1, x2, y2 = p.boxes[t]
                box = f"{x1:.2f},{y1:.2f},{x2 - x1:.2f},{y2 - y1:.2f}"
                lines.append(f"{p.frames[t] + 1},{i},{box},{p.scores[t]:.6g},-1,-1,-1")
        return "\n".join(lines) + "\n"

    def to_supervision(self) -> list[Any]:
        """One `supervision.Detections` per frame, with tracker ids from 1 and nouns as data.

        It has what is seen in the frame.

        Raises:
            SentrackError: when the supervision package is not installed.
        """
        with requires("supervision"):
            import supervision
        nouns = np.array([p.noun for p in self.participants])
        kind = np.unique(nouns, return_inverse=True)[1]
        seen = np.array([p.seen for p in self.participants])
        boxes, scores = (
            np.array([getattr(p, name) for p in self.participants]) for name in ("boxes", "scores")
        )
        return [
            supervision.Detections(
                xyxy=boxes[there, t],
                confidence=scores[there, t],
                class_id=kind[there],
                tracker_id=1 + np.flatnonzero(there),
                data={"class_name": nouns[there]},
            )
            for t, there in enumerate(seen.T)
        ]


def _end(clip: Clip) -> float:
    """Seconds, when the last frame of a clip ends, as far as the others tell."""
    return float(clip.times[-1] + clip.seconds)


def _shown(
    objective: Objective, solution: Solution, words: Sequence[TrackedWord], seconds: float
) -> Depiction:
    """What the match depends on; clauses in order are depicted as well as the least of them is."""
    scores = [np.exp(_detected(objective, track)) for track in enumerate(solution.tracks)]
    order = objective.meaning.order
    pairs = list(zip(objective.models, words, strict=True))
    unusual = len(unusual_words(objective))
    if not order:
        shown = replace(depiction(_known(pairs), seconds, scores), unusual=unusual)
        return replace(shown, fit=fit_of_all(objective, solution.tracks, words))
    always = [w for w in range(len(words)) if not any(w in clause for clause in order)]
    found = []
    for clause in order:
        told = np.array([[state != SILENT for state in words[w].states] for w in clause])
        lasts = float(told.any(axis=0).sum()) * objective.clip.seconds
        found.append(depiction(_known([pairs[w] for w in (*always, *clause)]), lasts, scores))
    return replace(min(found, key=lambda each: each.match), unusual=unusual)


def _known(pairs: Sequence[tuple[WordModel, TrackedWord]]) -> list[tuple[WordModel, TrackedWord]]:
    """The words that something is known of."""
    return [(model, word) for model, word in pairs if not word.unknown]


def _participants(objective: Objective, solution: Solution) -> tuple[TrackedParticipant, ...]:
    clip = objective.clip
    found = []
    for participant, candidates, track in zip(
        objective.meaning.participants, objective.candidates, solution.tracks, strict=True
    ):
        rows = candidates.rows[np.arange(clip.T), track]
        found.append(
            TrackedParticipant(
                participant.noun,
                np.where(clip.projected[rows][:, None], np.nan, clip.boxes[rows]),
                clip.frames,
                clip.times,
                clip.score[rows],
                ~clip.projected[rows],
            )
        )
    return tuple(found)


def _detected(objective: Objective, track: tuple[int, Ints]) -> Floats:
    """Detection scores, as log probabilities, of the frames in which a participant is seen."""
    number, chosen = track
    clip, rows = objective.clip, objective.candidates[number].rows
    own = rows[np.arange(clip.T), chosen]
    return detection_scores(clip)[own[~clip.projected[own]]]


def _words(objective: Objective, solution: Solution, ledger: Ledger) -> tuple[TrackedWord, ...]:
    found = []
    for w, word in enumerate(objective.meaning.words):
        owner = f"{word.word} {w}"
        own = {term.term: term.values for term in ledger.terms if term.owner == owner}
        total = math.fsum(float(values.sum()) for values in own.values())
        model, chain = objective.models[w], objective.chains[w]
        states = solution.states[objective.row(w)]
        names, background = objective.state_names(w), objective.background(w)
        frames = chain.frames_told(model, objective.clip.seconds, states)
        found.append(
            TrackedWord(
                word=word.word,
                part=word.part,
                participants=word.participants,
                states=tuple(names[state] for state in objective.states(w, solution.states)),
                total=total,
                evidence=own["emission"] - background,
                margin=(total - objective.problem.T * background) / frames,
                unknown=(word.text or word.word) if _unknown(objective, solution, w) else "",
            )
        )
    return tuple(found)


def _unknown(objective: Objective, solution: Solution, word: int) -> bool:
    """Whether nothing is known of all that a word looks at, as of colours where no pixels are."""
    model, about = objective.models[word], objective.meaning.words[word].participants
    if not model.observed or any(o.feature.bins[-1] != UNKNOWN for o in model.observed):
        return False
    players = [objective.candidates[p].candidates.along(solution.tracks[p]) for p in about]
    last = ((o.bins(players), len(o.feature.bins) - 1) for o in model.observed)
    return all(bool((bins == unknown).all()) for bins, unknown in last)
