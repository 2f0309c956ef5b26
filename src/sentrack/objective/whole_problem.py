"""The paper's reading of a scene: the sentence is about all of the clip (Eq. 4)."""

import numpy as np

from sentrack.inference import Problem, WordTerms
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon, WordModel
from sentrack.objective.chain import Chain
from sentrack.objective.interval_problem import clause_chains, lasting, plain
from sentrack.objective.joint_chains import joint_chains
from sentrack.objective.objective import Objective
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
    identity = scene.measured.identity
    alone = [over_all(model, scene.clip, identity) for model in scene.models]
    joint = joint_chains(scene, alone, clause_chains(scene), around=identity)
    words = []
    for each in joint:
        chain = each.chain
        h = each.told(scene)[:, chain.state]
        h[-1, ~chain.final] = -np.inf
        emission = unpadded(h, 1, [scene.candidates[p].counts for p in each.participants])
        words.append(WordTerms(chain.initial, chain.transition, emission, each.participants))
    return Objective(scene, Problem(scene.tracks(), [*words, *scene.apart()]), tuple(joint))


def over_all(model: WordModel, clip: Clip, identity: bool) -> Chain:
    """How a word goes through its states in all of a clip.

    A word of several states is an event, which lasts as long as such events do and happens at some
    time: before and after it the word says nothing. In the paper's reading, that of lexicons
    without identity, it takes all of the clip.
    """
    if identity and model.K > 1:
        return at_some_time(lasting(model, clip.seconds, clip.T), model.K)
    return plain(model, clip.seconds)


def at_some_time(chain: Chain, nothing: int) -> Chain:
    """A word between two states, before it and after it, that look like the state `nothing`."""
    K = len(chain.state)
    moves = np.full((K + 2, K + 2), -np.inf)
    moves[0, 0] = moves[-1, -1] = 0.0
    moves[0, 1:-1] = chain.initial
    moves[1:-1, 1:-1] = chain.transition
    moves[1:-1, -1] = np.where(chain.final, 0.0, -np.inf)
    return Chain(
        np.concatenate([[nothing], chain.state, [nothing]]),
        np.concatenate([[0.0], chain.initial, [-np.inf]]),
        moves,
        np.concatenate([[False], chain.final, [True]]),
    )
