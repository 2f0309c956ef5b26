"""What a noun group is in its clause: subject, object, predicate, or joined to another one."""

from sentrack.language.english.chunker import NounGroup, VerbGroup
from sentrack.language.english.coreference import antecedent
from sentrack.language.english.event import Event, Phrase
from sentrack.language.english.referent import Referent
from sentrack.language.english.state import State, misfit
from sentrack.language.glossary import glossary

_TIMES = frozenset(
    {
        *("time", "times", "moment", "second", "seconds", "minute", "minutes"),
        *("morning", "day", "while", "night"),
    }
)


def attach_noun(state: State, group: NounGroup) -> None:
    """Gives a noun group that no preposition stands before its place."""
    if _is_time(state, group):
        state.discourse.leave_unchecked(group.text, group.number)
        return
    frame, event = state.frame, state.event
    if event is not None and (verb := _idiom(state, event, group)):
        event.lemma, event.text = verb, f"{event.text} {group.text}"
        return
    if _is_expletive(state, group) or _is_quantifier(state, group):
        return
    joined = state.is_joined()
    is_object = event is not None and not event.is_copula and not joined
    thing = state.discourse.refer(group, event.subject if event and is_object else None)
    if group.head is None and not thing.participants and not (event and event.is_copula):
        _become(state, thing, group)
        return
    begun = event is not None or frame.relative
    # "wearing a hat and a shirt is walking": the verb is that of the clause begun.
    apart = frame.has_verb or thing.acts
    starts = begun and apart and state.has_own_verb(state.at, thing.acts)
    if joined and not starts:
        _join(state, thing, group)
    elif joined:
        state.restart(thing)
        state.role = "subject"
    elif event is None and (frame.subject is None or frame.subject.kind == "viewer"):
        frame.subject = thing
        state.role = "subject"
    elif event is None:
        _second_subject(state, thing, group)
        return
    elif event.is_copula:
        _predicate(state, event, thing, group)
        if group.head is None:
            return
    elif len(event.objects) < 2:
        event.objects.append(thing)
        state.role = "object"
    else:
        raise misfit(group.text, group.number)
    state.last = thing


def _idiom(state: State, event: Event, group: NounGroup) -> str:
    """What a verb and its object mean together: "makes a left turn", "leaves the frame"."""
    sets = glossary().sets
    if event.objects or event.passive or state.is_joined():
        return ""
    said = [word for word in group.text.split() if word not in ("a", "the", "hand", "turn")]
    if event.lemma in sets["verbs.turning"] and said in (["left"], ["right"]):
        return f"turn {said[0]}"
    if len(said) != 1 or said[0] not in sets["places.pictures"]:
        return ""
    if event.lemma in sets["verbs.entering"]:
        return "appear"
    return "disappear" if event.lemma in sets["verbs.leaving"] else ""


def _become(state: State, thing: Referent, group: NounGroup) -> None:
    """Adjectives after a verb that is no form of "be": "gets wet", "turns blue"."""
    event = state.event
    if event is None or not thing.adjectives or state.is_joined():
        raise misfit(group.text, group.number)
    about = event.subject.participants if event.subject else ()
    state.discourse.leave_unchecked(group.text, group.number, about)


def _is_expletive(state: State, group: NounGroup) -> bool:
    """Whether a pronoun only leads to a noun: "it is a red car"."""
    said, verb, noun = group.text, state.following, state.chunk(state.at + 2)
    if said not in ("it", "this", "that", "these", "those") or state.frame.subject is not None:
        return False
    if antecedent(said, state.discourse.mentioned, None) is not None:
        return False
    is_form_of_be = isinstance(verb, VerbGroup) and verb.verb is None
    return is_form_of_be and isinstance(noun, NounGroup) and noun.head is not None


def _is_quantifier(state: State, group: NounGroup) -> bool:
    """Whether a group only says that all are meant: "they are both dancing"."""
    return state.event is not None and group.text in ("both", "all", "each")


def _is_time(state: State, group: NounGroup) -> bool:
    """Whether a noun group says when, not what: "one more time"."""
    head = group.head
    if head is None or state.event is None or head.entry is not None:
        return False
    return head.kind == "abstract" and head.lemma in _TIMES


def _second_subject(state: State, thing: Referent, group: NounGroup) -> None:
    """A noun after a subject without a verb in between: "person they take"."""
    subject = state.frame.subject
    if group.head is not None and group.head.tag == "pron":
        return
    if thing.participants or (subject and subject.participants):
        raise misfit(group.text, group.number)
    state.frame.subject = state.last = thing


def _predicate(state: State, event: Event, thing: Referent, group: NounGroup) -> None:
    """What is said of a subject by a form of "be": "is a sedan", "is red"."""
    subject = state.frame.subject
    if group.head is None and thing.adjectives and subject is not None:
        for word in thing.adjectives:
            state.discourse.modify(word, subject)
    elif subject is None or (not subject.participants and thing.participants):
        state.frame.subject = event.subject = thing
    else:
        about = tuple(dict.fromkeys(subject.participants + thing.participants))
        state.discourse.leave_unchecked(f"is {group.text}", group.number, about)
    state.role = "object"


def _join(state: State, thing: Referent, group: NounGroup) -> None:
    """A noun that "and" or a comma joins to the one before it has the same place."""
    frame, event = state.frame, state.event
    if state.last is None or (frame.subject is None and event is None):
        frame.subject, state.role = thing, "subject"
    elif state.role == "subject" and frame.subject and not frame.has_verb:
        frame.subject = _both(state, frame.subject, thing)
        frame.event = None
    elif state.role == "object" and event and event.objects:
        other = event.objects[-1]
        if bool(other.participants) != bool(thing.participants):
            # What is tracked is kept apart from what is not.
            left = other if thing.participants else thing
            state.discourse.leave_unchecked(left.text, left.number)
        event.objects[-1] = _both(state, other, thing)
    elif state.role == "phrase" and (phrases := (event and event.phrases) or state.loose):
        like = phrases[-1]
        phrases.append(Phrase(like.preposition, thing.number, thing, like.noun))
    else:
        raise misfit(group.text, group.number)
    state.last = thing


def _both(state: State, one: Referent, other: Referent) -> Referent:
    """Two things that are mentioned together, and are never the same."""
    both = one.joined(other, f"{one.text} and {other.text}")
    state.discourse.mentioned.append(both)
    state.discourse.never_the_same(both.participants)
    return both
