"""Which word of the vocabulary a verb is read as, and which participants it speaks of."""

from collections.abc import Iterator
from itertools import pairwise, product

from sentrack.language.english.discourse import Discourse
from sentrack.language.english.event import Event, Phrase
from sentrack.language.english.phrase_linking import PhraseLinker
from sentrack.language.english.referent import Referent
from sentrack.language.english.regions import rests, say_region
from sentrack.language.english.verb_senses import VerbSenses
from sentrack.language.glossary import glossary
from sentrack.language.idioms import can_be_said
from sentrack.language.vocabulary import Headword, heads

Indices = tuple[int, ...]


class VerbLinker:
    """Says the events of a sentence in its discourse."""

    def __init__(self, discourse: Discourse, senses: VerbSenses) -> None:
        self.discourse = discourse
        self.senses = senses
        self.phrases = PhraseLinker(discourse, senses)

    def link(self, event: Event) -> None:
        """Says an event: its words, and what of it is not checked."""
        agents = event.subject.participants if event.subject else ()
        objects = list(event.objects)
        by = None
        if event.passive and event.subject:
            by = _take(event, "by")
            objects.insert(0, event.subject)
            agents = by.thing.participants if by else ()
        movers = agents
        if event.is_straight and event.lemma in glossary().sets["verbs.keeping"]:
            event.lemma = "move"  # "keeps straight"
        if event.lemma:
            movers = self._verb(event, agents, objects, by) or _movers(event, agents, objects)
        for phrase in event.phrases:
            self.phrases.link(phrase, movers, event)
        self._adverbs(event, movers)
        self._directions(event, movers)

    def _verb(
        self, event: Event, agents: Indices, objects: list[Referent], by: Phrase | None
    ) -> Indices:
        """Says the verb; returns the participants that move in it, where its model tells."""
        known = self.discourse
        if event.passive and event.lemma in glossary().sets["verbs.viewer"] and not by:
            known.note(f"'{event.text}': it is looked for")
            return ()
        for entry, itself in () if event.unreal else self._readings(event):
            roles = self._roles(entry, event, agents, objects)
            if not roles or not self._can(entry, roles):
                continue
            for about in roles:
                opposite = known.contradicted(entry, about, event.number)
                if opposite is not None and event.joined:  # "picked it up and put it down"
                    known.order.begin(event.number)
                    known.note(f"'{event.text}': read as coming after '{opposite.text}'")
                known.say(entry, about, event.text, event.number)
            if not itself:
                said = " ".join([*heads(entry)[0].split(), entry.particle]).strip()
                known.note(f"{event.text}: read as '{said}'")
            event.modelled = True
            return tuple(dict.fromkeys(about[entry.moves] for about in roles))
        if self._part(event):
            return self._verb(event, agents, [], by)
        if event.lemma != "wear" or not self._worn(event, agents):
            self._leave(event, agents, objects, by)
        return ()

    def _readings(self, event: Event) -> Iterator[tuple[Headword, bool]]:
        """What its verb may be read as; what "is parked" has done so before, and now stands."""
        done = []
        for entry, itself in self.senses.entries(event.lemma):
            if event.passive and itself and len(entry.roles) == 1:
                done.append((entry, itself))
            else:
                yield entry, itself
        yield from done

    def _can(self, entry: Headword, roles: list[Indices]) -> bool:
        """Whether all who act can do what a verb says."""
        nouns = self.discourse.participants
        return all(can_be_said(entry.name, nouns[about[0]].noun) for about in roles)

    def _leave(
        self, event: Event, agents: Indices, objects: list[Referent], by: Phrase | None
    ) -> None:
        """Keeps a verb that is not checked, with its objects that are not tracked."""
        untracked = [thing.text for thing in event.objects if not thing.participants]
        untracked += [by.text] if by and not by.thing.participants else []
        about = [*agents, *(i for thing in objects for i in thing.participants)]
        text = " ".join([event.text, *untracked])
        lacking = not objects and not self.senses.moves_itself(event.lemma)
        if lacking and self.senses.knows(event.lemma):
            self.discourse.note(f"'{event.text}' is checked with an object: '{event.text} the ...'")
        self.discourse.leave_unchecked(text, event.number, tuple(dict.fromkeys(about)))

    def _worn(self, event: Event, agents: Indices) -> bool:
        """Says what is worn: what is tracked, or else its colour; false if nothing was said."""
        things = [part for thing in event.objects for part in thing.parts or (thing,)]
        told = [self._wears(event, agents, thing) for thing in things]
        for thing, known in zip(things, told, strict=True):
            if any(told) and not known:
                self.discourse.leave_unchecked(f"{event.text} {thing.text}", event.number, agents)
        return any(told)

    def _wears(self, event: Event, agents: Indices, thing: Referent) -> bool:
        phrases, text = self.phrases, f"{event.text} {thing.text}"
        return phrases.wears(agents, thing, event.text, event.number) or phrases.is_dressed(
            agents, thing, text, event.number
        )

    def _part(self, event: Event) -> bool:
        """Whether a verb was parted from its preposition, as what follows is not tracked.

        "walks past the camera" is walking, though the camera is not tracked.
        """
        head, _, preposition = event.lemma.partition(" ")
        objects = event.objects
        if not preposition or len(objects) != 1 or objects[0].participants or event.passive:
            return False
        mapped = event.lemma in glossary().same["verbs"]
        if not mapped or not self.senses.moves_itself(head):
            return False
        said = event.text.removesuffix(f" {preposition}")
        event.lemma, event.text, event.objects = head, said, []
        event.phrases.append(Phrase(preposition, event.number + 1, objects[0], None))
        return True

    def _roles(
        self, entry: Headword, event: Event, agents: Indices, objects: list[Referent]
    ) -> list[Indices]:
        """The participants of a verb in the order of its roles; none if they do not fit it."""
        places = len(entry.roles)
        if places == 1:
            if event.passive and event.subject and not event.objects and not agents:
                return [(i,) for i in event.subject.participants]  # "is parked"
            return [] if objects else [(i,) for i in agents]
        things = list(objects)
        if places == 2 and entry.preposition and " " not in event.lemma:
            # "drinks from a cup", not "drinks the tea"
            phrase = None if objects else _tracked(event, entry.preposition)
            things = [phrase.thing] if phrase else []
        if places == 3 and len(things) == 1:
            things += [phrase.thing for phrase in [_tracked(event, entry.preposition)] if phrase]
        elif places == 3 and entry.preposition == "to":
            things.reverse()  # "gave the person the cup"
        if not things and entry.name in glossary().sets["verbs.mutual"] and len(agents) == places:
            return [agents]  # "two persons hug"
        if len(things) != places - 1 or not all(thing.participants for thing in things):
            return []
        if entry.moves and things[0].kind in ("abstract", "scenery"):
            return []  # "takes a nap", "holds a speech"
        found = [about for about in _combined(agents, things) if len(set(about)) == len(about)]
        if found and entry.preposition:
            _take(event, entry.preposition)
        return found

    def _adverbs(self, event: Event, about: Indices) -> None:
        """Says adverbs of what moves."""
        known, same = self.discourse, glossary().same["adverbs"]
        for word in event.adverbs:
            if word.text == "together" and self._goes_with(event, about):
                continue
            if word.text in glossary().sets["adverbs.seen"] and event.head in ("appear", ""):
                continue  # what is tracked is in the picture
            entry = known.vocabulary.said(word.text, ["adverb"])
            name = same.get(word.lemma, "")
            if entry is None and (entry := known.vocabulary.said(name, ["adverb", "verb"])):
                known.note(f"{word.text}: read as {name}")
            if entry is not None and entry.name == "straight" and not self._goes(event):
                entry = None  # "stands straight", "looks straight ahead"
            if entry is not None and about and not event.unreal:
                for index in about:
                    known.say(entry, (index,), word.text, word.number)
            else:
                known.leave_unchecked(word.text, word.number, about)

    def _goes_with(self, event: Event, about: Indices) -> bool:
        """Says "together" of two or more who move: each goes with the next one."""
        entry = self.discourse.vocabulary.named("with", "motion")
        if entry is None or len(about) < 2 or not self._goes(event):
            return False
        for pair in pairwise(about):
            self.discourse.say(entry, pair, "together", event.number)
        return True

    def _goes(self, event: Event) -> bool:
        """Whether an event is read as a motion from one place to another."""
        going = glossary().sets["verbs.going"]
        words = self.discourse.words
        return any(n == event.number and entry.name in going for n, _, entry in words)

    def _directions(self, event: Event, about: Indices) -> None:
        """Says directions of what moves; without a motion they are places in the picture."""
        known = self.discourse
        moved = bool(event.objects) and event.head in glossary().sets["verbs.moving"]
        in_motion = (moved or self.senses.moves_itself(event.lemma)) and not rests(event)
        for word in event.directions:
            entry = known.vocabulary.named(word.lemma, "direction")
            if entry is not None and about and in_motion and not event.unreal:
                for index in about:
                    known.say(entry, (index,), word.text, word.number)
            elif rests(event) and not event.unreal:
                say_region(known, word.text, word.number, about)
            else:
                known.leave_unchecked(word.text, word.number, about)


def _movers(event: Event, agents: Indices, objects: list[Referent]) -> Indices:
    """Who moves in a verb without a model."""
    moved = event.head in glossary().sets["verbs.moving"]
    return objects[0].participants if objects and (moved or not agents) else agents


def _take(event: Event, preposition: str) -> Phrase | None:
    """The first phrase of a preposition, which the event no longer has then."""
    found = next((p for p in event.phrases if p.preposition == preposition), None)
    if found is not None:
        event.phrases.remove(found)
    return found


def _tracked(event: Event, preposition: str) -> Phrase | None:
    """The first phrase of a preposition, if what follows is tracked."""
    found = next((p for p in event.phrases if p.preposition == preposition), None)
    return found if found and found.thing.participants else None


def _combined(agents: Indices, things: list[Referent]) -> Iterator[Indices]:
    """Each agent with each thing; as many of both go pairwise."""
    groups = [agents, *(thing.participants for thing in things)]
    if len(groups) == 2 and len(groups[0]) == len(groups[1]) > 1:
        if set(groups[0]) == set(groups[1]):  # "each other"
            yield from ((i, j) for i in groups[0] for j in groups[1] if i < j)
        else:
            yield from zip(*groups, strict=True)
        return
    yield from product(*groups)
