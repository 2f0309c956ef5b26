"""The pairs of clip and sentence that can be learned from, and the words to learn."""

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentrack.errors import SentrackError
from sentrack.inference import Infeasible
from sentrack.language import Headword, Meaning, SentenceError, Vocabulary
from sentrack.lexicon import Lexicon, WordModel
from sentrack.tasks.learning.corrections import Corrected, RightBox, put_right
from sentrack.tasks.learning.examples import Example, Key, prepare
from sentrack.tasks.learning.initial_models import blank_model, widened_model
from sentrack.tasks.learning.settings import Settings
from sentrack.tasks.learning.unknown_words import parse_unknown
from sentrack.tasks.tracker import vocabulary_of
from sentrack.vision import Clip, ClipError, as_clip

# A clip and a sentence, and boxes that somebody put right if there are any.
ClipAndSentence = tuple[Clip, str] | tuple[Clip, str, Sequence[RightBox]]
PathAndSentence = tuple[str | Path, str] | tuple[str | Path, str, Sequence[RightBox]]

LOG = logging.getLogger("sentrack")


class PairError(SentrackError, ValueError):
    """A pair cannot be learned from; the message names it and says why."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A clip and what a sentence says of it.

    Attributes:
        clip: what was seen, with what was put right in it.
        meaning: of the sentence.
        example: both, measured.
        video: the same for the same video, whatever was put right in it.
        corrected: what was put right, if anything.
    """

    clip: Clip
    meaning: Meaning
    example: Example
    video: str
    corrected: Corrected | None = None


@dataclass(frozen=True, eq=False)
class Corpus:
    """What to learn from.

    Attributes:
        pairs: those that can be learned from.
        lexicon: all words of them; those to be learned mean nothing yet, and nouns to be learned
            name all classes.
        vocabulary: of the grammar, with words that were unknown.
        learned: the words to learn.
        begun: those of them that begin with a meaning, and are held to it.
        classes: that were detected anywhere.
    """

    pairs: tuple[Pair, ...]
    lexicon: Lexicon
    vocabulary: Vocabulary
    learned: frozenset[Key]
    begun: frozenset[Key]
    classes: tuple[str, ...]


