"""English as people write it: from any sentence to what of it can be checked in a video.

The grammar reads the sentences that sentrack makes; this reads the others. Words are tagged,
chunked and attached by rules, in one pass each, so that the same sentence is always read the same
way. What is said but cannot be seen in boxes, or has no model, is kept as unchecked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sentrack.language.english.attachment import attach
from sentrack.language.english.chunker import chunk
from sentrack.language.english.discourse import Discourse
from sentrack.language.english.event import Event
from sentrack.language.english.referent import Remark
from sentrack.language.english.tagger import NOUNS, Tagged, tag
from sentrack.language.english.tokenizer import Token, tokenize
from sentrack.language.english.verb_linking import VerbLinker
from sentrack.language.english.verb_senses import VerbSenses
from sentrack.language.errors import SentenceError
from sentrack.language.forms import not_a_class
from sentrack.language.glossary import glossary
from sentrack.language.meaning import Meaning, Participant, distinct_pairs
from sentrack.language.vocabulary import Vocabulary


def read(sentence: str, vocabulary: Vocabulary) -> Meaning:
    """The meaning of a sentence that people wrote.

    Raises:
        SentenceError: It names nothing that can be tracked, denies something, or has words that
            go with nothing.
        UnknownWordError: A word is neither in the vocabulary nor in the glossary.
    """
    tokens = tokenize(sentence)
    _refuse_negation(tokens)
    words = [word for word in tag(_without_command(tokens), vocabulary) if word.text != "?"]
    _refuse_foreign(words, vocabulary)
    discourse, senses = Discourse(vocabulary), VerbSenses(vocabulary)
    linker = VerbLinker(discourse, senses)
    state = attach(chunk(words), discourse, senses)
    discourse.order.follow_verbs(state.events)
    for event in state.events:
        linker.link(event)
    for phrase in state.loose:
        linker.phrases.link(phrase, phrase.noun.participants if phrase.noun else (), None)
    for word, thing in discourse.states:
        passive = word.tag == "part"
        linker.link(Event(word.lemma, word.text, word.number, thing, passive=passive))
    _refuse_untracked(discourse)
    _keep_untracked(discourse)
    return _meaning(sentence, discourse, state.events)


def _refuse_negation(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.text in glossary().sets["closed.negation"]:
            raise SentenceError(
                f"'{token.text}' at word {token.number}: sentrack looks for what happens, "
                "not for what does not; leave it out"
            )


def _refuse_foreign(words: Sequence[Tagged], vocabulary: Vocabulary) -> None:
    """Refuses nouns that the detector of the clip does not know but others do."""
    foreign = {form for entry in vocabulary.foreign for form in entry.forms}
    for word in words if foreign else ():
        if word.tag in NOUNS and word.entry is None and word.lemma in foreign:
            classes = [entry.name.replace("-", " ") for entry in vocabulary.of("noun")]
            why = not_a_class(word.lemma, classes)
            raise SentenceError(f"'{word.text}' at word {word.number}: {why}")


def _without_command(tokens: Sequence[Token]) -> Sequence[Token]:
    """What a command asks for: "find the dog that ran away" asks for the dog."""
    said = [token.text for token in tokens]
    for command in sorted(glossary().sets["closed.command"], key=len, reverse=True):
        length = len(command.split())
        if said[:length] == command.split() and said[length:][:1] in (["the"], ["a"], ["an"]):
            return tokens[length:]
    return tokens


def _refuse_untracked(discourse: Discourse) -> None:
    """Refuses a sentence in which nothing can be tracked."""
    if discourse.participants:
        return
    things = [t for t in discourse.mentioned if t.kind not in ("viewer", "colour", "region")]
    what = ", ".join(f"'{thing.text}'" for thing in things[:3]) or "the sentence"
    raise SentenceError(
        f"nothing in it can be tracked: {what} names no class of the detector; "
        "name a person, an animal or a thing of it ('sentrack words' lists all)"
    )


def _keep_untracked(discourse: Discourse) -> None:
    """What was named, is not tracked and was said in no other way is not checked."""
    clothes = (word.text for _, word, _ in discourse.words if word.part == "adjective")
    said = " ; ".join([*(remark.text for remark in discourse.unchecked), *clothes])
    for thing in discourse.mentioned:
        named = thing.participants or thing.parts or thing.kind in ("viewer", "colour", "region")
        if not named and thing.text not in said:
            discourse.leave_unchecked(thing.text, thing.number)


def _meaning(sentence: str, discourse: Discourse, events: Sequence[Event]) -> Meaning:
    """All of it, with agent and object of the first event first."""
    verbs = [(n, word) for n, word, entry in discourse.words if entry.part == "verb"]
    first = next((w.participants[:2] for n, w in verbs if events and n == events[0].number), ())
    order = [*first, *(i for i in range(len(discourse.participants)) if i not in first)]
    index = {old: new for new, old in enumerate(order)}
    participants = tuple(discourse.participants[old] for old in order)
    said = sorted(((n, word) for n, word, _ in discourse.words), key=lambda each: each[0])
    words = tuple(
        replace(word, participants=tuple(index[i] for i in word.participants)) for _, word in said
    )
    for text, number in discourse.order.untold(said):
        discourse.leave_unchecked(text, number)
    remarks = sorted(discourse.unchecked, key=lambda remark: remark.number)
    related = [(a.participants[0], b) for a in remarks for b in a.participants[1:]]
    pairs = {tuple(sorted((index[i], index[j]))) for i, j in [*discourse.distinct, *related]}
    pairs |= set(distinct_pairs(participants, words))
    distinct = tuple(sorted((i, j) for i, j in pairs if i != j))
    # What is said of one noun group needs no note.
    alike = [set(thing.participants) for thing in discourse.mentioned]
    notes = discourse.notes + [
        _about(remark, participants, index)
        for remark in remarks
        if not any(set(remark.participants) <= one for one in alike)
    ]
    unchecked = tuple(dict.fromkeys(remark.text for remark in remarks))
    clauses = discourse.order.of(said)
    return Meaning(sentence, participants, words, distinct, tuple(notes), unchecked, clauses)


def _about(remark: Remark, participants: Sequence[Participant], index: Mapping[int, int]) -> str:
    """Whom something that is not checked was said of."""
    names = [f"{participants[index[i]].noun} {index[i]}" for i in remark.participants]
    return f"'{remark.text}' is said of {' and '.join(names)}, and is not checked"
