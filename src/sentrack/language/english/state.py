"""Where the pass through a sentence is: the clauses begun, and what stands around the chunk."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sentrack.language.english.chunker import Chunk, NounGroup, VerbGroup
from sentrack.language.english.clause_order import FIRST, THEN
from sentrack.language.english.discourse import Discourse
from sentrack.language.english.event import Event, Phrase
from sentrack.language.english.referent import Referent
from sentrack.language.english.tagger import Tagged
from sentrack.language.english.verb_senses import VerbSenses
from sentrack.language.errors import MisfitError


@dataclass
class Clause:
    """A clause in the making.

    Attributes:
        subject: Who it is about.
        event: Its last event.
        relative: Whether it tells of a noun of the clause around it.
        gap: An object that is missing in it because it was said before.
    """

    subject: Referent | None = None
    event: Event | None = None
    relative: bool = False
    gap: Referent | None = None

    @property
    def has_verb(self) -> bool:
        """Whether it has a finite verb."""
        return self.event is not None and self.event.finite


@dataclass
class State:
    """What the pass through a sentence has found, and where it is.

    Attributes:
        discourse: What was said so far.
        senses: What verbs may be read as.
        chunks: Of the sentence.
        at: Place of the chunk at hand.
        frames: Clauses begun, the innermost last.
        events: All of them, in order.
        loose: Phrases said of nouns, without a verb.
        last: The last noun.
        role: What it is: "subject", "object" or "phrase".
        adverbs: Said before the verb that they belong to.
        question: What is asked for, until its place is found.
        unreal: Whether the verb to come need not happen.
        particle: Place of the last chunk that belongs to a verb.
    """

    discourse: Discourse
    senses: VerbSenses
    chunks: Sequence[Chunk]
    at: int = 0
    frames: list[Clause] = field(default_factory=lambda: [Clause()])
    events: list[Event] = field(default_factory=list)
    loose: list[Phrase] = field(default_factory=list)
    last: Referent | None = None
    role: str = ""
    adverbs: list[Tagged] = field(default_factory=list)
    question: Referent | None = None
    unreal: bool = False
    particle: int = -1

    @property
    def frame(self) -> Clause:
        """The innermost clause."""
        return self.frames[-1]

    @property
    def event(self) -> Event | None:
        """The last event of the innermost clause."""
        return self.frame.event

    def chunk(self, place: int) -> Chunk | None:
        """The chunk at a place, if there is one."""
        return self.chunks[place] if 0 <= place < len(self.chunks) else None

    @property
    def before(self) -> Chunk | None:
        """The chunk before the one at hand."""
        return self.chunk(self.at - 1)

    @property
    def following(self) -> Chunk | None:
        """The chunk after the one at hand."""
        return self.chunk(self.at + 1)

    def restart(self, subject: Referent | None = None) -> None:
        """Begins a clause of its own."""
        self.frames = [Clause(subject)]

    def is_joined(self) -> bool:
        """Whether "and" or a comma stands before the chunk at hand, or before its adverbs."""
        place = self.at - 1
        while is_tag(self.chunk(place), "adv"):
            place -= 1
        return is_tag(self.chunk(place), "conj", "mark")

    def verb_after(self, place: int) -> bool:
        """Whether a verb stands at a place, or after the phrases that stand there."""
        while is_tag(self.chunk(place), "prep", "adv"):
            place += 1 + isinstance(self.chunk(place + 1), NounGroup)
        return isinstance(self.chunk(place), VerbGroup)

    def has_own_verb(self, place: int, acts: bool = True) -> bool:
        """Whether the noun at a place is the subject of a verb to come.

        Args:
            place: Of the noun.
            acts: Whether it can act; else it is no subject of a mere participle.
        """
        place += 1
        while place < len(self.chunks):
            chunk = self.chunks[place]
            if isinstance(chunk, VerbGroup):
                fragment = acts and self.event is not None and not self.frame.has_verb
                return chunk.finite or (fragment and not chunk.infinitive)
            if is_tag(chunk, "prep"):
                place += 1 + isinstance(self.chunk(place + 1), NounGroup)
            elif is_tag(chunk, "conj") and isinstance(self.chunk(place + 1), NounGroup):
                place += 2
            elif is_tag(chunk, "adv", "dir"):
                place += 1
            else:
                return is_tag(chunk, "rel")
        return False

    def follows(self, word: Tagged) -> bool:
        """Whether a word says that the clause which it begins comes next, or first."""
        order, said = self.discourse.order, (word.text, word.number)
        if word.text in FIRST and not self.events:
            order.also(*said)
            return True
        if word.text not in THEN or not self.events:
            return False
        last, following = self.events[-1].number, self.following
        ends = following is None or is_tag(following, "conj", "mark", "sub")
        if last < order.clause(word.number):
            order.also(*said)
        elif ends and self.chunk(self.at) is word and not is_tag(self.before, "conj", "mark"):
            order.begin(last, said=said)  # "stops and turns afterwards"
        else:
            order.begin(word.number, said=said)
        return True

    def begin(
        self, group: VerbGroup, lemma: str, subject: Referent | None, finite: bool, text: str = ""
    ) -> Event:
        """A new event, which the innermost clause is about from now on."""
        verb = group.verb
        said = text or (verb.text if verb else "is")
        number = verb.number if verb else group.number
        event = Event(lemma, said, number, subject, finite, group.passive, self.unreal)
        event.joined = finite and self.is_joined()
        event.adverbs += [*self.adverbs, *(w for w in group.adverbs if not self.follows(w))]
        self.adverbs, self.unreal = [], False
        self.frame.event = event
        self.events.append(event)
        gap = self.frame.gap
        takes = not is_tag(self.following, "prep") or self.senses.knows(lemma)
        if gap is not None and lemma and takes and not group.passive:
            event.objects.append(gap)
            self.frame.gap = None
        return event


def is_tag(chunk: Chunk | None, *tags: str) -> bool:
    """Whether a chunk is a word of one of these classes."""
    return isinstance(chunk, Tagged) and chunk.tag in tags


def misfit(text: str, number: int) -> MisfitError:
    """The error for a word that goes with nothing."""
    return MisfitError(f"'{text}' at word {number} does not fit: it goes with nothing before it")
