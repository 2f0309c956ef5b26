"""English as people write it: from any sentence to what of it can be checked in a video.

The grammar reads the sentences that sentrack makes; this reads the others. Words are tagged,
chunked and attached by rules, in one pass each, so that the same sentence is always read the same
way. What is said but cannot be seen in boxes, or has no model, is kept as unchecked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .attachment import Attachment
from .chunker import chunk
from .coreference import Discourse, Remark, refuse_untracked
from .errors import SentenceError
from .events import Event, Resolver
from .forms import not_a_class
from .glossary import glossary
from .meaning import Meaning, Participant, distinct_pairs
from .tagger import NOUNS, Tagged, tag
from .tokenizer import Token, tokenize
from .vocabulary import Vocabulary


def read(sentence: str, vocabulary: Vocabulary) -> Meaning:
    """The meaning of a sentence that people wrote.

    Raises:
        SentenceError: It names nothing that can be tracked, denies something, or has words that
            go with nothing.
        UnknownWord: A word is neither in the vocabulary nor in the glossary.
    """
    tokens = tokenize(sentence)
    _refuse_negation(tokens)
    words = _statement(tag(_without_command(tokens), vocabulary))
    _refuse_foreign(words, vocabulary)
    discourse = Discourse(vocabulary)
    resolver = Resolver(discourse)
    attachment = Attachment(discourse, resolver)
    chunks = chunk(words)
    attachment.attach(chunks)
    for event in attachment.events:
        resolver.resolve(event)
    for phrase in attachment.loose:
        about = phrase.noun.participants if phrase.noun else ()
        resolver._phrase(phrase, about, None)
    for word, thing in discourse.states:
        state = Event(word.lemma, word.text, word.number, thing, passive=word.tag == "part")
        resolver.resolve(state)
    refuse_untracked(discourse, discourse.mentioned)
    _keep_things(discourse)
    return _meaning(sentence, discourse, attachment.events)


def _refuse_negation(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.text in glossary().sets["closed.negation"]:
            raise SentenceError(
                f"'{token.text}' at word {token.number}: sentrack looks for what happens, "
                "not for what does not; leave it out"
            )


def _refuse_foreign(words: Sequence[Tagged], vocabulary: Vocabulary) -> None:
    """Refuses nouns that the detector of the clip does not know but others do."""
    if not vocabulary.foreign:
        return
    foreign = {form for entry in vocabulary.foreign for form in entry.forms}
    classes = [entry.name.replace("-", " ") for entry in vocabulary.of("noun")]
    for word in words:
        if word.tag in NOUNS and word.entry is None and word.lemma in foreign:
            why = not_a_class(word.lemma, classes)
            raise SentenceError(f"'{word.text}' at word {word.number}: {why}")


def _without_command(tokens: Sequence[Token]) -> Sequence[Token]:
    """ "find the dog that ran away" asks for the dog."""
    commands = sorted(glossary().sets["closed.command"], key=len, reverse=True)
    said = " ".join(token.text for token in tokens)
    for command in commands:
        length = len(command.split())
        rest = tokens[length : length + 1]
        if said.startswith(f"{command} ") and rest and rest[0].text in ("the", "a", "an", "all"):
            return tokens[length:]
    return tokens


def _statement(words: list[Tagged]) -> list[Tagged]:
    """Without the mark of a question at the end."""
    return [word for word in words if word.text != "?"]


def _keep_things(discourse: Discourse) -> None:
    """What was named, is not tracked and was said in no other way is not checked."""
    said = " ; ".join(remark.text for remark in discourse.unchecked)
    for thing in discourse.mentioned:
        named = thing.participants or thing.kind in ("viewer", "colour")
        if not named and thing.text not in said:
            discourse.leave_unchecked(thing.text, thing.number)


def _meaning(sentence: str, discourse: Discourse, events: Sequence[Event]) -> Meaning:
    """All of it, with agent and object of the first event first."""
    verbs = [(n, word) for n, word, entry in discourse.words if entry.part == "verb"]
    first = next((w.participants[:2] for n, w in verbs if events and n == events[0].number), ())
    order = [*first, *(i for i in range(len(discourse.participants)) if i not in first)]
    index = {old: new for new, old in enumerate(order)}
    participants = tuple(discourse.participants[old] for old in order)
    ranked = sorted(discourse.words, key=lambda said: said[0])
    words = tuple(
        replace(word, participants=tuple(index[i] for i in word.participants))
        for _, word, _ in ranked
    )
    together = [remark.participants for remark in discourse.unchecked]
    pairs = {
        (min(index[i], index[j]), max(index[i], index[j]))
        for i, j in [*discourse.distinct, *((a[0], b) for a in together for b in a[1:])]
        if i != j
    }
    distinct = tuple(sorted(pairs | set(distinct_pairs(participants, words))))
    remarks = sorted(discourse.unchecked, key=lambda remark: remark.number)
    alike = [set(thing.participants) for thing in discourse.mentioned if thing.participants]
    notes = list(discourse.notes)
    for remark in remarks:
        # What is said of one noun group needs no note.
        if not any(set(remark.participants) <= one for one in alike):
            notes.append(_about(remark, participants, index))
    unchecked = tuple(dict.fromkeys(remark.text for remark in remarks))
    return Meaning(sentence, participants, words, distinct, tuple(notes), unchecked)


def _about(remark: Remark, participants: Sequence[Participant], index: Mapping[int, int]) -> str:
    """Whom something that is not checked was said of."""
    names = [f"{participants[index[i]].noun} {index[i]}" for i in remark.participants]
    return f"'{remark.text}' is said of {' and '.join(names)}, and is not checked"
