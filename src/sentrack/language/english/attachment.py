"""Which chunk goes with which: the events of a sentence with their subjects, objects and phrases.

One pass from left to right. A noun before a verb is its subject, one after it its object; a
relative clause and a participle go with the nearest noun that can act; "and" before a verb keeps
the subject.
"""

from collections.abc import Callable, Mapping, Sequence

from sentrack.language.english.chunker import Chunk, NounGroup, VerbGroup
from sentrack.language.english.clause_attachment import (
    attach_relative,
    attach_subordinator,
    close_question,
)
from sentrack.language.english.discourse import Discourse
from sentrack.language.english.noun_attachment import attach_noun
from sentrack.language.english.phrase_attachment import attach_preposition, take_particle
from sentrack.language.english.regions import say_region
from sentrack.language.english.state import State, is_tag, misfit
from sentrack.language.english.tagger import Tagged
from sentrack.language.english.verb_attachment import attach_verb
from sentrack.language.english.verb_senses import VerbSenses
from sentrack.language.errors import SentenceError
from sentrack.language.glossary import glossary


def attach(chunks: Sequence[Chunk], discourse: Discourse, senses: VerbSenses) -> State:
    """Goes through all chunks; what they say is in the discourse, the events and loose phrases.

    Raises:
        SentenceError: A chunk goes with nothing, or joins what cannot be joined.
    """
    state = State(discourse, senses, chunks)
    while state.at < len(chunks):
        chunk = chunks[state.at]
        if isinstance(chunk, NounGroup):
            attach_noun(state, chunk)
        elif isinstance(chunk, VerbGroup):
            attach_verb(state, chunk)
        else:
            _WORDS.get(chunk.tag, _refuse)(state, chunk)
        state.at += 1
    close_question(state)
    for word in state.adverbs:
        discourse.leave_unchecked(word.text, word.number)
    return state


def _refuse(_: State, word: Tagged) -> None:
    raise misfit(word.text, word.number)


def _attach_viewer(state: State, word: Tagged) -> None:
    state.discourse.note(f"'{word.text}': what follows is looked for")


def _attach_existential(state: State, _: Tagged) -> None:
    if state.frame.has_verb or state.frame.subject:
        state.restart()


def _attach_conjunction(_: State, word: Tagged) -> None:
    if word.text in ("or", "nor"):
        where = f"'{word.text}' at word {word.number}"
        raise SentenceError(f"{where}: one sentence says one thing; ask twice instead")


def _attach_mark(state: State, word: Tagged) -> None:
    following = state.following
    if state.events and following is not None:
        state.discourse.order.main(following.number)
    if word.text == ";":
        state.restart()
        state.last, state.role = None, ""


def _attach_adverb(state: State, word: Tagged) -> None:
    """An adverb goes with the verb before it, or with the one to come."""
    if state.follows(word):
        return
    event, followed = state.event, isinstance(state.following, NounGroup)
    phrasal = event and state.senses.is_phrasal(f"{event.lemma} {word.text}")
    if event and phrasal and take_particle(state, event, word, followed):
        return
    if state.event is not None and not is_tag(state.before, "conj", "mark", "sub"):
        state.event.adverbs.append(word)
    else:
        state.adverbs.append(word)


def _attach_direction(state: State, word: Tagged) -> None:
    """Where a motion goes; without a verb it is a place in the picture."""
    event = state.event
    whence = word.text.startswith("from") and " to " not in word.text
    moving = isinstance(state.before, VerbGroup) or (event is not None and event.lemma == "appear")
    if event is None or not event.lemma or (whence and not moving):
        about = state.last.participants if state.last else ()
        say_region(state.discourse, word.text, word.number, about)
    elif take_particle(state, event, word, followed=False):
        return
    elif event.lemma in glossary().sets["verbs.turning"] and not event.objects:
        event.lemma, event.text = f"turn {word.text}", f"{event.text} {word.text}"
    elif event.head == "turn" and not is_tag(state.before, "conj"):
        event.text = f"{event.text} {word.text}"  # its own left, not that of the picture
    else:
        event.directions.append(word)


_WORDS: Mapping[str, Callable[[State, Tagged], None]] = {
    "view": _attach_viewer,
    "exist": _attach_existential,
    "conj": _attach_conjunction,
    "mark": _attach_mark,
    "adv": _attach_adverb,
    "dir": _attach_direction,
    "prep": attach_preposition,
    "sub": attach_subordinator,
    "rel": attach_relative,
}
