"""Clips with their sentences, measured once, so that an iteration only looks values up."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.inference import (
    Infeasible,
    Problem,
    RepeatedSums,
    TrackTerms,
    WordTerms,
    posteriors,
)
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon, aligned
from sentrack.objective import Objective, build, shortage
from sentrack.scene import Scene, unpadded
from sentrack.tasks.learning.corrections import Corrected
from sentrack.vision import Clip, ClipError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Key = tuple[str, str]  # part of speech and name

AWAY = -1  # in place of the class of what is not there
# Joint states of a frame up to which sums are exact: 60 frames of them take 100 MB.
JOINT = 200_000


@dataclass(frozen=True, eq=False)
class Spoken:
    """A word of a scene with what is seen of every tuple of candidates, frame after frame.

    Attributes:
        key: of the word.
        participants: indices of the tracks that it speaks of.
        shapes: per frame, the numbers of candidates (J_t[p1], ..., J_t[pI]).
        groups: features that are looked up together, by their indices in the word's model, and
            (M,) the combination of their bins, over all tuples of all frames.
        unseen: (M,) whether one of the boxes was not detected and tells nothing.
        usual: (M,) whether a tuple tells what is usual: all boxes detected, and no two the same.
    """

    key: Key
    participants: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    groups: tuple[tuple[tuple[int, ...], Ints], ...]
    unseen: npt.NDArray[np.bool_]
    usual: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Example:
    """A clip with a sentence.

    Attributes:
        sentence: what is said of it.
        seconds: between frames.
        tracks: terms of every participant.
        apart: participants that are not the same object, as words that mean nothing else.
        words: what is looked at, nouns left out.
        nouns: per participant its noun, and per frame (J_t,) the class of each candidate, as an
            index into the classes of the corpus; AWAY for one that is not there.
        alone: ln Z of the tracks without words.
    """

    sentence: str
    seconds: float
    tracks: tuple[TrackTerms, ...]
    apart: tuple[WordTerms, ...]
    words: tuple[Spoken, ...]
    nouns: tuple[tuple[str, tuple[Ints, ...]], ...]
    alone: float
    _sums: dict[tuple[int, ...], RepeatedSums] = field(default_factory=dict, init=False, repr=False)

    def sums(self, states: tuple[int, ...]) -> RepeatedSums:
        """Sums over tracks and words, which have so many states; made once."""
        if states not in self._sums:
            links = [word.participants for word in self.words]
            self._sums[states] = RepeatedSums(self.tracks, states, links, self.apart)
        return self._sums[states]

    @property
    def T(self) -> int:  # noqa: N802 - the paper's symbol
        """Number of frames."""
        return len(self.tracks[0].unary)


def prepare(
    clip: Clip,
    meaning: Meaning,
    lexicon: Lexicon,
    classes: Sequence[str],
    best: int,
    learned: Collection[Key] = (),
    corrected: Corrected | None = None,
) -> Example:
    """Measure a clip for a sentence.

    Where the joint states of a frame are too many for exact sums, only the boxes with the highest
    scores are kept, as many of each class as fit; a message says so.

    Args:
        clip: the detections.
        meaning: of the sentence.
        lexicon: the models.
        classes: of the corpus.
        best: boxes of a class in a frame, for a noun that may be anything.
        learned: the words to learn; a noun among them may be anything.
        corrected: the same clip, with what was put right in it.

    Raises:
        ClipError: when a noun was not detected, or not as many different things as the sentence
            needs, or when one box of each class is still too many.
    """
    anything = [("noun", p.noun) in learned for p in meaning.participants]
    n = best if any(anything) else int(np.diff(clip.start).max())
    thin = n
    while True:
        objective = build(clip.surest(thin), meaning, lexicon)
        states = np.prod([float(m.K) for m in objective.models])
        joint = (
            states * np.prod([c.counts.astype(float) for c in objective.candidates], axis=0).max()
        )
        if joint <= JOINT:
            break
        if thin == 1:
            raise ClipError(f"{clip.name}: too many candidates for {meaning.sentence!r}")
        thin = max(1, min(thin // 2, int(np.diff(clip.start).max()) - 1))
    if thin < n:
        logging.getLogger("sentrack").warning(
            "%s: too many candidates for exact sums; learning from the %d best of each class "
            "in a frame",
            clip.name,
            thin,
        )
    scene, tracks = objective.scene, objective.problem.tracks
    if corrected is not None:
        tracks = restricted(objective, corrected.allowed(scene.clip, len(tracks)))
    tracks = tuple(TrackTerms(_stacked(each.unary), _stacked(each.pairwise)) for each in tracks)
    spoken = tuple(_spoken(scene, w) for w, word in enumerate(meaning.words) if word.part != "noun")
    apart = objective.constraints
    try:
        alone = posteriors(Problem(tracks, apart)).log_partition
    except Infeasible as error:
        raise ClipError(shortage(objective) or str(error)) from None
    # A detector may know classes that the corpus does not show, and no candidate is of them.
    place = np.array([classes.index(c) if c in classes else AWAY for c in scene.clip.classes])
    return Example(
        meaning.sentence,
        scene.clip.seconds,
        tracks,
        apart,
        spoken,
        tuple(
            (p.noun, tuple(unpadded(place[scene.clip.label[c.rows]], 0, [c.counts])))
            for p, c in zip(meaning.participants, scene.candidates, strict=True)
        ),
        alone,
    )


def _stacked(frames: Sequence[npt.ArrayLike]) -> Any:
    """The arrays of all frames as one, which is looked at at once, if they have the same shape."""
    arrays = [np.asarray(frame, dtype=np.float64) for frame in frames]
    return np.stack(arrays) if len({each.shape for each in arrays}) == 1 else arrays


def restricted(objective: Objective, allowed: Sequence[Bools | None]) -> tuple[TrackTerms, ...]:
    """Tracks that are nothing that they may not be.

    Args:
        objective: of which they are.
        allowed: per participant, (N,) the detections of the scene's clip that it may be; None for
            all.
    """
    tracks = list(objective.problem.tracks)
    for p, own in enumerate(allowed):
        if own is not None:
            players = objective.candidates[p]
            unary = [
                np.where(own[rows[:n]], f, -np.inf)
                for rows, n, f in zip(players.rows, players.counts, tracks[p].unary, strict=True)
            ]
            tracks[p] = TrackTerms(unary, tracks[p].pairwise)
    return tuple(tracks)


def classes_there(labels: Sequence[Ints], number: int) -> npt.NDArray[np.bool_]:
    """(C,): which of so many classes candidates are of, in any frame; see `Example.nouns`."""
    every = np.concatenate(labels)
    return np.bincount(every[every != AWAY], minlength=number) > 0


def _spoken(scene: Scene, w: int) -> Spoken:
    """What is seen of every tuple of candidates of a word, without padding."""
    clip, model, players = scene.clip, scene.models[w], scene.players(w)
    axes = len(players)
    counts = np.stack([each.counts for each in players], axis=1)
    # (T, J1, ..., JI): what is no padding
    real = np.ones((clip.T, *(each.rows.shape[1] for each in players)), dtype=np.bool_)
    unseen, twice = np.zeros_like(real), np.zeros_like(real)
    rows: list[Ints] = []
    for axis, each in enumerate(players):
        real &= aligned(each.real, (axis,), axes)
        unseen |= aligned(scene.measured.untold(each), (axis,), axes)
        own = aligned(each.rows, (axis,), axes)
        for other in rows:
            twice |= other == own
        rows.append(own)
    codes = []
    for members in model.groups():
        code = scene.measured.code([model.observed[n] for n in members], players)
        codes.append((members, np.broadcast_to(code, real.shape)[real]))
    return Spoken(
        (model.part, model.name),
        scene.meaning.words[w].participants,
        tuple(map(tuple, counts.tolist())),
        tuple(codes),
        unseen[real],
        ~(unseen | twice)[real],
    )
