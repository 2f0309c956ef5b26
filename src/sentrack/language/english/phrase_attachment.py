"""What a preposition goes with: the verb before it, as its particle, or the noun after it."""

from sentrack.language.english.chunker import Chunk, NounGroup, VerbGroup
from sentrack.language.english.event import Event, Phrase
from sentrack.language.english.phrase_linking import PASSED_OVER
from sentrack.language.english.referent import Referent
from sentrack.language.english.regions import region_of
from sentrack.language.english.state import State, misfit
from sentrack.language.english.tagger import Tagged
from sentrack.language.glossary import glossary

#: Prepositions before participles that say nothing happens: "talks about skating".
_OF_NO_EVENT = frozenset(["about", "for", "of", "from", "without", "like", "at", "against"])
#: Prepositions that may stand alone, as adverbs.
_ADVERBIAL = frozenset(
    {
        *("up", "down", "in", "out", "on", "off", "over", "around", "round", "by", "past"),
        *("through", "along", "across", "inside", "outside", "behind", "below", "above"),
        *("underneath", "after", "before", "up and down", "all around", "all over", "in between"),
    }
)


def attach_preposition(state: State, word: Tagged) -> None:
    """Gives a preposition, and the noun after it, their place."""
    following, event = state.following, state.event
    followed = isinstance(following, NounGroup)
    if event is not None and event.lemma and take_particle(state, event, word, followed):
        return
    if followed:
        attach_phrase(state, word.text, word.number)
    elif isinstance(following, VerbGroup) and following.verb and following.verb.tag == "ing":
        state.discourse.leave_unchecked(word.text, word.number)
        state.unreal = word.text in _OF_NO_EVENT
    elif state.question is not None:
        _fill(state, word, state.question)
        state.question = None
    elif state.frame.gap is not None and event is not None:
        _fill(state, word, state.frame.gap)
        state.frame.gap = None
    else:
        _attach_alone(state, word)


def _fill(state: State, word: Tagged, thing: Referent) -> None:
    """Gives a preposition what was said before it: "who does he speak to?"."""
    event = state.event
    if event is not None and f"{event.lemma} {word.text}" in glossary().sets["verbs.bound"]:
        event.lemma, event.text = f"{event.lemma} {word.text}", f"{event.text} {word.text}"
        event.objects.append(thing)
    else:
        _place(state, word.text, word.number, thing, state.chunk(state.at - 2))


def take_particle(state: State, event: Event, word: Tagged, followed: bool) -> bool:
    """Whether a word belongs to the verb before it, which has it then: "picks up", "looks at".

    Args:
        state: Where the pass is.
        event: Of the verb.
        word: The particle or preposition.
        followed: Whether a noun follows.
    """
    adjacent = isinstance(state.before, VerbGroup) or state.particle == state.at - 1
    phrase = f"{event.lemma} {word.text}"
    if not state.senses.is_phrasal(phrase):
        return False
    if not adjacent and not event.objects and word.text not in ("to", "at"):
        return False
    bound = phrase in glossary().sets["verbs.bound"]
    if bound and (not followed or event.objects):
        return False
    if followed and not bound and not _takes_noun(state, event, phrase, adjacent):
        return False
    event.lemma, event.text = phrase, f"{event.text} {word.text}"
    state.particle = state.at
    return True


def _takes_noun(state: State, event: Event, phrase: str, adjacent: bool) -> bool:
    """Whether the noun after a particle is the object: "turns on the light", not "runs in the"."""
    if event.passive or (not adjacent and event.objects):
        return False
    if state.senses.takes_object(phrase):
        return True
    # "takes off his shoes", though "the plane takes off"
    either = phrase in glossary().sets["verbs.plain"]
    moves = state.senses.moves_itself
    return not moves(event.lemma) and (either or not moves(phrase))


def attach_phrase(state: State, preposition: str, number: int) -> None:
    """Gives a preposition and the noun group that follows their place."""
    before = state.before
    state.at += 1
    group = state.chunks[state.at]
    assert isinstance(group, NounGroup)
    thing = region_of(state, preposition, group) or state.discourse.refer(group)
    _place(state, preposition, number, thing, before)
    mentioned = state.discourse.mentioned
    if preposition == "of" and len(mentioned) > 1:
        mentioned.insert(-1, mentioned.pop())  # "a bag of bread": "it" is the bag
    state.last, state.role = thing, "phrase"


def _place(
    state: State, preposition: str, number: int, thing: Referent, before: Chunk | None
) -> None:
    """Puts a phrase with the event at hand, or with the noun before it if there is none."""
    tracked = state.last is not None and bool(state.last.participants)
    after_noun = isinstance(before, NounGroup) and (before.head is not None or tracked)
    if state.event is not None:
        noun = state.last if after_noun else None
        state.event.phrases.append(Phrase(preposition, number, thing, noun))
    else:
        bearer = _bearer(state, preposition, thing) or state.frame.subject
        state.loose.append(Phrase(preposition, number, thing, bearer))


def _bearer(state: State, preposition: str, thing: Referent) -> Referent | None:
    """The noun that a phrase without a verb tells of: for what is worn, who wears it."""
    last = state.last
    tracked = [other for other in state.discourse.mentioned[:-1] if other.participants]
    if thing.kind in ("clothes", "colour") and preposition in ("in", "with"):
        tracked = [other for other in tracked if other.acts]
        return tracked[-1] if tracked else last
    place = last is not None and last.kind == "scenery" and bool(last.participants)
    if last is not None and last.kind in PASSED_OVER and not place:
        tracked = [other for other in tracked if other.kind not in PASSED_OVER]
        return tracked[-1] if tracked else last
    return last


def _attach_alone(state: State, word: Tagged) -> None:
    """A preposition with nothing after it is an adverb, if it can be one."""
    event = state.event
    direction = state.discourse.vocabulary.said(word.text, ["direction"])
    if event is not None and direction is not None:
        event.directions.append(Tagged("dir", word.text, word.number, direction.name))
    elif word.text in _ADVERBIAL:
        about = event.subject.participants if event and event.subject else ()
        state.discourse.leave_unchecked(word.text, word.number, about)
    else:
        raise misfit(word.text, word.number)