def gather(
    pairs: Iterable[ClipAndSentence | PathAndSentence],
    keep: Lexicon | None,
    lexicon: Lexicon,
    settings: Settings,
    strict: bool,
    start: Lexicon | None = None,
) -> Corpus:
    """Understand the sentences, measure the clips, and leave out what cannot be learned from.

    Args:
        pairs: clips or their paths, with sentences, and with boxes that were put right.
        keep: words to hold fixed.
        lexicon: how further words are said; their meanings are learned.
        settings: of learning.
        strict: whether to refuse the corpus instead of leaving pairs out.
        start: what words mean that begin with a meaning.

    Raises:
        PairError: there is nothing to learn from; or, when strict, a pair is no good.
    """
    faults = _Faults(strict)
    kept = keep.words if keep else {}
    begun = start.words if start else {}
    known = lexicon.words | begun | kept
    given = [(as_clip(each[0]), each[1], each[2] if len(each) > 2 else ()) for each in pairs]
    classes = sorted({clip.classes[i] for clip, *_ in given for i in np.unique(clip.label)})
    # A noun need not name a class: what it names is learned.
    nouns = vocabulary_of(Lexicon(lexicon.name, "", known), classes)
    vocabulary = Vocabulary([*nouns, *nouns.foreign])
    told: list[tuple[Clip, Meaning, Sequence[RightBox]]] = []
    for clip, sentence, boxes in given:
        try:
            meaning, vocabulary = parse_unknown(sentence, vocabulary)
            told.append((clip, meaning, boxes))
        except SentenceError as error:
            faults.add(f"{clip.name}: {sentence!r}: {error}")
    said = Counter(key for _, meaning, _ in told for key in _keys(meaning))
    entries = {(entry.part, entry.name): entry for entry in vocabulary}
    words: dict[Key, WordModel] = {}
    learned: set[Key] = set()
    for key in sorted(said):
        model = known.get(key) or _model(entries[key])
        if key in kept or (key[0] == "noun" and (key in begun or not settings.nouns)):
            words[key] = model
        elif key[0] == "noun":
            alone = said[key] == 1 and key[1] in classes
            if alone:
                LOG.warning("'%s' is said once; it is taken to name the class of its name", key[1])
            words[key] = _noun(model, (key[1],) if alone else tuple(classes))
            if not alone:
                learned.add(key)
        elif key in begun:
            words[key] = widened_model(model, settings.features)
            learned.add(key)
        else:
            words[key] = blank_model(model, settings.states, settings.features, settings.noise)
            learned.add(key)
    whole = Lexicon("learned", "", words)
    found = []
    for clip, meaning, boxes in told:
        try:
            corrected = _corrected(clip, meaning, whole, boxes) if boxes else None
            better = clip if corrected is None else corrected.clip
            example = prepare(better, meaning, whole, classes, settings.best, learned, corrected)
            found.append(Pair(better, meaning, example, clip.sha256, corrected))
        except (ClipError, Infeasible) as error:
            why = str(error).removeprefix(f"{clip.name}: ")
            faults.add(f"{clip.name}: {meaning.sentence!r}: {why}")
    good = _repeated(found, learned - set(begun), faults)
    if not good:
        raise PairError(faults.summary("there is nothing to learn from"))
    used = {key for pair in good for key in _keys(pair.meaning)}
    learned &= used
    if not learned:
        raise PairError("there is nothing to learn: all words of the sentences are held fixed")
    words = {key: model for key, model in words.items() if key in used}
    whole = Lexicon("learned", "", words)
    return Corpus(
        tuple(good),
        whole,
        vocabulary,
        frozenset(learned),
        frozenset(key for key in learned if key in begun and key[0] != "noun"),
        tuple(classes),
    )


def _corrected(
    clip: Clip, meaning: Meaning, lexicon: Lexicon, boxes: Sequence[RightBox]
) -> Corrected:
    nouns = [(p.noun, lexicon.named(p.noun, clip.classes)) for p in meaning.participants]
    return put_right(clip, nouns, boxes)


def _repeated(found: Sequence[Pair], learned: Collection[Key], faults: "_Faults") -> list[Pair]:
    """The pairs whose words are all said more than once, but for those that are not learned."""
    good = list(found)
    while True:
        said = Counter(key for pair in good for key in _keys(pair.meaning))
        once = {key for key, number in said.items() if number == 1 and key in learned}
        if not once:
            return good
        for key in sorted(once):
            faults.add(f"the {key[0]} '{key[1]}' is said once; learning needs at least two clips")
        good = [pair for pair in good if not once & _keys(pair.meaning)]


class _Faults:
    """What is wrong with pairs: said, or refused at once when strict."""

    def __init__(self, strict: bool) -> None:
        self._strict = strict
        self._found: list[str] = []

    def add(self, fault: str) -> None:
        if self._strict:
            raise PairError(fault)
        self._found.append(fault)
        LOG.warning("left out: %s", fault)

    def summary(self, what: str) -> str:
        return f"{what}: {self._found[0] if self._found else 'there are no pairs'}"


def _keys(meaning: Meaning) -> set[Key]:
    return {(word.part, word.word) for word in meaning.words}


def _model(entry: Headword) -> WordModel:
    """A word that is not in a lexicon."""
    if entry.part == "noun":
        return _noun(WordModel(entry.name, "noun", entry.forms, entry.roles), (entry.name,))
    facts = {
        "irregular": dict(entry.irregular),
        "particle": entry.particle,
        "preposition": entry.preposition,
    }
    grammar = {name: fact for name, fact in facts.items() if fact}
    return WordModel(entry.name, entry.part, entry.forms, entry.roles, entry.moves, grammar)


def _noun(model: WordModel, classes: tuple[str, ...]) -> WordModel:
    return WordModel(
        model.name, "noun", model.forms, model.roles, classes=classes, states=("state 0",)
    )
