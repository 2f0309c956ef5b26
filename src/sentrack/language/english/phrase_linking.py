"""What a prepositional phrase tells, and of whom: a place, a goal, a means, what is worn."""

from itertools import product

from sentrack.language.english.discourse import Discourse
from sentrack.language.english.event import Event, Phrase
from sentrack.language.english.referent import Referent
from sentrack.language.english.regions import link_region
from sentrack.language.english.verb_senses import VerbSenses
from sentrack.language.glossary import NO_THINGS, glossary
from sentrack.language.vocabulary import Headword

Indices = tuple[int, ...]

#: Prepositions that say along what something goes.
_ALONG = ("down", "along", "up")
#: Prepositions that say whence or where to.
_PATHS = ("from", "to", "into", "onto", "out of", "towards", "off")
#: Kinds of nouns that are passed over when a phrase looks for what it tells of.
PASSED_OVER = frozenset(["scenery", "clothes", "body", "colour", "region"])
#: Sets of clothes, with the half of who wears them, and how words for its colours end.
_HALVES = {
    "shirts": ("upper half", "-shirted"),
    "trousers": ("lower half", "-trousered"),
    "suits": ("whole", ""),
}
#: Prepositions that say where something ends after some verbs, with the motion word for that.
_GOALS = {
    "on": "onto",
    "onto": "onto",
    "on to": "onto",
    "on top of": "onto",
    "in": "into",
    "into": "into",
    "inside": "into",
    "under": "",
    "behind": "",
    "in front of": "",
    "next to": "",
    "near": "",
}


