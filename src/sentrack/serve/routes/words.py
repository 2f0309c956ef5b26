"""The words of the lexicon, and what each of them means."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query

from sentrack.lexicon import WordModel
from sentrack.serve.errors import JobError
from sentrack.serve.routes.dependencies import EVER, NONE, Current
from sentrack.text import nearest

router = APIRouter(prefix="/api", responses=EVER)


@dataclass(frozen=True)
class LexiconWord:
    """A word of the lexicon."""

    word: str
    part: str


@dataclass(frozen=True)
class LexiconFacts:
    """All words of the lexicon."""

    lexicon: str
    about: str
    words: list[LexiconWord]


@dataclass(frozen=True)
class WordState:
    """A state of a word: its mean time, if it has one, and whether the word may end in it."""

    name: str
    seconds: float | None
    final: bool


@dataclass(frozen=True)
class WordFeature:
    """A feature that a word looks at.

    Attributes:
        name: of the feature.
        roles: it is measured on.
        about: what it measures.
        unit: of its values, or "".
        bins: their names.
        edges: upper edges of all bins but the last; none if bins are not ranges.
        outputs: per state, the probability of every bin.
    """

    name: str
    roles: list[str]
    about: str
    unit: str
    bins: list[str]
    edges: list[float]
    outputs: list[list[float]]


@dataclass(frozen=True)
class WordFacts:
    """What a word means.

    Attributes:
        word: its name.
        part: of speech.
        roles: of its participants.
        forms: how it is said.
        moves: the role that a verb moves; None for other words.
        states: in order.
        features: that it looks at.
        classes: that a noun names; none for any.
    """

    word: str
    part: str
    roles: list[str]
    forms: list[str]
    moves: str | None
    states: list[WordState]
    features: list[WordFeature]
    classes: list[str]


@router.get("/words")
def lexicon(snapshot: Current) -> LexiconFacts:
    """All words, the classes of the library among them."""
    lexicon = snapshot.lexicon
    own = [(model.part, model.name) for model in lexicon.words.values()]
    classes = [("noun", entry.name) for entry in snapshot.vocabulary.of("noun")]
    every = dict.fromkeys([*own, *classes])
    found = [LexiconWord(name, part) for part, name in sorted(every)]
    return LexiconFacts(lexicon.name, lexicon.about, found)


@router.get("/word", responses=NONE)
def word(
    snapshot: Current,
    word: Annotated[str, Query(min_length=1, max_length=100)],
    part: Annotated[str, Query(min_length=1, max_length=20)],
) -> WordFacts:
    """What a word means."""
    known = {(each.word, each.part) for each in lexicon(snapshot).words}
    if (word, part) not in known:
        near = nearest(word, [name for name, _ in sorted(known)])
        hint = f"; the nearest is {near!r}" if near else ""
        raise JobError(f"the lexicon has no such word{hint}", 404)
    model = snapshot.lexicon.model(word, part)
    return WordFacts(
        word=model.name,
        part=model.part,
        roles=list(model.roles),
        forms=list(model.forms),
        moves=model.roles[model.moves] if part == "verb" else None,
        states=_states(model),
        features=_features(model),
        classes=list(model.classes),
    )


def _states(model: WordModel) -> list[WordState]:
    times = [None] * model.K if model.seconds is None else map(float, model.seconds)
    return [
        WordState(name, seconds, bool(final))
        for name, seconds, final in zip(model.states, times, model.final, strict=True)
    ]


def _features(model: WordModel) -> list[WordFeature]:
    return [
        WordFeature(
            name=observed.feature.name,
            roles=[model.roles[role] for role in observed.roles],
            about=observed.feature.about,
            unit=observed.feature.unit,
            bins=list(observed.feature.bins),
            edges=list(observed.feature.edges),
            outputs=output.tolist(),
        )
        for observed, output in zip(model.observed, model.outputs, strict=True)
    ]
