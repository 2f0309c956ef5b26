"""The paper's reading of a scene: the sentence is about all of the clip (Eq. 4)."""

from dataclasses import dataclass

import numpy as np

from sentrack.inference import Problem, WordTerms
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon, WordModel
from sentrack.scene import CandidateSet, Scene, scene_of, unpadded
from sentrack.vision import Clip


@dataclass(frozen=True, eq=False)
class Objective:
    """The terms of a scene.

    Attributes:
        scene: where they come from.
        problem: Eq. 4; words of the sentence first, then constraints.
    """

    scene: Scene
    problem: Problem

    @property
    def clip(self) -> Clip:
        """What was seen, with gaps bridged."""
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


def build(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> Objective:
    """Measure a clip for a sentence and put the terms of Eq. 4 together.

    Raises:
        ClipError: when a noun's class was not detected anywhere in the clip.
    """
    return whole(scene_of(clip, meaning, lexicon))


def whole(scene: Scene) -> Objective:
    """The terms of Eq. 4 over all frames; words end in their final states."""
    words = []
    for w, (word, model) in enumerate(zip(scene.meaning.words, scene.models, strict=True)):
        h = scene.emission(w)
        if not model.final.all():
            h = np.ascontiguousarray(h)
            h[-1, ~model.final] = -np.inf
        emission = unpadded(h, 1, [each.counts for each in scene.players(w)])
        chain = model.log_initial(), model.log_transitions(scene.clip.seconds)
        words.append(WordTerms(*chain, emission, word.participants))
    return Objective(scene, Problem(scene.tracks(), [*words, *scene.apart()]))
