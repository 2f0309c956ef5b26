"""What words mean: hidden Markov models over named, binned features."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sentrack.lexicon.features import FEATURES, Bins, Candidates, Feature

Floats = npt.NDArray[np.float64]
Value = TypeVar("Value", bound=np.generic)

# Combinations of bins up to which a word's features are looked up in one table.
TABLE = 4096


@dataclass(frozen=True)
class Observed:
    """A feature of some of a word's participants.

    Attributes:
        feature: the registered feature.
        roles: indices of the word's roles that it is measured on, in order.
    """

    feature: Feature
    roles: tuple[int, ...]

    def bins(self, players: Sequence[Candidates]) -> Bins:
        """(T, J1 or 1, ..., JI or 1): the bins of the candidates of a word's I participants."""
        measured = self.feature.binned(*(players[role] for role in self.roles))
        return aligned(measured, self.roles, len(players))


@dataclass(frozen=True, eq=False)
class WordModel:
    """One word: how it is said, of whom, and what it looks like.

    Attributes:
        name: canonical, with hyphens.
        part: part of speech.
        forms: how it is written; the base form of verbs.
        roles: names of its participants, in order.
        moves: the role that a verb moves.
        grammar: further facts for the grammar: irregular forms, particle, preposition, opposite.
        classes: of a noun, the detector classes that it names; empty for all.
        states: names of its states.
        observed: the features it looks at.
        outputs: per feature, (K, bins): probability of every bin in every state.
        initial: (K,) probability of the state in the first frame.
        seconds: (K,) mean time in a state before the next; None where `transitions` is given.
        transitions: (K, K) probability per frame; None where `seconds` is given.
        final: (K,) whether the word may end in a state.
        noise: probability that a frame shows nothing of the word: bins at random.
    """

    name: str
    part: str
    forms: tuple[str, ...]
    roles: tuple[str, ...]
    moves: int = 0
    grammar: Mapping[str, object] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    states: tuple[str, ...] = ("is",)
    observed: tuple[Observed, ...] = ()
    outputs: tuple[Floats, ...] = ()
    initial: Floats = field(default_factory=lambda: np.ones(1))
    seconds: Floats | None = None
    transitions: Floats | None = None
    final: npt.NDArray[np.bool_] = field(default_factory=lambda: np.ones(1, dtype=np.bool_))
    noise: float = 0.0

    @property
    def K(self) -> int:  # noqa: N802 - the paper's symbol
        """Number of states."""
        return len(self.states)

    @property
    def background(self) -> float:
        """Log probability, per frame, of a word that means nothing: uniform over bins."""
        return -math.fsum(math.log(len(o.feature.bins)) for o in self.observed)

    @property
    def information(self) -> float:
        """Nats per frame by which a typical frame of its most telling state beats the background.

        The relative entropy of the outputs and the uniform distribution. Words that look at more
        have more of it; dividing by it makes them comparable.
        """
        told = [
            (output * np.log(np.maximum(output, 1e-300))).sum(axis=1) + math.log(output.shape[1])
            for output in self.outputs
        ]
        return float(np.sum(told, axis=0).max()) if told else 0.0

    @property
    def most(self) -> float:
        """Nats per frame by which its most telling state beats the background at best."""
        told = [np.log(output.max(axis=1) * output.shape[1]) for output in self.outputs]
        return float(np.sum(told, axis=0).max()) if told else 0.0

    def roles_of(self, feature: str) -> frozenset[int]:
        """The roles of which it looks at a feature of one participant."""
        return frozenset(o.roles[0] for o in self.observed if o.feature.name == feature)

    def log_initial(self) -> Floats:
        """(K,): the initial term."""
        return _log(self.initial)

    def log_transitions(self, seconds: float) -> Floats:
        """(K, K): the transition term for frames this far apart.

        Given mean times, a state is left for the next with the probability that a time with that
        mean ends within a frame; the last state is kept.
        """
        if self.transitions is not None:
            return _log(self.transitions)
        assert self.seconds is not None or self.K == 1
        stay = np.ones(self.K)
        if self.seconds is not None:
            stay[:-1] = np.exp(-seconds / self.seconds[:-1])
        return _log(np.diag(stay) + np.diag(1 - stay[:-1], k=1))

    def tables(self) -> list[tuple[tuple[Observed, ...], Floats]]:
        """Groups of features, each with its log probabilities (K, combinations of bins).

        The sum over groups is the emission term h, except for noise where there are several.
        """
        found = []
        for group in self.groups():
            table = np.zeros((self.K, 1))
            for n in group:
                output = _log(self.outputs[n])
                table = (table[:, :, None] + output[:, None, :]).reshape(self.K, -1)
            found.append((tuple(self.observed[n] for n in group), table))
        if len(found) == 1 and self.noise > 0:
            found = [(found[0][0], self.noisy(found[0][1]))]
        return found

    def groups(self) -> list[tuple[int, ...]]:
        """Its features, by index, in groups whose combinations of bins make modest tables."""
        groups: list[tuple[int, ...]] = []
        size = TABLE + 1
        for n, observed in enumerate(self.observed):
            bins = len(observed.feature.bins)
            if size * bins > TABLE:
                groups.append(())
                size = 1
            groups[-1] += (n,)
            size *= bins
        return groups

    def noisy(self, log_probability: Floats) -> Floats:
        """Mix with a word that means nothing, so that no frame costs more than -ln(noise)."""
        if self.noise == 0:
            return log_probability
        return np.logaddexp(
            math.log1p(-self.noise) + log_probability, math.log(self.noise) + self.background
        )


def aligned(
    values: npt.NDArray[Value], roles: Sequence[int], participants: int
) -> npt.NDArray[Value]:
    """(T, J of the first role, ...) with one axis for each of a word's I participants.

    Args:
        values: of the candidates of some roles, in the order of the roles.
        roles: indices of the participants.
        participants: their number, I.

    Returns:
        (T, J1 or 1, ..., JI or 1), 1 for participants that are none of the roles.
    """
    values = values.transpose(0, *(1 + np.argsort(roles)))
    return np.expand_dims(values, [1 + i for i in range(participants) if i not in roles])


def uniform(feature: str) -> Floats:
    """(bins,): every bin of a feature equally probable."""
    bins = len(FEATURES[feature].bins)
    return np.full(bins, 1.0 / bins)


def _log(probability: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability))
