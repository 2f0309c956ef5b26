"""A clip as a description sees it: who could take part, and what words tell of them."""

from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sentrack.inference import Problem, TrackTerms, solve
from sentrack.lexicon import Lexicon, WordModel
from sentrack.lexicon.features import Feature, shared_area
from sentrack.objective.building import SAME, SAME_COST
from sentrack.objective.candidates import Cast, cast, detection_scores, track_terms
from sentrack.tasks.describing.kernel import best_states, best_tracks
from sentrack.vision.bridging import bridge
from sentrack.vision.clip import Bools, Clip, ClipError, Floats, Ints

Bins = npt.NDArray[np.int32]
Value = TypeVar("Value", np.float64, np.int32, np.bool_)


@dataclass(frozen=True, eq=False)
class Kind:
    """The candidates of a noun.

    Attributes:
        cast: who can play it, with gaps bridged.
        boxes: (T, J, 4) where they are, in pixels.
        real: (T, J) whether a candidate is no padding.
        seen: (T, J) whether it was detected, not projected.
        terms: of its track.
        f: (T, J) the same detection scores, -inf for padding.
        g: (T - 1, J, J) the same coherence.
        apart: (T, J, J) what it costs if two participants of this noun are these candidates.
        best: the score of its best track, in nats.
    """

    cast: Cast
    boxes: Floats
    real: Bools
    seen: Bools
    terms: TrackTerms
    f: Floats
    g: Floats
    apart: Floats
    best: float

    def lack(self, track: Ints) -> float:
        """Nats by which a track (T,) falls short of the best one, as a number up to 0."""
        frames = np.arange(len(track))
        steps = self.g[frames[:-1], track[:-1], track[1:]]
        return float(self.f[frames, track].sum() + steps.sum() - self.best)

    def follow(self, track: Ints) -> Floats:
        """(T, 4): the boxes of a track (T,)."""
        return np.asarray(self.boxes[np.arange(len(track)), track])


class Scene:
    """The candidates of every noun that was detected, and what words tell of them.

    Attributes:
        clip: as given.
        lexicon: what words mean.
        vocabulary: its words with the clip's classes as nouns.
        kinds: the nouns that were detected.
    """

    def __init__(self, clip: Clip, lexicon: Lexicon) -> None:
        self.clip = clip
        self.lexicon = lexicon
        self.vocabulary = lexicon.vocabulary().with_nouns(clip.classes)
        bridged = bridge(clip, clip.classes)
        scores = detection_scores(bridged)
        self.kinds: dict[str, Kind] = {}
        for entry in self.vocabulary.of("noun"):
            named = lexicon.named(entry.name, clip.classes)
            allowed = np.isin(bridged.label, [clip.classes.index(name) for name in named])
            if allowed.any():
                self.kinds[entry.name] = _kind(bridged, allowed, scores, lexicon.leap)
        if not self.kinds:
            raise ClipError(f"{clip.name}: nothing was detected in it, so nothing can be said")
        self._bins: dict[tuple[str, tuple[str, ...]], Bins] = {}

    @property
    def nouns(self) -> tuple[str, ...]:
        """The nouns that were detected."""
        return tuple(self.kinds)

    def evidence(self, model: WordModel, nouns: tuple[str, ...]) -> Floats:
        """(K, T, J1, ..., JI): what states tell of candidates beyond what nothing would.

        In nats, against a word that means nothing. 0 where a candidate is projected: what is not
        seen says nothing.
        """
        table = np.zeros((model.K, 1))
        with np.errstate(divide="ignore"):
            for output in model.outputs:
                table = (table[:, :, None] + np.log(output)[:, None, :]).reshape(model.K, -1)
        table = model.noisy(table) - model.background
        told = np.take(table, self._code(model, nouns), axis=1)
        for axis, noun in enumerate(nouns):
            seen = self.kinds[noun].seen
            if not seen.all():
                told = np.where(_axis(seen, axis, len(nouns)), told, 0.0)
        return told

    def by_frames(self, model: WordModel, several: list[tuple[str, ...]]) -> Floats:
        """(N,): bounds of a word's total for N choices of nouns, as if no track had to cohere."""
        told = []
        for nouns in several:
            each = self.evidence(model, nouns)
            for axis, noun in enumerate(nouns):
                kind = self.kinds[noun]
                each += _axis(kind.f - kind.best / self.clip.T, axis, len(nouns))
            told.append(each.reshape(model.K, self.clip.T, -1).max(axis=-1))
        return best_states(model, self.clip.seconds, np.array(told))

    def solve(self, model: WordModel, nouns: tuple[str, ...]) -> tuple[Ints, Ints]:
        """(L, T) and (T,): the tracks and states that `track` finds for a word of these nouns."""
        told = self.evidence(model, nouns)
        for a, b in combinations(range(len(nouns)), 2):
            if nouns[a] == nouns[b]:
                told += _spread(self.kinds[nouns[a]].apart, (a, b), len(nouns))
        told = told.swapaxes(0, 1).reshape(
            self.clip.T, model.K, *told.shape[2:], *(1,) * (3 - len(nouns))
        )
        kinds = [self.kinds[noun] for noun in nouns]
        path = best_tracks(
            np.ascontiguousarray(told),
            model.log_initial(),
            model.log_transitions(self.clip.seconds),
            model.final,
            _stacked([kind.f for kind in kinds]),
            _stacked([kind.g for kind in kinds]),
        )
        return path[:, 1 : 1 + len(nouns)].T, path[:, 0]

    def clash(self, nouns: tuple[str, ...], tracks: Ints) -> float:
        """What it costs where participants (L, T) of one noun are one object."""
        frames = np.arange(self.clip.T)
        return sum(
            float(self.kinds[nouns[a]].apart[frames, tracks[a], tracks[b]].sum())
            for a, b in combinations(range(len(nouns)), 2)
            if nouns[a] == nouns[b]
        )

    def _code(self, model: WordModel, nouns: tuple[str, ...]) -> Bins:
        """(T, J1, ..., JI): the combination of bins of a word's features."""
        J = (self.kinds[noun].real.shape[1] for noun in nouns)
        code = np.zeros((self.clip.T, *J), dtype=np.int32)
        for observed in model.observed:
            bins = self._measured(observed.feature, tuple(nouns[r] for r in observed.roles))
            code *= len(observed.feature.bins)
            code += _spread(bins, observed.roles, len(nouns))
        return code

    def _measured(self, feature: Feature, nouns: tuple[str, ...]) -> Bins:
        """(T, J) or (T, J1, J2): the bins of a feature, measured once."""
        key = feature.name, nouns
        if key not in self._bins:
            players = [self.kinds[noun].cast.candidates for noun in nouns]
            self._bins[key] = feature.binned(*players).astype(np.int32)
        return self._bins[key]


