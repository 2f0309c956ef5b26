"""How a word goes through its states, and in how many frames it tells something."""

from dataclasses import dataclass

import numpy as np

from sentrack.lexicon import WordModel
from sentrack.vision import Bools, Floats, Ints

SILENT = ""  # the name of no state: before an event, and after it
# Seconds that a word of one state lasts at least, where it does not go on all the time.
LEAST_SECONDS = 1.0


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
        T = len(states)
        if model.K == 1 and self.state.max() == model.K:
            least = min(T, round(LEAST_SECONDS / seconds))
        else:
            least = least_told(model, seconds, T)
        return max(int((self.state[states] < model.K).sum()), least)


def least_told(model: WordModel, seconds: float, T: int) -> int:
    """The least number of `frames_told`, of T: all for a word of one state."""
    if model.K == 1:
        return T
    return 1 if model.seconds is None else min(T, round(float(model.seconds.sum()) / seconds))
