"""The paper's reading of a scene: the sentence is about all of the clip (Eq. 4)."""

import numpy as np

from sentrack.inference import Problem, WordTerms
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon
from sentrack.objective.objective import Chain, Objective
from sentrack.scene import Scene, scene_of, unpadded
from sentrack.vision import Clip


def build(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> Objective:
    """Measure a clip for a sentence and put the terms of Eq. 4 together.

    Raises:
        ClipError: when a noun's class was not detected anywhere in the clip.
    """
    return whole(scene_of(clip, meaning, lexicon))


def whole(scene: Scene) -> Objective:
    """The terms of Eq. 4 over all frames; words end in their final states."""
    words, chains = [], []
    for w, (word, model) in enumerate(zip(scene.meaning.words, scene.models, strict=True)):
        h = scene.emission(w)
        if not model.final.all():
            h = np.ascontiguousarray(h)
            h[-1, ~model.final] = -np.inf
        emission = unpadded(h, 1, [each.counts for each in scene.players(w)])
        moves = model.log_transitions(scene.clip.seconds)
        chain = Chain(np.arange(model.K), model.log_initial(), moves, model.final)
        words.append(WordTerms(chain.initial, chain.transition, emission, word.participants))
        chains.append(chain)
    return Objective(scene, Problem(scene.tracks(), [*words, *scene.apart()]), tuple(chains))
