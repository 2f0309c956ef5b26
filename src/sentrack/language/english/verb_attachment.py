"""Whose verb a verb group is: of the clause at hand, of the one around it, or of a noun."""

from sentrack.language.english.chunker import NounGroup, VerbGroup
from sentrack.language.english.event import Event
from sentrack.language.english.phrase_linking import PASSED_OVER
from sentrack.language.english.referent import Referent
from sentrack.language.english.state import Clause, State, is_tag, misfit
from sentrack.language.english.tagger import Tagged
from sentrack.language.glossary import glossary

#: Verbs after which "by" says past what.
_PASSING = frozenset(
    {
        *("walk", "run", "drive", "pass", "go", "come", "ride", "fly", "stand", "sit", "stop"),
        *("swim", "move"),
    }
)
#: Adverbs that join clauses as "and" does.
_THEN = frozenset(["then", "also", "finally", "afterwards", "eventually"])
#: Auxiliaries that are verbs of their own where none follows.
_FULL = {"has": "have", "have": "have", "had": "have", "having": "have"} | dict.fromkeys(
    ["do", "does", "did"], "do"
)


def attach_verb(state: State, group: VerbGroup) -> None:
    """Gives a verb group its subject, and begins what happens."""
    verb = group.verb
    if verb is None:
        _attach_auxiliary(state, group)
    elif group.infinitive:
        _attach_infinitive(state, group, verb)
    elif group.finite or verb.tag == "base":
        _attach_finite(state, group, verb)
    elif group.passive:
        noun = _nearest_noun(state)
        if noun is None:
            raise misfit(verb.text, group.number)
        _attach_participle(state, group, verb, noun)
    else:
        _attach_participle(state, group, verb, _actor(state))


def _attach_auxiliary(state: State, group: VerbGroup) -> None:
    """A form of "be" alone; before its subject it asks."""
    following, said = state.following, group.words[-1].text
    if state.frame.subject is None and isinstance(following, NounGroup):
        if not state.verb_after(state.at + 2):
            # "who is the adult towards?": the subject comes after "is".
            state.at += 1
            thing = state.discourse.refer(following)
            state.frame.subject = state.last = thing
            state.begin(group, "", thing, finite=True)
        return
    frame = _clause_of(state, group)
    if said in _FULL:
        state.begin(group, _FULL[said], frame.subject, finite=True, text=said)
        return
    state.begin(group, "", frame.subject, finite=True)
    if following is None:
        raise misfit(said, group.number)


def _attach_finite(state: State, group: VerbGroup, verb: Tagged) -> None:
    past = verb.tag == "past" and not any(word.tag == "aux" for word in group.words)
    if past and (_is_passive_by(state, verb) or _is_second_verb(state)):
        group.passive = True
        _attach_participle(state, group, verb, _nearest_noun(state))
        return
    if verb.tag == "base" and _object_acts(state):
        _attach_participle(state, group, verb, state.last)
        return
    if verb.tag == "past" and state.frame.subject is None and state.last is None:
        raise misfit(verb.text, verb.number)
    frame = _clause_of(state, group)
    state.begin(group, verb.lemma, frame.subject, finite=True)


def _is_passive_by(state: State, verb: Tagged) -> bool:
    """Whether a past form is a participle, as "by" follows: "a van followed by a car"."""
    following = state.following
    by = isinstance(following, Tagged) and following.text == "by"
    return by and verb.lemma not in _PASSING


def _is_second_verb(state: State) -> bool:
    """Whether a verb follows the object of another: "a cup painted red"."""
    frame = state.frame
    return frame.has_verb and not frame.relative and isinstance(state.before, NounGroup)


def _object_acts(state: State) -> bool:
    """Whether the object of the last verb is who does what follows: "lets the dog run"."""
    event = state.event
    if event is None or not event.objects or not isinstance(state.before, NounGroup):
        return False
    return event.lemma in glossary().sets["verbs.perception"]


def _clause_of(state: State, group: VerbGroup) -> Clause:
    """The clause that a finite verb belongs to; a relative clause that has its verb is over."""
    before, earlier = state.before, state.chunk(state.at - 2)
    mark = is_tag(before, "mark") and not is_tag(earlier, "conj", "mark")
    then = any(word.text in _THEN for word in group.adverbs)
    joined = then or (state.is_joined() and not mark)
    while state.frame.relative and state.frame.has_verb:
        outer = state.frames[-2]
        if outer.has_verb and not joined and not mark:
            break
        if joined and outer.event is None:
            break
        state.frames.pop()
    linked = joined or mark or is_tag(before, "sub", "rel") or is_tag(earlier, "sub", "conj", "rel")
    if state.frame.has_verb and not linked:
        raise misfit(" ".join(word.text for word in group.words), group.number)
    return state.frame