def _kind(clip: Clip, allowed: Bools, scores: Floats, leap: float) -> Kind:
    players = cast(clip, allowed)
    terms = track_terms(clip, players, scores, leap)
    T, J = players.rows.shape
    f, g = np.full((T, J), -np.inf), np.full((T - 1, J, J), -np.inf)
    for t, n in enumerate(players.counts):
        f[t, :n] = terms.unary[t]
        if t:
            g[t - 1, : players.counts[t - 1], :n] = terms.pairwise[t - 1]
    real = np.arange(J) < players.counts[:, None]
    return Kind(
        players,
        clip.boxes[players.rows],
        real,
        real & ~clip.projected[players.rows],
        terms,
        f,
        g,
        _apart(players),
        solve(Problem([terms], [])).score,
    )


def _apart(players: Cast) -> Floats:
    """(T, J, J): as the objective has it for two participants of a noun."""
    seen, rows = players.candidates, players.rows
    areas = seen.extent.prod(axis=-1)
    shared = shared_area(seen, seen)
    union = areas[:, :, None] + areas[:, None, :] - shared
    cost = np.where(shared > SAME * union, -SAME_COST, 0.0)
    same = (rows[:, :, None] == rows[:, None, :]) & (players.counts >= 2)[:, None, None]
    return np.where(same, -np.inf, cost)


def _stacked(arrays: list[Floats]) -> Floats:
    """(3, T, J, ...): padded with -inf to one J; a role that a word lacks has one candidate."""
    J = max(array.shape[1] for array in arrays)
    nobody = np.zeros((len(arrays[0]), 1, 1)[: arrays[0].ndim])
    return np.array(
        [
            np.pad(
                array,
                [(0, J - n) if i else (0, 0) for i, n in enumerate(array.shape)],
                constant_values=-np.inf,
            )
            for array in [*arrays, nobody, nobody][:3]
        ]
    )


def _axis(values: npt.NDArray[Value], axis: int, axes: int) -> npt.NDArray[Value]:
    """(T, J) as (T, 1, ..., J, ..., 1)."""
    shape = [1] * axes
    shape[axis] = values.shape[1]
    return values.reshape(len(values), *shape)


def _spread(values: npt.NDArray[Value], roles: tuple[int, ...], axes: int) -> npt.NDArray[Value]:
    """(T, J of the first role, ...) with one axis for every participant."""
    order = np.argsort(roles)
    values = values.transpose(0, *(1 + order))
    shape = [1] * axes
    for axis, role in enumerate(sorted(roles)):
        shape[role] = values.shape[1 + axis]
    return values.reshape(len(values), *shape)
