"""The hand-made word models of the six-class corpus, and the features that they look at.

Every word is a left-to-right hidden Markov model whose states emit independent discrete features of
the boxes of its participants. All tables here hold natural logarithms.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sentrack.inference.problem import Array

Bins = npt.NDArray[np.intp]
Distributions = dict[str, tuple[float, ...]]

CLASSES = ("person", "backpack", "chair", "trash-can", "stool", "traffic-cone")

ZERO = 1e-100  # what stands for a probability of zero
GARBAGE = 1e-30  # the models' own "practically never"

# Upper edges of all bins but the last, in pixels (per frame) of a 1280-wide frame.
MAGNITUDE_EDGES = (0.446304, 2.424366, 5.386146, 9.186421)
X_DISTANCE_EDGES = (225.298, 375.425)
SIZE_RATIO_EDGE = 1.3
SIDE_MARGIN = 50.0

MAGNITUDE: Distributions = {
    "any": (0.2, 0.2, 0.2, 0.2, 0.2),
    "stationary": (0.5, 0.49, 0.01, 0.0, 0.0),
    "moving": (GARBAGE, 0.1, 0.3, 0.3, 0.3),
    "not-quickly": (0.25, 0.25, 0.25, 0.25, GARBAGE),
    "slow": (0.0, 0.3, 0.4, 0.3, 0.0),
    "quick": (0.0, 0.0, 0.0, 0.1, 0.9),
}
ORIENTATION: Distributions = {
    "any": (0.25, 0.25, 0.25, 0.25),
    "horizontal": (0.5, 0.0, 0.5, 0.0),
    "up": (0.0, 0.0, 0.0, 1.0),
}
X_DISTANCE: Distributions = {
    "any": (1 / 3, 1 / 3, 1 / 3),
    "close": (1.0, 0.0, 0.0),
    "far": (0.0, 0.0, 1.0),
}
SIZE_RATIO: Distributions = {"bigger": (1.0, 0.0)}
SIDE: Distributions = {"left": (1.0, 0.0, 0.0), "right": (0.0, 1.0, 0.0)}

# The features of a part of speech, in the order of the columns of `WORDS`; 1 and 2 are arguments.
VERB = ("magnitude1", "orientation1", "magnitude2", "orientation2", "x-distance", "size-ratio")
ADVERB = ("magnitude1",)
PREPOSITION = ("side",)
MOTION_PREPOSITION = ("magnitude1", "x-distance")

TABLES = {
    "magnitude1": MAGNITUDE,
    "magnitude2": MAGNITUDE,
    "orientation1": ORIENTATION,
    "orientation2": ORIENTATION,
    "x-distance": X_DISTANCE,
    "size-ratio": SIZE_RATIO,
    "side": SIDE,
}

# Probability of staying in the first, the middle and the last phase of a word.
VERB_STAY = (0.001, 0.99, 1.0)
ADVERB_STAY = (0.01, 0.99, 1.0)

_RESTING_CLOSE = "stationary any stationary any close bigger"
_HELD = "any any stationary any close bigger"

# Features, chance of staying in a phase, and what each phase expects of every feature.
WORDS: dict[str, tuple[tuple[str, ...], tuple[float, ...], tuple[str, ...]]] = {
    "carried": (
        VERB,
        VERB_STAY,
        (_RESTING_CLOSE, "moving horizontal moving horizontal close bigger", _RESTING_CLOSE),
    ),
    "picked-up": (VERB, VERB_STAY, (_HELD, "any any moving up close bigger", _HELD)),
    "slowly": (ADVERB, ADVERB_STAY, ("stationary", "slow", "stationary")),
    "quickly": (ADVERB, ADVERB_STAY, ("not-quickly", "quick", "not-quickly")),
    "to-the-left-of": (PREPOSITION, (1.0,), ("left",)),
    "to-the-right-of": (PREPOSITION, (1.0,), ("right",)),
    "towards": (
        MOTION_PREPOSITION,
        ADVERB_STAY,
        ("stationary far", "moving any", "stationary close"),
    ),
    "away-from": (
        MOTION_PREPOSITION,
        ADVERB_STAY,
        ("stationary close", "moving any", "stationary far"),
    ),
}

# The probability of the wrong class, by how strict nouns are; "hard" rules it out altogether.
WRONG_CLASS = {"hard": 0.0, "smoothed": ZERO, "soft": 0.02}


@dataclass(frozen=True)
class WordModel:
    """One word.

    Attributes:
        initial: (K,) log probability of the first state.
        transition: (K, K) log probability of the next state (column) given the state (row).
        outputs: for every feature, (K, bins) its log probabilities.
        opening: number of states of the first phase, in which no word may end; 0 if it has only
            one state.
    """

    initial: Array
    transition: Array
    outputs: dict[str, Array]
    opening: int


def word_model(word: str, K: int = 3) -> WordModel:
    """The model of a verb, adverb or preposition.

    Args:
        word: one of `WORDS`.
        K: states of a word with phases, a multiple of 3: each of its three phases is a row of K/3
            states with the same output. Words of a single phase have one state for any K.
    """
    features, stay, phases = WORDS[word]
    split = K // 3 if len(phases) > 1 else 1
    rows = [phase.split() for phase in phases for _ in range(split)]
    outputs = {
        name: _log([TABLES[name][row[column]] for row in rows])
        for column, name in enumerate(features)
    }
    opening = split if len(phases) > 1 else 0
    return WordModel(_initial(len(rows)), _transition(stay, split), outputs, opening)


def noun_output(noun: str, strictness: str) -> Array:
    """(6,): log probability of every class given the noun, for one of `WRONG_CLASS`."""
    wrong = WRONG_CLASS[strictness]
    right = 1.0 - (len(CLASSES) - 1) * wrong
    probabilities = [right if name == noun else wrong for name in CLASSES]
    with np.errstate(divide="ignore"):  # the hard zero is meant
        return np.log(probabilities)


def magnitude_bins(flow: Array) -> Bins:
    """Bins of the speeds of flow (..., 2): from absolutely stationary, 0, to quickly, 4."""
    return np.searchsorted(MAGNITUDE_EDGES, np.hypot(flow[..., 0], flow[..., 1]))


def orientation_bins(flow: Array) -> Bins:
    """Bins of the directions of flow (..., 2), y pointing down: left, down, right, up.

    No motion at all counts as right, the direction of the angle zero.
    """
    u, v = flow[..., 0], flow[..., 1]
    nearest = np.stack((-u, v, u, -v)).argmax(axis=0)
    return np.where((u == 0) & (v == 0), 2, nearest)


def x_distance_bins(x1: Array, x2: Array) -> Bins:
    """Bins of the horizontal distances (J1, J2) between centres: near, normal, far."""
    return np.searchsorted(X_DISTANCE_EDGES, np.abs(x1[:, None] - x2))


def size_ratio_bins(area1: Array, area2: Array) -> Bins:
    """Bins (J1, J2): 0 if the first is clearly larger, 1 otherwise."""
    return (area1[:, None] / area2 <= SIZE_RATIO_EDGE).astype(np.intp)


def side_bins(x1: Array, x2: Array) -> Bins:
    """Bins (J1, J2) of where the first centre is: 0 left of the second, 1 right of it, 2 level."""
    offset = x1[:, None] - x2
    return np.select([offset < -SIDE_MARGIN, offset > SIDE_MARGIN], [0, 1], 2)


def _initial(K: int) -> Array:
    return _log([1.0] + [0.0] * (K - 1))


def _transition(stay: tuple[float, ...], split: int) -> Array:
    """Left-to-right transitions of phases split into `split` states each.

    The states of a split phase share its expected duration, so each is left `split` times as often,
    though never more surely than the first phase is. The last phase is never left; its states but
    the last hand on as those of the phase before.
    """
    K = len(stay) * split
    matrix = np.zeros((K, K))
    for state in range(K - 1):
        phase = min(state // split, len(stay) - 2)
        leave = min(split * (1 - stay[phase]), 1 - stay[0])
        matrix[state, state : state + 2] = 1 - leave, leave
    matrix[-1, -1] = 1.0
    logs = _log(matrix)
    logs[np.tril_indices(K, -1)] = -np.inf
    return logs


def _log(rows: npt.ArrayLike) -> Array:
    """Logs of distributions along the last axis whose zeros become `ZERO`."""
    table = np.array(rows, dtype=np.float64)
    table[table == 0] = ZERO
    logs: Array = np.log(table / table.sum(axis=-1, keepdims=True))
    return logs
