"""How clauses begin and are joined: relative clauses, subordinate ones, and questions."""

from sentrack.language.english.chunker import NounGroup, VerbGroup
from sentrack.language.english.clause_order import AFTER, BEFORE
from sentrack.language.english.phrase_attachment import attach_phrase
from sentrack.language.english.state import Clause, State, is_tag, misfit
from sentrack.language.english.tagger import Tagged

#: Words between clauses that say more than that both hold.
_MORE = frozenset(
    {
        *("so", "because", "since", "if", "although", "though", "so that", "as if", "as though"),
        *("even though", "whereas", "how", "why"),
    }
)
#: Words after which what follows need not happen.
_UNREAL = frozenset(["how", "why", "if", "as if", "as though"])
#: Words between clauses that may be prepositions.
_PREPOSITIONS = frozenset(["as", "like", "before", "after", "until", "since"])
_ADVERBIAL = frozenset(["where", "when", "why", "how", "how many"])


def attach_subordinator(state: State, word: Tagged) -> None:
    """A subordinate clause has a verb of its own, and a subject of its own if it says one."""
    if word.text in _MORE:
        state.discourse.leave_unchecked(word.text, word.number)
    ordered = word.text in BEFORE | AFTER
    state.unreal = word.text in _UNREAL
    following = state.following
    if isinstance(following, NounGroup) and not state.has_own_verb(state.at + 1):
        if word.text not in _PREPOSITIONS:
            raise misfit(word.text, word.number)
        state.discourse.leave_unchecked(word.text, word.number)
        attach_phrase(state, word.text, word.number)
        return
    if ordered and state.events:
        said = word.text, word.number
        state.discourse.order.begin(word.number, word.text in BEFORE, said)
    elif ordered:
        state.discourse.order.fronted = word.text, word.number
    if isinstance(following, NounGroup):
        state.restart()
    else:
        state.frames = state.frames[:1]


def attach_relative(state: State, word: Tagged) -> None:
    """A relative clause tells of the nearest noun; at the start it is a question."""
    antecedent, event = state.last, state.event
    if antecedent is None:
        _ask(state, word)
        return
    if word.text in _ADVERBIAL:
        if word.text in _UNREAL:
            state.discourse.leave_unchecked(word.text, word.number)
            state.unreal = True
        state.restart()
        return
    if word.text in ("who", "whom") and not antecedent.acts:
        persons = [thing for thing in state.discourse.mentioned if thing.kind == "person"]
        antecedent = persons[-1] if persons else antecedent
    if not isinstance(state.following, NounGroup):
        state.frames.append(Clause(antecedent, relative=True))
    elif word.text == "that" and event and event.lemma and isinstance(state.before, VerbGroup):
        state.restart()  # "says that the man walks"
    else:
        state.frames.append(Clause(relative=True, gap=antecedent))


def _ask(state: State, word: Tagged) -> None:
    """What is asked for is a participant, which takes the place that the question leaves open."""
    following = state.following
    if word.text in ("who", "whom", "what", "which"):
        if isinstance(following, NounGroup) and word.text in ("what", "which"):
            return  # "which car stopped?"
        noun, kind = ("object", "thing") if word.text == "what" else ("person", "person")
        asked = state.discourse.fresh(NounGroup([word], head=word), noun, kind)
        state.discourse.mentioned.append(asked)
        inverted = isinstance(following, VerbGroup) and following.verb is None
        if inverted and isinstance(state.chunk(state.at + 2), NounGroup) and _leaves_open(state):
            state.question = asked
        else:
            state.frame.subject, state.last, state.role = asked, asked, "subject"
    state.discourse.note(f"'{word.text}' asks: read as a statement")


def _leaves_open(state: State) -> bool:
    """Whether a question lacks the object of a verb, or of a preposition."""
    place = state.at + 3
    if state.chunk(place) is None or state.verb_after(place):
        return True
    return any(
        is_tag(state.chunk(k), "prep") and not isinstance(state.chunk(k + 1), NounGroup)
        for k in range(place, len(state.chunks))
    )


def close_question(state: State) -> None:
    """Puts what is asked for where the sentence lacks an object."""
    event = state.event
    if state.question is not None and event is not None and event.lemma and not event.objects:
        event.objects.append(state.question)
