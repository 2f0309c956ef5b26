"""What is said to happen: a verb with all that goes with it, and the words that it is read as."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from .coreference import Discourse, Referent
from .glossary import NO_THINGS, glossary
from .tagger import Tagged
from .vocabulary import Entry, heads


@dataclass
class Phrase:
    """A preposition with what follows it.

    Attributes:
        preposition: As said.
        number: Of its first word.
        thing: What follows.
        noun: What it stands right after, if that is a noun.
    """

    preposition: str
    number: int
    thing: Referent
    noun: Referent | None

    @property
    def text(self) -> str:
        return f"{self.preposition} {self.thing.text}"


@dataclass
class Event:
    """A verb, or a form of "be", with all that goes with it.

    Attributes:
        lemma: Base form, with a particle of its own; empty for "be".
        text: As said, without auxiliaries.
        number: Of its word.
        subject: Who it is said of.
        finite: Whether it is the verb of a clause.
        passive: Whether the subject is not the one who acts.
        unreal: Whether it need not happen ("tries to").
        objects: What follows without a preposition.
        phrases: What follows with one.
        adverbs: Adverbs and particles.
        directions: Where the motion goes, by the picture.
    """

    lemma: str
    text: str
    number: int
    subject: Referent | None
    finite: bool = False
    passive: bool = False
    unreal: bool = False
    objects: list[Referent] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)
    adverbs: list[Tagged] = field(default_factory=list)
    directions: list[Tagged] = field(default_factory=list)

    @property
    def is_copula(self) -> bool:
        return not self.lemma


def is_phrasal(lemma: str) -> bool:
    """Whether a verb with a particle or preposition is one verb."""
    known = glossary()
    return (
        lemma in known.same["verbs"]
        or lemma in known.sets["verbs.plain"]
        or lemma in known.sets["verbs.bound"]
    )


class Resolver:
    """Says the words of events in a discourse."""

    def __init__(self, discourse: Discourse) -> None:
        self.discourse = discourse
        self.verbs: dict[str, list[Entry]] = {}
        for entry in discourse.vocabulary.of("verb"):
            for head in heads(entry):
                name = f"{head} {entry.particle}" if entry.particle else head
                self.verbs.setdefault(name, []).append(entry)

    def knows(self, lemma: str) -> bool:
        """Whether the vocabulary has a verb of that head and particle."""
        return lemma in self.verbs

    def entries(self, lemma: str) -> Iterator[tuple[Entry, bool]]:
        """What a verb may be read as; whether it is that verb itself."""
        for entry in self.verbs.get(lemma, ()):
            yield entry, True
        name = glossary().same["verbs"].get(lemma)
        entry_of_name = name and self.discourse.vocabulary.named(name, "verb")
        if entry_of_name:
            yield entry_of_name, False

    def moves_itself(self, lemma: str) -> bool:
        """Whether a verb is one of motion that needs no object."""
        return any(len(entry.roles) == 1 for entry, _ in self.entries(lemma))

    def resolve(self, event: Event) -> None:
        """Says an event: its words, and what of it is not checked."""
        agents = event.subject.participants if event.subject else ()
        by = next((p for p in event.phrases if p.preposition == "by" and event.passive), None)
        if by:
            event.phrases.remove(by)
        objects = list(event.objects)
        if event.passive and event.subject:
            objects.insert(0, event.subject)
            agents = by.thing.participants if by else ()
        if event.is_copula:
            for phrase in event.phrases:
                self._phrase(phrase, agents, None)
            return self._loose(event, agents)
        entry, movers = self._verb(event, agents, objects, by)
        for phrase in event.phrases:
            self._phrase(phrase, self._mover_of(event, agents, objects, movers), event)
        self._loose(event, self._mover_of(event, agents, objects, movers))
        return None

    @staticmethod
    def _mover_of(
        event: Event,
        agents: tuple[int, ...],
        objects: list[Referent],
        movers: tuple[int, ...],
    ) -> tuple[int, ...]:
        if movers:
            return movers
        moved = event.lemma.split()[0] in glossary().sets["verbs.moving"]
        if objects and (moved or not agents):
            return objects[0].participants
        return agents

    def _verb(
        self,
        event: Event,
        agents: tuple[int, ...],
        objects: list[Referent],
        by: Phrase | None,
    ) -> tuple[Entry | None, tuple[int, ...]]:
        """Says the verb; returns its entry, and the participants that move."""
        known = self.discourse
        if event.passive and event.lemma in glossary().sets["verbs.viewer"] and not by:
            known.note(f"'{event.text}': it is looked for")
            return None, ()
        for entry, itself in self.entries(event.lemma):
            roles = self._roles(entry, event, agents, objects)
            if roles is None or event.unreal:
                continue
            for about in roles:
                known.say(entry, about, event.text, event.number)
            if not itself:
                said = " ".join([*heads(entry)[0].split(), entry.particle]).strip()
                known.note(f"{event.text}: read as '{said}'")
            return entry, tuple(dict.fromkeys(about[entry.moves] for about in roles))
        if event.lemma in ("wear", "dress in") and self._worn(event, agents, objects):
            return None, ()
        if self._split(event):
            return self._verb(event, agents, [], by)
        untracked = [thing.text for thing in event.objects if not thing.participants]
        about = tuple(
            dict.fromkeys([*agents, *(i for thing in objects for i in thing.participants)])
        )
        text = " ".join([event.text, *untracked])
        if by and not by.thing.participants:
            text = f"{text} {by.text}"
        known.leave_unchecked(text, event.number, about)
        return None, ()

    def _split(self, event: Event) -> bool:
        """Whether a verb was split from its preposition, as what follows is not tracked.

        "walks past the camera" is walking, though the camera is not tracked.
        """
        head, _, preposition = event.lemma.partition(" ")
        objects = event.objects
        if not preposition or len(objects) != 1 or objects[0].participants or event.passive:
            return False
        if not self.moves_itself(head) or event.lemma not in glossary().same["verbs"]:
            return False
        said = event.text.removesuffix(f" {preposition}")
        event.lemma, event.text, event.objects = head, said, []
        event.phrases.append(Phrase(preposition, event.number + 1, objects[0], None))
        return True

    def _roles(
        self,
        entry: Entry,
        event: Event,
        agents: tuple[int, ...],
        objects: list[Referent],
    ) -> list[tuple[int, ...]] | None:
        """The participants of a verb in the order of its roles; None if they do not fit it."""
        places = len(entry.roles)
        if places == 1:
            if event.passive and event.subject and not event.objects:
                return [(i,) for i in event.subject.participants] or None  # "is parked"
            return None if objects or not agents else [(i,) for i in agents]
        things = list(objects)
        if places == 2 and entry.preposition and not things:
            phrase = self._take(event, entry.preposition)
            things = [phrase.thing] if phrase else []
        if places == 3 and things:
            phrase = self._peek(event, entry.preposition)
            if phrase and phrase.thing.participants:
                event.phrases.remove(phrase)
                things = [things[0], phrase.thing]
            elif len(things) == 2 and entry.preposition == "to":
                things.reverse()
        if len(things) != places - 1 or not agents or not all(t.participants for t in things):
            return None
        if entry.moves and any(thing.kind in ("abstract", "scenery") for thing in things[:1]):
            return None  # "takes a nap", "holds a speech"
        return [
            about for about in _combined(agents, things) if len(set(about)) == len(about)
        ] or None

    @staticmethod
    def _peek(event: Event, preposition: str) -> Phrase | None:
        return next((p for p in event.phrases if p.preposition == preposition), None)

    def _take(self, event: Event, preposition: str) -> Phrase | None:
        found = self._peek(event, preposition)
        if found and found.thing.participants:
            event.phrases.remove(found)
            return found
        return None

    def _loose(self, event: Event, about: tuple[int, ...]) -> None:
        """Says adverbs and directions of what moves."""
        known, same = self.discourse, glossary().same["adverbs"]
        for word in event.adverbs:
            entry = known.entry(word.text, "adverb")
            name = same.get(word.lemma)
            if entry is None and name and (entry := known.entry(name, "adverb")):
                known.note(f"{word.text}: read as {name}")
            if entry is not None and about and not event.unreal:
                for index in about:
                    known.say(entry, (index,), word.text, word.number)
            else:
                known.leave_unchecked(word.text, word.number, about)
        own = event.lemma and (self.moves_itself(event.lemma) or self._is_moving(event))
        for word in event.directions:
            entry = known.vocabulary.named(word.lemma, "direction")
            if entry is not None and about and own and not event.unreal:
                for index in about:
                    known.say(entry, (index,), word.text, word.number)
            else:
                known.leave_unchecked(word.text, word.number, about)

    def _is_moving(self, event: Event) -> bool:
        return bool(event.objects) and event.lemma.split()[0] in glossary().sets["verbs.moving"]

    def _phrase(self, phrase: Phrase, movers: tuple[int, ...], event: Event | None) -> None:
        """Says a prepositional phrase of the noun before it, or of what moves in the event."""
        known, thing = self.discourse, phrase.thing
        noun = phrase.noun if phrase.noun and phrase.noun.participants else None
        if thing.kind == "colour" and thing.adjectives and phrase.preposition == "in":
            wearer = noun or (event.subject if event else None)
            for word in thing.adjectives:
                if wearer:
                    known.modify(word, wearer)
                else:
                    known.leave_unchecked(phrase.text, phrase.number)
            return
        wearer = phrase.noun or (event.subject if event else None)
        if (
            thing.kind == "clothes"
            and phrase.preposition in ("in", "with")
            and wearer
            and thing.participants
        ):
            if self._wears(wearer.participants, thing, phrase.preposition, phrase.number):
                return
        of_untracked = (
            phrase.noun is not None
            and not phrase.noun.participants
            and (phrase.noun.kind not in _PASSED_OVER or phrase.preposition == "with")
        )
        if not thing.participants or (of_untracked and not self._is_path(phrase)):
            about = noun.participants if noun else movers
            known.leave_unchecked(phrase.text, phrase.number, about)
            return
        of_event = thing.kind in NO_THINGS or noun is None or self._seats(phrase, event)
        if event and event.lemma and self._says_goal(phrase, event):
            self._goal(phrase, movers)
            return
        entry = self._entry_of(phrase, event)
        if entry is None or (event and event.unreal):
            about = (*(noun.participants if noun else movers), *thing.participants)
            known.leave_unchecked(phrase.text, phrase.number, tuple(dict.fromkeys(about)))
            return
        about_noun = not of_event and entry.part == "preposition"
        if noun is not None and phrase.preposition == "with":
            about_noun = noun.acts
            if noun.kind in NO_THINGS:
                known.leave_unchecked(phrase.text, phrase.number, thing.participants)
                return
        if event is None and noun is not None:
            about_noun = True
        told = noun.participants if about_noun and noun else movers
        pairs = [(i, j) for i, j in product(told, thing.participants) if i != j]
        if not pairs:
            known.leave_unchecked(phrase.text, phrase.number, thing.participants)
        for pair in pairs:
            known.say(entry, pair, phrase.preposition, phrase.number)

    def _seats(self, phrase: Phrase, event: Event | None) -> bool:
        """Whether a phrase says where the one who acts is: "eats a sandwich on the couch"."""
        if event is None or not event.subject or not event.subject.participants:
            return False
        noun = self.discourse.participants[phrase.thing.participants[0]].noun
        return (
            phrase.preposition in ("on", "in")
            and noun.replace("-", " ") in glossary().sets["nouns.seats"]
            and phrase.noun in event.objects
            and event.subject.acts
        )

    @staticmethod
    def _is_path(phrase: Phrase) -> bool:
        """Whether a phrase says whence or where to."""
        return phrase.preposition in ("from", "to", "into", "onto", "out of", "towards", "off")

    def _entry_of(self, phrase: Phrase, event: Event | None) -> Entry | None:
        """The word that a preposition is read as."""
        known, said = self.discourse, phrase.preposition
        moving = bool(event and event.lemma and self.moves_itself(event.lemma))
        means = not moving or event is None or event.passive or phrase.thing.kind == "body"
        if said == "with" and event and event.lemma and means and not phrase.thing.acts:
            return None  # an instrument
        noun = known.participants[phrase.thing.participants[0]].noun.replace("-", " ")
        on_it = said == "in" and noun in glossary().sets["nouns.chairs"]
        if on_it or (said in _ALONG and noun in glossary().sets["nouns.ways"]):
            known.note(f"'{phrase.text}': read as on it")
            return known.vocabulary.named("on", "preposition")
        if said in ("over", "through", "across", *_ALONG) and moving:
            return None  # a way, not a place
        if said == "by":
            name = "past" if moving else "next-to"
            known.note(f"by: read as '{name.replace('-', ' ')}'")
            return known.vocabulary.named(name, "motion" if moving else "preposition")
        parts = ("motion", "preposition") if moving else ("preposition", "motion")
        entry = known.entry(said, *parts)
        if entry is None:
            name = glossary().same["prepositions"].get(said)
            found = [known.vocabulary.named(name, part) for part in parts] if name else []
            entry = next((each for each in found if each), None)
            if entry:
                known.note(f"{said}: read as '{entry.name.replace('-', ' ')}'")
        return entry

    def _says_goal(self, phrase: Phrase, event: Event) -> bool:
        """Whether a phrase says where something ends, not where it is throughout."""
        sets = glossary().sets
        if phrase.preposition not in _GOALS:
            return False
        if phrase.preposition in ("onto", "on to"):
            return True
        if not event.objects and not event.passive:
            return event.lemma in sets["verbs.arrive"] and phrase.noun is None
        moved = phrase.noun is None or phrase.noun in (event.subject, *event.objects[:1])
        return moved and event.lemma.split()[0] in sets["verbs.goal"]

    def _goal(self, phrase: Phrase, movers: tuple[int, ...]) -> None:
        """Says where something ends, if the vocabulary has a word for that."""
        known = self.discourse
        entry = known.vocabulary.named(_GOALS[phrase.preposition], "motion")
        pairs = [(i, j) for i, j in product(movers, phrase.thing.participants) if i != j]
        if entry is None or not pairs:
            about = tuple(dict.fromkeys((*movers, *phrase.thing.participants)))
            known.leave_unchecked(phrase.text, phrase.number, about)
            return
        if entry.name != phrase.preposition:
            known.note(f"'{phrase.text}' says where it ends: read as '{entry.name}'")
        for pair in pairs:
            known.say(entry, pair, phrase.preposition, phrase.number)

    def _worn(self, event: Event, agents: tuple[int, ...], objects: list[Referent]) -> bool:
        return any(self._wears(agents, thing, event.text, event.number) for thing in objects)

    def _wears(self, wearers: tuple[int, ...], clothes: Referent, text: str, number: int) -> bool:
        """Says that clothes which are tracked are inside the outline of who wears them."""
        entry = self.discourse.vocabulary.named("inside", "preposition")
        pairs = [(j, i) for i, j in product(wearers, clothes.participants) if i != j]
        if entry is None or not pairs:
            return False
        self.discourse.note(f"'{text} {clothes.text}': what is worn is inside who wears it")
        for pair in pairs:
            self.discourse.say(entry, pair, text, number)
        return True


#: Prepositions that say along what something goes.
_ALONG = ("down", "along", "up")
#: Kinds of nouns that are passed over when a phrase looks for what it tells of.
_PASSED_OVER = frozenset({"scenery", "clothes", "body", "colour"})

#: Prepositions that say where something ends after some verbs, and the motion word for that.
_GOALS = {
    "on": "onto",
    "onto": "onto",
    "on to": "onto",
    "on top of": "onto",
    "in": "into",
    "into": "into",
    "inside": "into",
    "under": "under-goal",
    "behind": "behind-goal",
    "in front of": "front-goal",
    "next to": "beside-goal",
    "near": "near-goal",
}


def _combined(agents: tuple[int, ...], things: list[Referent]) -> Iterator[tuple[int, ...]]:
    """Each agent with each thing; as many of both go pairwise."""
    groups = [agents, *(thing.participants for thing in things)]
    if len(groups) == 2 and len(groups[0]) == len(groups[1]) > 1:
        if set(groups[0]) == set(groups[1]):  # "each other"
            yield from ((i, j) for i in groups[0] for j in groups[1] if i < j)
        else:
            yield from zip(*groups, strict=True)
        return
    yield from product(*groups)
