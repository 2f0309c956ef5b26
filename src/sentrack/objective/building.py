"""From what was seen and what was said to the terms of Eq. 4."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sentrack.inference import Problem, WordTerms
from sentrack.language.meaning import Meaning
from sentrack.lexicon.features import Bins, shared_area
from sentrack.lexicon.lexicon import Lexicon
from sentrack.lexicon.model import Observed, WordModel
from sentrack.objective.candidates import (
    Cast,
    cast,
    detection_scores,
    frames,
    track_terms,
    usual_scores,
)
from sentrack.vision.bridging import bridge
from sentrack.vision.clip import Clip, ClipError

Floats = npt.NDArray[np.float64]

# Two boxes of one class that share more than this part of their union show the same object, mostly.
SAME = 0.5
# What it costs, in nats, when two participants that must differ are shown by such boxes.
SAME_COST = 4.0


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
    tracks = {id(players): track_terms(clip, players, scores, lexicon.leap) for players in chosen}
    measured: dict[tuple[str, tuple[int, ...]], Bins] = {}
    words = [
        word_terms(clip, model, word.participants, chosen, measured, against_background)
        for model, word in zip(models, meaning.words, strict=True)
    ]
    words += [
        _apart(chosen, pair) for pair in meaning.distinct if chosen[pair[0]] is chosen[pair[1]]
    ]
    problem = Problem([tracks[id(players)] for players in chosen], words)
    return Objective(clip, meaning, models, chosen, problem)


def prepared(
    clip: Clip, meaning: Meaning, lexicon: Lexicon, against_background: bool
) -> tuple[tuple[WordModel, ...], Clip, Floats, tuple[Cast, ...]]:
    """The models of the words, the bridged clip, its (N,) detection scores, and the casts.

    Participants whose nouns name the same classes share a cast.
    """
    models = tuple(lexicon.model(word.word, word.part) for word in meaning.words)
    named = [lexicon.named(p.noun, clip.classes) for p in meaning.participants]
    clip = _bridged(clip, frozenset(c for classes in named for c in classes))
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
def _bridged(clip: Clip, classes: frozenset[str]) -> Clip:
    """The clip without gaps; several sentences about the same things share it."""
    return bridge(clip, classes)


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
            shape = [clip.T] + [1] * (len(players) + 1)
            shape[2 + axis] = projected.shape[1]
            h = np.where(projected.reshape(shape), model.background, h)
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
    bins = measured[key]
    order = np.argsort(observed.roles)
    bins = bins.transpose(0, *(1 + order))
    shape = [bins.shape[0]] + [1] * len(participants)
    for axis, role in enumerate(sorted(observed.roles)):
        shape[1 + role] = bins.shape[1 + axis]
    return bins.reshape(shape).astype(np.intp)


def _apart(casts: tuple[Cast, ...], pair: tuple[int, int]) -> WordTerms:
    """Two participants are never the same detection, and rarely ones of the same object.

    Where fewer are detected than there are participants, some have to share one, at a price.
    """
    players = casts[pair[0]]
    seen = players.candidates
    areas = seen.extent.prod(axis=-1)
    shared = shared_area(seen, seen)
    union = areas[:, :, None] + areas[:, None, :] - shared
    cost = np.where(shared > SAME * union, -SAME_COST, 0.0)
    enough = players.counts >= sum(other is players for other in casts)
    same = players.rows[:, :, None] == players.rows[:, None, :]
    cost[same & enough[:, None, None]] = -np.inf
    emission = frames(cost[:, None], 1, [players.counts, players.counts])
    return WordTerms([0.0], [[0.0]], emission, pair)