class PhraseLinker:
    """Says prepositional phrases in a discourse."""

    def __init__(self, discourse: Discourse, senses: VerbSenses) -> None:
        self.discourse = discourse
        self.senses = senses

    def link(self, phrase: Phrase, movers: Indices, event: Event | None) -> None:
        """Says a phrase of the noun before it, or of what moves in the event.

        Args:
            phrase: What was said.
            movers: The participants that move in the event.
            event: What it was said with; None if that is only a noun.
        """
        thing = phrase.thing
        if thing.kind == "region":
            link_region(self.discourse, phrase, event)
            return
        noun = phrase.noun if phrase.noun and phrase.noun.participants else None
        if event and noun and noun.kind in ("clothes", "body"):
            noun = None  # the wearer is told of
        wearer = phrase.noun or (event.subject if event else None)
        if self._says_wear(phrase, noun or wearer):
            return
        told = noun.participants if noun else movers
        of_untracked = _of_untracked(phrase) and not (event and self._seats(phrase, event))
        if not thing.participants or of_untracked or thing.kind == "abstract":
            self.discourse.leave_unchecked(phrase.text, phrase.number, told)
            return
        if event and event.lemma and self._says_goal(phrase, event):
            self._goal(phrase, movers)
            return
        entry = self._entry(phrase, event)
        unreal = event is not None and event.unreal
        if noun and phrase.preposition == "with":
            told = noun.participants if noun.acts or not event else movers
            unreal = unreal or noun.kind in NO_THINGS  # "a street with cars"
        elif entry and entry.part == "motion" and event and event.objects and not event.modelled:
            # "cuts the end off the fruit": the end is what comes off
            unreal = unreal or event.head not in glossary().sets["verbs.moving"]
            told = movers
        elif noun and event and entry:
            of_event = thing.kind == "scenery" or self._seats(phrase, event)
            told = movers if of_event or entry.part != "preposition" else told
        pairs = [(i, j) for i, j in product(told, thing.participants) if i != j]
        if entry is None or unreal or not pairs:
            about = tuple(dict.fromkeys((*told, *thing.participants)))
            self.discourse.leave_unchecked(phrase.text, phrase.number, about)
            return
        for pair in pairs:
            self.discourse.say(entry, pair, phrase.preposition, phrase.number)

    def _says_wear(self, phrase: Phrase, wearer: Referent | None) -> bool:
        """Says "in black" and "in a black coat", if a phrase is that."""
        thing = phrase.thing
        if wearer is None or phrase.preposition not in ("in", "with"):
            return False
        if thing.kind == "colour" and phrase.preposition == "in":
            self.discourse.note(f"'{phrase.text}': read as the colour of the whole")
            for word in thing.adjectives:
                self.discourse.modify(word, wearer)
            return True
        if thing.kind != "clothes":
            return False
        return self.wears(wearer.participants, thing, phrase.preposition, phrase.number) or (
            self.is_dressed(wearer.participants, thing, phrase.text, phrase.number)
        )

    def wears(self, wearers: Indices, clothes: Referent, text: str, number: int) -> bool:
        """Says that clothes which are tracked are inside the outline of who wears them."""
        entry = self.discourse.vocabulary.named("inside", "preposition")
        pairs = [(j, i) for i, j in product(wearers, clothes.participants) if i != j]
        if entry is None or not pairs:
            return False
        self.discourse.note(f"'{text} {clothes.text}': what is worn is inside who wears it")
        for pair in pairs:
            self.discourse.say(entry, pair, text, number)
        return True

    def is_dressed(self, wearers: Indices, clothes: Referent, text: str, number: int) -> bool:
        """Says the colour of clothes that are not tracked of the half of who wears them.

        Args:
            wearers: Who wears them.
            clothes: With what was said of them.
            text: What is said of the wearers, as said.
            number: Of its first word.
        """
        sets, known = glossary().sets, self.discourse
        said = [word for word in clothes.adjectives if word.text in sets["adjectives.colours"]]
        worn = next((name for name in _HALVES if clothes.head in sets[f"nouns.{name}"]), None)
        if len(said) != 1 or worn is None or not wearers:
            return False
        half, suffix = _HALVES[worn]
        colour = known.vocabulary.said(said[0].text, ["adjective"])
        entry = colour and known.vocabulary.named(f"{colour.name}{suffix}", "adjective")
        if entry is None:
            return False
        known.note(f"'{text}': read as the colour of the {half}")
        for index in wearers:
            known.say(entry, (index,), text, number)
        for word in clothes.adjectives:
            if word is not said[0]:
                known.leave_unchecked(word.text, word.number, wearers)
        return True

    def _entry(self, phrase: Phrase, event: Event | None) -> Headword | None:
        """The word that a preposition is read as."""
        known, said = self.discourse, phrase.preposition
        moving = event is not None and self.senses.moves_itself(event.lemma)
        if said == "with" and event and _says_means(phrase, event, moving):
            return None
        noun, sets = known.noun_of(phrase.thing), glossary().sets
        in_seat = said == "in" and noun in sets["nouns.chairs"]
        if in_seat or (said in _ALONG and noun in sets["nouns.ways"]):
            known.note(f"'{phrase.text}': read as on it")
            return known.vocabulary.named("on", "preposition")
        if said in ("over", "through", "across", *_ALONG) and moving:
            return None  # a way, not a place
        if said == "by":
            name = "past" if moving else "next-to"
            known.note(f"by: read as '{name.replace('-', ' ')}'")
            return known.vocabulary.named(name, "motion" if moving else "preposition")
        parts = ("motion", "preposition") if moving else ("preposition", "motion")
        entry = known.vocabulary.said(said, parts)
        if entry is None:
            name = glossary().same["prepositions"].get(said, "")
            entry = known.vocabulary.said(name, parts)
            if entry:
                known.note(f"{said}: read as '{entry.name.replace('-', ' ')}'")
        return entry

    def _seats(self, phrase: Phrase, event: Event) -> bool:
        """Whether a phrase says where the one who acts is: "eats a sandwich on the couch"."""
        subject = event.subject
        if subject is None or not subject.participants or not subject.acts:
            return False
        if not phrase.thing.participants:
            return False
        if event.lemma in glossary().sets["verbs.perception"]:
            return False
        seat = self.discourse.noun_of(phrase.thing) in glossary().sets["nouns.seats"]
        of_other = phrase.noun is not None and phrase.noun is not subject and not phrase.noun.acts
        return seat and phrase.preposition in ("on", "in") and of_other

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
        return moved and event.head in sets["verbs.goal"]

    def _goal(self, phrase: Phrase, movers: Indices) -> None:
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


def _says_means(phrase: Phrase, event: Event, moving: bool) -> bool:
    """Whether "with" says by what means: "hits it with a bat"."""
    if event.is_copula or phrase.thing.acts:
        return False
    return not moving or event.passive or phrase.thing.kind == "body"


def _of_untracked(phrase: Phrase) -> bool:
    """Whether a phrase tells of a thing that is not tracked: "a video on a laptop"."""
    noun = phrase.noun
    if noun is None or noun.participants or phrase.preposition in _PATHS:
        return False
    return noun.kind not in PASSED_OVER - {"body"} or phrase.preposition == "with"
