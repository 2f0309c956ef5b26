"""Which chunk goes with which: the events of a sentence with their subjects, objects and phrases.

One pass from left to right. A noun before a verb is its subject, one after it its object; a
relative clause and a participle go with the nearest noun that can act; "and" before a verb keeps
the subject.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .chunker import Chunk, NounGroup, VerbGroup
from .coreference import Discourse, Referent
from .errors import Misfit, SentenceError
from .events import Event, Phrase, Resolver, is_phrasal
from .glossary import glossary
from .tagger import Tagged


@dataclass
class Frame:
    """A clause in the making.

    Attributes:
        subject: Who it is about.
        event: Its last event.
        relative: Whether it tells of a noun of the clause around it.
        gap: What is missing in it because it was said before: an object.
    """

    subject: Referent | None = None
    event: Event | None = None
    relative: bool = False
    gap: Referent | None = None

    @property
    def has_verb(self) -> bool:
        return self.event is not None and self.event.finite


def misfit(text: str, number: int) -> Misfit:
    """The error for a word that goes with nothing."""
    return Misfit(f"'{text}' at word {number} does not fit: it goes with nothing before it")


class Attachment:
    """Goes through the chunks of a sentence once."""

    def __init__(self, discourse: Discourse, resolver: Resolver) -> None:
        self.discourse = discourse
        self.resolver = resolver
        self.events: list[Event] = []
        self.loose: list[Phrase] = []  # said of nouns, without a verb
        self.frames = [Frame()]
        self.last: Referent | None = None
        self.adverbs: list[Tagged] = []
        self.chunks: Sequence[Chunk] = ()
        self.at = 0
        self.role = ""  # what the last noun is: "subject", "object" or "phrase"
        self.question: Referent | None = None
        self.unreal = False  # whether the participle to come need not happen
        self.particle = -1  # place of the last chunk that belongs to a verb

    # What is around the chunk at hand

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def near(self, offset: int) -> Chunk | None:
        """The chunk so many places from the one at hand."""
        place = self.at + offset
        return self.chunks[place] if 0 <= place < len(self.chunks) else None

    def is_tag(self, chunk: Chunk | None, *tags: str) -> bool:
        """Whether a chunk is a word of one of these classes."""
        return isinstance(chunk, Tagged) and chunk.tag in tags

    # The pass

    def attach(self, chunks: Sequence[Chunk]) -> None:
        """Takes all chunks; what they say is in `events` and `loose` then."""
        self.chunks = chunks
        self.at = 0
        while self.at < len(chunks):
            chunk = chunks[self.at]
            if isinstance(chunk, NounGroup):
                self._noun(chunk)
            elif isinstance(chunk, VerbGroup):
                self._verb(chunk)
            else:
                getattr(self, f"_{chunk.tag}", self._other)(chunk)
            self.at += 1
        self._fill_question()
        for word in self.adverbs:
            self.discourse.leave_unchecked(word.text, word.number)

    def _other(self, word: Tagged) -> None:
        raise misfit(word.text, word.number)

    def _view(self, word: Tagged) -> None:
        self.discourse.note(f"'{word.text}': what follows is looked for")

    def _exist(self, word: Tagged) -> None:
        if self.frame.has_verb or self.frame.subject:
            self.frames = [Frame()]

    def _conj(self, word: Tagged) -> None:
        if word.text in ("or", "nor"):
            raise SentenceError(
                f"'{word.text}' at word {word.number}: one sentence says one thing; ask twice instead"
            )

    def _mark(self, word: Tagged) -> None:
        if word.text == ";":
            self.frames, self.last, self.role = [Frame()], None, ""

    def _adv(self, word: Tagged) -> None:
        event = self.frame.event
        if event is not None and not self.is_tag(self.near(-1), "conj", "mark", "sub"):
            event.adverbs.append(word)
        else:
            self.adverbs.append(word)

    def _dir(self, word: Tagged) -> None:
        event = self.frame.event
        if event is not None and event.lemma:
            if self._take_particle(event, word, followed=False):
                return
            if event.lemma.split()[0] == "turn" or self.is_tag(self.near(-1), "conj"):
                event.text = f"{event.text} {word.text}"
                return
            event.directions.append(word)
        else:
            about = self.last.participants if self.last else ()
            self.discourse.leave_unchecked(word.text, word.number, about)

    def _sub(self, word: Tagged) -> None:
        """A subordinate clause: what follows has its own verb."""
        if word.text in _ORDER or word.text in ("how", "why"):
            self.discourse.leave_unchecked(word.text, word.number)
        self.unreal = word.text in ("how", "why", "if", "as if", "as though")
        following = self.near(1)
        if isinstance(following, NounGroup) and not self._verb_follows(1):
            if word.text in ("as", "like", "before", "after", "until", "since"):
                self.discourse.leave_unchecked(word.text, word.number)
                self._phrase(word.text, word.number)
                return
            raise misfit(word.text, word.number)
        if isinstance(following, NounGroup | Tagged):
            self.frames = [self.frames[0], Frame()] if following else self.frames
            self.frames = [Frame()] if isinstance(following, NounGroup) else self.frames[:1]

    def _rel(self, word: Tagged) -> None:
        """A relative clause, or a question."""
        if word.text in ("where", "when", "why", "how", "how many") or self.last is None:
            self._question(word)
            return
        antecedent = self.last
        if word.text in ("who", "whom") and not antecedent.acts:
            acting = [r for r in self.discourse.mentioned if r.kind == "person"]
            antecedent = acting[-1] if acting else antecedent
        following = self.near(1)
        if isinstance(following, NounGroup):
            event = self.frame.event
            if (
                word.text == "that"
                and self.role != "subject"
                and event
                and not event.is_copula
                and (self.is_tag(self.near(-1)) or isinstance(self.near(-1), VerbGroup))
            ):
                self.frames = [Frame()]  # "says that the man ..."
                return
            self.frames.append(Frame(relative=True, gap=antecedent))
        else:
            self.frames.append(Frame(antecedent, relative=True))

    def _question(self, word: Tagged) -> None:
        if self.at and self.last is not None:
            if word.text in ("how", "why"):
                self.discourse.leave_unchecked(word.text, word.number)
                self.unreal = True
            self.frames = [Frame()]
            return
        if word.text in ("who", "whom", "what", "which"):
            noun, kind = ("object", "thing") if word.text == "what" else ("person", "person")
            following = self.near(1)
            if isinstance(following, NounGroup) and word.text in ("what", "which"):
                return  # "which car stopped?"
            group = NounGroup([word], head=word)
            asked = self.discourse._fresh(group, noun, kind)
            self.discourse.mentioned.append(asked)
            auxiliary = isinstance(following, VerbGroup) and following.verb is None
            if auxiliary and isinstance(self.near(2), NounGroup) and self._verb_or_gap(3):
                self.question = asked
            else:
                self.frame.subject, self.last, self.role = asked, asked, "subject"
        self.discourse.note(f"'{word.text}' asks: read as a statement")

    def _verb_or_gap(self, offset: int) -> bool:
        """Whether a verb follows the subject of a question, or a preposition without an object."""
        if self.near(offset) is None or self._verb_after(self.at + offset):
            return True
        place = self.at + offset
        dangling = [
            k
            for k in range(place, len(self.chunks))
            if self.is_tag(self.chunks[k], "prep")
            and not (k + 1 < len(self.chunks) and isinstance(self.chunks[k + 1], NounGroup))
        ]
        return bool(dangling)

    def _fill_question(self) -> None:
        """Puts what was asked for where the sentence lacks an object."""
        event = self.frame.event
        if self.question is None or event is None:
            return
        if not event.objects and event.lemma:
            event.objects.append(self.question)
        self.question = None

    # Nouns

    def _noun(self, group: NounGroup) -> None:
        frame, before = self.frame, self.near(-1)
        if self._is_time(group):
            self.discourse.leave_unchecked(group.text, group.number)
            return
        thing = self.discourse.refer(group)
        copula = frame.event is not None and frame.event.is_copula
        if group.head is None and not thing.participants and not copula:
            raise misfit(group.text, group.number)
        if self.is_tag(before, "conj", "mark") and not self._starts_clause(group):
            self._join(thing, group)
        elif self.is_tag(before, "conj", "mark") and (frame.event or frame.relative):
            self.frames = [Frame(thing)]
            self.role = "subject"
        elif frame.event is None and (frame.subject is None or frame.subject.kind == "viewer"):
            frame.subject = thing
            self.role = "subject"
        elif frame.event is None:
            self._second_subject(thing, group)
            return
        elif frame.event.is_copula:
            self._predicate_noun(frame, thing, group)
            if group.head is None:
                return
        elif len(frame.event.objects) < 2:
            frame.event.objects.append(thing)
            self.role = "object"
        else:
            raise misfit(group.text, group.number)
        self.last = thing

    def _is_time(self, group: NounGroup) -> bool:
        """ "one more time", "this morning": when, not what."""
        head = group.head
        return (
            head is not None
            and head.kind == "abstract"
            and head.entry is None
            and head.lemma in _TIMES
            and self.frame.event is not None
        )

    def _second_subject(self, thing: Referent, group: NounGroup) -> None:
        """A noun after a subject without a verb in between: "person they take"."""
        subject = self.frame.subject
        assert subject is not None
        if group.head is not None and group.head.tag == "pron":
            return
        if not thing.participants and not subject.participants:
            self.frame.subject = self.last = thing
            return
        raise misfit(group.text, group.number)

    def _predicate_noun(self, frame: Frame, thing: Referent, group: NounGroup) -> None:
        """ "is a sedan", "is red"."""
        assert frame.event is not None
        subject = frame.subject
        if group.head is None and thing.adjectives and subject is not None:
            for word in thing.adjectives:
                self.discourse.modify(word, subject)
        elif subject is None or (not subject.participants and thing.participants):
            frame.subject = frame.event.subject = thing
        else:
            about = tuple(dict.fromkeys(subject.participants + thing.participants))
            self.discourse.leave_unchecked(f"is {group.text}", group.number, about)
        self.role = "object"

    def _join(self, thing: Referent, group: NounGroup) -> None:
        """A noun that "and" or a comma joins to the one before it."""
        frame, last = self.frame, self.last
        if last is None:
            frame.subject, self.role, self.last = thing, "subject", thing
            return
        if self.role == "subject" and frame.subject and not frame.has_verb:
            frame.subject = frame.subject.joined(thing, f"{frame.subject.text} and {thing.text}")
            self.discourse.mentioned.append(frame.subject)
            self._distinct(frame.subject)
            if frame.event is not None:
                frame.event = None
        elif self.role == "object" and frame.event and frame.event.objects:
            both = frame.event.objects[-1].joined(thing, f"{last.text} and {thing.text}")
            self.discourse.mentioned.append(both)
            if bool(frame.event.objects[-1].participants) != bool(thing.participants):
                # What is tracked is kept apart from what is not.
                self._leave(thing if not thing.participants else frame.event.objects[-1])
            frame.event.objects[-1] = both
            self._distinct(both)
        elif self.role == "phrase":
            phrases = frame.event.phrases if frame.event and frame.event.phrases else self.loose
            if not phrases:
                raise misfit(group.text, group.number)
            like = phrases[-1]
            phrases.append(Phrase(like.preposition, thing.number, thing, like.noun))
        else:
            raise misfit(group.text, group.number)
        self.last = thing

    def _leave(self, thing: Referent) -> None:
        self.discourse.leave_unchecked(thing.text, thing.number)

    def _distinct(self, thing: Referent) -> None:
        self.discourse.distinct += [
            (min(i, j), max(i, j)) for i in thing.participants for j in thing.participants if i < j
        ]

    def _starts_clause(self, group: NounGroup) -> bool:
        """Whether a noun after "and" is the subject of a verb to come."""
        if self.frame.event is None and not self.frame.relative:
            return False
        return self._verb_follows(0)

    def _verb_follows(self, offset: int) -> bool:
        """Whether the noun group at a place has a verb of its own after it."""
        place = self.at + offset + 1
        while place < len(self.chunks):
            chunk = self.chunks[place]
            if isinstance(chunk, VerbGroup):
                return chunk.finite or (
                    not chunk.infinitive
                    and self.frame.event is not None
                    and not self.frame.has_verb
                )
            if self.is_tag(chunk, "prep"):
                place += 1 + isinstance(self._chunk(place + 1), NounGroup)
            elif self.is_tag(chunk, "conj") and isinstance(self._chunk(place + 1), NounGroup):
                place += 2
            elif self.is_tag(chunk, "adv", "dir"):
                place += 1
            else:
                return self.is_tag(chunk, "rel")
        return False

    def _chunk(self, place: int) -> Chunk | None:
        return self.chunks[place] if place < len(self.chunks) else None

    # Prepositions

    def _prep(self, word: Tagged) -> None:
        following, event = self.near(1), self.frame.event
        followed = isinstance(following, NounGroup)
        if event is not None and event.lemma and self._take_particle(event, word, followed):
            return
        if followed:
            self._phrase(word.text, word.number)
        elif isinstance(following, VerbGroup) and following.verb and following.verb.tag == "ing":
            self.discourse.leave_unchecked(word.text, word.number)
            self.unreal = word.text in _OF_NO_EVENT
            if event is None and self.frame.subject is None:
                self.frames = [Frame()]
        elif self.question is not None:
            self._attach_phrase(word.text, word.number, self.question)
            self.question = None
        elif self.frame.gap is not None and event is not None:
            self._attach_phrase(word.text, word.number, self.frame.gap)
            self.frame.gap = None
        else:
            self._dangling(word)

    def _take_particle(self, event: Event, word: Tagged, followed: bool) -> bool:
        """Whether a word belongs to the verb before it: "picks up", "looks at"."""
        adjacent = isinstance(self.near(-1), VerbGroup) or self.particle == self.at - 1
        phrase = f"{event.lemma} {word.text}"
        known = self.resolver.knows(phrase) or is_phrasal(phrase)
        if not known or (not adjacent and not event.objects and word.text not in ("to", "at")):
            return False
        entries = [entry for entry, _ in self.resolver.entries(phrase)]
        bound = phrase in glossary().sets["verbs.bound"]
        if followed:
            transitive = any(len(entry.roles) > 1 for entry in entries)
            motion = self.resolver.moves_itself(event.lemma)
            if not bound and (event.passive or (not adjacent and event.objects)):
                return False
            if not transitive and not bound and (motion or entries):
                return False
            if bound and event.objects:
                return False
        elif bound:
            return False
        event.lemma, event.text = phrase, f"{event.text} {word.text}"
        self.particle = self.at
        return True

    def _phrase(self, preposition: str, number: int) -> None:
        """A preposition and the noun after it."""
        self.at += 1
        group = self.chunks[self.at]
        assert isinstance(group, NounGroup)
        thing = self.discourse.refer(group)
        self._attach_phrase(preposition, number, thing)
        if preposition == "of" and len(self.discourse.mentioned) > 1:
            # "a bag of bread": "it" is the bag.
            self.discourse.mentioned.insert(-1, self.discourse.mentioned.pop())
        self.last, self.role = thing, "phrase"

    def _attach_phrase(self, preposition: str, number: int, thing: Referent) -> None:
        before = self.chunks[self.at - 2] if self.at > 1 else None
        after_noun = isinstance(before, NounGroup) and before.head is not None
        noun = self.last if after_noun or self.frame.event is None else None
        phrase = Phrase(preposition, number, thing, noun)
        if self.frame.event is not None:
            self.frame.event.phrases.append(phrase)
        elif self.last is not None or self.frame.subject is not None:
            phrase.noun = self._bearer(phrase) or self.frame.subject
            self.loose.append(phrase)
        else:
            self.loose.append(phrase)

    def _bearer(self, phrase: Phrase) -> Referent | None:
        """The noun that a phrase without a verb tells of: what wears, for what is worn."""
        if phrase.thing.kind in ("clothes", "colour") and phrase.preposition in ("in", "with"):
            persons = [r for r in self.discourse.mentioned[:-1] if r.acts and r.participants]
            return persons[-1] if persons else self.last
        if self.last is not None and not self.last.participants and self.last.kind in _PLACES:
            tracked = [r for r in self.discourse.mentioned[:-1] if r.participants]
            return tracked[-1] if tracked else self.last
        return self.last

    def _dangling(self, word: Tagged) -> None:
        """A preposition with nothing after it is an adverb, if it can be one."""
        event = self.frame.event
        direction = self.discourse.entry(word.text, "direction")
        if event is not None and direction is not None:
            event.directions.append(Tagged("dir", word.text, word.number, direction.name))
        elif word.text in _ADVERBIAL:
            about = event.subject.participants if event and event.subject else ()
            self.discourse.leave_unchecked(word.text, word.number, about)
        else:
            raise misfit(word.text, word.number)

    # Verbs

    def _verb(self, group: VerbGroup) -> None:
        if group.verb is None:
            self._auxiliary(group)
            return
        if group.infinitive:
            self._infinitive(group)
        elif group.finite or (group.verb.tag == "base"):
            self._finite(group)
        elif group.passive:
            if self._nearest_noun() is None:
                raise misfit(group.verb.text, group.number)
            self._participle(group, self._nearest_noun())
        else:
            self._participle(group, self._actor(group))

    def _auxiliary(self, group: VerbGroup) -> None:
        """A form of "be" alone; before its subject it asks."""
        following = self.near(1)
        if self.frame.subject is None and isinstance(following, NounGroup):
            if not self._verb_after(self.at + 2):
                # "who is the adult towards?": the subject comes after "is".
                self.at += 1
                thing = self.discourse.refer(following)
                self.frame.subject = self.last = thing
                self._begin(group, "", thing, finite=True)
            return
        verb = self._finite_frame(group)
        have = group.words[-1].text in ("has", "have", "had", "having")
        does = group.words[-1].text in ("do", "does", "did")
        if have or does:
            lemma = "have" if have else "do"
            self._begin(group, lemma, verb.subject, finite=True, text=group.words[-1].text)
        else:
            self._begin(group, "", verb.subject, finite=True)
            if self.near(1) is None:
                raise misfit(group.words[-1].text, group.number)

    def _verb_after(self, place: int) -> bool:
        """Whether a verb comes next, after phrases of the noun before it."""
        while self.is_tag(self._chunk(place), "prep", "adv"):
            place += 1 + isinstance(self._chunk(place + 1), NounGroup)
        return isinstance(self._chunk(place), VerbGroup)

    def _begin(
        self,
        group: VerbGroup,
        lemma: str,
        subject: Referent | None,
        finite: bool = False,
        text: str = "",
    ) -> Event:
        """A new event, which the frame is about from now on."""
        verb = group.verb
        said = text or (verb.text if verb else "is")
        number = verb.number if verb else group.number
        event = Event(lemma, said, number, subject, finite, group.passive)
        event.adverbs += [*self.adverbs, *group.adverbs]
        event.unreal, self.unreal = self.unreal, False
        self.adverbs = []
        self.frame.event = event
        self.events.append(event)
        if self.frame.gap is not None and lemma and not group.passive:
            following = self.near(1)
            if not self.is_tag(following, "prep") or self.resolver.knows(lemma):
                event.objects.append(self.frame.gap)
                self.frame.gap = None
        return event

    def _finite_frame(self, group: VerbGroup) -> Frame:
        """The clause that a finite verb belongs to."""
        before = self.near(-1)
        joined = self.is_tag(before, "conj")
        if self.is_tag(before, "adv", "mark"):
            joined = joined or self.is_tag(self.near(-2), "conj", "mark")
        mark = self.is_tag(before, "mark")
        while self.frame.relative and self.frame.has_verb:
            outer = self.frames[-2]
            if outer.has_verb and not (joined or mark):
                break
            if joined and not outer.has_verb and outer.event is None:
                break
            self.frames.pop()
        frame = self.frame
        if frame.has_verb and not joined and not mark and not self.is_tag(before, "sub"):
            follows_sub = any(self.is_tag(self.near(-k), "sub", "conj", "rel") for k in (1, 2))
            if not follows_sub:
                words = " ".join(word.text for word in group.words)
                raise misfit(words, group.number)
        return frame

    def _finite(self, group: VerbGroup) -> None:
        verb = group.verb
        assert verb is not None
        by = self.near(1)
        past = verb.tag == "past" and len(group.words) == 1
        reduced = past and self.is_tag(by, "prep") and isinstance(by, Tagged) and by.text == "by"
        reduced = reduced and verb.lemma not in _PASSING
        if reduced or (past and self._is_second_verb()):
            group.passive = True
            self._participle(group, self._nearest_noun())
            return
        if verb.tag == "base" and self.last is not None and self._object_acts():
            self._participle(group, self.last)
            return
        if verb.tag in ("past", "pres") and self.frame.subject is None and self.last is None:
            raise misfit(verb.text, verb.number)
        frame = self._finite_frame(group)
        self._begin(group, verb.lemma, frame.subject, finite=True)

    def _is_second_verb(self) -> bool:
        """Whether a verb follows the object of another: "a cup painted red"."""
        return (
            self.frame.has_verb and not self.frame.relative and isinstance(self.near(-1), NounGroup)
        )

    def _object_acts(self) -> bool:
        """Whether the object of the last verb is who does what follows: "lets the dog run"."""
        event = self.frame.event
        return (
            event is not None
            and bool(event.objects)
            and event.lemma in glossary().sets["verbs.perception"]
            and isinstance(self.near(-1), NounGroup)
        )

    def _nearest_noun(self) -> Referent | None:
        """The noun that a passive participle tells of."""
        if self.is_tag(self.near(-1), "mark", "conj", "sub"):
            return self.frame.event.subject if self.frame.event else self.frame.subject
        last = self.last
        if last is not None and last.kind in ("clothes", "colour", "scenery", "body"):
            tracked = [r for r in self.discourse.mentioned if r.participants]
            return tracked[-1] if tracked else last
        return last

    def _actor(self, group: VerbGroup) -> Referent | None:
        """Who does what a participle in -ing says."""
        before, event = self.near(-1), self.frame.event
        if event is None and self.frame.subject is None:
            return None
        subject = (event.subject if event else None) or self.frame.subject
        if self.is_tag(before, "conj", "sub", "mark", "prep") or isinstance(before, VerbGroup):
            return self.frame.subject if self.is_tag(before, "mark") else subject
        if self.is_tag(before, "adv") and event is not None:
            return subject
        for thing in reversed(self.discourse.mentioned):
            if thing is subject or (thing.participants and thing.acts):
                return thing
            if event is not None and event.lemma in glossary().sets["verbs.perception"]:
                if event.objects and thing is event.objects[-1]:
                    return thing
        return subject

    def _participle(self, group: VerbGroup, actor: Referent | None) -> None:
        verb = group.verb
        assert verb is not None
        event, before = self.frame.event, self.near(-1)
        if event is not None and isinstance(before, VerbGroup | Tagged) and not group.passive:
            if self._is_phase(event, before):
                self._continue(event, group)
                return
        finite = False
        self._begin_participle(group, verb.lemma, actor, finite)

    def _begin_participle(
        self, group: VerbGroup, lemma: str, actor: Referent | None, finite: bool
    ) -> None:
        before = self.frame.event
        event = self._begin(group, lemma, actor, finite)
        # A clause that has its verb keeps having it.
        event.finite = before is not None and before.finite
        if event.finite:
            event.finite = True

    def _is_phase(self, event: Event, before: Chunk | None) -> bool:
        """Whether a verb only says that what follows begins, goes on or is seen."""
        sets = glossary().sets
        head = event.lemma
        adjacent = isinstance(before, VerbGroup) or self.is_tag(before, "adv", "to")
        if event.objects or event.phrases or not adjacent or not head:
            return False
        viewed = event.passive and head in sets["verbs.viewer"]
        return viewed or head in sets["verbs.aspect"] or head in sets["verbs.attempt"]

    def _continue(self, event: Event, group: VerbGroup) -> None:
        """Puts the verb that follows in the place of one that only says how it goes."""
        verb = group.verb
        assert verb is not None
        sets = glossary().sets
        said = f"{event.text} {'to ' if group.infinitive else ''}{verb.text}"
        if event.lemma in sets["verbs.attempt"]:
            event.unreal = True
            event.text = said
        else:
            if event.lemma in sets["verbs.begins"]:
                self.discourse.leave_unchecked(event.text, event.number)
            self.discourse.note(f"'{said}': read as '{verb.text}'")
            event.text = verb.text
        event.lemma, event.number = verb.lemma, verb.number
        event.passive = group.passive
        event.adverbs += group.adverbs

    def _infinitive(self, group: VerbGroup) -> None:
        """ "starts to walk", "walks to open the door"."""
        event, before = self.frame.event, self.near(-1)
        assert group.verb is not None
        if event is None:
            if self.frame.subject is None:
                raise misfit(f"to {group.verb.text}", group.number)
            self._begin_participle(group, group.verb.lemma, self.frame.subject, False)
            return
        if self._is_phase(event, before):
            self._continue(event, group)
            return
        if event.is_copula and not event.phrases:
            self._begin_participle(group, group.verb.lemma, event.subject, True)
            self.frame.event.unreal = True  # type: ignore[union-attr]
            return
        asked = event.lemma in glossary().sets["verbs.attempt"] and event.objects
        actor = event.objects[-1] if asked else event.subject
        self._begin_participle(group, group.verb.lemma, actor, event.finite)
        last = self.frame.event
        if last is not None and asked:
            last.unreal = True
            last.text = f"to {last.text}"
        elif last is not None:
            self.discourse.note(f"'to {last.text}': read as done")


#: Words between clauses that say more than that both hold.
_ORDER = frozenset("before after until till once so because since if although though".split()) | {
    *("as soon as", "just before", "just after", "right before", "right after", "shortly after"),
    *("so that", "as if", "as though", "even though", "whereas"),
}
#: Kinds of nouns that are passed over when a phrase looks for what it tells of.
_PLACES = frozenset({"scenery", "colour", "clothes", "body"})
_TIMES = frozenset(
    "time times moment second seconds minute minutes morning day while night".split()
)
#: Prepositions before participles that say nothing happens: "talks about skating".
_OF_NO_EVENT = frozenset("about for of from without like at against".split())
#: Prepositions that may stand alone, as adverbs.
_ADVERBIAL = frozenset(
    """up down in out on off over around round away back by past through along across inside outside
    behind below above underneath after before""".split()
) | {"up and down", "all around", "all over", "in between"}
#: Verbs after which "by" says past what.
_PASSING = frozenset("walk run drive pass go come ride fly stand sit stop swim move".split())
