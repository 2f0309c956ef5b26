"""Parts of the picture, said of participants: "on the left", "in the top right corner"."""

from sentrack.language.english.chunker import NounGroup
from sentrack.language.english.discourse import Discourse
from sentrack.language.english.event import Event, Phrase
from sentrack.language.english.referent import Referent
from sentrack.language.english.state import State
from sentrack.language.english.tagger import Tagged
from sentrack.language.glossary import glossary
from sentrack.language.places import regions_in


def region_of(state: State, preposition: str, group: NounGroup) -> Referent | None:
    """What a preposition and a noun group stand for if that is a part of the picture.

    "of the screen" after it is a part of it, which the pass goes past then.
    """
    text = group.text
    if not regions_in(f"{preposition} {text}"):
        return None
    of, picture = state.chunk(state.at + 1), state.chunk(state.at + 2)
    if isinstance(of, Tagged) and of.tag == "prep" and isinstance(picture, NounGroup):
        longer = f"{text} {of.text} {picture.text}"
        if of.text == "of" and not regions_in(f"{preposition} {longer}"):
            return None  # "in the middle of two bowls"
        if of.text in ("of", "in", "on") and regions_in(f"{preposition} {longer}"):
            state.at += 2
            text = longer
    found = Referent(text, group.number, (), "region")
    state.discourse.mentioned.append(found)
    return found


def say_region(discourse: Discourse, text: str, number: int, about: tuple[int, ...]) -> None:
    """Says where in the picture some participants are, if a phrase is that; else it is kept."""
    entries = [discourse.vocabulary.named(name, "adjective") for name in regions_in(text)]
    if not entries or not about:
        discourse.leave_unchecked(text, number, about)
        return
    for entry in entries:
        if entry is None:
            discourse.leave_unchecked(text, number, about)
            continue
        discourse.note(f"'{text}': read as a place in the picture")
        for index in about:
            discourse.say(entry, (index,), text, number)


def link_region(discourse: Discourse, phrase: Phrase, event: Event | None) -> None:
    """Says a part of the picture of the noun before it, or else of who the event tells of."""
    noun, subject = phrase.noun, event.subject if event else None
    told: tuple[int, ...] = ()
    if noun is not None and (noun.participants or noun.kind not in ("clothes", "body")):
        told = noun.participants
        if event and noun.kind in ("clothes", "body"):
            told = subject.participants if subject else ()
    elif subject is not None:
        told = subject.participants
    goes = event is not None and (event.unreal or event.head == "turn" or _goes_to(phrase, event))
    if goes:
        discourse.leave_unchecked(phrase.text, phrase.number, told)
    else:
        say_region(discourse, phrase.text, phrase.number, told)


def _goes_to(phrase: Phrase, event: Event) -> bool:
    """Whether a phrase says where a motion goes: "walks to the far left", "puts it on the left"."""
    if phrase.preposition.startswith("to"):
        return not rests(event)
    return event.head in glossary().sets["verbs.goal"]


def rests(event: Event) -> bool:
    """Whether an event is no motion: "is to the left", "stands to the left"."""
    return event.is_copula or event.lemma in glossary().sets["places.rest"]
