"""A clip as a description sees it: who could take part, and what words tell of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sentrack.inference import Problem, TrackTerms, solve
from sentrack.language import Entry
from sentrack.lexicon import Lexicon, WordModel
from sentrack.lexicon.features import Feature
from sentrack.lexicon.model import aligned
from sentrack.objective.candidates import Cast, cast, detection_scores, track_terms
from sentrack.objective.distinctness import Things
from sentrack.objective.standins import needed, supplied
from sentrack.tasks.describing.kernel import best_states, best_tracks
from sentrack.vision.bridging import bridge
from sentrack.vision.clip import Bools, Clip, ClipError, Floats, Ints

Bins = npt.NDArray[np.int32]
Needs = frozenset[tuple[frozenset[str], int]]


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
        best: the score of its best track, in nats.
    """

    cast: Cast
    boxes: Floats
    real: Bools
    seen: Bools
    terms: TrackTerms
    f: Floats
    g: Floats
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

    Args:
        clip: what was seen.
        lexicon: what words mean.
        bridged: the clip without gaps, if it is known already.

    Attributes:
        clip: as given.
        lexicon: what words mean.
        vocabulary: its words with the clip's classes as nouns.
        kinds: the candidates of every noun that was detected, found when they are asked for.

    Raises:
        ClipError: when nothing was detected in the clip.
    """

    def __init__(self, clip: Clip, lexicon: Lexicon, bridged: Clip | None = None) -> None:
        self.clip = clip
        self.lexicon = lexicon
        self.vocabulary = lexicon.vocabulary().with_nouns(clip.classes)
        self._bridged = bridged or bridge(clip, clip.classes)
        self.kinds = _Kinds(self._bridged, lexicon, self.vocabulary.of("noun"))
        if not self.nouns:
            raise ClipError(f"{clip.name}: nothing was detected in it, so nothing can be said")
        self._bins: dict[tuple[str, tuple[str, ...]], Bins] = {}
        self._things = Things(self._bridged)
        self._of: dict[Needs, Scene] = {}

    def of(self, nouns: tuple[str, ...]) -> "Scene":
        """The scene in which every frame shows as many different things as these nouns need."""
        named = [frozenset(self.lexicon.named(noun, self.clip.classes)) for noun in nouns]
        needs = needed(named, combinations(range(len(nouns)), 2))
        key = frozenset(needs.items())
        if key not in self._of:
            clip = supplied(self._bridged, needs)
            more = clip is not self._bridged
            self._of[key] = Scene(self.clip, self.lexicon, clip) if more else self
        return self._of[key]

    @property
    def nouns(self) -> tuple[str, ...]:
        """The nouns that were detected."""
        return tuple(self.kinds.allowed)

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
                told = np.where(aligned(seen, [axis], len(nouns)), told, 0.0)
        return told

    def by_frames(self, model: WordModel, several: list[tuple[str, ...]]) -> Floats:
        """(N,): bounds of a word's total for N choices of nouns, as if no track had to cohere."""
        told = []
        for nouns in several:
            scene = self.of(nouns)
            each = scene.evidence(model, nouns)
            for axis, noun in enumerate(nouns):
                kind = scene.kinds[noun]
                each += aligned(kind.f - kind.best / self.clip.T, [axis], len(nouns))
            told.append(each.reshape(model.K, self.clip.T, -1).max(axis=-1))
        return best_states(model, self.clip.seconds, np.array(told))

    def solve(self, model: WordModel, nouns: tuple[str, ...]) -> tuple[Ints, Ints]:
        """(L, T) and (T,): the tracks and states that `track` finds for a word of these nouns."""
        told = self.evidence(model, nouns)
        for a, b in combinations(range(len(nouns)), 2):
            told = np.where(
                aligned(self.one(nouns[a], nouns[b]), (a, b), len(nouns)), -np.inf, told
            )
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

    def one(self, noun: str, other: str) -> Bools:
        """(T, J1, J2): which candidates of two nouns show one thing."""
        return self._things.one(self.kinds[noun].cast, self.kinds[other].cast)

    def differ(self, nouns: tuple[str, ...], tracks: Ints) -> bool:
        """Whether the tracks (L, T) of participants show different things in every frame."""
        frames = np.arange(self.clip.T)
        return not any(
            self.one(nouns[a], nouns[b])[frames, tracks[a], tracks[b]].any()
            for a, b in combinations(range(len(nouns)), 2)
        )

    def _code(self, model: WordModel, nouns: tuple[str, ...]) -> Bins:
        """(T, J1, ..., JI): the combination of bins of a word's features."""
        J = (self.kinds[noun].real.shape[1] for noun in nouns)
        code = np.zeros((self.clip.T, *J), dtype=np.int32)
        for observed in model.observed:
            bins = self._measured(observed.feature, tuple(nouns[r] for r in observed.roles))
            code *= len(observed.feature.bins)
            code += aligned(bins, observed.roles, len(nouns))
        return code

    def _measured(self, feature: Feature, nouns: tuple[str, ...]) -> Bins:
        """(T, J) or (T, J1, J2): the bins of a feature, measured once."""
        key = feature.name, nouns
        if key not in self._bins:
            players = [self.kinds[noun].cast.candidates for noun in nouns]
            self._bins[key] = feature.binned(*players).astype(np.int32)
        return self._bins[key]


class _Kinds(dict[str, Kind]):
    """The candidates of nouns, found when they are asked for.

    Attributes:
        allowed: per noun that was detected, (N,) its detections.
    """

    def __init__(self, clip: Clip, lexicon: Lexicon, nouns: Iterable[Entry]) -> None:
        self._clip, self._leap = clip, lexicon.leap
        self._scores = detection_scores(clip)
        self.allowed: dict[str, Bools] = {}
        for noun in nouns:
            named = lexicon.named(noun.name, clip.classes)
            allowed = np.isin(clip.label, [clip.classes.index(name) for name in named])
            if allowed.any():
                self.allowed[noun.name] = allowed

    def __missing__(self, noun: str) -> Kind:
        self[noun] = _kind(self._clip, self.allowed[noun], self._scores, self._leap)
        return self[noun]


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
        solve(Problem([terms], [])).score,
    )


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
