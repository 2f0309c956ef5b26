"""An objective: what inference is asked of a scene, and how to read its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentrack.inference import Problem, between
from sentrack.language import Meaning
from sentrack.lexicon import WordModel
from sentrack.scene import CandidateSet, Scene
from sentrack.vision import Bools, Clip, Floats, Ints


@dataclass(frozen=True, eq=False)
class Chain:
    """How a word goes through its states.

    Attributes:
        state: (S,) the state of its model that each of them looks like.
        initial: (S,) nats.
        transition: (S, S) nats.
        final: (S,) whether the word may end in it.
    """

    state: Ints
    initial: Floats
    transition: Floats
    final: Bools


@dataclass(frozen=True, eq=False)
class Objective:
    """The terms of a scene.

    Attributes:
        scene: where they come from.
        problem: Eq. 4; words of the sentence first, then constraints.
        chains: of the words of the sentence.
        frame_cost: nats that a frame costs, which are part of the first track's terms.
        against_background: whether terms are log-ratios against words that mean nothing.
    """

    scene: Scene
    problem: Problem
    chains: tuple[Chain, ...]
    frame_cost: float = 0.0
    against_background: bool = False

    @property
    def clip(self) -> Clip:
        """What was seen, with an identity and without gaps, or with gaps bridged."""
        return self.scene.clip

    @property
    def meaning(self) -> Meaning:
        """What was said."""
        return self.scene.meaning

    @property
    def models(self) -> tuple[WordModel, ...]:
        """Of the words, in order."""
        return self.scene.models

    @property
    def candidates(self) -> tuple[CandidateSet, ...]:
        """Of every participant."""
        return self.scene.candidates

    @property
    def final(self) -> list[Bools]:
        """Per word of the problem, the states it may end in; constraints may end anywhere."""
        more = self.problem.W - len(self.chains)
        return [chain.final for chain in self.chains] + [np.ones(1, dtype=np.bool_)] * more

    def cut(self, first: int, last: int) -> "Objective":
        """The terms of the frames first to last - 1, with words that end in their final states."""
        part = between(self.problem, first, last)
        words = []
        for w, (word, final) in enumerate(zip(part.words, self.final, strict=True)):
            *before, end = (part.emission(w, t) for t in range(part.T))
            end = end + np.where(final, 0.0, -np.inf).reshape(-1, *[1] * (end.ndim - 1))
            words.append(replace(word, emission=[*before, end]))
        return replace(self, scene=self.scene.cut(first, last), problem=Problem(part.tracks, words))

    def background(self, word: int) -> float:
        """What the emission of a word is, per frame, where it tells nothing."""
        return 0.0 if self.against_background else self.models[word].background

    def states(self, word: int, found: Sequence[int] | Ints) -> Ints:
        """(T,): the states of a word's model, given those of its chain."""
        return np.asarray(self.chains[word].state[np.asarray(found)])
