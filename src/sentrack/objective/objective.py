"""An objective: what inference is asked of a scene, and how to read its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentrack.inference import Problem, between, ended
from sentrack.language import Meaning
from sentrack.lexicon import WordModel
from sentrack.scene import CandidateSet, Scene
from sentrack.vision import Bools, Clip, Floats, Ints

SILENT = ""  # the name of no state: before an event, and after it


@dataclass(frozen=True, eq=False)
class Chain:
    """How a word goes through its states.

    Attributes:
        state: (S,) the state of its model that each of them looks like; their number K for what
            says nothing.
        initial: (S,) nats.
        transition: (S, S) nats.
        final: (S,) whether the word may end in it.
    """

    state: Ints
    initial: Floats
    transition: Floats
    final: Bools

    def spread(self, told: Floats, nothing: float, axis: int = 1) -> Floats:
        """What its states tell, given what those of its model do along an axis.

        Args:
            told: nats.
            nothing: what a state tells that says nothing.
            axis: of the states.
        """
        if self.state.max() == told.shape[axis]:
            more = [(0, 0)] * told.ndim
            more[axis] = (0, 1)
            told = np.pad(told, more, constant_values=nothing)
        return np.take(told, self.state, axis=axis)

    def frames_told(self, model: WordModel, seconds: float, states: Ints) -> int:
        """In how many frames of its states (T,) a word tells something.

        Of an event, no fewer than it usually lasts: what is over too soon tells less of it.

        Args:
            model: of the word.
            seconds: between frames.
            states: of this chain.
        """
        return max(
            int((self.state[states] < model.K).sum()), least_told(model, seconds, len(states))
        )


def least_told(model: WordModel, seconds: float, T: int) -> int:
    """The least number of `frames_told`, of T: all for a word of one state."""
    if model.K == 1:
        return T
    return 1 if model.seconds is None else min(T, round(float(model.seconds.sum()) / seconds))


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
        part = ended(between(self.problem, first, last), self.final)
        return replace(self, scene=self.scene.cut(first, last), problem=part)

    def background(self, word: int) -> float:
        """What the emission of a word is, per frame, where it tells nothing."""
        return 0.0 if self.against_background else self.models[word].background

    def states(self, word: int, found: Sequence[int] | Ints) -> Ints:
        """(T,): the states of a word's model, given those of its chain; see `state_names`."""
        return np.asarray(self.chains[word].state[np.asarray(found)])

    def state_names(self, word: int) -> tuple[str, ...]:
        """The states of a word's model, and SILENT where there are times when it says nothing."""
        names, state = self.models[word].states, self.chains[word].state
        return (*names, SILENT) if state.max() == len(names) else names
