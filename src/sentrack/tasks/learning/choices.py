"""How probably clips choose their own sentences by `match`, and how that depends on outputs.

A clip has a choice of sentences: its own, and such as are not true of it. It chooses one with a
probability in proportion to exp(SHARPNESS · fit), where fit is what `match` mostly depends on: how
well the word fits that fits least (`sentrack.tasks.match`, which counts the other words a little,
and others that could be meant). With the answers held, that is a smooth function of the words'
outputs.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sentrack.lexicon import WordModel
from sentrack.tasks.learning.examples import Bools, Floats, Ints, Key
from sentrack.tasks.learning.questions import Answer, Told
from sentrack.tasks.match import ROUNDING, SATURATED

SHARPNESS = 10.0  # nats per unit of fit


@dataclass(frozen=True)
class Choice:
    """A clip's own sentence among others.

    Attributes:
        own: the index of its question.
        others: those of the others.
        weight: how much it counts.
    """

    own: int
    others: tuple[int, ...]
    weight: float = 1.0


class Held:
    """Answers that are held: tracks and states stay, outputs may change.

    Args:
        answers: to all questions; None for one without tracks, which is never chosen.
    """

    def __init__(self, answers: Sequence[Answer | None]) -> None:
        self._unanswered = np.array([each is None for each in answers], dtype=np.bool_)
        rows: dict[Key, list[int]] = defaultdict(list)
        told: dict[Key, list[Told]] = defaultdict(list)
        for question, each in enumerate(answers):
            for key, own in each or ():
                rows[key].append(question)
                told[key].append(own)
        self._words = {key: _Rows(told[key], rows[key]) for key in rows}

    def fits(self, models: Mapping[Key, WordModel]) -> tuple[Floats, dict[Key, Floats]]:
        """(Q,) the fit of every question; and per word, (Q,) its own, infinite where it is none."""
        Q = len(self._unanswered)
        every = {}
        for key, word in self._words.items():
            own = np.full(Q, np.inf)
            if models[key].information > ROUNDING:
                np.minimum.at(own, word.question, word.fits(models[key])[0])
            every[key] = own
        least = np.min([np.full(Q, np.inf), *every.values()], axis=0)
        least = np.where(np.isinf(least), 0.0, np.clip(least, -SATURATED, SATURATED))
        return np.where(self._unanswered, -np.inf, least), every

    def slopes(
        self, models: Mapping[Key, WordModel], keys: Sequence[Key], weights: Floats
    ) -> dict[Key, list[Floats]]:
        """Of each word, per feature (K, bins): the slope of Σ weights · fits in its log outputs.

        Args:
            models: of all words.
            keys: the words.
            weights: (Q,) of the questions.
        """
        least, every = self.fits(models)
        found = {}
        for key in keys:
            if key in self._words:
                decides = (every[key] == least) & (np.abs(least) < SATURATED)
                found[key] = self._words[key].slopes(models[key], np.where(decides, weights, 0.0))
        return found


class _Rows:
    """What all answers show of one word, one after the other."""

    def __init__(self, told: Sequence[Told], question: Sequence[int]) -> None:
        self.question = np.array(question)
        self._item = np.repeat(np.arange(len(told)), [len(each.state) for each in told])
        self._state: Ints = np.concatenate([each.state for each in told])
        self._bins: Ints = np.concatenate([each.bins for each in told])
        self._seen: Bools = np.concatenate([each.seen for each in told])
        self._moves = np.array([each.moves for each in told])
        self._frames = np.array([each.frames for each in told])

    def fits(self, model: WordModel) -> tuple[Floats, Floats]:
        """(N,) the fit of every answer; and (M,) how probably each frame shows the word, no noise.

        The margin over uniform outputs, per frame, as a part of what the word tells at best.
        """
        own = np.zeros(len(self._state))
        for f, output in enumerate(model.outputs):
            with np.errstate(divide="ignore"):
                log = np.log(output * output.shape[1])
            own += np.where(self._seen[:, f], log[self._state, self._bins[:, f]], 0.0)
        with np.errstate(divide="ignore"):
            real = np.log1p(-model.noise) + own
            total = np.logaddexp(real, np.log(model.noise))
        sums = np.bincount(self._item, total, minlength=len(self._frames))
        margin = (sums + self._moves) / self._frames
        return margin / model.most, np.exp(real - total)

    def slopes(self, model: WordModel, weights: Floats) -> list[Floats]:
        fits, real = self.fits(model)
        weight = weights[self.question]
        per_frame = (weight / self._frames)[self._item] * real / model.most
        # `most`, which fits are divided by, grows with the largest outputs of one state.
        most = [np.log(output.max(axis=1) * output.shape[1]) for output in model.outputs]
        top = int(np.sum(most, axis=0).argmax())
        share = float((weight * fits).sum()) / model.most
        found = []
        for f, output in enumerate(model.outputs):
            slope = np.zeros(output.shape)
            seen = self._seen[:, f]
            np.add.at(slope, (self._state[seen], self._bins[seen, f]), per_frame[seen])
            largest = output[top] == output[top].max()
            slope[top, largest] -= share / largest.sum()
            found.append(slope)
        return found


def log_choice(fits: Floats, choices: Sequence[Choice]) -> tuple[Floats, Floats]:
    """(C,) the log probability that each clip chooses its own sentence; (Q,) its total slope.

    Args:
        fits: (Q,) of the questions.
        choices: the clips.
    """
    slope = np.zeros(len(fits))
    log = np.zeros(len(choices))
    for c, choice in enumerate(choices):
        members = np.array([choice.own, *choice.others])
        x = SHARPNESS * fits[members]
        shares = np.exp(x - x.max())
        shares /= shares.sum()
        log[c] = np.log(max(shares[0], 1e-300))
        shares = -shares
        shares[0] += 1.0
        np.add.at(slope, members, choice.weight * SHARPNESS * shares)
    return log, slope
