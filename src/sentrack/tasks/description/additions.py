"""What can be added to a core: which way the thing that moves went."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sentrack.language import Word
from sentrack.lexicon import WordModel, kinds
from sentrack.tasks.description.cores import Core
from sentrack.tasks.description.evidence import Evidence
from sentrack.vision import Bools, Ints

LEAST_ADDED_FIT = 0.6  # how well an added word must fit, as a part of what it could tell at best
# What the motion of a camera does not change.
RELATIVE = frozenset({"together", "gap", "closing"})
# A verb that looks at one of these says which way by itself.
WAYS = frozenset({"heading", "vertical", "turning", "paper-heading"})


class Sentence(NamedTuple):
    """Which things words speak of, and the words but for the nouns."""

    things: tuple[int, ...]
    words: tuple[Word, ...]


def way(evidence: Evidence, core: Core) -> Sentence:
    """A core with the way that fits best, if one fits well enough; an event of one has none.

    Who takes part is settled by the core. A landmark is any other thing that is there meanwhile.
    Where the camera moves, only how two things move relative to each other is sure.
    """
    best, found = LEAST_ADDED_FIT, Sentence(core.things, (core.verb,))
    if core.model.K > 1 and len(core.things) == 1:
        return found
    for model in _ways(evidence, core):
        others = [()] if len(model.roles) == 1 else [(n,) for n in range(len(evidence.things))]
        casts = np.array(
            [(core.mover, *n) for n in others if not {*n} & {*core.things}], dtype=np.int64
        )
        casts = casts.reshape(-1, len(model.roles))[_can(evidence, model, casts)]
        if not len(casts):
            continue
        told = evidence.told(model, casts)[:, core.first : core.last, 0]
        fits = told.mean(axis=1) / model.most
        n = int(fits.argmax())
        if fits[n] > best:
            landmark = tuple(map(int, casts[n, 1:]))
            about = (core.model.moves, *range(len(core.things), len(core.things) + len(landmark)))
            word = Word(model.name, about, model.part)
            best = float(fits[n])
            found = Sentence((*core.things, *landmark), (core.verb, word))
    return found


def _ways(evidence: Evidence, core: Core) -> Iterator[WordModel]:
    """Words of one state that say which way; one of several phases is an event of its own."""
    known = {observed.feature.name for observed in core.model.observed}
    parts = ("motion",) if known & WAYS else ("direction", "motion")
    steady = evidence.steady(core.first, core.last)
    for model in evidence.lexicon.words.values():
        said = model.part in parts and model.K == 1 and model.name not in kinds().instead
        features = {observed.feature.name for observed in model.observed}
        if said and features and (steady or features <= RELATIVE):
            yield model


def _can(evidence: Evidence, model: WordModel, casts: Ints) -> Bools:
    """(N,): whether things can play the roles of a word."""
    return np.array(
        [
            all(kinds().can(model.name, i, evidence.nouns[n]) for i, n in enumerate(cast))
            for cast in casts
        ],
        dtype=np.bool_,
    )