def _nearest_noun(state: State) -> Referent | None:
    """The noun that a passive participle tells of."""
    if is_tag(state.before, "mark", "conj", "sub"):
        return state.event.subject if state.event else state.frame.subject
    last = state.last
    passed = PASSED_OVER | {"abstract"}
    if last is not None and last.kind in passed:
        things = [thing for thing in state.discourse.mentioned if thing.kind not in passed]
        tracked = [thing for thing in things if thing.participants]
        return tracked[-1] if tracked else last
    return last


def _actor(state: State) -> Referent | None:
    """Who does what a participle in -ing says: the nearest one that can."""
    before, event = state.before, state.event
    if event is None and state.frame.subject is None:
        return None
    subject = (event.subject if event else None) or state.frame.subject
    if is_tag(before, "mark"):
        return state.frame.subject
    if is_tag(before, "conj", "sub", "prep") or isinstance(before, VerbGroup):
        return subject
    if is_tag(before, "adv") and event is not None:
        return subject
    watched = event is not None and event.lemma in glossary().sets["verbs.perception"]
    for thing in reversed(state.discourse.mentioned):
        if thing is subject or (thing.participants and thing.acts):
            return thing
        if watched and event and event.objects and thing is event.objects[-1]:
            return thing
    return subject


def _attach_participle(
    state: State, group: VerbGroup, verb: Tagged, actor: Referent | None
) -> Event:
    """A participle; the clause at hand has its finite verb, or not, as before."""
    event = state.event
    if event is not None and not group.passive and _is_phase(state, event):
        return _carry_on(state, event, group, verb)
    return state.begin(group, verb.lemma, actor, finite=state.frame.has_verb)


def _is_phase(state: State, event: Event) -> bool:
    """Whether a verb only says that what follows begins, goes on, is tried or is seen."""
    adjacent = isinstance(state.before, VerbGroup) or is_tag(state.before, "adv", "to")
    if event.objects or event.phrases or not adjacent or not event.lemma or event.is_straight:
        return False
    sets = glossary().sets
    viewed = event.passive and event.lemma in sets["verbs.viewer"]
    return viewed or event.lemma in sets["verbs.aspect"] | sets["verbs.attempt"]


def _carry_on(state: State, event: Event, group: VerbGroup, verb: Tagged) -> Event:
    """Puts the verb that follows in the place of one that only says how it goes."""
    sets = glossary().sets
    said = f"{event.text} {'to ' if group.infinitive else ''}{verb.text}"
    if event.lemma in sets["verbs.attempt"] | sets["verbs.ends"]:
        event.unreal, event.text = True, said
    else:
        if event.lemma not in sets["verbs.begins"]:
            state.discourse.note(f"'{said}': read as '{verb.text}'")
        elif _starts(state, event, verb):
            state.discourse.note(f"'{said}': read as '{event.text}', then '{verb.text}'")
        else:
            state.discourse.leave_unchecked(event.text, event.number)
            state.discourse.note(f"'{said}': read as '{verb.text}'")
        event.text = verb.text
    event.lemma, event.number, event.passive = verb.lemma, verb.number, group.passive
    event.adverbs += group.adverbs
    return event


def _starts(state: State, event: Event, verb: Tagged) -> bool:
    """Says that who begins to walk starts, and then walks; who begins to run may have walked."""
    entries = [entry.name for entry, _ in state.senses.entries(verb.lemma)]
    if not state.senses.knows("start") or not {"walk", "move"} & set(entries) or event.unreal:
        return False
    begins = Event("start", event.text, event.number, event.subject, event.finite)
    begins.joined = event.joined
    state.events.insert(state.events.index(event), begins)
    state.discourse.order.begin(verb.number)
    event.joined = False
    return True


def _attach_infinitive(state: State, group: VerbGroup, verb: Tagged) -> None:
    """What begins, is tried or is meant: "starts to walk", "walks to open the door"."""
    event, subject = state.event, state.frame.subject
    if event is None:
        if subject is None:
            raise misfit(f"to {verb.text}", group.number)
        state.begin(group, verb.lemma, subject, finite=False)
        return
    if _is_phase(state, event) and event.lemma not in glossary().sets["verbs.ends"]:
        _carry_on(state, event, group, verb)
        return
    asked = bool(event.objects) and event.lemma in glossary().sets["verbs.attempt"]
    actor = event.objects[-1] if asked else event.subject
    purpose = state.begin(group, verb.lemma, actor, finite=event.finite)
    if asked:
        purpose.unreal, purpose.text = True, f"to {purpose.text}"
    elif event.is_copula and not event.phrases:
        purpose.unreal = True  # "is about to walk"
    elif not purpose.unreal:
        state.discourse.note(f"'to {purpose.text}': read as done")
