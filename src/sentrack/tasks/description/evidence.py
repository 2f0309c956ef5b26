"""What words tell of all that was detected in a clip: who could take part, and how well it fits."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from sentrack.inference import Infeasible, Problem, TrackTerms, WordTerms, best_scores, solve
from sentrack.lexicon import Lexicon, WordModel, aligned
from sentrack.objective import Chain, over_all
from sentrack.scene import PRESENCE, CandidateSet, measure
from sentrack.vision import Bools, Clip, ClipError, Floats, Ints


@dataclass(frozen=True, eq=False)
class Kind:
    """The candidates of a noun.

    Attributes:
        candidates: with gaps bridged.
        boxes: (T, J, 4) where they are, in pixels.
        seen: (T, J) whether one was detected, not projected.
        f: (T, J) detection scores, -inf for padding.
        g: (T - 1, J, J) coherence.
    """

    candidates: CandidateSet
    boxes: Floats
    seen: Bools
    f: Floats
    g: Floats

    @property
    def terms(self) -> TrackTerms:
        """Of its track."""
        f: Any = self.f  # one array of all frames is checked at once
        g: Any = self.g
        return TrackTerms(f, g)

    @cached_property
    def best(self) -> float:
        """The score of its best track, in nats."""
        return solve(Problem([self.terms])).score

    def lack(self, track: Ints) -> float:
        """Nats by which a track (T,) falls short of the best one, as a number up to 0."""
        frames = np.arange(len(track))
        steps = self.g[frames[:-1], track[:-1], track[1:]]
        return float(self.f[frames, track].sum() + steps.sum() - self.best)

    def follow(self, track: Ints) -> Floats:
        """(T, 4): the boxes of a track (T,); where it is not seen, that of the nearest frame."""
        frames = np.arange(len(track))
        seen = np.flatnonzero(self.seen[frames, track])
        nearest = seen[np.abs(frames[:, None] - seen).argmin(axis=1)] if len(seen) else frames
        return np.asarray(self.boxes[nearest, track[nearest]])


class Evidence:
    """The candidates of every noun that was detected, and what words tell of them.

    Args:
        clip: what was seen.
        lexicon: what words mean.

    Attributes:
        clip: as given.
        lexicon: what words mean.
        vocabulary: its words with the clip's classes as nouns.
        nouns: those that were detected.

    Raises:
        ClipError: when nothing was detected in the clip.
    """

    def __init__(self, clip: Clip, lexicon: Lexicon) -> None:
        self.clip = clip
        self.lexicon = lexicon
        self.vocabulary = lexicon.vocabulary().with_nouns(clip.classes)
        self._measured = measure(clip, frozenset(clip.classes), lexicon.identity)
        self.nouns = tuple(n.name for n in self.vocabulary.of("noun") if self._candidates(n.name))
        if not self.nouns:
            raise ClipError(f"{clip.name}: nothing was detected in it, so nothing can be said")
        self._kinds: dict[tuple[str, bool], Kind] = {}

    def kind(self, noun: str, spoken_of: bool = False) -> Kind:
        """The candidates of a noun that was detected; see `Measurements.scores`."""
        if (noun, spoken_of) not in self._kinds:
            found, clip = self._candidates(noun), self._measured.clip
            assert found is not None
            real, rows = found.real, found.rows
            g = np.array(self._measured.coherence(found))
            g[~(real[:-1, :, None] & real[1:, None, :])] = -np.inf
            self._kinds[noun, spoken_of] = Kind(
                found,
                clip.boxes[rows],
                real & ~clip.projected[rows],
                np.where(real, self._measured.scores(spoken_of=spoken_of)[rows], -np.inf),
                g,
            )
        return self._kinds[noun, spoken_of]

    def kinds(self, model: WordModel, nouns: tuple[str, ...]) -> list[Kind]:
        """The candidates of a word's participants."""
        spoken_of = model.roles_of(PRESENCE)
        return [self.kind(noun, role in spoken_of) for role, noun in enumerate(nouns)]

    def chain(self, model: WordModel) -> Chain:
        """How a word goes through its states in the clip."""
        return over_all(model, self._measured.clip, self.lexicon.identity)

    def told(self, model: WordModel, nouns: tuple[str, ...]) -> Floats:
        """(T, K, J1, ..., JI): what states tell of candidates beyond what nothing would.

        In nats, against a word that means nothing. 0 where a candidate is projected: what is not
        seen says nothing.
        """
        players = [self.kind(noun).candidates for noun in nouns]
        return self._measured.emission(model, players) - model.background

    def by_frames(self, model: WordModel, several: list[tuple[str, ...]]) -> Floats:
        """(N,): bounds of a word's total for N choices of nouns, as if no track had to cohere."""
        most = []
        for nouns in several:
            each = self.told(model, nouns)
            for axis, kind in enumerate(self.kinds(model, nouns)):
                each += aligned(kind.f - kind.best / self.clip.T, (axis,), len(nouns))[:, None]
            most.append(each.reshape(self.clip.T, model.K, -1).max(axis=-1))
        return self.best_totals(model, np.array(most))

    def best_totals(self, model: WordModel, told: Floats) -> Floats:
        """(N,): the best totals of a word over its states, given (N, T, K) what they tell."""
        chain = self.chain(model)
        spread = chain.spread(told, 0.0, axis=2)
        return best_scores(chain.initial, chain.transition, spread, chain.final)

    def solve(self, model: WordModel, nouns: tuple[str, ...]) -> tuple[Ints, Ints] | None:
        """(L, T) and (T,): tracks, and states of its chain, that `track` finds for a word.

        None if they cannot be different things.
        """
        chain = self.chain(model)
        told: Any = chain.spread(self.told(model, nouns), 0.0)
        told[-1, ~chain.final] = -np.inf
        for a, b in combinations(range(len(nouns)), 2):
            one = aligned(self.one(nouns[a], nouns[b]), (a, b), len(nouns))
            told = np.where(one[:, None], -np.inf, told)
        word = WordTerms(chain.initial, chain.transition, told, tuple(range(len(nouns))))
        try:
            solution = solve(Problem([kind.terms for kind in self.kinds(model, nouns)], [word]))
        except Infeasible:
            return None
        return solution.tracks, solution.states[0]

    def one(self, noun: str, other: str) -> Bools:
        """(T, J1, J2): which candidates of two nouns show one thing."""
        return self._measured.one(self.kind(noun).candidates, self.kind(other).candidates)

    def _candidates(self, noun: str) -> CandidateSet | None:
        return self._measured.candidates(self.lexicon.named(noun, self.clip.classes))
