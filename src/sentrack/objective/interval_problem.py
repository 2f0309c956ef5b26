"""When: a scene against the background, so that the best interval says when it happens."""

import numpy as np

from sentrack.inference import Problem, TrackTerms, WordTerms
from sentrack.lexicon import WordModel
from sentrack.objective.chain import LEAST_SECONDS, Chain
from sentrack.objective.joint_chains import JointChain, joint_chains
from sentrack.objective.objective import Objective
from sentrack.scene import Scene, unpadded

# Nats per frame by which every word that tells something must beat the background, on average.
DULL = 0.4
# Times its usual time that a state of a word may last: frames of a kind would else make up for what
# an event is about, its change from one state to the next.
LONGEST_STATE = 1.25
SHORTEST_STATE = 0.25  # and what it lasts at least: one odd frame is no phase
# Seconds that a moment lasts at least: what a word looks at is measured over as long.
MOMENT = 0.5


def interval(scene: Scene, room: int | None = None) -> Objective:
    """The terms of which the best interval is wanted.

    Terms are log-ratios, for which more frames are not just worse: emissions against words that
    mean nothing, detections against the usual one of their class. Every frame has a cost, so that
    frames that say next to nothing end a moment, and so does a state that lasts longer than it does
    in what the word means.

    Args:
        scene: what is asked, and of what.
        room: frames in which the least that a moment lasts has room; all of the clip if left out.
    """
    cost = frame_cost(scene)
    tracks = scene.tracks(against_background=True)
    charged = [np.asarray(f) - cost for f in tracks[0].unary]
    tracks = [TrackTerms(charged, tracks[0].pairwise), *tracks[1:]]
    joint = interval_chains(scene, room)
    words = []
    for each in joint:
        chain, h = each.chain, each.told(scene, against_background=True)
        counts = [scene.candidates[p].counts for p in each.participants]
        emission = [np.asarray(frame)[chain.state] for frame in unpadded(h, 1, counts)]
        words.append(WordTerms(chain.initial, chain.transition, emission, each.participants))
    problem = Problem(tracks, [*words, *scene.apart()])
    return Objective(scene, problem, tuple(joint), cost, against_background=True)


def interval_chains(scene: Scene, room: int | None = None) -> list[JointChain]:
    """The chains of all words; clauses in order fill the interval from its first frame on.

    All words tell of the same frames: events last as long as such events do, and where there is
    none, one of the words sees to it that a moment is no shorter than MOMENT.
    """
    seconds, T = scene.clip.seconds, scene.clip.T
    alone = [lasting(model, seconds, T, room) for model in scene.models]
    if all(model.K == 1 for model in scene.models):
        least = min(T if room is None else room, round(MOMENT / seconds))
        alone[-1] = at_least(alone[-1], least)
    return joint_chains(scene, alone, clause_chains(scene, room), around=False)


def clause_chains(scene: Scene, room: int | None = None) -> list[list[Chain]]:
    """Per clause in order, the chains of its words.

    One word of a clause, its first event, says how long it lasts; the others go along with it. A
    clause without an event lasts LEAST_SECONDS: a moment in which somebody hardly stood would else
    do for "walked, then stood".
    """
    order, seconds, T = scene.meaning.order, scene.clip.seconds, scene.clip.T
    found = []
    for clause in order:
        models = [scene.models[w] for w in clause]
        events = [w for w, model in enumerate(models) if model.seconds is not None]
        share = (T if room is None else room) // len(order)
        chains = [
            lasting(model, seconds, T, share) if events[:1] == [w] else plain(model, seconds)
            for w, model in enumerate(models)
        ]
        if all(model.K == 1 for model in models):
            chains[0] = at_least(chains[0], min(round(LEAST_SECONDS / seconds), share))
        found.append(chains)
    return found


def at_least(chain: Chain, frames: int) -> Chain:
    """A word of one state that lasts so many frames or longer: one state for each of them."""
    n = max(1, frames)
    moves = np.full((n, n), -np.inf)
    moves[np.arange(n - 1), np.arange(1, n)] = moves[-1, -1] = chain.transition[0, 0]
    initial = np.where(np.arange(n) == 0, chain.initial[0], -np.inf)
    return Chain(np.zeros(n, dtype=np.int64), initial, moves, np.arange(n) == n - 1)


def frame_cost(scene: Scene) -> float:
    """Nats that a frame costs; of clauses in order only one tells something at a time."""
    telling = [model.information > 0 for model in scene.models]
    clauses = [sum(telling[w] for w in clause) for clause in scene.meaning.order]
    return DULL * (sum(telling) - sum(clauses) + max(clauses, default=0))


def plain(model: WordModel, seconds: float) -> Chain:
    """A word whose states last as long as they do."""
    moves = model.log_transitions(seconds)
    return Chain(np.arange(model.K), model.log_initial(), moves, model.final)


def lasting(model: WordModel, seconds: float, T: int, room: int | None = None) -> Chain:
    """A word whose states last SHORTEST_STATE to LONGEST_STATE times their usual time.

    A state becomes a row of states, one for every frame that it may last.

    Args:
        model: of the word.
        seconds: between frames.
        T: number of frames.
        room: of these, in which all states have room; all if left out.
    """
    if model.K == 1 or model.seconds is None:
        return plain(model, seconds)
    initial, a = model.log_initial(), model.log_transitions(seconds)
    usual = model.seconds / seconds
    most = np.clip(np.round(LONGEST_STATE * usual), 1, T).astype(np.int64)
    least = np.minimum(np.round(SHORTEST_STATE * usual), (T if room is None else room) // model.K)
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
