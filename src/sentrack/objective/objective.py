"""An objective: what inference is asked of a scene, and how to read its answer."""

from dataclasses import dataclass, replace

import numpy as np

from sentrack.inference import Problem, WordTerms, between, ended
from sentrack.language import Meaning
from sentrack.lexicon import WordModel
from sentrack.objective.chain import SILENT, Chain
from sentrack.objective.joint_chains import JointChain
from sentrack.scene import CandidateSet, Scene
from sentrack.vision import Bools, Clip, Ints


@dataclass(frozen=True, eq=False)
class Objective:
    """The terms of a scene.

    Attributes:
        scene: where they come from.
        problem: Eq. 4; words of the sentence first, then constraints. Those of clauses in order
            are one word of the problem.
        joint: the chains of the problem's words that are not constraints.
        frame_cost: nats that a frame costs, which are part of the first track's terms.
        against_background: whether terms are log-ratios against words that mean nothing.
    """

    scene: Scene
    problem: Problem
    joint: tuple[JointChain, ...]
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
    def chains(self) -> tuple[Chain, ...]:
        """Of the words of the sentence, in order."""
        words = range(len(self.models))
        joint = [self.joint[self.row(w)] for w in words]
        return tuple(each.shares[each.words.index(w)] for w, each in zip(words, joint, strict=True))

    def row(self, word: int) -> int:
        """Which word of the problem a word of the sentence is part of."""
        return next(n for n, each in enumerate(self.joint) if word in each.words)

    @property
    def constraints(self) -> tuple[WordTerms, ...]:
        """The words of the problem that are no words of the sentence."""
        return self.problem.words[len(self.joint) :]

    @property
    def final(self) -> list[Bools]:
        """Per word of the problem, the states it may end in; constraints may end anywhere."""
        ends = [each.shares[0].final for each in self.joint]
        return ends + [np.ones(1, dtype=np.bool_)] * len(self.constraints)

    def cut(self, first: int, last: int) -> "Objective":
        """The terms of the frames first to last - 1, with words that end in their final states."""
        part = ended(between(self.problem, first, last), self.final)
        return replace(self, scene=self.scene.cut(first, last), problem=part)

    def background(self, word: int) -> float:
        """What the emission of a word is, per frame, where it tells nothing."""
        return 0.0 if self.against_background else self.models[word].background

    def states(self, word: int, found: Ints) -> Ints:
        """(T,): the states of a word's model, given those of a solution; see `state_names`.

        Args:
            word: of the sentence.
            found: (W, T) the states of the problem's words.
        """
        return np.asarray(self.chains[word].state[found[self.row(word)]])

    def state_names(self, word: int) -> tuple[str, ...]:
        """The states of a word's model, and SILENT where there are times when it says nothing."""
        names, state = self.models[word].states, self.chains[word].state
        return (*names, SILENT) if state.max() == len(names) else names
