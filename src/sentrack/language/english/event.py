"""What is said to happen: a verb with all that goes with it."""

from dataclasses import dataclass, field

from sentrack.language.english.referent import Referent
from sentrack.language.english.tagger import Tagged
from sentrack.language.glossary import glossary


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
        """All of it as said."""
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
        modelled: Whether the vocabulary tells who moves in it.
        joined: Whether "and" or a comma joins it to another verb of the same subject.
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
    modelled: bool = False
    joined: bool = False

    @property
    def is_copula(self) -> bool:
        """Whether it is a form of "be"."""
        return not self.lemma

    @property
    def is_straight(self) -> bool:
        """Whether an adverb says that it goes straight on."""
        same = glossary().same["adverbs"]
        return any(
            word.text.startswith("straight") or same.get(word.lemma) == "straight"
            for word in self.adverbs
        )

    @property
    def head(self) -> str:
        """The verb without its particle."""
        return self.lemma.split()[0] if self.lemma else ""
