"""The lexicon, for the page that draws it."""

from sentrack.lexicon.model import WordModel
from sentrack.serve.schemas import LexiconFacts, LexiconWord, WordFacts, WordFeature, WordState
from sentrack.serve.snapshot import Holding
from sentrack.serve.worker_pool import JobError
from sentrack.text import nearest


def listed(held: Holding) -> LexiconFacts:
    """All words of the lexicon, and the classes of the library that it does not name."""
    lexicon = held.lexicon
    own = [(model.part, model.name) for model in lexicon.words.values()]
    classes = [("noun", entry.name) for entry in held.vocabulary.of("noun")]
    every = dict.fromkeys([*own, *classes])
    found = [LexiconWord(name, part) for part, name in sorted(every)]
    return LexiconFacts(lexicon.name, lexicon.about, found)


def drawn(held: Holding, word: str, part: str) -> WordFacts:
    """What a word means.

    Raises:
        JobError: there is no such word.
    """
    known = {(each.word, each.part) for each in listed(held).words}
    if (word, part) not in known:
        near = nearest(word, [name for name, _ in sorted(known)])
        hint = f"; the nearest is {near!r}" if near else ""
        raise JobError(f"the lexicon has no such word{hint}", 404)
    model = held.lexicon.model(word, part)
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
