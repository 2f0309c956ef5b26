"""Tracking before any word is heard, and sentences scored on the tracks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sentrack.inference import Problem, TrackTerms
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon
from sentrack.objective import Objective, whole
from sentrack.scene import Measurements, Scene, detection_scores
from sentrack.scene.candidates import candidate_set
from sentrack.scene.presence import is_away
from sentrack.scene.things import things
from sentrack.vision import Bools, Clip, Floats, Ints, clip_from_arrays

RIVALS = 8  # tracks of a class among which a sentence may choose
POOR = 10.0  # percentile of the scores of a class that a box between detections gets


@dataclass(frozen=True)
class Setting:
    """A tracker and how its tracks are chosen.

    Attributes:
        kind: "SORT", "ByteTrack" or "OC-SORT".
        start: the least score of a box that begins a track.
        overlap: the least IoU of a box that continues it.
        sure: frames in a row after which it is one.
        weighed: whether the scores of a track's boxes count in the choice, beside the words.
    """

    kind: str
    start: float
    overlap: float
    sure: int
    weighed: bool = True

    def __str__(self) -> str:
        by = "words and scores" if self.weighed else "words"
        return f"{self.kind} {self.start}/{self.overlap}/{self.sure}, by {by}"


SETTINGS = tuple(
    Setting(*tracker, weighed)
    for tracker in (
        ("SORT", 0.25, 0.3, 3),
        ("SORT", 0.25, 0.1, 1),
        ("SORT", 0.5, 0.3, 2),
        ("ByteTrack", 0.7, 0.1, 2),
        ("ByteTrack", 0.5, 0.1, 1),
        ("ByteTrack", 0.5, 0.3, 2),
        ("OC-SORT", 0.6, 0.3, 3),
        ("OC-SORT", 0.4, 0.3, 2),
        ("OC-SORT", 0.4, 0.1, 1),
    )
    for weighed in (True, False)
)


@dataclass(frozen=True, eq=False)
class Track:
    """A track of one class.

    Attributes:
        label: index of the class.
        boxes: (T, 4) interpolated where none was detected, and held before the first and after
            the last one.
        scores: (T,) those not detected are poor.
        detected: (T,) whether a box was detected.
        held: (T,) whether it was held.
    """

    label: int
    boxes: Floats
    scores: Floats
    detected: Bools
    held: Bools


def tracks(clip: Clip, setting: Setting) -> list[Track]:
    """The tracks with the most score, at most RIVALS of every class."""
    found = []
    frame_of, every = clip.frame_of, np.arange(clip.T)
    for label in range(len(clip.classes)):
        rows = np.flatnonzero(clip.label == label)
        numbers = identities(clip, rows, setting)
        poor = float(np.percentile(clip.score[rows], POOR)) if len(rows) else 0.0
        several = [rows[numbers == number] for number in np.unique(numbers[numbers >= 0])]
        for track in sorted(several, key=lambda track: -clip.score[track].sum())[:RIVALS]:
            known = frame_of[track]
            boxes = np.stack([np.interp(every, known, c) for c in clip.boxes[track].T], axis=1)
            score = np.full(clip.T, poor)
            score[known] = clip.score[track]
            held = (every < known[0]) | (every > known[-1])
            found.append(Track(label, boxes, score, np.isin(every, known), held))
    return found


def only(clip: Clip, found: Sequence[Track]) -> Clip | None:
    """A clip that shows nothing but tracks, each in every frame; None if a class has none.

    Held boxes are marked as projected, so that words take nothing from them.
    """
    if {track.label for track in found} != set(range(len(clip.classes))):
        return None
    N = len(found)
    return clip_from_arrays(
        clip.name,
        clip.size,
        clip.fps,
        np.tile(clip.frames, N),
        clip.classes,
        np.concatenate([track.boxes for track in found]),
        np.concatenate([track.scores for track in found]),
        id=np.repeat(np.arange(N), clip.T),
        label=np.repeat([track.label for track in found], clip.T),
        frames=clip.frames,
        times=clip.times,
        projected=np.concatenate([track.held for track in found]),
    )


def identities(clip: Clip, rows: Ints, setting: Setting) -> Ints:
    """(M,) the number of the track of every one of (M,) detections, -1 of none."""
    supervision, tracker = _tracker(setting)
    numbers = np.full(len(rows), -1, dtype=np.int64)
    frame_of = clip.frame_of[rows]
    for t in range(clip.T):
        here = np.flatnonzero(frame_of == t)
        answer = tracker.update(
            supervision.Detections(
                xyxy=clip.boxes[rows[here]].reshape(-1, 4),
                confidence=clip.score[rows[here]],
                class_id=np.zeros(len(here), dtype=np.int64),
                data={"place": here},
            )
        )
        if len(answer):
            numbers[answer.data["place"]] = answer.tracker_id
    return numbers


def _tracker(setting: Setting) -> tuple[Any, Any]:
    """The package `supervision`, and a fresh tracker; both are imported only where they are."""
    import supervision
    import trackers

    kinds = {
        "SORT": (trackers.SORTTracker, "track_activation_threshold"),
        "ByteTrack": (trackers.ByteTrackTracker, "track_activation_threshold"),
        "OC-SORT": (trackers.OCSORTTracker, "high_conf_det_threshold"),
    }
    kind, start = kinds[setting.kind]
    return supervision, kind(
        minimum_iou_threshold=setting.overlap,
        minimum_consecutive_frames=setting.sure,
        **{start: setting.start},
    )


def on_tracks(tracked: Clip, meaning: Meaning, lexicon: Lexicon, weighed: bool) -> Objective:
    """The terms of a sentence on given tracks: in every frame the same one of each class."""
    models = tuple(lexicon.model(word.word, word.part) for word in meaning.words)
    labels = [tracked.classes.index(p.noun) for p in meaning.participants]
    measured = things(tracked, lexicon.identity)
    own = tuple(candidate_set(tracked, tracked.label == label, measured) for label in labels)
    scene = Scene(meaning, models, own, Measurements(tracked, lexicon.identity))
    scores = detection_scores(tracked) if weighed else np.zeros(len(tracked.label))
    terms = []
    for players in own:
        identity = tracked.id[players.rows]
        same: Any = np.where(identity[:-1, :, None] == identity[1:, None, :], 0.0, -np.inf)
        unary: Any = scores[players.rows]
        terms.append(TrackTerms(unary, same))
    objective = whole(scene)
    return replace(objective, problem=Problem(terms, objective.problem.words[: len(models)]))


def boxes_of(objective: Objective, tracks: Ints) -> Floats:
    """(L, T, 4): the boxes of chosen candidates (L, T), held where they are away, as of tracks."""
    every = np.arange(objective.clip.T)
    pairs = zip(objective.candidates, tracks, strict=True)
    rows = np.stack([candidates.rows[every, track] for candidates, track in pairs])
    away, boxes = is_away(objective.clip)[rows], objective.clip.boxes[rows]
    for there, own in zip(~away, boxes, strict=True):
        known = np.flatnonzero(there)
        own[:] = own[known[np.abs(every[:, None] - known).argmin(axis=1)]]
    return np.asarray(boxes)
