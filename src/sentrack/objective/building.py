"""From what was seen and what was said to the terms of Eq. 4."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sentrack.inference import Problem, WordTerms
from sentrack.language.meaning import Meaning
from sentrack.lexicon.features import Bins
from sentrack.lexicon.lexicon import Lexicon
from sentrack.lexicon.model import Observed, WordModel, aligned
from sentrack.objective.candidates import (
    Cast,
    cast,
    detection_scores,
    frames,
    track_terms,
    usual_scores,
)
from sentrack.objective.distinctness import forbidden
from sentrack.objective.standins import needed, supplied
from sentrack.vision.bridging import bridge
from sentrack.vision.clip import Clip, ClipError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Objective:
    """The terms of a sentence on a clip, and where they came from.

    Attributes:
        clip: with gaps bridged.
        meaning: of the sentence.
        models: of its words, in order.
        casts: the candidates of every participant.
        problem: Eq. 4; words of the sentence first, then constraints.
    """

    clip: Clip
    meaning: Meaning
    models: tuple[WordModel, ...]
    casts: tuple[Cast, ...]
    problem: Problem


def build(
    clip: Clip, meaning: Meaning, lexicon: Lexicon, against_background: bool = False
) -> Objective:
    """Put the terms of Eq. 4 together.

    Args:
        clip: what was seen.
        meaning: what was said.
        lexicon: what its words mean.
        against_background: as log-ratios, for which more frames are not just worse: emissions
            against words that mean nothing, detections against the usual one of their class. Words
            may then end in any state, for where they end is not known yet; see `WordModel.final`.

    Raises:
        ClipError: when a noun's class was not detected anywhere in the clip.
    """
    models, clip, scores, chosen = prepared(clip, meaning, lexicon, against_background)
    apart = forbidden(clip, chosen, meaning.distinct)
    return _objective(
        clip, meaning, models, chosen, scores, apart, lexicon.leap, against_background
    )


def cut(objective: Objective, lexicon: Lexicon, first: int, last: int) -> Objective:
    """The terms of the frames first to last - 1, as `build` makes them of a clip that has no more.

    What is before and after these frames still tells which boxes show one thing.
    """
    whole = objective.clip
    rows = slice(int(whole.start[first]), int(whole.start[last]))
    clip, everybody = whole.cut(first, last), np.arange(len(whole.label))
    casts = {id(c): cast(clip, np.isin(everybody, c.rows)[rows]) for c in objective.casts}
    apart = [
        replace(word, emission=word.emission[first:last])
        for word in objective.problem.words[len(objective.models) :]
    ]
    return _objective(
        clip,
        objective.meaning,
        objective.models,
        tuple(casts[id(c)] for c in objective.casts),
        detection_scores(whole)[rows],
        apart,
        lexicon.leap,
        False,
    )


def _objective(
    clip: Clip,
    meaning: Meaning,
    models: tuple[WordModel, ...],
    casts: tuple[Cast, ...],
    scores: Floats,
    apart: list[WordTerms],
    leap: float,
    against_background: bool,
) -> Objective:
    tracks = {id(players): track_terms(clip, players, scores, leap) for players in casts}
    measured: dict[tuple[str, tuple[int, ...]], Bins] = {}
    words = [
        word_terms(clip, model, word.participants, casts, measured, against_background)
        for model, word in zip(models, meaning.words, strict=True)
    ]
    problem = Problem([tracks[id(players)] for players in casts], [*words, *apart])
    return Objective(clip, meaning, models, casts, problem)


def prepared(
    clip: Clip, meaning: Meaning, lexicon: Lexicon, against_background: bool
) -> tuple[tuple[WordModel, ...], Clip, Floats, tuple[Cast, ...]]:
    """The models of the words, the bridged clip, its (N,) detection scores, and the casts.

    Participants whose nouns name the same classes share a cast.
    """
    models = tuple(lexicon.model(word.word, word.part) for word in meaning.words)
    named = [lexicon.named(p.noun, clip.classes) for p in meaning.participants]
    things = needed([frozenset(classes) for classes in named], meaning.distinct)
    everything = frozenset(c for classes in named for c in classes)
    clip = _bridged(clip, everything, frozenset(things.items()))
    scores = detection_scores(clip)
    if against_background:
        # A box that is surer than usual says no more: it is the words that are to tell.
        scores = np.minimum(scores - usual_scores(clip, scores)[clip.label], 0.0)
    casts: dict[tuple[str, ...], Cast] = {}
    for participant, classes in zip(meaning.participants, named, strict=True):
        if classes not in casts:
            casts[classes] = cast(clip, _allowed(clip, participant.noun, classes))
    return models, clip, scores, tuple(casts[classes] for classes in named)


@lru_cache(maxsize=4)
def _bridged(
    clip: Clip, classes: frozenset[str], things: frozenset[tuple[frozenset[str], int]]
) -> Clip:
    """The clip without gaps; several sentences about the same things share it."""
    return supplied(bridge(clip, classes), dict(things))


def _allowed(clip: Clip, noun: str, classes: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """(N,) which detections are of the classes that a noun names."""
    allowed = np.isin(clip.label, [clip.classes.index(name) for name in classes])
    if not allowed.any():
        raise ClipError(f"{clip.name}: no {noun} was detected in it")
    return allowed


def word_terms(
    clip: Clip,
    model: WordModel,
    participants: tuple[int, ...],
    casts: tuple[Cast, ...],
    measured: dict[tuple[str, tuple[int, ...]], Bins],
    against_background: bool,
) -> WordTerms:
    """The terms of a word, given the casts of all participants and what was measured already."""
    players = [casts[p] for p in participants]
    J = [c.rows.shape[1] for c in players]
    if model.observed:
        h = _unseen(clip, model, players, _emission(model, participants, casts, measured))
    else:
        # A noun: its candidates are of its class; one that names all classes says nothing.
        value = 0.0 if model.classes else -float(np.log(len(clip.classes)))
        h = np.broadcast_to(np.float64(value), (clip.T, model.K, *J))
    if against_background:
        h = h - (model.background if model.observed else h.max())
    elif not model.final.all():
        h = np.ascontiguousarray(h)
        h[-1, ~model.final] = -np.inf
    emission = frames(h, 1, [c.counts for c in players])
    return WordTerms(
        model.log_initial(), model.log_transitions(clip.seconds), emission, participants
    )


def _emission(
    model: WordModel,
    participants: tuple[int, ...],
    casts: tuple[Cast, ...],
    measured: dict[tuple[str, tuple[int, ...]], Bins],
) -> Floats:
    """(T, K, J1, ..., JI): log probability of what is seen of every tuple of candidates."""
    tables = model.tables()
    total: Floats | None = None
    for members, table in tables:
        code: npt.NDArray[np.intp] | None = None
        for observed in members:
            bins = _bins(observed, participants, casts, measured)
            code = bins if code is None else code * len(observed.feature.bins) + bins
        assert code is not None
        values = np.empty((len(code), model.K, *code.shape[1:]))
        for k in range(model.K):
            values[:, k] = table[k].take(code)
        total = values if total is None else total + values
    assert total is not None
    return total if len(tables) == 1 else model.noisy(total)


def _unseen(clip: Clip, model: WordModel, players: list[Cast], h: Floats) -> Floats:
    """What is not seen says nothing: projected boxes are as good as any to every state."""
    for axis, player in enumerate(players):
        projected = clip.projected[player.rows]
        if projected.any():
            unseen = aligned(projected, [1 + axis], 1 + len(players))
            h = np.where(unseen, model.background, h)
    return h


def _bins(
    observed: Observed,
    participants: tuple[int, ...],
    casts: tuple[Cast, ...],
    measured: dict[tuple[str, tuple[int, ...]], Bins],
) -> npt.NDArray[np.intp]:
    """Bins of a feature with one axis for every participant of the word: (T, 1 or J1, ...).

    Features that several words look at are measured once.
    """
    about = tuple(participants[r] for r in observed.roles)
    key = (observed.feature.name, about)
    if key not in measured:
        measured[key] = observed.feature.binned(*(casts[p].candidates for p in about))
    return aligned(measured[key], observed.roles, len(participants)).astype(np.intp)
