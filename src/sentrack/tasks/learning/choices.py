"""How probably clips choose their own sentences by `match`, and how that depends on outputs.

A clip has a choice of sentences: its own, and such as are not true of it. It chooses one with a
probability in proportion to exp(CERTAINTY · fit), where fit is the one that `match` depends on
(`sentrack.tasks.alternatives.fit_of_all`): in every cast mostly that of the word that fits least,
and of all casts mostly that of the best. With the states of the words held in every cast, that is
a smooth function of the words' outputs.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sentrack.lexicon import WordModel
from sentrack.tasks.learning.examples import Floats, Key
from sentrack.tasks.learning.questions import Answer, Told
from sentrack.tasks.match import ROUNDING, SATURATED, SHARPNESS

CERTAINTY = 5.0  # nats per unit of fit


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
    """Answers that are held: casts and states stay, outputs may change.

    Args:
        answers: to all questions; None for one without tracks, which is never chosen.
    """

    def __init__(self, answers: Sequence[Answer | None]) -> None:
        self._unanswered = np.array([each is None for each in answers], dtype=np.bool_)
        self._casts, self._rest, self._more = np.array(
            [(1, 0.0, 0.0) if a is None else (a.casts, a.rest, a.more) for a in answers]
        ).T.reshape(3, -1)
        # All casts of all questions, one after the other.
        question: list[int] = []
        begin: dict[Key, list[int]] = defaultdict(list)
        told: dict[Key, list[Told]] = defaultdict(list)
        for n, each in enumerate(answers):
            if each is not None:
                for word in each.words:
                    begin[word.key].append(len(question))
                    told[word.key].append(word)
                question += [n] * (len(each.words[0].moves) if each.words else 1)
        self._question = np.array(question, dtype=np.int64)
        self._words = {key: _Rows(told[key], begin[key]) for key in told}

    def fits(self, models: Mapping[Key, WordModel]) -> Floats:
        """(Q,) the fit of every question; -inf where there are no tracks."""
        least, _ = self._least(models)
        total = self._rest + np.bincount(
            self._question, np.exp(SHARPNESS * least), minlength=len(self._rest)
        )
        total = np.where(self._unanswered, 1.0, total)
        fits = np.log(total / self._casts) / SHARPNESS + self._more
        return np.where(self._unanswered, -np.inf, fits)

    def slopes(
        self, models: Mapping[Key, WordModel], keys: Sequence[Key], weights: Floats
    ) -> dict[Key, list[Floats]]:
        """Of each word, per feature (K, bins): the slope of Σ weights · fits in its log outputs.

        Args:
            models: of all words.
            keys: the words.
            weights: (Q,) of the questions.
        """
        least, shares = self._least(models)
        cast = np.exp(SHARPNESS * least)
        total = self._rest + np.bincount(self._question, cast, minlength=len(self._rest))
        cast *= weights[self._question] / total[self._question]
        return {
            key: self._words[key].slopes(models[key], cast[self._words[key].cast] * shares[key])
            for key in keys
            if key in shares
        }

    def _least(self, models: Mapping[Key, WordModel]) -> tuple[Floats, dict[Key, Floats]]:
        """(C,) the soft least fit in every cast; and of each word, (N,) its part in that."""
        C = len(self._question)
        number, total = np.zeros(C), np.zeros(C)
        shares = {}
        for key, word in self._words.items():
            if models[key].information > ROUNDING:
                fits = np.clip(word.fits(models[key])[0], -SATURATED, SATURATED)
                shares[key] = np.exp(-SHARPNESS * fits)
                number += np.bincount(word.cast, minlength=C)
                total += np.bincount(word.cast, shares[key], minlength=C)
        none = number == 0
        number[none] = total[none] = 1.0
        parts = {key: own / total[self._words[key].cast] for key, own in shares.items()}
        return np.log(number / total) / SHARPNESS, parts


class _Rows:
    """What all answers show of one word, one cast after the other.

    Args:
        told: of every answer that has it.
        begin: the first cast of each of these, among those of all answers.
    """

    def __init__(self, told: Sequence[Told], begin: Sequence[int]) -> None:
        self.cast = np.concatenate(
            [at + np.arange(len(t.moves)) for t, at in zip(told, begin, strict=True)]
        )
        self._frames = np.concatenate([np.full(len(t.moves), t.frames) for t in told])
        self._moves = np.concatenate([each.moves for each in told])
        self._item = np.repeat(
            np.arange(len(self.cast)),
            np.concatenate([np.full(len(t.moves), t.state.shape[1]) for t in told]),
        )
        self._state = np.concatenate([each.state.ravel() for each in told])
        F = told[0].bins.shape[2]
        self._bins = np.concatenate([each.bins.reshape(-1, F) for each in told])
        self._seen = np.concatenate([each.seen.reshape(-1, F) for each in told])

    def fits(self, model: WordModel) -> tuple[Floats, Floats]:
        """(N,) the fit in every cast; and (M,) how probably each frame shows the word, no noise.

        The margin over uniform outputs, per frame, as a part of what the word tells at best.
        """
        own = np.zeros(len(self._state))
        for f, output in enumerate(model.outputs):
            with np.errstate(divide="ignore"):
                log = np.log(output * output.shape[1])
            # After the last state the word says nothing.
            log = np.append(log, np.zeros((1, log.shape[1])), axis=0)
            own += np.where(self._seen[:, f], log[self._state, self._bins[:, f]], 0.0)
        with np.errstate(divide="ignore"):
            real = np.log1p(-model.noise) + own
            total = np.logaddexp(real, np.log(model.noise))
        sums = np.bincount(self._item, total, minlength=len(self.cast))
        return (sums + self._moves) / self._frames / model.most, np.exp(real - total)

    def slopes(self, model: WordModel, weights: Floats) -> list[Floats]:
        """Per feature (K, bins): the slope of Σ weights · fits, (N,) and (N,), in log outputs."""
        fits, real = self.fits(model)
        weight = np.where(np.abs(fits) < SATURATED, weights, 0.0)
        per_frame = (weight / self._frames)[self._item] * real / model.most
        # `most`, which fits are divided by, grows with the largest outputs of one state.
        most = [np.log(output.max(axis=1) * output.shape[1]) for output in model.outputs]
        top = int(np.sum(most, axis=0).argmax())
        share = float((weight * fits).sum()) / model.most
        found = []
        for f, output in enumerate(model.outputs):
            K, bins = output.shape
            seen = self._seen[:, f]
            place = self._state[seen] * bins + self._bins[seen, f]
            slope: Floats = np.zeros((K + 1) * bins)
            slope += np.bincount(place, per_frame[seen], len(slope))
            slope = slope.reshape(-1, bins)[:K]
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
        x = CERTAINTY * fits[members]
        shares = np.exp(x - x.max())
        shares /= shares.sum()
        log[c] = np.log(max(shares[0], 1e-300))
        shares = -shares
        shares[0] += 1.0
        np.add.at(slope, members, choice.weight * CERTAINTY * shares)
    return log, slope
