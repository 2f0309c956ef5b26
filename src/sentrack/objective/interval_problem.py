"""When: a scene against the background, so that the best interval says when it happens."""

from collections.abc import Sequence

import numpy as np

from sentrack.inference import Problem, TrackTerms, WordTerms
from sentrack.lexicon import WordModel
from sentrack.objective.objective import Chain, Objective
from sentrack.scene import Scene, unpadded

# Nats per frame by which every word that tells something must beat the background, on average.
DULL = 0.4
# Times its usual time that a state of a word may last: frames of a kind would else make up for what
# an event is about, its change from one state to the next.
LONGEST = 1.25
SHORTEST = 0.25  # and what it lasts at least: one odd frame is no phase
# Seconds that a moment lasts at least: what a word looks at is measured over as long.
MOMENT = 0.5


def interval(scene: Scene) -> Objective:
    """The terms of which the best interval is wanted.

    Terms are log-ratios, for which more frames are not just worse: emissions against words that
    mean nothing, detections against the usual one of their class. Every frame has a cost, so that
    frames that say next to nothing end a moment, and so does a state that lasts longer than it does
    in what the word means.
    """
    cost = frame_cost(scene.models)
    tracks = scene.tracks(against_background=True)
    charged = [np.asarray(f) - cost for f in tracks[0].unary]
    tracks = [TrackTerms(charged, tracks[0].pairwise), *tracks[1:]]
    words, chains = [], chains_of(scene)
    for w, (word, chain) in enumerate(zip(scene.meaning.words, chains, strict=True)):
        h = scene.emission(w, against_background=True)
        counts = [each.counts for each in scene.players(w)]
        emission = [np.asarray(frame)[chain.state] for frame in unpadded(h, 1, counts)]
        words.append(WordTerms(chain.initial, chain.transition, emission, word.participants))
    problem = Problem(tracks, [*words, *scene.apart()])
    return Objective(scene, problem, tuple(chains), cost, against_background=True)


def chains_of(scene: Scene) -> list[Chain]:
    """How each word goes through its states, so that together they last long enough.

    All words tell of the same frames: events last as long as such events do, and where there is
    none, one of the words sees to it that a moment is no shorter than MOMENT.
    """
    seconds, T = scene.clip.seconds, scene.clip.T
    chains = [lasting(model, seconds, T) for model in scene.models]
    if all(model.K == 1 for model in scene.models):
        chains[-1] = at_least(chains[-1], min(T, round(MOMENT / seconds)))
    return chains


def at_least(chain: Chain, frames: int) -> Chain:
    """A word of one state that lasts so many frames or longer: one state for each of them."""
    n = max(1, frames)
    moves = np.full((n, n), -np.inf)
    moves[np.arange(n - 1), np.arange(1, n)] = moves[-1, -1] = chain.transition[0, 0]
    initial = np.where(np.arange(n) == 0, chain.initial, -np.inf)
    return Chain(np.zeros(n, dtype=np.int64), initial, moves, np.arange(n) == n - 1)


def frame_cost(models: Sequence[WordModel]) -> float:
    """Nats that a frame costs."""
    return DULL * sum(model.information > 0 for model in models)


def lasting(model: WordModel, seconds: float, T: int) -> Chain:
    """A word whose states last SHORTEST times their usual time at least, and LONGEST at most.

    A state becomes a row of states, one for every frame that it may last.

    Args:
        model: of the word.
        seconds: between frames.
        T: number of frames, in which all states have room.
    """
    initial, a = model.log_initial(), model.log_transitions(seconds)
    if model.K == 1 or model.seconds is None:
        return Chain(np.arange(model.K), initial, a, model.final)
    usual = model.seconds / seconds
    most = np.clip(np.round(LONGEST * usual), 1, T).astype(np.int64)
    least = np.minimum(np.round(SHORTEST * usual), T // model.K)
    begin = np.cumsum(most) - most
    state = np.repeat(np.arange(model.K), most)
    K = len(state)
    lasted = np.arange(K) - begin[state] + 1
    start, wide = np.full(K, -np.inf), np.full((K, K), -np.inf)
    start[begin] = initial
    wide[:, begin] = a[state]
    wide[np.arange(K), begin[state]] = -np.inf  # a state does not begin anew
    enough = lasted >= least[state]
    wide[~enough] = -np.inf
    on = np.flatnonzero(np.diff(state) == 0)
    wide[on, on + 1] = a[state[on], state[on]]
    return Chain(state, start, wide, model.final[state] & enough)
